package io.bulwark.protocol.extent;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.fingerprint.Checksum;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Encoding, naming, checking and decoding of the extents of a volume, by its policy (docs/protocols/coding.md, docs/protocols/pasis.md, docs/protocols/archive.md).
 * Blocks here are padded ({@link ProtectionPolicy#paddedBytes}). Input from others may be false: it is refused and never causes
 * an exception. Immutable and safe for use by many threads.
 */
public sealed interface ExtentCoding permits FpCoding, PasisCoding, ArchiveCoding {
    static ExtentCoding of(ProtectionPolicy policy) {
        return switch (policy.protocol()) {
            case FP -> new FpCoding(policy);
            case PASIS, MASKING -> new PasisCoding(policy);
            case ARCHIVE -> new ArchiveCoding(policy);
        };
    }

    /**
     * A block as its writer sends it.
     *
     * @param fragments those of all slots
     */
    record Encoded(Checksum checksum, List<Bytes> fragments) {
        public Encoded {
            fragments = List.copyOf(fragments);
        }
    }

    /**
     * Fragment that a node keeps.
     *
     * @param verified whether it is known to be a fragment of the only block that any m good fragments give
     */
    record Accepted(Bytes fragment, boolean verified) {}

    /** Result of decoding fragments. */
    sealed interface DecodeResult {
        /** The block that the checksum names. */
        record Block(Bytes content) implements DecodeResult {}

        /** They do not give it: with the archive class, seldom, another fragment is needed. */
        record None() implements DecodeResult {}

        /** They match the checksum, and no block gives all of it: its writer lied. Any other m of them say the same. */
        record Poisonous() implements DecodeResult {}
    }

    Encoded encode(Bytes block);

    /** Returns whether a write sends each slot the whole block, from the beginning. */
    boolean mustSendBlocks();

    /** Returns the data that a slot keeps of a fragment from its writer. */
    Optional<Accepted> accept(Checksum checksum, int slot, Bytes fragment);

    /** The fragments of all slots; nothing if the block does not encode to exactly this checksum. */
    Optional<List<Bytes>> encodeExactly(Checksum checksum, Bytes block);

    /**
     * Returns whether the block encodes to exactly this checksum.
     *
     * @param checked slots whose fragments were checked against the checksum, and gave the block
     */
    boolean encodes(Checksum checksum, Bytes block, Set<Integer> checked);

    /** Returns the fragments of all slots. */
    List<Bytes> fragments(Bytes block);

    /** Returns whether bytes that a slot sent can be its fragment. */
    boolean isFragmentOf(Checksum checksum, int slot, Bytes fragment);

    /**
     * Decodes the block that the checksum names.
     *
     * @param fragments by slot, each of which {@link #isFragmentOf} was found to be right: it is not asked again
     * @param verified whether at least one correct node says that the version is valid
     */
    DecodeResult decode(Checksum checksum, Map<Integer, Bytes> fragments, boolean verified);

    /** Returns whether the fragment is exactly the encoding of the accepted block for the slot. */
    boolean matches(Bytes block, int slot, Bytes fragment);
}
