package io.bulwark.client.object;

/** Failure after which no part of the request can have become visible. A caller that can, repeats the whole request. */
public abstract sealed class RetryableException extends RuntimeException
        permits SessionLostException, StaleEpochException {
    private static final long serialVersionUID = 1L;

    RetryableException(String message) {
        super(message);
    }
}
