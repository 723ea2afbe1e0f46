package io.bulwark.protocol.object;

import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/**
 * One object's content, immutable; names and versions link to it, with attributes of their own. The ordered command
 * that makes it visible is the commit of the object (docs/protocols/extents.md).
 *
 * @param id counted up from 1, never reused
 * @param modifiedMillis agreed time of the command that made it
 */
public record Inode(long id, ObjectContent content, long modifiedMillis) {
    public void write(WireWriter out) {
        out.i64(id);
        ObjectContent.write(content, out);
        out.i64(modifiedMillis);
    }

    public static Inode read(WireReader in) {
        return new Inode(in.nonNegative64(), ObjectContent.read(in), in.nonNegative64());
    }
}
