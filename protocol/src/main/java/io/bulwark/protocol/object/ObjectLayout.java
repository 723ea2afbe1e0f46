package io.bulwark.protocol.object;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * Extents of an object, counted from 0. First comes the data in order, then the pin lists of level 1 (those of data
 * extents), then those of level 2, and so on. The ranges name their blocks in this order. The length determines the
 * number of levels: the least for which the last level has at most {@link #PINS_MAX} extents. The pins of these extents
 * are in the layout. An empty object has no extents.
 *
 * @param volume the object volume of all ranges
 * @param blockBytes the volume's block size
 * @param length true length of the object in bytes
 * @param ranges consecutive blocks, as many in all as the object has extents
 * @param pins the pins of the last level, {@link #PIN_BYTES} bytes each, in order
 */
public record ObjectLayout(int volume, int blockBytes, long length, List<BlockRange> ranges, Bytes pins)
        implements OwnContent {
    /** A pin is the SHA-256 of an extent's fpcc. */
    public static final int PIN_BYTES = 32;
    /** Maximum number of pins in the layout itself. */
    public static final int PINS_MAX = 256;

    public static final int RANGES_MAX = 64;
    public static final long LENGTH_MAX = 1L << 50;

    private static final Bytes NO_PIN = Bytes.of(new byte[PIN_BYTES]);

    public ObjectLayout {
        ranges = List.copyOf(ranges);
        if (volume < 0
                || blockBytes < ProtectionPolicy.BLOCK_BYTES_MIN
                || blockBytes > ProtectionPolicy.BLOCK_BYTES_MAX
                || length < 0
                || length > LENGTH_MAX) {
            throw new IllegalArgumentException(
                    "volume " + volume + ", blocks of " + blockBytes + " bytes, length " + length);
        }
        if (ranges.size() > RANGES_MAX) {
            throw new IllegalArgumentException(ranges.size() + " ranges, the limit is " + RANGES_MAX);
        }
        long[] levels = levels(blockBytes, length);
        long left = sum(levels);
        for (BlockRange range : ranges) {
            if (range.volume() != volume || range.count() > left) {
                throw new IllegalArgumentException("a range of another volume, or more blocks than extents");
            }
            left -= range.count();
        }
        if (left != 0 || pins.length() != levels[levels.length - 1] * PIN_BYTES) {
            throw new IllegalArgumentException(
                    left + " extents without a block, " + pins.length() + " bytes of pins, length " + length);
        }
    }

    /** Returns the number of extents of each level: data first, the level whose pins are in the layout last. */
    public static long[] levels(int blockBytes, long length) {
        List<Long> levels = new ArrayList<>();
        long count = Math.ceilDiv(length, (long) blockBytes);
        levels.add(count);
        while (count > PINS_MAX) {
            count = Math.ceilDiv(count, (long) PinList.pinsMax(blockBytes));
            levels.add(count);
        }
        return levels.stream().mapToLong(Long::longValue).toArray();
    }

    /** Returns the number of extents of an object of {@code length} bytes, pin lists included. */
    public static long extents(int blockBytes, long length) {
        return sum(levels(blockBytes, length));
    }

    /** All extents, pin lists included. */
    public long extents() {
        return extents(blockBytes, length);
    }

    /** Levels of pin lists; 0 if the layout has the pins of all data extents. */
    public int depth() {
        return levels(blockBytes, length).length - 1;
    }

    /** 0 for data, else the level of the pin list. */
    public int levelOf(long extent) {
        return place(extent).level;
    }

    /** The block that an extent is stored in. */
    public BlockId block(long extent) {
        long left = extent;
        if (left >= 0) {
            for (BlockRange range : ranges) {
                if (left < range.count()) {
                    return range.at(left);
                }
                left -= range.count();
            }
        }
        throw new IndexOutOfBoundsException("extent " + extent + " of " + extents());
    }

    /** The length of an extent in bytes: only the last of the data and the last pin list of a level may be short. */
    public int lengthOf(long extent) {
        Place place = place(extent);
        if (place.level == 0) {
            return (int) Math.min(blockBytes, length - place.index * blockBytes);
        }
        return PinList.HEADER_BYTES + childrenOf(place) * PIN_BYTES;
    }

    /** Returns the number of pins that the pin list in this extent holds. */
    public int pinsIn(long extent) {
        Place place = place(extent);
        if (place.level == 0) {
            throw new IllegalArgumentException("extent " + extent + " holds data");
        }
        return childrenOf(place);
    }

    /** The extent of the pin list that has this extent's pin, or -1 if the pin stands in the layout. */
    public long listOf(long extent) {
        Place place = place(extent);
        long[] levels = levels(blockBytes, length);
        if (place.level == levels.length - 1) {
            return -1;
        }
        long first = 0;
        for (int level = 0; level <= place.level; level++) {
            first += levels[level];
        }
        return first + place.index / PinList.pinsMax(blockBytes);
    }

    /** Returns the position of this extent's pin in its pin list, or in the layout. */
    public int positionOf(long extent) {
        Place place = place(extent);
        return (int) (place.level == depth() ? place.index : place.index % PinList.pinsMax(blockBytes));
    }

    /**
     * Returns this layout with those pins only that lead to some bytes, and zeros in the place of the others. Without its
     * pin nodes give no extent away.
     */
    @Override
    public ObjectLayout reduced(long offset, long count) {
        byte[] kept = new byte[pins.length()];
        if (count > 0) {
            int first = (int) lastLevelOf(0, offset / blockBytes) * PIN_BYTES;
            int end = ((int) lastLevelOf(0, (offset + count - 1) / blockBytes) + 1) * PIN_BYTES;
            pins.slice(first, end - first).copyTo(0, kept, first, end - first);
        }
        return new ObjectLayout(volume, blockBytes, length, ranges, Bytes.of(kept));
    }

    /** Returns this layout with the pins, too, that another one of the same inode has. */
    @Override
    public ObjectLayout merged(OwnContent other) {
        if (!(other instanceof ObjectLayout layout)) {
            throw new IllegalArgumentException("inline bytes of an inode with extents");
        }
        byte[] all = new byte[pins.length()];
        for (int position = 0; position < all.length; position += PIN_BYTES) {
            ObjectLayout source = hasPin(position / PIN_BYTES) ? this : layout;
            source.pins.copyTo(position, all, position, PIN_BYTES);
        }
        return new ObjectLayout(volume, blockBytes, length, ranges, Bytes.of(all));
    }

    /** Returns whether the pin of an extent stands in this layout, or in a pin list whose pin does. */
    public boolean leadsTo(long extent) {
        Place place = place(extent);
        return hasPin((int) lastLevelOf(place.level, place.index));
    }

    private boolean hasPin(int position) {
        return !pins.slice(position * PIN_BYTES, PIN_BYTES).equals(NO_PIN);
    }

    /** Returns the place in the last level of the extent on the way to another one. */
    private long lastLevelOf(int from, long index) {
        long position = index;
        for (int level = from; level < depth(); level++) {
            position /= PinList.pinsMax(blockBytes);
        }
        return position;
    }

    public void write(WireWriter out) {
        out.i32(volume).i32(blockBytes).i64(length).u16(ranges.size());
        ranges.forEach(range -> range.write(out));
        out.bytes(pins);
    }

    public static ObjectLayout read(WireReader in) {
        int volume = in.i32(0, Integer.MAX_VALUE);
        int blockBytes = in.i32();
        long length = in.nonNegative64();
        int count = in.count16(RANGES_MAX);
        List<BlockRange> ranges = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            ranges.add(BlockRange.read(in));
        }
        Bytes pins = in.bytes(PINS_MAX * PIN_BYTES);
        try {
            return new ObjectLayout(volume, blockBytes, length, ranges, pins);
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        }
    }

    private int childrenOf(Place place) {
        long below = levels(blockBytes, length)[place.level - 1];
        int pinsMax = PinList.pinsMax(blockBytes);
        return (int) Math.min(pinsMax, below - place.index * pinsMax);
    }

    private Place place(long extent) {
        long[] levels = levels(blockBytes, length);
        long left = extent;
        if (left >= 0) {
            for (int level = 0; level < levels.length; level++) {
                if (left < levels[level]) {
                    return new Place(level, left);
                }
                left -= levels[level];
            }
        }
        throw new IndexOutOfBoundsException("extent " + extent + " of " + sum(levels));
    }

    private static long sum(long[] levels) {
        long sum = 0;
        for (long level : levels) {
            sum += level;
        }
        return sum;
    }

    /** Level 0 is the data. */
    private record Place(int level, long index) {}
}
