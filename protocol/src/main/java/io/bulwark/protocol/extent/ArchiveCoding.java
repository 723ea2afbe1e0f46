package io.bulwark.protocol.extent;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.fingerprint.Checksum;
import io.bulwark.protocol.fingerprint.Commitment;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Coding by a fountain code (e-SAFE 4; docs/protocols/archive.md). A fragment is the block of a slot with its Merkle path, and is
 * checked alone. A block is a segment of e-SAFE. Whoever decodes one compares its hash with the one that the writer committed to, and then
 * encodes it again, so that any slot can be handed its fragment.
 */
record ArchiveCoding(int m, int n) implements ExtentCoding {
    ArchiveCoding(ProtectionPolicy policy) {
        this(policy.m(), policy.n());
    }

    @Override
    public Encoded encode(Bytes block) {
        Commitment.Encoded encoded = Commitment.encode(m, n, block);
        return new Encoded(encoded.commitment(), encoded.fragments());
    }

    @Override
    public boolean mustSendBlocks() {
        return false;
    }

    @Override
    public Optional<Accepted> accept(Checksum checksum, int slot, Bytes fragment) {
        return isFragmentOf(checksum, slot, fragment) ? Optional.of(new Accepted(fragment, true)) : Optional.empty();
    }

    @Override
    public Optional<List<Bytes>> encodeExactly(Checksum checksum, Bytes block) {
        return encodeExactly(checksum, block, false);
    }

    @Override
    public boolean encodes(Checksum checksum, Bytes block, Set<Integer> checked) {
        return encodeExactly(checksum, block, checked.size() >= m).isPresent();
    }

    private Optional<List<Bytes>> encodeExactly(Checksum checksum, Bytes block, boolean consistent) {
        if (!(checksum instanceof Commitment commitment) || !fits(commitment)) {
            return Optional.empty();
        }
        List<Bytes> fragments = commitment.encodeExactly(block, consistent);
        return fragments.isEmpty() ? Optional.empty() : Optional.of(fragments);
    }

    @Override
    public List<Bytes> fragments(Bytes block) {
        return Commitment.encode(m, n, block).fragments();
    }

    @Override
    public boolean isFragmentOf(Checksum checksum, int slot, Bytes fragment) {
        return checksum instanceof Commitment commitment && fits(commitment) && commitment.isConsistent(slot, fragment);
    }

    @Override
    public DecodeResult decode(Checksum checksum, Map<Integer, Bytes> fragments, boolean verified) {
        if (!(checksum instanceof Commitment commitment) || !fits(commitment) || fragments.size() < m) {
            return new DecodeResult.None();
        }
        Bytes segment = commitment.decode(new TreeMap<>(fragments));
        if (segment == null) {
            return new DecodeResult.None();
        }
        return commitment.isSegment(segment) ? new DecodeResult.Block(segment) : new DecodeResult.Poisonous();
    }

    @Override
    public boolean matches(Bytes block, int slot, Bytes fragment) {
        return slot >= 0
                && slot < n
                && Commitment.encode(m, n, block).fragments().get(slot).equals(fragment);
    }

    private boolean fits(Commitment commitment) {
        return commitment.dataFragments() == m && commitment.slots() == n;
    }
}
