package io.bulwark.client.error;

/**
 * There is no such multipart upload: it may have been completed or aborted.
 *
 * <p>Retry: no.
 */
public final class NoSuchUploadException extends BulwarkException {
    private static final long serialVersionUID = 1L;

    public NoSuchUploadException(String problem, Subject subject) {
        super(problem, subject, null);
    }
}
