package io.bulwark.client.object;

/** A placement group has another epoch than the map says that was used: it is to be repeated with the map as it is now. */
public final class StaleEpochException extends RepeatableException {
    private static final long serialVersionUID = 1L;

    StaleEpochException(String message) {
        super(message);
    }
}
