package io.bulwark.transport.file;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A file can be read, but has not the content or the mode that it must have. Reading it again does not help, unlike
 * after an error of the system.
 */
public final class UnusableFileException extends IOException {
    private static final long serialVersionUID = 1L;

    public UnusableFileException(String problem) {
        this(problem, null);
    }

    public UnusableFileException(String problem, @Nullable Throwable cause) {
        super(problem, cause);
    }
}
