package io.bulwark.client.error;

import org.jspecify.annotations.Nullable;

/**
 * The cluster refuses an argument: it is out of bounds, or a policy that its nodes cannot keep.
 *
 * <p>Retry: no.
 */
public final class InvalidRequestException extends BulwarkException {
    private static final long serialVersionUID = 1L;

    public InvalidRequestException(String problem, Subject subject) {
        this(problem, subject, null);
    }

    public InvalidRequestException(String problem, Subject subject, @Nullable Throwable cause) {
        super(problem, subject, cause);
    }
}
