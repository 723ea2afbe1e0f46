package io.bulwark.protocol.extent;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.erasure.ErasureCode;
import io.bulwark.protocol.fingerprint.Checksum;
import io.bulwark.protocol.fingerprint.CrossChecksum;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Coding with all N fragments under a cross-checksum of their hashes (lazy verification paper 2.2). A fragment that
 * matches proves nothing about the others, so a reader that needs certainty encodes all N again and compares. Under
 * write-time verification nodes accept whole blocks only, and check them this way before they store anything.
 */
record PasisCoding(ErasureCode code, boolean writeTime) implements ExtentCoding {
    PasisCoding(ProtectionPolicy policy) {
        this(ErasureCode.of(policy.m(), policy.n()), policy.verification() == Verification.WRITE_TIME);
    }

    @Override
    public Encoded encode(Bytes block) {
        List<Bytes> fragments = code.encode(block, code.fragments());
        return new Encoded(CrossChecksum.of(fragments), fragments);
    }

    @Override
    public boolean mustSendBlocks() {
        return writeTime;
    }

    @Override
    public Optional<Accepted> accept(Checksum checksum, int slot, Bytes fragment) {
        return !writeTime && isFragmentOf(checksum, slot, fragment)
                ? Optional.of(new Accepted(fragment, false))
                : Optional.empty();
    }

    @Override
    public Optional<List<Bytes>> encodeExactly(Checksum checksum, Bytes block) {
        if (!fits(checksum, 0) || block.length() != (long) code.dataFragments() * checksum.length()) {
            return Optional.empty();
        }
        List<Bytes> fragments = code.encode(block, code.fragments());
        return CrossChecksum.of(fragments).equals(checksum) ? Optional.of(fragments) : Optional.empty();
    }

    @Override
    public boolean encodes(Checksum checksum, Bytes block, Set<Integer> checked) {
        return encodeExactly(checksum, block).isPresent();
    }

    @Override
    public List<Bytes> fragments(Bytes block) {
        return code.encode(block, code.fragments());
    }

    @Override
    public boolean isFragmentOf(Checksum checksum, int slot, Bytes fragment) {
        return fits(checksum, slot) && checksum instanceof CrossChecksum cross && cross.matches(slot, fragment);
    }

    @Override
    public DecodeResult decode(Checksum checksum, Map<Integer, Bytes> fragments, boolean verified) {
        int m = code.dataFragments();
        if (fragments.size() < m) {
            return new DecodeResult.None();
        }
        SortedMap<Integer, Bytes> first = new TreeMap<>(fragments);
        int[] slots =
                first.keySet().stream().limit(m).mapToInt(Integer::intValue).toArray();
        Bytes block = code.decode(slots, first.values().stream().limit(m).toList());
        boolean valid = verified
                || CrossChecksum.of(code.encode(block, code.fragments())).equals(checksum);
        return valid ? new DecodeResult.Block(block) : new DecodeResult.Poisonous();
    }

    @Override
    public boolean matches(Bytes block, int slot, Bytes fragment) {
        return slot >= 0
                && slot < code.fragments()
                && code.encodeFragment(block, slot).equals(fragment);
    }

    private boolean fits(Checksum checksum, int slot) {
        return checksum instanceof CrossChecksum cross
                && cross.cc().size() == code.fragments()
                && slot >= 0
                && slot < code.fragments();
    }
}
