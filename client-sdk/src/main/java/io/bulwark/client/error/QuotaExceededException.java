package io.bulwark.client.error;

/**
 * The quota of a bucket or volume is used up; the disks have space.
 *
 * <p>Retry: after data was deleted, or the quota was raised.
 */
public final class QuotaExceededException extends NoSpaceException {
    private static final long serialVersionUID = 1L;

    public QuotaExceededException(String problem, Subject subject) {
        super(problem, subject, null);
    }
}
