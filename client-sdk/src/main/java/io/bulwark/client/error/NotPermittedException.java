package io.bulwark.client.error;

import org.jspecify.annotations.Nullable;

/**
 * The principal of this client has no grant for this.
 *
 * <p>Retry: after an operator has granted it.
 */
public final class NotPermittedException extends BulwarkException {
    private static final long serialVersionUID = 1L;

    public NotPermittedException(String problem, Subject subject) {
        this(problem, subject, null);
    }

    public NotPermittedException(String problem, Subject subject, @Nullable Throwable cause) {
        super(problem, subject, cause);
    }
}
