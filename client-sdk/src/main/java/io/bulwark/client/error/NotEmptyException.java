package io.bulwark.client.error;

import org.jspecify.annotations.Nullable;

/**
 * The bucket still has objects or versions, or the volume still has buckets or objects; nothing was deleted.
 *
 * <p>Retry: after they were deleted.
 */
public final class NotEmptyException extends BulwarkException {
    private static final long serialVersionUID = 1L;

    public NotEmptyException(String problem, Subject subject) {
        this(problem, subject, null);
    }

    public NotEmptyException(String problem, Subject subject, @Nullable Throwable cause) {
        super(problem, subject, cause);
    }
}
