package io.bulwark.protocol.object;

import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/** Bytes of an inode that has extents of its own: at least one, and none behind {@link ObjectLayout#LENGTH_MAX}. */
public record Slice(long inode, long offset, long length) {
    public Slice {
        if (inode < 1 || offset < 0 || length < 1 || length > ObjectLayout.LENGTH_MAX - offset) {
            throw new IllegalArgumentException("inode " + inode + ", " + length + " bytes from " + offset + " on");
        }
    }

    public void write(WireWriter out) {
        out.i64(inode).i64(offset).i64(length);
    }

    public static Slice read(WireReader in) {
        try {
            return new Slice(in.i64(), in.i64(), in.i64());
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        }
    }
}
