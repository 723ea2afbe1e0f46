package io.bulwark.client.error;

import org.jspecify.annotations.Nullable;

/**
 * The operation's deadline passed.
 *
 * <p>Retry: yes, with a later deadline; an update may have happened.
 */
public final class DeadlineExceededException extends BulwarkException {
    private static final long serialVersionUID = 1L;

    public DeadlineExceededException(String problem, Subject subject) {
        this(problem, subject, null);
    }

    public DeadlineExceededException(String problem, Subject subject, @Nullable Throwable cause) {
        super(problem, subject, cause);
    }
}
