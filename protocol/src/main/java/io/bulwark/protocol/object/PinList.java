package io.bulwark.protocol.object;

import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * Content of a pin-list extent: magic (4), version (1), level (1), reserved (2, zero), count (4), reserved (4, zero),
 * then the pins of {@code count} extents of the level below, 32 bytes each. All lists of a level but the last are full.
 * A list holds only pins and gives no authority over ids: the block of a pin follows from the layout.
 *
 * @param level 1 for the pins of data extents
 * @param pins the concatenated pins
 */
public record PinList(int level, Bytes pins) {
    public static final int HEADER_BYTES = 16;
    private static final int MAGIC = 0x4257504C;
    private static final int VERSION = 1;

    public PinList {
        if (level < 1 || level > 255 || pins.isEmpty() || pins.length() % ObjectLayout.PIN_BYTES != 0) {
            throw new IllegalArgumentException("level " + level + ", " + pins.length() + " bytes of pins");
        }
    }

    /** Returns the number of pins that fit into a block. */
    public static int pinsMax(int blockBytes) {
        return (blockBytes - HEADER_BYTES) / ObjectLayout.PIN_BYTES;
    }

    /**
     * Returns the lists of one level, in order.
     *
     * @param pinsBelow the concatenated pins of all extents of the level below
     */
    public static List<PinList> of(int blockBytes, int level, Bytes pinsBelow) {
        int step = pinsMax(blockBytes) * ObjectLayout.PIN_BYTES;
        List<PinList> lists = new ArrayList<>();
        for (int at = 0; at < pinsBelow.length(); at += step) {
            lists.add(new PinList(level, pinsBelow.slice(at, Math.min(step, pinsBelow.length() - at))));
        }
        return lists;
    }

    public int count() {
        return pins.length() / ObjectLayout.PIN_BYTES;
    }

    public Bytes pin(int position) {
        return pins.slice(position * ObjectLayout.PIN_BYTES, ObjectLayout.PIN_BYTES);
    }

    /** The bytes to store as an extent. */
    public Bytes encoded() {
        return new WireWriter(HEADER_BYTES + pins.length())
                .i32(MAGIC)
                .u8(VERSION)
                .u8(level)
                .u16(0)
                .i32(count())
                .i32(0)
                .raw(pins)
                .toBytes();
    }

    /**
     * Reads an extent's content, which the reader has already found to match its pin.
     *
     * @throws MalformedException unless it is a list of this level with exactly this many pins
     */
    public static PinList read(Bytes content, int level, int count) {
        WireReader in = new WireReader(content);
        if (in.i32() != MAGIC || in.u8() != VERSION) {
            throw new MalformedException("not a pin list");
        }
        int levelRead = in.u8();
        int reserved = in.u16();
        int countRead = in.i32();
        if (levelRead != level || countRead != count || reserved != 0 || in.i32() != 0) {
            throw new MalformedException("a pin list of level " + levelRead + " with " + countRead
                    + " pins, expected level " + level + " with " + count);
        }
        if (in.remaining() != (long) count * ObjectLayout.PIN_BYTES) {
            throw new MalformedException(in.remaining() + " bytes for " + count + " pins");
        }
        return new PinList(level, in.raw(in.remaining()));
    }
}
