package io.bulwark.protocol.cluster;

import io.bulwark.protocol.fingerprint.Commitment;
import io.bulwark.protocol.fingerprint.FingerprintBound;
import io.bulwark.protocol.fountain.BlockSchedule;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/**
 * Protection of the blocks of a volume. Any {@code m} of {@code n} fragments give a block back, and f nodes of each
 * placement group may be Byzantine. Under FP (thesis 4.2) {@code n = m + 2f} and {@code m >= f + 1}. FP and the archive class refuse a
 * policy under which fingerprints would be too weak ({@link FingerprintBound}). Under PASIS (lazy verification paper
 * 2.2) {@code n >= 4f + 1} and {@code m <= n - 3f}, where m = 1 is replication. Masking quorums (Agile Store paper
 * 3.3.2) keep whole copies, so m is 1, and also need {@code n >= 4f + 1}. In the archive class (e-SAFE) {@code n >= m + 2f}
 * and {@code m >= f + 1}; the slots beyond m + 2f are {@link #spareSlots spare}.
 *
 * @param f Byzantine nodes tolerated per placement group; PASIS's b
 * @param m data fragments
 * @param n fragments and slots; PASIS's N
 * @param blockBytes the size of a block in bytes; in an object volume the last block of an object may be shorter
 * @param verification when writes are verified; under FP and in the archive class always {@link Verification#WRITE_TIME}
 */
public record ProtectionPolicy(Protocol protocol, int f, int m, int n, int blockBytes, Verification verification) {
    public static final int BLOCK_BYTES_MIN = 512;
    public static final int BLOCK_BYTES_MAX = 16 << 20;
    /** Each timestamp of PASIS carries a hash of every fragment. */
    public static final int PASIS_FRAGMENTS_MAX = 64;

    private static final Protocol[] PROTOCOLS = Protocol.values();
    private static final Verification[] VERIFICATIONS = Verification.values();

