package io.bulwark.protocol.metadata;

import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/**
 * Bytes of a version of an object, to become part of another one.
 *
 * @param version 0 for the latest
 * @param length {@link #TO_END} for all bytes from the offset on
 */
public record ObjectRange(String bucket, String key, long version, long offset, long length) {
    public static final long TO_END = Long.MAX_VALUE;

    public ObjectRange {
        if (version < 0 || offset < 0 || length < 0) {
            throw new IllegalArgumentException("version " + version + ", " + length + " bytes from " + offset + " on");
        }
    }

    void write(WireWriter out) {
        out.string(bucket).string(key).i64(version).i64(offset).i64(length);
    }

    static ObjectRange read(WireReader in) {
        try {
            return new ObjectRange(
                    in.string(Names.WIRE_BYTES_MAX), in.string(Names.WIRE_BYTES_MAX), in.i64(), in.i64(), in.i64());
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        }
    }
}
