package io.bulwark.protocol.extent;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.extent.ExtentCoding.Accepted;
import io.bulwark.protocol.extent.ExtentMessage.Store;
import io.bulwark.protocol.extent.ExtentMessage.StoreBlock;
import io.bulwark.protocol.fingerprint.Checksum;
import java.util.Optional;
import java.util.function.Supplier;

/** How a node checks what a writer wants it to keep. The check is long CPU work and made only where it is needed. */
record StoreProposal(Checksum checksum, Supplier<Optional<Accepted>> checking) implements ExtentBlocks.Proposal {
    /** A fragment must be consistent with the checksum at the slot. */
    static StoreProposal of(Volume volume, int slot, Store store) {
        return new StoreProposal(
                store.checksum(),
                () -> bounded(volume.policy(), store.checksum())
                        ? ExtentCoding.of(volume.policy()).accept(store.checksum(), slot, store.fragment())
                        : Optional.empty());
    }

    /** A block must give the checksum, or under FP at least m fragments that are consistent with it. */
    static StoreProposal of(Volume volume, int slot, StoreBlock store) {
        return new StoreProposal(
                store.checksum(),
                () -> bounded(volume.policy(), store.checksum())
                        ? ExtentCoding.of(volume.policy()).acceptBlock(store.checksum(), slot, store.content())
                        : Optional.empty());
    }

    @Override
    public Optional<Accepted> check() {
        return checking.get();
    }

    private static boolean bounded(ProtectionPolicy policy, Checksum checksum) {
        return checksum.length() >= 1 && checksum.length() <= policy.fragmentBytes(policy.blockBytes());
    }
}
