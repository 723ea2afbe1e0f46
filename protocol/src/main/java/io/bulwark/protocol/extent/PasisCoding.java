package io.bulwark.protocol.extent;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.erasure.ErasureCode;
import io.bulwark.protocol.fingerprint.Checksum;
import io.bulwark.protocol.fingerprint.CrossChecksum;
import io.bulwark.protocol.fingerprint.Share;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * All N fragments under a cross-checksum of their hashes (lazy verification paper 2.2): a fragment that matches says nothing of the
 * others, so who wants to be sure encodes all N again and compares. Under write-time verification nodes take whole blocks only, and
 * do that themselves before they keep anything.
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
    public boolean sendsBlocks() {
        return writeTime;
    }

    @Override
    public Optional<Accepted> accept(Checksum checksum, int slot, Bytes fragment) {
        Share share = new Share(fragment, null);
        return !writeTime && isShareOf(checksum, slot, share)
                ? Optional.of(new Accepted(share, false))
                : Optional.empty();
    }

    @Override
    public Optional<Accepted> acceptBlock(Checksum checksum, int slot, Bytes block) {
        if (!fits(checksum, slot) || block.length() != (long) code.dataFragments() * checksum.length()) {
            return Optional.empty();
        }
        List<Bytes> fragments = code.encode(block, code.fragments());
        if (!CrossChecksum.of(fragments).equals(checksum)) {
            return Optional.empty();
        }
        Bytes fragment = Bytes.of(fragments.get(slot).toByteArray());
        return Optional.of(new Accepted(new Share(fragment, null), true));
    }

    @Override
    public boolean isShareOf(Checksum checksum, int slot, Share share) {
        return fits(checksum, slot)
                && share.cc() == null
                && checksum instanceof CrossChecksum cross
                && cross.matches(slot, share.fragment());
    }

    @Override
    public Decoded decode(Checksum checksum, Map<Integer, Share> shares, boolean verified) {
        int m = code.dataFragments();
        if (shares.size() < m) {
            return new Decoded.None();
        }
        SortedMap<Integer, Share> first = new TreeMap<>(shares);
        int[] slots =
                first.keySet().stream().limit(m).mapToInt(Integer::intValue).toArray();
        List<Bytes> fragments =
                first.values().stream().limit(m).map(Share::fragment).toList();
        Bytes block = code.decode(slots, fragments);
        boolean valid = verified
                || CrossChecksum.of(code.encode(block, code.fragments())).equals(checksum);
        return valid ? new Decoded.Block(block) : new Decoded.Poisonous();
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
