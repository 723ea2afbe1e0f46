package io.bulwark.client.error;

import org.jspecify.annotations.Nullable;

/**
 * The system cannot read a file that the client needs: permissions, a failing disk, or too many open files.
 *
 * <p>Retry: once the cause is removed.
 */
public final class FileAccessException extends BulwarkException {
    private static final long serialVersionUID = 1L;

    public FileAccessException(String problem, Subject subject) {
        this(problem, subject, null);
    }

    public FileAccessException(String problem, Subject subject, @Nullable Throwable cause) {
        super(problem, subject, cause);
    }
}
