package io.bulwark.client.object;

/**
 * A placement group has another epoch than in the map that was used: the request must be repeated with the current map.
 */
public final class StaleEpochException extends RetryableException {
    private static final long serialVersionUID = 1L;

    StaleEpochException(String message) {
        super(message);
    }
}
