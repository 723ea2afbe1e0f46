package io.bulwark.client.error;

import org.jspecify.annotations.Nullable;

/**
 * A limit of the cluster is reached, such as open sessions or unreferenced bytes.
 *
 * <p>Retry: yes, later.
 */
public final class LimitReachedException extends BulwarkException {
    private static final long serialVersionUID = 1L;

    public LimitReachedException(String problem, Subject subject) {
        this(problem, subject, null);
    }

    public LimitReachedException(String problem, Subject subject, @Nullable Throwable cause) {
        super(problem, subject, cause);
    }
}
