package io.bulwark.protocol.metadata;

import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/** Scope of a grant. */
public sealed interface Scope {
    /** The whole cluster: all volumes and buckets, those to come included. */
    record All() implements Scope {}

    /** A volume with all its buckets. */
    record OfVolume(String name) implements Scope {}

    /** One bucket, as long as it is there: another one of the same name begins without grants. */
    record OfBucket(String name) implements Scope {}

    /** Returns the scope in words, such as {@code bucket photos}. */
    default String text() {
        return switch (this) {
            case All ignored -> "everything";
            case OfVolume volume -> "volume " + volume.name;
            case OfBucket bucket -> "bucket " + bucket.name;
        };
    }

    default void write(WireWriter out) {
        switch (this) {
            case All ignored -> out.u8(0);
            case OfVolume volume -> out.u8(1).string(volume.name);
            case OfBucket bucket -> out.u8(2).string(bucket.name);
        }
    }

    static Scope read(WireReader in) {
        int kind = in.u8();
        return switch (kind) {
            case 0 -> new All();
            case 1 -> new OfVolume(in.string(Names.WIRE_BYTES_MAX));
            case 2 -> new OfBucket(in.string(Names.WIRE_BYTES_MAX));
            default -> throw new MalformedException("unknown kind of scope " + kind);
        };
    }
}
