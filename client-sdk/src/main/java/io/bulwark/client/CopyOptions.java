package io.bulwark.client;

import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectLock;
import java.util.Optional;

/**
 * Options of a copy. Immutable; begin with {@link #DEFAULT}.
 *
 * @param precondition condition on the target name
 * @param attributes those of the copy; empty for those of the source
 * @param lock of the copy; if there is none, the bucket's default retention applies
 */
public record CopyOptions(Precondition precondition, Optional<ObjectAttributes> attributes, ObjectLock lock) {
    public static final CopyOptions DEFAULT = new CopyOptions(Precondition.NONE, Optional.empty(), ObjectLock.NONE);

    public CopyOptions withPrecondition(Precondition condition) {
        return new CopyOptions(condition, attributes, lock);
    }

    /** Gives the copy these attributes in place of the source's. */
    public CopyOptions withAttributes(ObjectAttributes others) {
        return new CopyOptions(precondition, Optional.of(others), lock);
    }

    public CopyOptions withLock(ObjectLock other) {
        return new CopyOptions(precondition, attributes, other);
    }
}
