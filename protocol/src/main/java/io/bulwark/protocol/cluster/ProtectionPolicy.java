package io.bulwark.protocol.cluster;

import io.bulwark.protocol.fingerprint.FingerprintBound;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/**
 * How the blocks of a volume are protected by the FP protocol (thesis 4.2): any {@code m} of {@code n = m + 2f}
 * fragments give the block back, {@code m >= f + 1}, and f nodes of each placement group may be Byzantine. A policy under
 * which fingerprints would be too weak ({@link FingerprintBound}) is refused.
 *
 * @param f Byzantine nodes tolerated per placement group
 * @param m data fragments
 * @param n fragments and slots
 * @param blockBytes the size of a block in bytes; in an object volume the last block of an object may be shorter
 */
public record ProtectionPolicy(int f, int m, int n, int blockBytes) {
    public static final int BLOCK_BYTES_MIN = 512;
    public static final int BLOCK_BYTES_MAX = 16 << 20;

    public ProtectionPolicy {
        if (f < 1 || m < f + 1 || n != m + 2 * f || n > 255) {
            throw new IllegalArgumentException(
                    "fp needs f >= 1, m >= f + 1 and n = m + 2f <= 255; got f=" + f + " m=" + m + " n=" + n);
        }
        if (blockBytes < BLOCK_BYTES_MIN || blockBytes > BLOCK_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "block size " + blockBytes + " is not in " + BLOCK_BYTES_MIN + ".." + BLOCK_BYTES_MAX + " bytes");
        }
        if (!FingerprintBound.holds(m, n, Math.ceilDiv(blockBytes, m))) {
            throw new IllegalArgumentException("with m=" + m + ", n=" + n + " and blocks of " + blockBytes
                    + " bytes two blocks could pass as one with a probability of 2^-64 or more;"
                    + " choose fewer fragments or smaller blocks");
        }
    }

    /** The default: f = 1, m = 2, n = 4, blocks of 1 MiB. */
    public static ProtectionPolicy standard() {
        return new ProtectionPolicy(1, 2, 4, 1 << 20);
    }

    /** Slots that a write goes to first, and answers that complete it: m + f. */
    public int writeQuorum() {
        return m + f;
    }

    /** Slots whose answers decide on timestamps: the first 3f + 1. */
    public int timestampSlots() {
        return 3 * f + 1;
    }

    /** How many of the first 3f + 1 slots decide: 2f + 1. */
    public int timestampQuorum() {
        return 2 * f + 1;
    }

    /** The fragment length in bytes of a block of {@code length} bytes, padded to a multiple of m only. */
    public int fragmentBytes(int length) {
        return Math.ceilDiv(length, m);
    }

    public void write(WireWriter out) {
        out.u8(f).u8(m).u8(n).i32(blockBytes);
    }

    public static ProtectionPolicy read(WireReader in) {
        try {
            return new ProtectionPolicy(in.u8(), in.u8(), in.u8(), in.i32());
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        }
    }
}
