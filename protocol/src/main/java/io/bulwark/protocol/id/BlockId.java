package io.bulwark.protocol.id;

import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/**
 * Permanent name of a block. In an object volume the owner allocates {@code (owner, session, counter)} without asking
 * anybody (docs/protocols/extents.md). In a register volume the owner is nobody, the session 0, and the counter ends with
 * the block's number. The upper bits of the counter are the generation of placement groups that it is stored in. 25 bytes
 * on the wire.
 */
public record BlockId(int volume, PrincipalId owner, long session, long counter) implements Comparable<BlockId> {
    public static final int BYTES = 25;

    /** Bits of a counter that number the blocks of a session in one generation of placement groups. */
    private static final int NUMBER_BITS = 56;

    public BlockId {
        if (volume < 0 || session < 0 || counter < 0) {
            throw new IllegalArgumentException(
                    "no such block: " + volume + "/" + owner + "/" + session + "/" + counter);
        }
    }

    /** Maximum number of blocks of a register volume. */
    public static final long REGISTERS_MAX = 1L << NUMBER_BITS;

    /** Block of a register volume: in the first generation of groups the counter is its number. */
    public static BlockId register(int volume, long counter) {
        return new BlockId(volume, PrincipalId.NOBODY, 0, counter);
    }

    /** Block {@code number} of a register volume in a generation of placement groups. */
    public static BlockId register(int volume, int generation, long number) {
        return register(volume, firstOf(generation) | number);
    }

    /** Returns the number of a block of a register volume. */
    public long number() {
        return counter & REGISTERS_MAX - 1;
    }

    /** Returns the first counter of a generation of placement groups. */
    public static long firstOf(int generation) {
        return (long) generation << NUMBER_BITS;
    }

    /** Returns the generation of placement groups of a block. */
    public int generation() {
        return generationOf(counter);
    }

    static int generationOf(long counter) {
        return (int) (counter >>> NUMBER_BITS);
    }

    public void write(WireWriter out) {
        out.i32(volume);
        owner.write(out);
        out.i64(session).i64(counter);
    }

    public static BlockId read(WireReader in) {
        int volume = in.i32(0, Integer.MAX_VALUE);
        PrincipalId owner = PrincipalId.read(in);
        long session = in.nonNegative64();
        long counter = in.nonNegative64();
        if (owner.equals(PrincipalId.NOBODY) && session != 0) {
            throw new MalformedException("a register block has no session");
        }
        return new BlockId(volume, owner, session, counter);
    }

    /** By volume, owner, session and counter, in this order. */
    @Override
    public int compareTo(BlockId other) {
        int byVolume = Integer.compare(volume, other.volume);
        int byOwner = byVolume != 0 ? byVolume : owner.compareTo(other.owner);
        int bySession = byOwner != 0 ? byOwner : Long.compare(session, other.session);
        return bySession != 0 ? bySession : Long.compare(counter, other.counter);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof BlockId that
                && counter == that.counter
                && session == that.session
                && volume == that.volume
                && owner.equals(that.owner);
    }

    @Override
    public int hashCode() {
        return 31 * (31 * (31 * volume + owner.hashCode()) + Long.hashCode(session)) + Long.hashCode(counter);
    }

    @Override
    public String toString() {
        return owner.equals(PrincipalId.NOBODY)
                ? volume + ":" + number() + (generation() == 0 ? "" : " of generation " + generation())
                : volume + ":" + owner + "." + session + "." + counter;
    }
}
