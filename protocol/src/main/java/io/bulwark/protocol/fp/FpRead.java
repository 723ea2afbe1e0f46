package io.bulwark.protocol.fp;

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
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * c_read (thesis figure 4.2.3): finds timestamps, reads fragments at those that qualify, proves that a client wrote there,
 * and makes sure that later readers find it. Obstruction-free (theorem 4.2.4).
 */
public final class FpRead implements ClientOperation<FpReadOutcome> {
    /** Timestamps that one slot may have brought up and that are still tried. */
    private static final int CANDIDATES_PER_SLOT = 4;

    /** Way in which a read makes a version durable at enough slots before it returns the version. */
    private enum SettlingMode {
        WRITE_BACK,
        ASK_REPAIR,
        NONE
    }

    private final FpGroup group;
    private final long session;
    private final Timeouts times;
    private final int ownSlot;
    private final @Nullable Timestamp wanted;
    private final List<FpMessage.Answer> ownAnswers;
    private boolean provenWanted;
    private final LatestReports reports;
    private final List<RetryTimer> finding = new ArrayList<>();
    private final NavigableMap<Timestamp, ReadAttempt> attempts = new TreeMap<>();
    private final List<Deque<Timestamp>> broughtUp = new ArrayList<>();
    /** Number of new timestamps that each slot has reported lately, and the last of those that must wait. */
    private final int[] fresh;

    private final SortedMap<Integer, Timestamp> postponed = new TreeMap<>();
    private long freshSinceMillis;
    private final Map<Integer, FpMessage.Refused> refusals = new HashMap<>();
    private final EpochWatch epochs;
    private final RepairRequester repairs;
    private final Set<Integer> unreachable = new HashSet<>();
    private SettlingMode settling;
    private @Nullable FpWrite writeBack;
    private @Nullable ReadAttempt writtenBack;
    private long startedMillis;
    private @Nullable FpReadOutcome outcome;

    private FpRead(
            FpGroup group,
            long session,
            Timeouts times,
            SettlingMode settling,
            int ownSlot,
            @Nullable Timestamp wanted,
            List<FpMessage.Answer> ownAnswers) {
        this.group = group;
        this.session = session;
        this.times = times;
        this.settling = settling;
        this.ownSlot = ownSlot;
        this.wanted = wanted;
        this.ownAnswers = List.copyOf(ownAnswers);
        this.reports = new LatestReports(group);
        this.epochs = group.epochs(ownSlot, times);
        this.repairs = new RepairRequester(group, times);
        this.fresh = new int[group.n()];
        for (int slot = 0; slot < group.n(); slot++) {
            finding.add(new RetryTimer(times));
            broughtUp.add(new ArrayDeque<>());
        }
    }

    /**
     * A read by a client that may write: what is not yet committed at enough nodes is written back.
     *
     * @param session the client's open session for the volume
     */
    public static FpRead withWriteBack(FpGroup group, long session, Timeouts times) {
        return new FpRead(group, session, times, SettlingMode.WRITE_BACK, -1, null, List.of());
    }

    /** A read by a client without the write grant: nodes are asked to bring themselves up to date instead. */
    public static FpRead withRepairRequests(FpGroup group, Timeouts times) {
        return new FpRead(group, 0, times, SettlingMode.ASK_REPAIR, -1, null, List.of());
    }

    /**
     * Returns a READ without write-back, by a node for its own repair.
     *
     * @param own what the node itself would answer: the latest, and each version that it has staged
     * @param wanted a candidate to try first; one below it, or not known to be committed, is accepted only after a
     *     while
     * @param proven whether f + 1 peers have proven that one
     */
    static FpRead forRepair(
            FpGroup group,
            int ownSlot,
            @Nullable Timestamp wanted,
            boolean proven,
            List<FpMessage.Answer> own,
            Timeouts times) {
        FpRead read = new FpRead(group, 0, times, SettlingMode.NONE, ownSlot, wanted, own);
        read.provenWanted = proven;
        return read;
    }

