package io.bulwark.protocol.extent;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.extent.ExtentMessage.Store;
import io.bulwark.protocol.extent.ExtentMessage.StoreBlock;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.fingerprint.Fpcc;
import io.bulwark.protocol.fingerprint.Share;
import java.util.Optional;
import java.util.function.Supplier;

/** How a node checks what a writer wants it to keep. The check is long CPU work and made only where it is needed. */
record StoreProposal(Fpcc fpcc, Supplier<Optional<Share>> checking) implements ExtentBlocks.Proposal {
    /** A fragment must be consistent with fpcc at the slot. */
    static StoreProposal of(Volume volume, int slot, Store store) {
        return new StoreProposal(store.fpcc(), () -> {
            Share share = new Share(store.fragment(), null);
            boolean good = bounded(volume.policy(), store.fpcc())
                    && code(volume.policy()).isShareOf(store.fpcc(), slot, share);
            return good ? Optional.of(share) : Optional.empty();
        });
    }

    /** A block must give at least m fragments that are. */
    static StoreProposal of(Volume volume, int slot, StoreBlock store) {
        return new StoreProposal(store.fpcc(), () -> {
            if (!bounded(volume.policy(), store.fpcc())) {
                return Optional.empty();
            }
            BlockCode code = code(volume.policy());
            return code.acceptBlock(store.content(), store.fpcc(), slot)
                    .map(staged -> shareOf(code, store.fpcc(), slot, staged));
        });
    }

    /** Without a cross-checksum of its own, where the fragment needs none. */
    static Share shareOf(BlockCode code, Fpcc fpcc, int slot, BlockCode.Staged staged) {
        Share plain = new Share(staged.fragment(), null);
        return code.isShareOf(fpcc, slot, plain) ? plain : new Share(staged.fragment(), staged.cc());
    }

    @Override
    public Optional<Share> check() {
        return checking.get();
    }

    private static boolean bounded(ProtectionPolicy policy, Fpcc fpcc) {
        return fpcc.length() >= 1 && fpcc.length() <= policy.fragmentBytes(policy.blockBytes());
    }

    private static BlockCode code(ProtectionPolicy policy) {
        return new BlockCode(policy.m(), policy.f(), policy.n());
    }
}
