package io.bulwark.client.error;

import org.jspecify.annotations.Nullable;

/**
 * The client's configuration or key ring cannot be used; the message says what to do.
 *
 * <p>Retry: no, mend the file first.
 */
public final class ConfigException extends BulwarkException {
    private static final long serialVersionUID = 1L;

    public ConfigException(String problem, Subject subject) {
        this(problem, subject, null);
    }

    public ConfigException(String problem, Subject subject, @Nullable Throwable cause) {
        super(problem, subject, cause);
    }
}
