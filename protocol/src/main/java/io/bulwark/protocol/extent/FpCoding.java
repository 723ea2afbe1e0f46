package io.bulwark.protocol.extent;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.fingerprint.Checksum;
import io.bulwark.protocol.fingerprint.Fpcc;
import io.bulwark.protocol.fingerprint.Share;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Fragments that are checked one by one against a fingerprinted cross-checksum with the hashes of all n (thesis 2.2 and 2.3): whoever
 * has one can hand it to its slot, and any m that are consistent with it give the same block. Hashes that no fragment of this
 * block has, as a faulty writer may put there, are found by encoding again.
 */
record FpCoding(BlockCode code) implements ExtentCoding {
    FpCoding(ProtectionPolicy policy) {
        this(BlockCode.ofAll(policy.m(), policy.n()));
    }

    @Override
    public Encoded encode(Bytes block) {
        BlockCode.Encoded encoded = code.encode(block);
        return new Encoded(encoded.fpcc(), encoded.fragments());
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
        return checksum instanceof Fpcc fpcc ? code.encodeExactly(fpcc, block) : Optional.empty();
    }

    @Override
    public boolean encodes(Checksum checksum, Bytes block, Set<Integer> checked) {
        return checksum instanceof Fpcc fpcc && code.encodes(fpcc, block, checked);
    }

    @Override
    public List<Bytes> fragments(Bytes block) {
        return code.erasureCode().encode(block, code.erasureCode().fragments());
    }

    @Override
    public boolean isFragmentOf(Checksum checksum, int slot, Bytes fragment) {
        return checksum instanceof Fpcc fpcc && code.isShareOf(fpcc, slot, new Share(fragment, null));
    }

    @Override
    public DecodeResult decode(Checksum checksum, Map<Integer, Bytes> fragments, boolean verified) {
        return checksum instanceof Fpcc fpcc
                ? code.decodeConsistent(fpcc, fragments)
                        .<DecodeResult>map(DecodeResult.Block::new)
                        .orElseGet(DecodeResult.None::new)
                : new DecodeResult.None();
    }

    @Override
    public boolean matches(Bytes block, int slot, Bytes fragment) {
        return code.matches(block, slot, fragment);
    }
}
