package io.bulwark.client.error;

/**
 * The multipart upload does not have this part, or it was replaced by another one.
 *
 * <p>Retry: no.
 */
public final class NoSuchPartException extends BulwarkException {
    private static final long serialVersionUID = 1L;

    public NoSuchPartException(String problem, Subject subject) {
        super(problem, subject, null);
    }
}
