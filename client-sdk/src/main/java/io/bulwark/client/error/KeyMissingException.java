package io.bulwark.client.error;

import org.jspecify.annotations.Nullable;

/**
 * The object is encrypted, and the key for it is not here.
 *
 * <p>Retry: with the key.
 */
public final class KeyMissingException extends BulwarkException {
    private static final long serialVersionUID = 1L;

    public KeyMissingException(String problem, Subject subject) {
        this(problem, subject, null);
    }

    public KeyMissingException(String problem, Subject subject, @Nullable Throwable cause) {
        super(problem, subject, cause);
    }
}