    @Override
    public List<Effect> start(long nowMillis) {
        startedMillis = nowMillis;
        freshSinceMillis = nowMillis;
        List<Effect> effects = new ArrayList<>();
        if (wanted != null && !wanted.isNone() && group.fits(wanted)) {
            attempt(wanted);
        }
        for (FpMessage.Answer answer : ownAnswers) {
            if (answer instanceof FpMessage.FoundTimestamp) {
                take(ownSlot, answer, effects);
            }
        }
        for (int slot = 0; slot < Math.max(group.policy().timestampQuorum(), group.m()); slot++) {
            find(nowMillis, slot, effects);
        }
        progress(nowMillis, effects);
        return effects;
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        List<Effect> effects = new ArrayList<>();
        if (!(message instanceof FpMessage.Answer answer)) {
            return effects;
        }
        FpWrite back = writeBack;
        if (back != null) {
            effects.addAll(back.onMessage(nowMillis, from, message));
        }
        int slot = group.slotOf(from, answer.target());
        if (slot >= 0 && outcome == null) {
            take(slot, answer, effects);
            progress(nowMillis, effects);
        }
        return effects;
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        List<Effect> effects = new ArrayList<>();
        FpWrite back = writeBack;
        if (back != null) {
            effects.addAll(back.onTick(nowMillis));
        }
        if (outcome != null) {
            return effects;
        }
        if (nowMillis - startedMillis >= times.timeoutMillis()) {
            outcome = new FpReadOutcome.Failed(decisive().orElse(Failure.TIMED_OUT));
            return effects;
        }
        effects.addAll(epochs.onTick(nowMillis));
        bringUpPostponed(nowMillis);
        for (int slot = 0; slot < group.n(); slot++) {
            RetryTimer retryTimer = finding.get(slot);
            if (retryTimer.waiting() && retryTimer.isRetryDue(nowMillis)) {
                if (retryTimer.isSlow(nowMillis) && unreachable.add(slot)) {
                    effects.add(
                            new Effect.Evidence(group.node(slot), group.block(), Verdict.SLOW, "no answer to a read"));
                }
                retryTimer.askAgain(nowMillis);
                sendFind(slot, effects);
            }
        }
        progress(nowMillis, effects);
        return effects;
    }

    @Override
    public boolean isResendOptional() {
        return true;
    }

    @Override
    public void onMoving(PrincipalId peer, long atMillis) {
        Optional.ofNullable(writeBack).ifPresent(back -> back.onMoving(peer, atMillis));
        int slot = group.slotOf(peer);
        // Up to f slots alone may be liars that keep their connections moving.
        if (slot >= 0 && ReadAttempt.awaited(finding, attempts.values()) > group.f()) {
            finding.get(slot).onMovement(atMillis);
            attempts.values().forEach(attempt -> attempt.retryTimer.onMovement(atMillis));
        }
    }

    @Override
    public Optional<FpReadOutcome> outcome() {
        return Optional.ofNullable(outcome);
    }

    @Override
    public boolean isFinished() {
        FpWrite back = writeBack;
        return outcome != null && (back == null || back.isFinished());
    }

    private void take(int slot, FpMessage.Answer answer, List<Effect> effects) {
        switch (answer) {
            case FpMessage.FoundTimestamp found -> {
                if (report(slot, found.latest(), effects)) {
                    finding.get(slot).answered();
                    HeldVersion holding = found.holding();
                    ReadAttempt attempt = attempts.get(found.latest());
                    if (holding != null && attempt != null) {
                        hold(slot, attempt, holding, effects);
                    }
                }
            }
            case FpMessage.ReadAnswer read -> onRead(slot, read, effects);
            case FpMessage.RepairAnswer repaired -> {
                report(slot, repaired.latest(), effects);
                repairs.answered(slot);
            }
            case FpMessage.Refused refused -> {
                epochs.onOtherEpoch(slot, refused.refusal() == FpRefusal.OTHER_EPOCH ? refused.epoch() : 0);
                if (refused.asked() != RequestKind.PREPARE && refused.asked() != RequestKind.COMMIT) {
                    refusals.put(slot, refused);
                }
            }
            default -> {}
        }
    }

    private void onRead(int slot, FpMessage.ReadAnswer read, List<Effect> effects) {
        report(slot, read.latest(), effects);
        for (ReadAttempt attempt : attempts.values()) {
            if (attempt.version.version().equals(read.version())) {
                RetryTimer retryTimer = attempt.asked.get(slot);
                if (retryTimer != null) {
                    retryTimer.answered();
                }
                HeldVersion holding = read.holding();
                if (holding != null) {
                    hold(slot, attempt, holding, effects);
                }
                return;
            }
        }
    }

    private void hold(int slot, ReadAttempt attempt, HeldVersion holding, List<Effect> effects) {
        attempt.add(slot, holding);
        if (holding.damaged()) {
            effects.add(new Effect.Evidence(
                    group.node(slot), group.block(), Verdict.DAMAGED, "has lost its fragment of " + attempt.version));
        }
    }

