package io.bulwark.client.object;

/** Nothing of what was asked can have become visible. Whoever can, repeats all of it. */
public abstract sealed class RepeatableException extends RuntimeException
        permits SessionLostException, StaleEpochException {
    private static final long serialVersionUID = 1L;

    RepeatableException(String message) {
        super(message);
    }
}
