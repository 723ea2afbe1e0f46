package io.bulwark.protocol.id;

import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.Comparator;

/** Consecutive blocks of one session of an object volume: counters {@code first} to {@code first + count - 1}. */
public record BlockRange(int volume, PrincipalId owner, long session, long first, long count)
        implements Comparable<BlockRange> {
    private static final Comparator<BlockRange> ORDER = Comparator.comparingInt(BlockRange::volume)
            .thenComparing(BlockRange::owner)
            .thenComparingLong(BlockRange::session)
            .thenComparingLong(BlockRange::first)
            .thenComparingLong(BlockRange::count);

    public BlockRange {
        if (volume < 0 || session < 0 || first < 0 || count < 1 || first > Long.MAX_VALUE - count) {
            throw new IllegalArgumentException("no such range: " + first + " + " + count);
        }
    }

    @Override
    public int compareTo(BlockRange other) {
        return ORDER.compare(this, other);
    }

    public BlockId at(long index) {
        if (index < 0 || index >= count) {
            throw new IndexOutOfBoundsException(index + " of " + count);
        }
        return new BlockId(volume, owner, session, first + index);
    }

    /** Returns the generation of placement groups of the first block. */
    public int generation() {
        return BlockId.generationOf(first);
    }

    /** Returns whether all blocks are of this generation of placement groups. */
    public boolean isOf(int generation) {
        return generation() == generation && BlockId.generationOf(first + count - 1) == generation;
    }

    public boolean contains(BlockId block) {
        return block.volume() == volume
                && block.session() == session
                && block.owner().equals(owner)
                && block.counter() >= first
                && block.counter() - first < count;
    }

    public void write(WireWriter out) {
        out.i32(volume);
        owner.write(out);
        out.i64(session).i64(first).i64(count);
    }

    public static BlockRange read(WireReader in) {
        int volume = in.i32(0, Integer.MAX_VALUE);
        PrincipalId owner = PrincipalId.read(in);
        long session = in.nonNegative64();
        long first = in.nonNegative64();
        long count = in.nonNegative64();
        if (count < 1 || first > Long.MAX_VALUE - count) {
            throw new MalformedException("no such range: " + first + " + " + count);
        }
        return new BlockRange(volume, owner, session, first, count);
    }
}
