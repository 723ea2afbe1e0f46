package io.bulwark.client.error;

/**
 * A retention or legal hold forbids to delete this version, or to weaken its lock.
 *
 * <p>Retry: no.
 */
public final class ObjectLockedException extends BulwarkException {
    private static final long serialVersionUID = 1L;

    public ObjectLockedException(String problem, Subject subject) {
        super(problem, subject, null);
    }
}
