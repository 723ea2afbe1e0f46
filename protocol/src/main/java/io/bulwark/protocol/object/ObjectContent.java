package io.bulwark.protocol.object;

import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/** Content of an inode: extents of its own, or slices of other inodes in the same volume. */
public sealed interface ObjectContent permits ObjectLayout, Composition {
    /** Returns the object volume that holds all bytes. */
    int volume();

    /** Returns the true length of the object in bytes, at most {@link ObjectLayout#LENGTH_MAX}. */
    long length();

    static void write(ObjectContent content, WireWriter out) {
        switch (content) {
            case ObjectLayout layout -> layout.write(out.bool(true));
            case Composition composition -> composition.write(out.bool(false));
        }
    }

    static ObjectContent read(WireReader in) {
        return in.bool() ? ObjectLayout.read(in) : Composition.read(in);
    }
}
