package io.bulwark.client.error;

import org.jspecify.annotations.Nullable;

/**
 * Too few nodes or replicas answered.
 *
 * <p>Retry: yes, once they answer; an update may have happened.
 */
public final class UnavailableException extends BulwarkException {
    private static final long serialVersionUID = 1L;

    public UnavailableException(String problem, Subject subject) {
        this(problem, subject, null);
    }

    public UnavailableException(String problem, Subject subject, @Nullable Throwable cause) {
        super(problem, subject, cause);
    }
}
