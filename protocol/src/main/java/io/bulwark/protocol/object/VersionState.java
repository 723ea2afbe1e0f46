package io.bulwark.protocol.object;

import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/**
 * Facts of one version of a name besides its content.
 *
 * @param isNull whether it was made while the bucket kept only one such version, the null version
 */
public record VersionState(boolean isNull, ObjectAttributes attributes, ObjectLock lock) {
    /** Returns the state of a delete marker. */
    public static VersionState ofMarker(boolean isNull) {
        return new VersionState(isNull, ObjectAttributes.NONE, ObjectLock.NONE);
    }

    public VersionState withAttributes(ObjectAttributes others) {
        return new VersionState(isNull, others, lock);
    }

    public VersionState withLock(ObjectLock other) {
        return new VersionState(isNull, attributes, other);
    }

    public void write(WireWriter out) {
        attributes.write(out.bool(isNull));
        lock.write(out);
    }

    public static VersionState read(WireReader in) {
        return new VersionState(in.bool(), ObjectAttributes.read(in), ObjectLock.read(in));
    }
}
