package io.bulwark.protocol.pasis;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.epoch.EpochWatch;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Failure;
import io.bulwark.protocol.kernel.RetryTimer;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Operation WRITE (lazy verification paper, 2.2): asks all for their greatest logical times, and takes the b + 1-st
 * greatest of N - b, plus one. It sends each node its fragment under the validating timestamp. It is done at N - b
 * answers; the rest continues in the background. A complete write is at N - 3b >= b + 1 correct ones of any N - b nodes
 * that answer. So the chosen time is after it; b liars alone cannot raise it.
 *
 * <p>A version that was sent is never replaced by another one of the same value: both could be read. So no correct node
 * may refuse the time as FAR for good, and none does if N - b nodes are near it. They are not near if a faulty client's
 * versions are far ahead at few nodes, or a node was unreachable for long. Then the block is read first, which makes a
 * version complete, and the time is the next after that.
 */
public final class PasisWrite implements ClientOperation<PasisWriteOutcome> {
    private final PasisGroup group;
    private final PrincipalId client;
    private final long session;
    private final Timeouts times;
    private final List<Bytes> fragments;
    private final @Nullable Long[] found;
    private final RetryTimer[] finding;
    private final @Nullable RetryTimer[] writing;
    private final Set<Integer> acknowledged = new HashSet<>();
    private final Set<Integer> unreachable = new HashSet<>();
    private final RefusalCounts refusals;
    private final EpochWatch epochs;
    private final boolean repairs;
    private @Nullable PasisRead reading;
    private @Nullable ValidatingTimestamp timestamp;
    private long startedMillis;
    private long endedMillis;
    private boolean finished;
    private @Nullable PasisWriteOutcome outcome;

    private PasisWrite(
            PasisGroup group,
            PrincipalId client,
            long session,
            Timeouts times,
            List<Bytes> fragments,
            @Nullable ValidatingTimestamp timestamp,
            Set<Integer> holders) {
        this.group = group;
        this.client = client;
        this.session = session;
        this.times = times;
        this.fragments = fragments;
        this.found = new Long[group.n()];
        this.finding = new RetryTimer[group.n()];
        this.writing = new RetryTimer[group.n()];
        this.refusals = new RefusalCounts(group);
        this.epochs = group.epochs(-1, times);
        this.repairs = timestamp != null;
        this.timestamp = timestamp;
        this.acknowledged.addAll(holders);
    }

    /**
     * Writes a block.
     *
     * @param client the writer
     * @param session its open session for the volume
     * @param data the policy's block size in bytes
     */
    public PasisWrite(PasisGroup group, PrincipalId client, long session, Bytes data, Timeouts times) {
        this(group, client, session, times, group.encode(group.padded(data)), null, Set.of());
    }

    /**
     * The repair of a version that was validated, by a reader.
     *
     * @param holders the slots that claim to hold it
     */
    static PasisWrite repair(
            PasisGroup group,
            PrincipalId client,
            long session,
            Timeouts times,
            ValidatingTimestamp timestamp,
            List<Bytes> fragments,
            Set<Integer> holders) {
        return new PasisWrite(group, client, session, times, fragments, timestamp, holders);
    }

    /** Goes on with a write that ended with {@link PasisWriteOutcome.EpochOver}, in a later epoch. */
    public static PasisWrite continueInEpoch(
            PasisGroup group, long session, Bytes data, ValidatingTimestamp at, Timeouts times) {
        return new PasisWrite(group, at.client(), session, times, group.encode(group.padded(data)), at, Set.of());
    }

    @Override
    public List<Effect> start(long nowMillis) {
        startedMillis = nowMillis;
        List<Effect> effects = new ArrayList<>();
        for (int slot = 0; slot < group.n(); slot++) {
            finding[slot] = RetryTimer.asked(times, nowMillis);
        }
        if (timestamp != null) {
            send(nowMillis, timestamp, effects);
            return effects;
        }
        for (int slot = 0; slot < group.n(); slot++) {
            find(slot, effects);
        }
        return effects;
    }

