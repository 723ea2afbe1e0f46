package io.bulwark.client.error;

import org.jspecify.annotations.Nullable;

/**
 * The name is not valid for a bucket, volume or object.
 *
 * <p>Retry: no.
 */
public final class InvalidNameException extends BulwarkException {
    private static final long serialVersionUID = 1L;

    public InvalidNameException(String problem, Subject subject) {
        this(problem, subject, null);
    }

    public InvalidNameException(String problem, Subject subject, @Nullable Throwable cause) {
        super(problem, subject, cause);
    }
}