    /** A latest commit that a slot reports, at first or as a redirect: a candidate (lines 1605 and 1628 to 1631). */
    private boolean report(int slot, Timestamp latest, List<Effect> effects) {
        if (!group.fits(latest)) {
            effects.add(new Effect.Evidence(
                    group.node(slot), group.block(), Verdict.MISBEHAVED, "reports a malformed version"));
            return false;
        }
        refusals.remove(slot);
        reports.add(slot, latest);
        if (latest.isNone()) {
            return true;
        }
        if (attempts.containsKey(latest) || fresh[slot]++ < CANDIDATES_PER_SLOT) {
            bringUp(slot, latest);
        } else {
            postponed.put(slot, latest);
        }
        return true;
    }

    private void bringUp(int slot, Timestamp latest) {
        ReadAttempt attempt = attempt(latest);
        attempt.onReported(slot);
        if (attempt.introducers.add(slot)) {
            Deque<Timestamp> mine = broughtUp.get(slot);
            mine.addLast(latest);
            if (mine.size() > CANDIDATES_PER_SLOT) {
                forget(slot, mine.removeFirst());
            }
        }
    }

    /**
     * Each slot brings up only so many timestamps in a while: each is asked for at many slots, so liars that answer each READ
     * with another later one would otherwise double the messages with each answer.
     */
    private void bringUpPostponed(long nowMillis) {
        if (nowMillis - freshSinceMillis < times.retryMillis()) {
            return;
        }
        freshSinceMillis = nowMillis;
        Arrays.fill(fresh, 0);
        postponed.forEach(this::bringUp);
        postponed.clear();
    }

    private ReadAttempt attempt(Timestamp version) {
        ReadAttempt known = attempts.get(version);
        if (known != null) {
            return known;
        }
        ReadAttempt attempt = new ReadAttempt(group, version, provenWanted && version.equals(wanted), times);
        attempts.put(version, attempt);
        for (FpMessage.Answer own : ownAnswers) {
            if (own instanceof FpMessage.ReadAnswer read && read.version().equals(version.version())) {
                HeldVersion holding = read.holding();
                if (holding != null) {
                    attempt.add(ownSlot, holding);
                }
            }
        }
        return attempt;
    }

    private void forget(int slot, Timestamp version) {
        ReadAttempt attempt = attempts.get(version);
        if (attempt != null) {
            attempt.introducers.remove(slot);
            if (attempt.introducers.isEmpty() && !version.equals(wanted) && attempt != writtenBack) {
                attempts.remove(version);
            }
        }
    }

    private void progress(long nowMillis, List<Effect> effects) {
        if (outcome != null) {
            return;
        }
        boolean patient = wanted != null && nowMillis - startedMillis < 4 * times.hedgeMillis();
        if (reports.isNeverWritten() && !patient) {
            outcome = new FpReadOutcome.NeverWritten(
                    Bytes.of(new byte[group.policy().blockBytes()]));
            return;
        }
        findMore(nowMillis, effects);
        NavigableSet<Timestamp> toRepair = new TreeSet<>();
        for (ReadAttempt attempt : List.copyOf(attempts.descendingMap().values())) {
            if (reports.qualifies(attempt.version)) {
                if (attempt.block().isPresent()) {
                    boolean other = wanted != null && attempt.mustYieldTo(wanted);
                    if (!(patient && other)) {
                        settle(nowMillis, attempt, toRepair, effects);
                    }
                } else {
                    readMore(nowMillis, attempt, effects);
                }
            }
            if (outcome != null) {
                return;
            }
        }
        repairs.ask(nowMillis, toRepair, reports, effects);
        Optional<Failure> reason = decisive();
        boolean waited = nowMillis - startedMillis >= 2 * times.retryMillis();
        if (reason.isPresent() && (waited || reason.get() == Failure.OTHER_EPOCH)) {
            outcome = new FpReadOutcome.Failed(reason.get());
        }
    }

    /** FIND_TIMESTAMP at the rest of the first 3f + 1 slots, if those asked are slow, refuse or disagree. */
    private void findMore(long nowMillis, List<Effect> effects) {
        boolean needed = reports.hasDisagreement();
        for (int slot = 0; slot < group.policy().timestampSlots(); slot++) {
            needed |= finding.get(slot).isSlow(nowMillis) || refusals.containsKey(slot);
        }
        needed |= nowMillis - startedMillis >= times.retryMillis();
        for (int slot = 0; needed && slot < group.policy().timestampSlots(); slot++) {
            if (!reports.heard(slot) && !finding.get(slot).waiting()) {
                find(nowMillis, slot, effects);
            }
        }
    }

    private void find(long nowMillis, int slot, List<Effect> effects) {
        if (slot != ownSlot) {
            finding.get(slot).ask(nowMillis);
            sendFind(slot, effects);
        }
    }