    private void find(int slot, List<Effect> effects) {
        effects.add(new Effect.Send(group.node(slot), 0, new PasisMessage.FindTime(group.target(slot))));
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        List<Effect> effects = new ArrayList<>();
        if (finished || !(message instanceof PasisMessage.Answer answer)) {
            return effects;
        }
        PasisRead before = reading;
        if (before != null && timestamp == null) {
            effects.addAll(before.onMessage(nowMillis, from, message));
            continueAfterRead(nowMillis, before, effects);
            return effects;
        }
        int slot = group.slotOf(from, answer.target());
        if (slot >= 0
                && answer instanceof PasisMessage.Refused refused
                && refused.refusal() == PasisRefusal.OTHER_EPOCH) {
            epochs.onOtherEpoch(slot, refused.epoch());
        }
        if (slot >= 0) {
            take(nowMillis, slot, answer, effects);
        }
        return effects;
    }

    private void take(long nowMillis, int slot, PasisMessage.Answer answer, List<Effect> effects) {
        ValidatingTimestamp chosen = timestamp;
        switch (answer) {
            case PasisMessage.FoundTime time -> {
                found[slot] = time.time();
                finding[slot].answered();
                refusals.remove(slot);
                choose(nowMillis, effects);
            }
            case PasisMessage.Written written -> {
                RetryTimer asked = writing[slot];
                if (chosen != null && asked != null && written.version().equals(chosen.name())) {
                    asked.answered();
                    refusals.remove(slot);
                    acknowledged.add(slot);
                    done(nowMillis, chosen);
                }
            }
            case PasisMessage.Refused refused -> {
                boolean ours = chosen == null
                        ? refused.asked() == RequestKind.FIND_TIME
                        : refused.asked() == RequestKind.WRITE && chosen.name().equals(refused.version());
                if (ours && !acknowledged.contains(slot)) {
                    refusals.add(slot, refused);
                }
            }
            default -> {}
        }
    }

    /** The b + 1-st greatest time, once N - b are there and near it. */
    private void choose(long nowMillis, List<Effect> effects) {
        if (timestamp != null || reading != null) {
            return;
        }
        List<Long> all = new ArrayList<>();
        for (Long time : found) {
            if (time != null) {
                all.add(time);
            }
        }
        if (all.size() < group.quorum()) {
            return;
        }
        all.sort((a, b) -> Long.compareUnsigned(b, a));
        long greatest = all.get(group.b());
        long near = all.stream()
                .filter(time -> !LogicalTime.far(time, greatest, LogicalTime.NEAR))
                .count();
        if (near >= group.quorum()) {
            begin(nowMillis, greatest, effects);
        } else if (all.size() == group.n() || nowMillis - startedMillis >= times.hedgeMillis()) {
            PasisRead read = PasisRead.withWriteBack(group, client, session, times, ReadPlan.full(group));
            reading = read;
            effects.addAll(read.start(nowMillis));
            continueAfterRead(nowMillis, read, effects);
        }
    }

    private void continueAfterRead(long nowMillis, PasisRead read, List<Effect> effects) {
        if (timestamp != null || outcome != null || read.outcome().isEmpty()) {
            return;
        }
        switch (read.outcome().get()) {
            case PasisReadOutcome.Value value ->
                begin(nowMillis, value.timestamp().time(), effects);
            case PasisReadOutcome.NeverWritten ignored -> begin(nowMillis, 0, effects);
            case PasisReadOutcome.Failed failed -> end(nowMillis, new PasisWriteOutcome.Failed(failed.reason(), false));
        }
    }

    private void begin(long nowMillis, long last, List<Effect> effects) {
        if (last == -1) {
            end(nowMillis, new PasisWriteOutcome.Failed(Failure.EXHAUSTED, false));
            return;
        }
        ValidatingTimestamp chosen = group.timestamp(last + 1, client, fragments);
        timestamp = chosen;
        send(nowMillis, chosen, effects);
    }

