package io.bulwark.client.error;

import org.jspecify.annotations.Nullable;

/**
 * The bucket has no object of this key, or not this version of it.
 *
 * <p>Retry: no.
 */
public sealed class NoSuchKeyException extends BulwarkException permits DeleteMarkerException {
    private static final long serialVersionUID = 1L;

    public NoSuchKeyException(String problem, Subject subject) {
        this(problem, subject, null);
    }

    public NoSuchKeyException(String problem, Subject subject, @Nullable Throwable cause) {
        super(problem, subject, cause);
    }
}
