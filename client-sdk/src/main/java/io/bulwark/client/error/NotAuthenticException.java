package io.bulwark.client.error;

import org.jspecify.annotations.Nullable;

/**
 * The data that was read differs from the encrypted data: it was changed, truncated or exchanged.
 *
 * <p>Retry: no.
 */
public final class NotAuthenticException extends BulwarkException {
    private static final long serialVersionUID = 1L;

    public NotAuthenticException(String problem, Subject subject) {
        this(problem, subject, null);
    }

    public NotAuthenticException(String problem, Subject subject, @Nullable Throwable cause) {
        super(problem, subject, cause);
    }
}