    private void send(long nowMillis, ValidatingTimestamp chosen, List<Effect> effects) {
        for (int slot = 0; slot < group.n(); slot++) {
            refusals.remove(slot);
            if (!acknowledged.contains(slot)) {
                writing[slot] = RetryTimer.asked(times, nowMillis);
                send(slot, chosen, effects);
            }
        }
        done(nowMillis, chosen);
    }

    private void send(int slot, ValidatingTimestamp chosen, List<Effect> effects) {
        effects.add(new Effect.Send(
                group.node(slot), 0, new PasisMessage.Write(group.target(slot), session, chosen, fragments.get(slot))));
    }

    private void done(long nowMillis, ValidatingTimestamp chosen) {
        if (outcome == null && acknowledged.size() >= group.quorum()) {
            end(nowMillis, new PasisWriteOutcome.Written(chosen));
        }
        finished |= acknowledged.size() == group.n();
    }

    private void end(long nowMillis, PasisWriteOutcome how) {
        outcome = how;
        endedMillis = nowMillis;
        finished |= !(how instanceof PasisWriteOutcome.Written);
    }

    private void fail(long nowMillis, Failure reason) {
        ValidatingTimestamp sent = timestamp;
        end(
                nowMillis,
                sent != null && reason == Failure.OTHER_EPOCH
                        ? new PasisWriteOutcome.EpochOver(sent)
                        : new PasisWriteOutcome.Failed(reason, sent != null));
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        List<Effect> effects = new ArrayList<>();
        PasisRead before = reading;
        if (before != null && timestamp == null && outcome == null) {
            effects.addAll(before.onTick(nowMillis));
            continueAfterRead(nowMillis, before, effects);
        }
        if (outcome == null) {
            Optional<Failure> reason = epochs.over()
                    ? Optional.of(Failure.OTHER_EPOCH)
                    : refusals.decisive(nowMillis - startedMillis >= 2 * times.retryMillis());
            if (reason.isPresent()) {
                fail(nowMillis, reason.get());
            } else if (nowMillis - startedMillis >= times.timeoutMillis()) {
                fail(nowMillis, refusals.most().orElse(Failure.TIMED_OUT));
            }
        }
        finished |= outcome != null && nowMillis - endedMillis >= times.helpMillis();
        if (finished) {
            return effects;
        }
        if (outcome == null) {
            effects.addAll(epochs.onTick(nowMillis));
        }
        choose(nowMillis, effects);
        sendAgain(nowMillis, effects);
        return effects;
    }

    private void sendAgain(long nowMillis, List<Effect> effects) {
        ValidatingTimestamp chosen = timestamp;
        for (int slot = 0; slot < group.n(); slot++) {
            RetryTimer asked = chosen == null ? finding[slot] : writing[slot];
            if (asked == null || !asked.again(nowMillis) || (chosen == null && reading != null)) {
                continue;
            }
            if (chosen == null) {
                find(slot, effects);
            } else {
                send(slot, chosen, effects);
            }
            if (asked.isSlow(nowMillis) && !refusals.has(slot) && unreachable.add(slot)) {
                effects.add(new Effect.Evidence(group.node(slot), group.block(), Verdict.SLOW, "no answer to a write"));
            }
        }
    }

    /**
     * Returns whether more than b nodes answer FAR for a version under repair. One of them is correct, and has found by
     * asking others, after this began, that it cannot have been complete.
     */
    boolean isRefuted() {
        return repairs && refusals.count(PasisRefusal.FAR) >= group.weakQuorum();
    }

    @Override
    public boolean isResendOptional() {
        return true;
    }

    @Override
    public void onMoving(PrincipalId peer, long atMillis) {
        PasisRead before = reading;
        if (before != null && timestamp == null) {
            before.onMoving(peer, atMillis);
        } else {
            int slot = group.slotOf(peer);
            RetryTimer asked = slot < 0 ? null : timestamp == null ? finding[slot] : writing[slot];
            if (asked != null) {
                asked.onMovement(atMillis);
            }
        }
    }

    @Override
    public Optional<PasisWriteOutcome> outcome() {
        return Optional.ofNullable(outcome);
    }

    @Override
    public boolean isFinished() {
        return finished;
    }
}
