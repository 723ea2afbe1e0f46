package io.bulwark.protocol.extent;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.extent.ExtentMessage.Acknowledged;
import io.bulwark.protocol.extent.ExtentMessage.NotStored;
import io.bulwark.protocol.extent.ExtentMessage.Request;
import io.bulwark.protocol.extent.ExtentMessage.Store;
import io.bulwark.protocol.extent.ExtentMessage.StoreBlock;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Write of an extent in one round (docs/protocols/extents.md): STORE sends each slot its own fragment; STORE_BLOCK is used
 * where nodes verify as they store. In the archive class it goes to as many slots as complete it, and to another one for each that is
 * slow or refuses; the nodes disseminate the rest among themselves. The write is done at m+f OKs of one epoch under FP, N-b under PASIS; in the archive class
 * more, so that others may be away when it is read. It is therefore wait-free with f nodes dead or lying. Afterwards it keeps sending to slow slots for a while.
 *
 * <p>LIMIT and a full disk at up to f slots are treated like slowness. At more slots, a write under LIMIT keeps
 * retrying, since references and frees lift the limit; a write without space fails.
 */
public final class ExtentWrite implements ClientOperation<WriteOutcome> {
    /** Refusals that may change on a retry; a node may not have heard of a session that was just opened. */
    static final Set<StoreRefusal> PASSING = EnumSet.of(
            StoreRefusal.UNREFERENCED,
            StoreRefusal.LIMIT,
            StoreRefusal.NO_SPACE,
            StoreRefusal.WRONG_EPOCH,
            StoreRefusal.NO_SESSION,
            StoreRefusal.NO_VOLUME);

    private final ProtectionPolicy policy;
    private final PlacementGroup group;
    private final BlockId block;
    private final Bytes padded;
    private final boolean sendsBlocks;
    private final ExtentCoding.Encoded encoded;
    private final ExtentTiming timing;

    /** State of a slot. */
    private static final class Slot {
        boolean asked;
        /** True once another slot may be asked in its place. */
        boolean hedged;

        boolean late;
        boolean stored;
        long askedMillis;
        long lastAskedMillis;
        /** Time at which its connection last moved, or at which it was asked first. */
        long movedMillis;

        @Nullable
        StoreRefusal refusal;

        long refusalEpoch;
    }

    private final Slot[] slots;
    private long startedMillis;
    private long slowestAnswerMillis;
    private long completedMillis;
    private boolean lingering = true;
    private @Nullable WriteOutcome outcome;

    /**
     * @param content 1 byte to a whole block; padded here
     */
    public ExtentWrite(Volume volume, BlockId block, Bytes content, ExtentTiming timing) {
        this.policy = volume.policyOf(block);
        if (content.isEmpty() || content.length() > policy.blockBytes()) {
            throw new IllegalArgumentException("an extent of " + content.length() + " bytes in volume " + volume.name()
                    + " with blocks of " + policy.blockBytes());
        }
        this.group = volume.group(block);
        this.block = block;
        this.padded = pad(content, policy.paddedBytes(content.length()));
        ExtentCoding coding = ExtentCoding.of(policy);
        this.sendsBlocks = coding.mustSendBlocks();
        this.encoded = coding.encode(padded);
        this.timing = timing;
        slots = new Slot[policy.n()];
        for (int index = 0; index < slots.length; index++) {
            slots[index] = new Slot();
        }
    }

    /** Returns the pin that the inode will name, once the write is complete. */
    public Bytes pin() {
        return encoded.checksum().pin();
    }

    @Override
    public List<Effect> start(long nowMillis) {
        startedMillis = nowMillis;
        List<Effect> effects = new ArrayList<>();
        askFurther(nowMillis, effects);
        return effects;
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        List<Effect> effects = new ArrayList<>();
        int index = group.slotOf(from);
        if (index < 0
                || !(message instanceof ExtentMessage.Answer answer)
                || !answer.block().equals(block)) {
            return effects;
        }
        if (slots[index].stored) {
            if (outcome == null && answer.epoch() > group.epoch()) {
                slots[index].refusal = StoreRefusal.WRONG_EPOCH;
                slots[index].refusalEpoch = answer.epoch();
                decide(nowMillis);
            }
            return effects;
        }
        boolean first = slots[index].refusal == null;
        switch (answer) {
            case Acknowledged ignored
            when answer.epoch() == group.epoch() -> {
                slots[index].stored = true;
                slots[index].refusal = null;
            }
            case Acknowledged ignored -> refuse(index, StoreRefusal.WRONG_EPOCH, answer.epoch());
            case NotStored refused -> refuse(index, refused.reason(), refused.epoch());
            default -> {
                return effects;
            }
        }
        if (first) {
            slowestAnswerMillis = Math.max(slowestAnswerMillis, nowMillis - slots[index].askedMillis);
        }
        if (outcome == null) {
            decide(nowMillis);
            askFurther(nowMillis, effects);
        }
        return effects;
    }

