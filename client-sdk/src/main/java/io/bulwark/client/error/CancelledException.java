package io.bulwark.client.error;

import org.jspecify.annotations.Nullable;

/**
 * The caller's thread was interrupted, or the client closed, while the operation went on.
 *
 * <p>Retry: yes; an update may have happened.
 */
public final class CancelledException extends BulwarkException {
    private static final long serialVersionUID = 1L;

    public CancelledException(String problem, Subject subject) {
        this(problem, subject, null);
    }

    public CancelledException(String problem, Subject subject, @Nullable Throwable cause) {
        super(problem, subject, cause);
    }
}
