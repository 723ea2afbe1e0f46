package io.bulwark.protocol.object;

import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/** Content of an inode: its own, as extents or bytes, or slices of other inodes in the same volume. */
public sealed interface ObjectContent permits OwnContent, Composition {
    /** Returns the object volume that the content belongs to. */
    int volume();

    /** Returns the true length of the object in bytes, at most {@link ObjectLayout#LENGTH_MAX}. */
    long length();

    static void write(ObjectContent content, WireWriter out) {
        switch (content) {
            case Composition composition -> composition.write(out.u8(0));
            case ObjectLayout layout -> layout.write(out.u8(1));
            case InlineContent inline -> inline.write(out.u8(2));
        }
    }

    static ObjectContent read(WireReader in) {
        int kind = in.u8();
        return switch (kind) {
            case 0 -> Composition.read(in);
            case 1 -> ObjectLayout.read(in);
            case 2 -> InlineContent.read(in);
            default -> throw new MalformedException("content of kind " + kind);
        };
    }
}
