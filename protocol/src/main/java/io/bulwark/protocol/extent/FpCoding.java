package io.bulwark.protocol.extent;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.fingerprint.Checksum;
import io.bulwark.protocol.fingerprint.Fpcc;
import io.bulwark.protocol.fingerprint.Share;
import io.bulwark.protocol.wire.Bytes;
import java.util.Map;
import java.util.Optional;

/** Partial encoding, and fragments that are checked against the fingerprinted cross-checksum before they are kept (thesis 2.3). */
record FpCoding(BlockCode code) implements ExtentCoding {
    FpCoding(ProtectionPolicy policy) {
        this(new BlockCode(policy.m(), policy.f(), policy.n()));
    }

    @Override
    public Encoded encode(Bytes block) {
        BlockCode.Encoded encoded = code.encode(block);
        return new Encoded(encoded.fpcc(), encoded.fragments());
    }

    @Override
    public boolean sendsBlocks() {
        return false;
    }

    @Override
    public Optional<Accepted> accept(Checksum checksum, int slot, Bytes fragment) {
        Share share = new Share(fragment, null);
        return isShareOf(checksum, slot, share) ? Optional.of(new Accepted(share, true)) : Optional.empty();
    }

    /** Without a cross-checksum of its own, where the fragment needs none. */
    @Override
    public Optional<Accepted> acceptBlock(Checksum checksum, int slot, Bytes block) {
        if (!(checksum instanceof Fpcc fpcc)) {
            return Optional.empty();
        }
        return code.acceptBlock(block, fpcc, slot).map(staged -> {
            Share plain = new Share(staged.fragment(), null);
            Share share = code.isShareOf(fpcc, slot, plain) ? plain : new Share(staged.fragment(), staged.cc());
            return new Accepted(share, true);
        });
    }

    @Override
    public boolean isShareOf(Checksum checksum, int slot, Share share) {
        return checksum instanceof Fpcc fpcc && code.isShareOf(fpcc, slot, share);
    }

    @Override
    public Decoded decode(Checksum checksum, Map<Integer, Share> shares, boolean verified) {
        return checksum instanceof Fpcc fpcc
                ? code.decode(fpcc, shares).<Decoded>map(Decoded.Block::new).orElseGet(Decoded.None::new)
                : new Decoded.None();
    }

    @Override
    public boolean matches(Bytes block, int slot, Bytes fragment) {
        return code.matches(block, slot, fragment);
    }
}
