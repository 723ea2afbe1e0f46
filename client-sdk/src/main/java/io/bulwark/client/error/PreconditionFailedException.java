package io.bulwark.client.error;

import org.jspecify.annotations.Nullable;

/**
 * The object is not in the state that the precondition asks for; nothing was changed.
 *
 * <p>Retry: no, read the state first.
 */
public final class PreconditionFailedException extends BulwarkException {
    private static final long serialVersionUID = 1L;

    public PreconditionFailedException(String problem, Subject subject) {
        this(problem, subject, null);
    }

    public PreconditionFailedException(String problem, Subject subject, @Nullable Throwable cause) {
        super(problem, subject, cause);
    }
}
