package io.bulwark.client.error;

import org.jspecify.annotations.Nullable;

/**
 * A bucket or volume of this name exists.
 *
 * <p>Retry: no.
 */
public final class AlreadyExistsException extends BulwarkException {
    private static final long serialVersionUID = 1L;

    public AlreadyExistsException(String problem, Subject subject) {
        this(problem, subject, null);
    }

    public AlreadyExistsException(String problem, Subject subject, @Nullable Throwable cause) {
        super(problem, subject, cause);
    }
}
