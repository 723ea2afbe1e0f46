package io.bulwark.client.error;

import org.jspecify.annotations.Nullable;

/** Not a valid name of a bucket, volume or object. */
public final class InvalidNameException extends BulwarkException {
    private static final long serialVersionUID = 1L;

    public InvalidNameException(String problem, Subject subject) {
        this(problem, subject, null);
    }

    public InvalidNameException(String problem, Subject subject, @Nullable Throwable cause) {
        super(problem, subject, cause);
    }
}
