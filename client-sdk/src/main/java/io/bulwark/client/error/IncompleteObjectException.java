package io.bulwark.client.error;

import org.jspecify.annotations.Nullable;

/**
 * The bytes cannot be read back: an extent was never complete, or more nodes are faulty than the policy covers.
 *
 * <p>Retry: only after faulty nodes have come back.
 */
public final class IncompleteObjectException extends BulwarkException {
    private static final long serialVersionUID = 1L;

    public IncompleteObjectException(String problem, Subject subject) {
        this(problem, subject, null);
    }

    public IncompleteObjectException(String problem, Subject subject, @Nullable Throwable cause) {
        super(problem, subject, cause);
    }
}
