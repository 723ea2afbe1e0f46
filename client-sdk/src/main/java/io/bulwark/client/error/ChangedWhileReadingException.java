package io.bulwark.client.error;

import org.jspecify.annotations.Nullable;

/**
 * The version that was being read is gone: deleted or replaced, and its blocks freed.
 *
 * <p>Retry: yes, at once.
 */
public final class ChangedWhileReadingException extends BulwarkException {
    private static final long serialVersionUID = 1L;

    public ChangedWhileReadingException(String problem, Subject subject) {
        this(problem, subject, null);
    }

    public ChangedWhileReadingException(String problem, Subject subject, @Nullable Throwable cause) {
        super(problem, subject, cause);
    }
}
