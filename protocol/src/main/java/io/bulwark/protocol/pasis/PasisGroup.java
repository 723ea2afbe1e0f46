package io.bulwark.protocol.pasis;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Protocol;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.epoch.EpochWatch;
import io.bulwark.protocol.erasure.ErasureCode;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Target;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The nodes that hold one register block in one epoch, and how they hold it; and with it all thresholds of the protocol. */
public record PasisGroup(BlockId block, ProtectionPolicy policy, PlacementGroup placement) {
    public PasisGroup {
        if (!policy.protocol().isVersioned() || placement.holders().size() != policy.n()) {
            throw new IllegalArgumentException(
                    placement.holders().size() + " holders under the policy " + policy.text());
        }
    }

    /**
     * The group of a block.
     *
     * @throws IllegalArgumentException if the volume holds no registers of this protocol, or no such block
     */
    public static PasisGroup of(Volume volume, BlockId block) {
        if (!holds(volume, block)) {
            throw new IllegalArgumentException("no versioned register " + block + " in volume " + volume.name());
        }
        return new PasisGroup(block, volume.policyOf(block), volume.group(block));
    }

    /** Returns whether it is a register volume under this protocol or under masking quorums. */
    static boolean isUnder(Volume volume) {
        return volume.kind() == VolumeKind.REGISTER
                && volume.policy().protocol().isVersioned();
    }

    /** Returns whether the block is one of a register volume's under this protocol. */
    static boolean holds(Volume volume, BlockId block) {
        return isUnder(volume) && volume.hasRegister(block);
    }

    /** Returns a watch that determines whether the epoch of an operation on this block is over. */
    EpochWatch epochs(int ownSlot, Timeouts times) {
        return new EpochWatch(
                n(),
                b(),
                placement.epoch(),
                ownSlot,
                times.retryMillis(),
                slot -> new Effect.Send(node(slot), 0, new PasisMessage.FindTime(target(slot))));
    }

    int b() {
        return policy.f();
    }

    int m() {
        return policy.m();
    }

    int n() {
        return policy.n();
    }

    Verification verification() {
        return policy.verification();
    }

    /**
     * N - b: all that can be waited for; and what makes a write complete. While the policy is being lowered to b'' it is
     * N - b'', so that readers under b'' will find the version (docs/epochs.md).
     */
    int quorum() {
        return n() - (placement.lowersTo() == 0 ? b() : placement.lowersTo());
    }

    /**
     * Returns N - 3b: a complete write is at N - 2b correct nodes, b of which may be missing among N - b answers. It is
     * at least b + 1 (so one of them is correct) and at least m (so that the version can be read).
     */
    int repairable() {
        return n() - 3 * b();
    }

    /**
     * A write that was complete before the first of so many slots answered shows at no fewer of them: at most N - answered of its
     * N - 2b correct nodes have not answered. N - 3b of N - b answers, more of more.
     */
    int minShown(int answered) {
        return answered - 2 * b();
    }

    /**
     * Returns how many answers can decide a read at best: 2b + 1, which is a read quorum of 3b + 1 less b (Agile Store paper,
     * 3.3.2), or m. A version that was complete shows at one or more of so many.
     */
    int fewestAsked() {
        return Math.max(2 * b() + 1, m());
    }

    /** Returns the faults to expect among 2b + 1 nodes where so many of all are faulty, rounded up; b at most. */
    int expectedFaults(int faulty) {
        int all = Math.min(faulty, b());
        return Math.min(b(), Math.ceilDiv(all * (2 * b() + 1), n() - all));
    }

    /** b + 1: one of so many is correct. */
    int weakQuorum() {
        return b() + 1;
    }

    /** Returns whether the slot leads the verification of this block: k, ..., k + b mod N (section 4). */
    boolean isResponsible(int slot) {
        int first = (int) (block.counter() % n());
        return slot >= 0 && Math.floorMod(slot - first, n()) <= b();
    }

    public PrincipalId node(int slot) {
        return PrincipalId.node(placement.holders().get(slot));
    }

    public Target target(int slot) {
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

    public int fragmentBytes() {
        return policy.fragmentBytes(policy.blockBytes());
    }

    /**
     * Returns whether nodes hold whole copies under masking quorums. Then a timestamp has one hash, which names the block.
     * No version is poisonous, since a node accepts the block with that hash alone.
     */
    boolean holdsCopies() {
        return policy.protocol() == Protocol.MASKING;
    }

    /** Returns the number of hashes in a timestamp of this block. */
    public int hashes() {
        return holdsCopies() ? 1 : n();
    }

    /** Returns the timestamp of a block whose fragments are these, all N. */
    public ValidatingTimestamp timestamp(long time, PrincipalId client, List<Bytes> fragments) {
        return ValidatingTimestamp.of(time, client, fragments.subList(0, hashes()));
    }

    /** Returns whether this can be the timestamp of a version of this block. */
    boolean fits(ValidatingTimestamp timestamp) {
        return timestamp.isNone() || timestamp.fragments() == hashes();
    }

    /** Returns whether a fragment may be accepted at a slot: it has the fixed length, and its hash is the slot's. */
    boolean accepts(ValidatingTimestamp timestamp, int slot, Bytes fragment) {
        return timestamp.fragments() == hashes()
                && fragment.length() == fragmentBytes()
                && timestamp.isFragment(holdsCopies() ? 0 : slot, fragment);
    }

    /** All N fragments of a block, which is padded. */
    public List<Bytes> encode(Bytes padded) {
        return holdsCopies() ? Collections.nCopies(n(), padded) : code().encode(padded, n());
    }

    /** Any m fragments that were accepted make the padded block. */
    Bytes decode(Map<Integer, Bytes> accepted) {
        if (holdsCopies()) {
            return accepted.values().iterator().next();
        }
        int[] slots = new int[m()];
        List<Bytes> fragments = new ArrayList<>(m());
        for (Map.Entry<Integer, Bytes> fragment : accepted.entrySet()) {
            if (fragments.size() < m()) {
                slots[fragments.size()] = fragment.getKey();
                fragments.add(fragment.getValue());
            }
        }
        return code().decode(slots, fragments);
    }

    /**
     * Timestamp validation (figure 1): encodes all N fragments again and compares their hashes; the fragments, or nothing if the
     * write was poisonous. Which m accepted fragments the block was decoded from makes no difference.
     */
    public Optional<List<Bytes>> validate(ValidatingTimestamp timestamp, Bytes padded) {
        List<Bytes> fragments = encode(padded);
        return timestamp(timestamp.time(), timestamp.client(), fragments).equals(timestamp)
                ? Optional.of(fragments)
                : Optional.empty();
    }

    private ErasureCode code() {
        return ErasureCode.of(m(), n());
    }

    /** The block as it is encoded: padded with zeros to m fragments. */
    public Bytes padded(Bytes data) {
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
