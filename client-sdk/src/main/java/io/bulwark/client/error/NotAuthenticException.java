package io.bulwark.client.error;

import org.jspecify.annotations.Nullable;

/**
 * Failed authentication: the data that was read differs from the encrypted data, as it was changed, truncated or
 * exchanged.
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
