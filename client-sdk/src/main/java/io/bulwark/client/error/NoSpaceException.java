package io.bulwark.client.error;

import org.jspecify.annotations.Nullable;

/**
 * A quota is used up, or the disks of too many nodes are full; reads go on.
 *
 * <p>Retry: after data was deleted, or nodes or quota were added.
 */
public sealed class NoSpaceException extends BulwarkException permits QuotaExceededException {
    private static final long serialVersionUID = 1L;

    public NoSpaceException(String problem, Subject subject) {
        this(problem, subject, null);
    }

    public NoSpaceException(String problem, Subject subject, @Nullable Throwable cause) {
        super(problem, subject, cause);
    }
}
