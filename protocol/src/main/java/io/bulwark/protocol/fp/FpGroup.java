package io.bulwark.protocol.fp;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Protocol;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.epoch.EpochWatch;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.fingerprint.Fpcc;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Target;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.wire.Bytes;

/** The nodes that hold one register block in one epoch, and how they hold it. */
public record FpGroup(BlockId block, ProtectionPolicy policy, PlacementGroup placement, BlockCode code) {
    public FpGroup {
        if (placement.holders().size() != policy.n()) {
            throw new IllegalArgumentException(placement.holders().size() + " holders for " + policy.n() + " slots");
        }
    }

    /**
     * The group of a block.
     *
     * @throws IllegalArgumentException if the volume holds no registers, or no such block
     */
    public static FpGroup of(Volume volume, BlockId block) {
        if (!holds(volume, block)) {
            throw new IllegalArgumentException("no register " + block + " in volume " + volume.name());
        }
        ProtectionPolicy policy = volume.policyOf(block);
        return new FpGroup(block, policy, volume.group(block), new BlockCode(policy.m(), policy.f(), policy.n()));
    }

    /** Returns whether it is a register volume under FP. */
    static boolean isUnder(Volume volume) {
        return volume.kind() == VolumeKind.REGISTER && volume.policy().protocol() == Protocol.FP;
    }

    /** Returns whether the block is one of a register volume under FP. */
    static boolean holds(Volume volume, BlockId block) {
        return isUnder(volume) && volume.hasRegister(block);
    }

    /** Returns the watch for the end of the epoch of an operation on this block. */
    EpochWatch epochs(int ownSlot, Timeouts times) {
        return new EpochWatch(
                n(),
                f(),
                placement.epoch(),
                ownSlot,
                times.retryMillis(),
                slot -> new Effect.Send(node(slot), 0, new FpMessage.FindTimestamp(target(slot), false)));
    }

    int f() {
        return policy.f();
    }

    int m() {
        return policy.m();
    }

    int n() {
        return policy.n();
    }

    PrincipalId node(int slot) {
        return PrincipalId.node(placement.holders().get(slot));
    }

    Target target(int slot) {
        return new Target(block, placement.epoch(), slot);
    }

    /** The slot of a node of this group, or -1. */
    int slotOf(PrincipalId node) {
        return placement.slotOf(node);
    }

    /** The slot that an answer speaks for: the sender holds it, and the answer is about this block in this epoch; else -1. */
    int slotOf(PrincipalId from, Target target) {
        int slot = slotOf(from);
        return target.block().equals(block) && target.epoch() == placement.epoch() && target.slot() == slot ? slot : -1;
    }

    int fragmentBytes() {
        return policy.fragmentBytes(policy.blockBytes());
    }

    /**
     * Returns whether this can be the cross-checksum of a version of this block: register volumes fix the fragments'
     * length.
     */
    boolean fits(Fpcc fpcc) {
        return fpcc.length() == fragmentBytes()
                && fpcc.fp().size() == m()
                && fpcc.cc().size() == policy.writeQuorum();
    }

    boolean fits(Timestamp timestamp) {
        return timestamp.isNone() || fits(timestamp.written());
    }

    /** The block as it is encoded: padded with zeros to m fragments. */
    Bytes padded(Bytes data) {
        if (data.length() != policy.blockBytes()) {
            throw new IllegalArgumentException(
                    "block of " + data.length() + " bytes where " + policy.blockBytes() + " belong");
        }
        int length = m() * fragmentBytes();
        if (length == data.length()) {
            return data;
        }
        byte[] padded = new byte[length];
        data.copyTo(0, padded, 0, data.length());
        return Bytes.of(padded);
    }

    /** The block as its readers get it. */
    Bytes trimmed(Bytes padded) {
        return padded.slice(0, policy.blockBytes());
    }
}
