package io.bulwark.client.object;

/** The session is closed or has expired: it is to be repeated in another one. */
public final class SessionLostException extends RetryableException {
    private static final long serialVersionUID = 1L;

    public SessionLostException(String message) {
        super(message);
    }
}
