package io.bulwark.protocol.object;

import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/**
 * Content made of slices of other inodes, in order. The metadata keeps the slices apart and hands them out in pages: there may be many.
 *
 * @param volume the object volume of all sliced inodes
 * @param length the sum of the lengths of the slices
 * @param slices their number
 */
public record Composition(int volume, long length, int slices) implements ObjectContent {
    /** Maximum number of slices. */
    public static final int SLICES_MAX = 10_000;

    public Composition {
        if (volume < 0
                || length < 0
                || length > ObjectLayout.LENGTH_MAX
                || slices < 0
                || slices > SLICES_MAX
                || slices > length
                || (slices == 0) != (length == 0)) {
            throw new IllegalArgumentException(
                    "volume " + volume + ", " + slices + " slices of together " + length + " bytes");
        }
    }

    public void write(WireWriter out) {
        out.i32(volume).i64(length).i32(slices);
    }

    public static Composition read(WireReader in) {
        try {
            return new Composition(in.i32(0, Integer.MAX_VALUE), in.nonNegative64(), in.i32(0, SLICES_MAX));
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        }
    }
}
