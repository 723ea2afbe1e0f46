package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/**
 * Change of an object, as the event log of its bucket keeps it.
 *
 * @param version that was made or deleted
 * @param nullVersion whether it was a null version
 * @param length of a new object; 0 for a deletion
 * @param tag property {@link #TAG_PROPERTY} of the version; empty if it has none, or a long one
 * @param by whose rights allowed the change
 */
public record ObjectEvent(
        Kind kind,
        String key,
        long version,
        boolean nullVersion,
        long length,
        String tag,
        PrincipalId by,
        long atMillis) {
    /** Property in which gateways keep the entity tag of a version. */
    public static final String TAG_PROPERTY = "etag";

    static final int TAG_BYTES_MAX = 64;
    private static final Kind[] KINDS = Kind.values();

    /** Kind of a change. The order is on the wire. */
    public enum Kind {
        PUT,
        /** Copies, renames and compositions. */
        COPY,
        COMPLETE_UPLOAD,
        DELETE,
        DELETE_MARKER,
        PUT_TAGS,
        DELETE_TAGS
    }

    void write(WireWriter out) {
        out.u8(kind.ordinal()).string(key).i64(version).bool(nullVersion);
        by.write(out.i64(length).string(tag));
        out.i64(atMillis);
    }

    static ObjectEvent read(WireReader in) {
        int kind = in.u8();
        if (kind >= KINDS.length) {
            throw new MalformedException("unknown kind of event " + kind);
        }
        return new ObjectEvent(
                KINDS[kind],
                in.string(Names.KEY_BYTES_MAX),
                in.nonNegative64(),
                in.bool(),
                in.nonNegative64(),
                in.string(TAG_BYTES_MAX),
                PrincipalId.read(in),
                in.nonNegative64());
    }
}
