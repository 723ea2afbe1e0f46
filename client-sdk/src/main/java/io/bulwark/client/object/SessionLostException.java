package io.bulwark.client.object;

/**
 * The session is closed or has expired, and nothing of what was asked in it can have become visible. Whoever can, opens another and
 * repeats all of it.
 */
public final class SessionLostException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public SessionLostException(String message) {
        super(message);
    }
}
