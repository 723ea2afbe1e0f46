package io.bulwark.protocol.extent;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.extent.ExtentCoding.Accepted;
import io.bulwark.protocol.extent.ExtentMessage.Store;
import io.bulwark.protocol.extent.ExtentMessage.StoreBlock;
import io.bulwark.protocol.extent.ExtentMessage.Supply;
import io.bulwark.protocol.fingerprint.Checksum;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Check of a fragment that a writer wants the node to keep. The check is long CPU work and made only where it is
 * needed.
 */
record StoreProposal(PrincipalId sender, boolean supplied, Checksum checksum, Supplier<Optional<Accepted>> checking)
        implements ExtentBlocks.Proposal {
    /** A fragment must be consistent with the checksum at the slot. */
    static StoreProposal of(ProtectionPolicy policy, int slot, Store store) {
        return ofFragment(policy, slot, store.block().owner(), false, store.checksum(), store.fragment());
    }

    /** The same from whoever has read the block. */
    static StoreProposal of(ProtectionPolicy policy, int slot, PrincipalId sender, Supply supply) {
        return ofFragment(policy, slot, sender, true, supply.checksum(), supply.fragment());
    }

    private static StoreProposal ofFragment(
            ProtectionPolicy policy,
            int slot,
            PrincipalId sender,
            boolean supplied,
            Checksum checksum,
            Bytes fragment) {
        return new StoreProposal(
                sender,
                supplied,
                checksum,
                () -> isBounded(policy, checksum)
                        ? ExtentCoding.of(policy).accept(checksum, slot, fragment)
                        : Optional.empty());
    }

    /** A block must encode to the checksum. Only nodes that verify as they store are sent whole blocks. */
    static StoreProposal of(ProtectionPolicy policy, int slot, StoreBlock store) {
        ExtentCoding coding = ExtentCoding.of(policy);
        return new StoreProposal(
                store.block().owner(),
                false,
                store.checksum(),
                () -> coding.mustSendBlocks() && isBounded(policy, store.checksum())
                        ? coding.encodeExactly(store.checksum(), store.content())
                                .map(fragments -> new Accepted(
                                        Bytes.of(fragments.get(slot).toByteArray()), true))
                        : Optional.empty());
    }

    @Override
    public Optional<Accepted> check() {
        return checking.get();
    }

    private static boolean isBounded(ProtectionPolicy policy, Checksum checksum) {
        return checksum.length() >= 1 && checksum.length() <= policy.fragmentBytes(policy.blockBytes());
    }
}