    /** Asks all slots; in the archive class, before the write is complete, as many as complete it if each that may still answer does. */
    private void askFurther(long nowMillis, List<Effect> effects) {
        int wanted = policy.isDelivered() && outcome == null ? policy.writeQuorum() : slots.length;
        int expected = 0;
        for (Slot slot : slots) {
            expected += slot.stored || (slot.asked && slot.refusal == null && !slot.hedged) ? 1 : 0;
        }
        for (int index = 0; index < slots.length && expected < wanted && !isFinished(); index++) {
            if (!slots[index].asked) {
                slots[index].asked = true;
                slots[index].askedMillis = nowMillis;
                slots[index].movedMillis = nowMillis;
                ask(nowMillis, index, effects);
                expected++;
            }
        }
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        List<Effect> effects = new ArrayList<>();
        if (outcome != null && nowMillis - completedMillis >= timing.lingerMillis()) {
            lingering = false;
        }
        if (isFinished()) {
            return effects;
        }
        long silentSlots = Arrays.stream(slots).filter(ExtentWrite::isSilent).count();
        int slack = slots.length - policy.writeQuorum();
        boolean overtaken = outcome == null
                && Arrays.stream(slots)
                        .anyMatch(
                                slot -> slot.refusal == StoreRefusal.WRONG_EPOCH && slot.refusalEpoch > group.epoch());
        for (int index = 0; index < slots.length; index++) {
            Slot slot = slots[index];
            // Once one slot says that the epoch is over, slots that have stored are asked again: f+1 must say so to end
            // this write.
            if (!slot.asked || (slot.stored && !overtaken) || isFatal(slot)) {
                continue;
            }
            long silentMillis = nowMillis - slot.askedMillis;
            long stillMillis = nowMillis - slot.movedMillis;
            if (silentSlots <= slack && timing.isHedged(Math.min(silentMillis, stillMillis), slowestAnswerMillis)) {
                slot.hedged = true;
            }
            if (outcome == null
                    && isSilent(slot)
                    && timing.isLate(silentMillis, stillMillis, silentSlots, slack, slowestAnswerMillis)) {
                slot.late = true;
                slot.hedged = true;
                String detail = "no answer to STORE for " + silentMillis + " ms";
                effects.add(new Effect.Evidence(node(index), block, Verdict.SLOW, detail));
            }
            if (nowMillis - slot.lastAskedMillis >= timing.retryMillis()) {
                ask(nowMillis, index, effects);
            }
        }
        askFurther(nowMillis, effects);
        if (outcome == null && nowMillis - startedMillis >= timing.deadlineMillis()) {
            outcome = new WriteOutcome.Unavailable(reasons());
        }
        return effects;
    }

    @Override
    public boolean isResendOptional() {
        return true;
    }

    @Override
    public void onMoving(PrincipalId peer, long atMillis) {
        int index = group.slotOf(peer);
        if (index >= 0) {
            slots[index].movedMillis = Math.max(slots[index].movedMillis, atMillis);
        }
    }

    @Override
    public Optional<WriteOutcome> outcome() {
        return Optional.ofNullable(outcome);
    }

    /** A completed write goes on sending to slow nodes until all have stored, or for the lingering time. */
    @Override
    public boolean isFinished() {
        return outcome != null && (!(outcome instanceof WriteOutcome.Complete) || hasNothingLeft());
    }

    private boolean hasNothingLeft() {
        if (!lingering) {
            return true;
        }
        for (Slot slot : slots) {
            if (!slot.stored && !isFatal(slot)) {
                return false;
            }
        }
        return true;
    }

    private void refuse(int index, StoreRefusal reason, long epoch) {
        slots[index].refusal = epoch != group.epoch() ? StoreRefusal.WRONG_EPOCH : reason;
        slots[index].refusalEpoch = epoch;
    }

    private void ask(long nowMillis, int index, List<Effect> effects) {
        slots[index].lastAskedMillis = nowMillis;
        Request request = sendsBlocks
                ? new StoreBlock(block, group.epoch(), index, padded, encoded.checksum())
                : new Store(block, group.epoch(), index, encoded.fragments().get(index), encoded.checksum());
        effects.add(new Effect.Send(node(index), 0, request));
    }

    private void decide(long nowMillis) {
        int stored = 0;
        Map<PrincipalId, StoreRefusal> refused = new TreeMap<>();
        List<Long> otherEpochs = new ArrayList<>();
        for (int index = 0; index < slots.length; index++) {
            Slot slot = slots[index];
            stored += slot.stored ? 1 : 0;
            if (slot.refusal == StoreRefusal.WRONG_EPOCH) {
                otherEpochs.add(slot.refusalEpoch);
            }
            if (!slot.stored && (slot.refusal == StoreRefusal.NO_SPACE || isFatal(slot))) {
                refused.put(node(index), slot.refusal);
            }
        }
        otherEpochs.sort((a, b) -> Long.compare(b, a));
        int f = policy.f();
        if (stored >= policy.writeQuorum()) {
            outcome = new WriteOutcome.Complete(pin(), group.epoch());
            completedMillis = nowMillis;
        } else if (otherEpochs.size() > f && otherEpochs.get(f) > group.epoch()) {
            outcome = new WriteOutcome.StaleMap(otherEpochs.get(f));
        } else if (refused.size() > slots.length - policy.writeQuorum()) {
            outcome = refused.containsValue(StoreRefusal.NO_SPACE)
                    ? new WriteOutcome.NoSpace(refused)
                    : new WriteOutcome.Refused(refused);
        }
    }

    private static boolean isSilent(Slot slot) {
        return slot.asked && !slot.stored && !slot.late && slot.refusal == null;
    }

    private static boolean isFatal(Slot slot) {
        return slot.refusal != null && !PASSING.contains(slot.refusal);
    }

    private Map<Integer, String> reasons() {
        Map<Integer, String> reasons = new TreeMap<>();
        for (int index = 0; index < slots.length; index++) {
            Slot slot = slots[index];
            if (!slot.stored) {
                reasons.put(
                        index,
                        slot.refusal == null
                                ? node(index) + " has not answered"
                                : node(index) + " answered " + slot.refusal);
            }
        }
        return reasons;
    }

    private PrincipalId node(int index) {
        return PrincipalId.node(group.holders().get(index));
    }

    private static Bytes pad(Bytes content, int length) {
        if (content.length() == length) {
            return content;
        }
        byte[] padded = new byte[length];
        content.copyTo(0, padded, 0, content.length());
        return Bytes.of(padded);
    }
}
