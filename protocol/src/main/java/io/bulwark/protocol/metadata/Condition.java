package io.bulwark.protocol.metadata;

import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/**
 * Condition on the target name for a put, copy or rename.
 *
 * @param version the number that the latest version must have; 0 unless {@link Kind#IF_VERSION}
 */
public record Condition(Kind kind, long version) {
    public static final Condition NONE = new Condition(Kind.NONE, 0);
    /** No object of this name, or only a delete marker on top. */
    public static final Condition IF_ABSENT = new Condition(Kind.IF_ABSENT, 0);

    private static final Kind[] KINDS = Kind.values();

    /** The order is on the wire. */
    public enum Kind {
        NONE,
        IF_ABSENT,
        IF_VERSION
    }

    public Condition {
        if (kind == Kind.IF_VERSION ? version < 1 : version != 0) {
            throw new IllegalArgumentException(kind + " with version " + version);
        }
    }

    public static Condition ifVersion(long version) {
        return new Condition(Kind.IF_VERSION, version);
    }

    void write(WireWriter out) {
        out.u8(kind.ordinal()).i64(version);
    }

    static Condition read(WireReader in) {
        int kind = in.u8();
        if (kind >= KINDS.length) {
            throw new MalformedException("unknown condition " + kind);
        }
        try {
            return new Condition(KINDS[kind], in.i64());
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        }
    }
}
