package io.bulwark.client.error;

import org.jspecify.annotations.Nullable;

/**
 * There is no volume of this name, or not of the kind that was asked for.
 *
 * <p>Retry: no.
 */
public final class NoSuchVolumeException extends BulwarkException {
    private static final long serialVersionUID = 1L;

    public NoSuchVolumeException(String problem, Subject subject) {
        this(problem, subject, null);
    }

    public NoSuchVolumeException(String problem, Subject subject, @Nullable Throwable cause) {
        super(problem, subject, cause);
    }
}
