package io.bulwark.client.error;

/**
 * The named version is a delete marker, which has no content.
 *
 * <p>Retry: no.
 */
public final class DeleteMarkerException extends NoSuchKeyException {
    private static final long serialVersionUID = 1L;

    public DeleteMarkerException(String problem, Subject subject) {
        super(problem, subject, null);
    }
}
