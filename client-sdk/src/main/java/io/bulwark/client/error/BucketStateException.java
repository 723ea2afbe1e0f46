package io.bulwark.client.error;

/**
 * The settings of the bucket do not allow this, such as a lock in a bucket without object lock.
 *
 * <p>Retry: no.
 */
public final class BucketStateException extends BulwarkException {
    private static final long serialVersionUID = 1L;

    public BucketStateException(String problem, Subject subject) {
        super(problem, subject, null);
    }
}