    private void sendFind(int slot, List<Effect> effects) {
        send(slot, new FpMessage.FindTimestamp(group.target(slot), slot < group.m()), effects);
    }

    /**
     * Lines 1617 to 1620: READ at the slots that claim the version, and at all others too once those have answered, are too
     * few, or are slow.
     */
    private void readMore(long nowMillis, ReadAttempt attempt, List<Effect> effects) {
        if (!attempt.retryTimer.waiting()) {
            attempt.retryTimer.ask(nowMillis);
        }
        int hopeful = attempt.shareCount();
        boolean overdue = attempt.retryTimer.isSlow(nowMillis);
        for (int slot = 0; slot < group.n(); slot++) {
            RetryTimer asked = attempt.asked.get(slot);
            if (slot == ownSlot || attempt.has(slot)) {
                continue;
            }
            if (asked == null && reports.hasClaimed(slot, attempt.version)) {
                read(nowMillis, slot, attempt, effects);
                hopeful++;
            } else if (asked == null ? finding.get(slot).waiting() : asked.waiting()) {
                hopeful++;
            }
        }
        for (int slot = 0; slot < group.n(); slot++) {
            RetryTimer asked = attempt.asked.get(slot);
            if (slot == ownSlot || attempt.has(slot)) {
                continue;
            }
            if (asked == null) {
                if (overdue || hopeful < group.m() || attempt.shareCount() >= group.m()) {
                    read(nowMillis, slot, attempt, effects);
                }
            } else if (asked.isRetryDue(nowMillis)) {
                asked.askAgain(nowMillis);
                sendRead(slot, attempt, effects);
            }
        }
    }

    private void read(long nowMillis, int slot, ReadAttempt attempt, List<Effect> effects) {
        RetryTimer retryTimer = new RetryTimer(times);
        retryTimer.ask(nowMillis);
        attempt.asked.put(slot, retryTimer);
        sendRead(slot, attempt, effects);
    }

    private void sendRead(int slot, ReadAttempt attempt, List<Effect> effects) {
        send(slot, new FpMessage.Read(group.target(slot), attempt.version.version()), effects);
    }

    /** Lines 1623 to 1626: the block is returned once later readers are sure to find it, or something later. */
    private void settle(long nowMillis, ReadAttempt attempt, NavigableSet<Timestamp> toRepair, List<Effect> effects) {
        FpWrite back = writeBack;
        boolean done =
                back != null && attempt == writtenBack && back.outcome().orElse(null) instanceof FpWriteOutcome.Written;
        if (settling == SettlingMode.NONE || done || reports.settled(attempt.version)) {
            finish(attempt, effects);
            return;
        }
        // Nodes complete what nonces alone prove: they can be waited for when its writer is revoked.
        if (settling == SettlingMode.WRITE_BACK && attempt.committed()) {
            FpWriteOutcome ended = back == null ? null : back.outcome().orElse(null);
            boolean failed = ended instanceof FpWriteOutcome.Failed || ended instanceof FpWriteOutcome.EpochOver;
            if (failed) {
                // Without a session that may write there is still the reader's way.
                settling = SettlingMode.ASK_REPAIR;
            } else if (back == null) {
                FpWrite started =
                        FpWrite.forWriteBack(group, session, attempt.block().orElseThrow(), attempt.version, times);
                writeBack = started;
                writtenBack = attempt;
                effects.addAll(started.start(nowMillis));
            }
        }
        if (settling == SettlingMode.ASK_REPAIR || !attempt.committed()) {
            toRepair.add(attempt.version);
        }
    }

    private void finish(ReadAttempt attempt, List<Effect> effects) {
        Bytes block = attempt.block().orElseThrow();
        outcome = new FpReadOutcome.Value(attempt.version, group.trimmed(block), block);
        for (int slot : attempt.corrupt()) {
            effects.add(attempt.corruption(slot));
            if (slot != ownSlot) {
                send(slot, new FpMessage.Repair(group.target(slot), attempt.version), effects);
            }
        }
    }

    private Optional<Failure> decisive() {
        long epoch = group.placement().epoch();
        return epochs.over()
                ? Optional.of(Failure.OTHER_EPOCH)
                : RefusalMeaning.decisive(
                        group,
                        refusals.values().stream()
                                .map(refused -> RefusalMeaning.failure(refused.refusal(), refused.epoch(), epoch)));
    }

    private void send(int slot, FpMessage message, List<Effect> effects) {
        effects.add(new Effect.Send(group.node(slot), 0, message));
    }
}