    public ProtectionPolicy {
        switch (protocol) {
            case FP -> checkFp(f, m, n, verification);
            case PASIS -> checkPasis(f, m, n);
            case MASKING -> checkMasking(f, m, n, verification);
            case ARCHIVE -> checkArchive(f, m, n, verification);
        }
        if (blockBytes < BLOCK_BYTES_MIN || blockBytes > BLOCK_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "block size " + blockBytes + " is not in " + BLOCK_BYTES_MIN + ".." + BLOCK_BYTES_MAX + " bytes");
        }
        if (!hasStrongFingerprints(protocol, m, n, blockBytes)) {
            throw new IllegalArgumentException("with m=" + m + ", n=" + n + " and blocks of " + blockBytes
                    + " bytes two blocks could pass as one with a probability of 2^-64 or more;"
                    + " choose fewer fragments or smaller blocks");
        }
    }

    /** A policy of FP. */
    public ProtectionPolicy(int f, int m, int n, int blockBytes) {
        this(Protocol.FP, f, m, n, blockBytes, Verification.WRITE_TIME);
    }

    /** A policy of PASIS. */
    public static ProtectionPolicy pasis(int b, int m, int n, int blockBytes, Verification verification) {
        return new ProtectionPolicy(Protocol.PASIS, b, m, n, blockBytes, verification);
    }

    /** A policy of masking quorums: nodes verify in the background that a version is complete. */
    public static ProtectionPolicy masking(int b, int n, int blockBytes) {
        return new ProtectionPolicy(Protocol.MASKING, b, 1, n, blockBytes, Verification.LAZY);
    }

    /** A policy of the archive class. */
    public static ProtectionPolicy archive(int f, int m, int n, int blockBytes) {
        return new ProtectionPolicy(Protocol.ARCHIVE, f, m, n, blockBytes, Verification.WRITE_TIME);
    }

    /**
     * Returns the same with other faults.
     *
     * @throws IllegalArgumentException if the sums fail
     */
    public ProtectionPolicy withFaults(int faults) {
        return new ProtectionPolicy(protocol, faults, m, n, blockBytes, verification);
    }

    /** Returns whether the other policy has another f, m or n, and is the same in all that a volume keeps. */
    public boolean differsInNumbers(ProtectionPolicy other) {
        return protocol == other.protocol
                && verification == other.verification
                && blockBytes == other.blockBytes
                && !equals(other);
    }

    /** The default: FP with f = 1, m = 2, n = 4, blocks of 1 MiB. */
    public static ProtectionPolicy standard() {
        return new ProtectionPolicy(1, 2, 4, 1 << 20);
    }

    /** Answers that complete a write: m + f of the slots that it goes to first, or N - b of all, or m + f + {@link #awayAfterWrite}. */
    public int writeQuorum() {
        return switch (protocol) {
            case FP -> m + f;
            case PASIS, MASKING -> n - f;
            case ARCHIVE -> m + f + awayAfterWrite();
        };
    }

    /**
     * Slots that must hold a version before a read returns it: m + f, so that m of them do not lie. None under PASIS, where a write goes to so many
     * slots that the version itself shows it.
     */
    public int readHolders() {
        return protocol.isVersioned() ? 0 : m + f;
    }

    /** Most slots that say that they lack a version which was read or written completely: liars, and those that it needs not. */
    public int lackingMax() {
        return protocol.isVersioned() ? 2 * f : n - m;
    }

    /** Slots beyond m + 2f: in the archive class as many may be away, besides f that lie, once all slots hold a block. */
    public int spareSlots() {
        return protocol == Protocol.ARCHIVE ? n - m - 2 * f : 0;
    }

    /**
     * Slots that may be away, besides f that lie, when a block is read that was just written. A quarter of the spare slots, rounded down, is the
     * writer's: it is done without f and these.
     */
    public int awayAfterWrite() {
        return spareSlots() - spareSlots() / 4;
    }

    /** Returns whether a fragment is checked alone, so that whoever has it can hand it to its slot. */
    public boolean checksFragments() {
        return protocol == Protocol.FP || protocol == Protocol.ARCHIVE;
    }

    /**
     * Returns whether nodes disseminate and deliver an extent among themselves (AVID-FP), since its write goes to some of the
     * slots only.
     */
    public boolean isDelivered() {
        return protocol == Protocol.ARCHIVE;
    }

    /** Slots whose answers decide on timestamps: the first 3f + 1, or all. */
    public int timestampSlots() {
        return switch (protocol) {
            case FP -> 3 * f + 1;
            case PASIS, MASKING, ARCHIVE -> n;
        };
    }

    /** Returns the required number of the slots that decide on timestamps: 2f + 1, or N - b. */
    public int timestampQuorum() {
        return switch (protocol) {
            case FP -> 2 * f + 1;
            case PASIS, MASKING, ARCHIVE -> n - f;
        };
    }

    /** The fragment length in bytes of a block of {@code length} bytes, which is padded no further than it must be. */
    public int fragmentBytes(int length) {
        if (protocol == Protocol.ARCHIVE) {
            BlockSchedule schedule = BlockSchedule.of(m, n);
            return Commitment.fragmentBytes(schedule, schedule.symbolBytes(length));
        }
        return Math.ceilDiv(length, m);
    }

    /** Returns the bytes of all fragments of a full block. */
    public long stripeBytes() {
        return (long) n * fragmentBytes(blockBytes);
    }

    /** The length to which a block of {@code length} bytes is padded with zeros: a multiple of m, or of the number of source symbols. */
    public int paddedBytes(int length) {
        int pieces = protocol == Protocol.ARCHIVE ? BlockSchedule.of(m, n).sourceSymbols() : m;
        return pieces * Math.ceilDiv(length, pieces);
    }

    /** Returns text for people: the protocol and its numbers. */
    public String text() {
        return switch (protocol) {
            case FP -> "fp f=" + f + " m=" + m + " n=" + n;
            case PASIS -> "pasis b=" + f + " m=" + m + " n=" + n + " " + verification.text();
            case MASKING -> "masking b=" + f + " n=" + n;
            case ARCHIVE -> "archive f=" + f + " m=" + m + " n=" + n;
        };
    }

    public void write(WireWriter out) {
        out.u8(protocol.ordinal()).u8(verification.ordinal());
        out.u8(f).u8(m).u8(n).i32(blockBytes);
    }

    public static ProtectionPolicy read(WireReader in) {
        try {
            int protocol = in.u8();
            int verification = in.u8();
            if (protocol >= PROTOCOLS.length || verification >= VERIFICATIONS.length) {
                throw new MalformedException("unknown protocol " + protocol + " or verification " + verification);
            }
            return new ProtectionPolicy(
                    PROTOCOLS[protocol], in.u8(), in.u8(), in.u8(), in.i32(), VERIFICATIONS[verification]);
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        }
    }

    private static void checkFp(int f, int m, int n, Verification verification) {
        if (f < 1 || m < f + 1 || n != m + 2 * f || n > 255) {
            throw new IllegalArgumentException(
                    "fp needs f >= 1, m >= f + 1 and n = m + 2f <= 255; got f=" + f + " m=" + m + " n=" + n);
        }
        if (verification != Verification.WRITE_TIME) {
            throw new IllegalArgumentException("fp verifies when it writes, not " + verification.text());
        }
    }

    private static void checkMasking(int b, int m, int n, Verification verification) {
        if (b < 1 || b > PASIS_FRAGMENTS_MAX || n < 4 * b + 1 || n > PASIS_FRAGMENTS_MAX) {
            throw new IllegalArgumentException("masking needs b >= 1 and 4b + 1 <= n <= " + PASIS_FRAGMENTS_MAX
                    + "; got b=" + b + " n=" + n + ", where 4b + 1 is " + (4L * b + 1)
                    + ": choose fewer faults or more nodes");
        }
        if (m != 1 || verification != Verification.LAZY) {
            throw new IllegalArgumentException("masking keeps whole copies (m=1) and verifies lazily; got m=" + m + " "
                    + verification.text() + ": pasis has the choice");
        }
    }

    private static void checkArchive(int f, int m, int n, Verification verification) {
        if (f < 1 || m < f + 1 || n < m + 2 * f || n > 255) {
            throw new IllegalArgumentException(
                    "archive needs f >= 1, m >= f + 1 and m + 2f <= n <= 255; got f=" + f + " m=" + m + " n=" + n);
        }
        if (verification != Verification.WRITE_TIME) {
            throw new IllegalArgumentException("archive verifies when it writes, not " + verification.text());
        }
    }

    private static boolean hasStrongFingerprints(Protocol protocol, int m, int n, int blockBytes) {
        return switch (protocol) {
            case FP -> FingerprintBound.holds(m, n, Math.ceilDiv(blockBytes, m));
            case PASIS, MASKING -> true;
            case ARCHIVE -> {
                BlockSchedule schedule = BlockSchedule.of(m, n);
                yield FingerprintBound.holdsForSymbols(schedule.symbols(), schedule.symbolBytes(blockBytes));
            }
        };
    }

    private static void checkPasis(int b, int m, int n) {
        if (b < 1 || b > PASIS_FRAGMENTS_MAX || n < 4 * b + 1 || n > PASIS_FRAGMENTS_MAX || m < 1 || m > n - 3 * b) {
            throw new IllegalArgumentException("pasis needs b >= 1, 4b + 1 <= n <= " + PASIS_FRAGMENTS_MAX
                    + " and 1 <= m <= n - 3b; got b=" + b + " m=" + m + " n=" + n);
        }
    }
}
