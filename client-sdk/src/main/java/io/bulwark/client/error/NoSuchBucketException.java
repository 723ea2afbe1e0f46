package io.bulwark.client.error;

import org.jspecify.annotations.Nullable;

/**
 * There is no bucket of this name.
 *
 * <p>Retry: no.
 */
public final class NoSuchBucketException extends BulwarkException {
    private static final long serialVersionUID = 1L;

    public NoSuchBucketException(String problem, Subject subject) {
        this(problem, subject, null);
    }

    public NoSuchBucketException(String problem, Subject subject, @Nullable Throwable cause) {
        super(problem, subject, cause);
    }
}
