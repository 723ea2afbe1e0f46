package io.bulwark.protocol.pasis;

import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.epoch.EpochWatch;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Failure;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Operation READ (lazy verification paper, 2.2): takes the greatest timestamp of the answers as candidate and
 * classifies it as complete, repairable or incomplete. It validates the candidate, unless b + 1 nodes have verified it,
 * and repairs it if it must. From an incomplete or poisonous version it continues with earlier ones. A node's
 * verification of a block is the same without repair: it continues with earlier versions until it finds a complete one
 * (3.1 and 3.4).
 *
 * <p>The first round asks as many nodes as its plan says, from 2b + 1 to N - b (Agile Store paper, Figure 2). What it
 * cannot decide is left to a second round, which asks the rest of N - b.
 *
 * <p>With more answers the bound below which a candidate cannot have been complete rises with them ({@link
 * PasisGroup#minShown}). Nodes that have collected a version, or a later one, neither claim nor deny it. If these are so
 * many that they may hide a complete version, the read restarts.
 */
public final class PasisRead implements ClientOperation<PasisReadOutcome> {
    /** Number of retry pauses in which nodes are asked for a repair before the read restarts. */
    private static final int REPAIRS_RETRIES = 8;

    private enum SettlingMode {
        WRITE_BACK,
        ASK_REPAIR,
        NONE
    }

    /**
     * Purpose of a read.
     *
     * @param awaited a version that peers may wait for before they answer
     */
    private record Purpose(
            SettlingMode settling,
            ReadPlan plan,
            OwnHistory own,
            @Nullable VersionName awaited) {
        static Purpose ofClient(SettlingMode settling, ReadPlan plan) {
            return new Purpose(settling, plan, OwnHistory.NONE, null);
        }
    }

    /** A candidate's block; the fragments only if it was validated. */
    private record DecodedBlock(Bytes padded, Optional<List<Bytes>> fragments) {}

    private final PasisGroup group;
    private final PrincipalId client;
    private final long session;
    private final Timeouts times;
    private final SettlingMode settling;
    private final ReadPlan plan;
    /** Number of answers from which a read may be decided. */
    private final int firstRound;

    private final HistoryGatherer gathering;
    private final EpochWatch epochs;
    private final Map<ValidatingTimestamp, DecodedBlock> decoded = new HashMap<>();
    private final Set<ValidatingTimestamp> passedOver = new HashSet<>();
    private final Set<ValidatingTimestamp> poisonous = new HashSet<>();
    private @Nullable PasisWrite writeBack;
    private @Nullable RepairRequests repairs;
    private @Nullable ValidatingTimestamp settled;
    private long startedMillis;
    private long settledMillis;
    private boolean settledOnce;
    private long restartMillis = Long.MAX_VALUE;
    private @Nullable PasisReadOutcome outcome;

    private PasisRead(PasisGroup group, PrincipalId client, long session, Timeouts times, Purpose purpose) {
        this.group = group;
        this.client = client;
        this.session = session;
        this.times = times;
        this.settling = purpose.settling();
        this.plan = purpose.plan();
        this.firstRound = plan.firstRound(group);
        this.gathering = new HistoryGatherer(group, times, purpose.own(), purpose.awaited(), plan.order());
        this.epochs = group.epochs(purpose.own().slot(), times);
    }

    /**
     * A read by a client that may write: what is repairable is written back.
     *
     * @param session the client's open session for the volume
     */
    public static PasisRead withWriteBack(
            PasisGroup group, PrincipalId client, long session, Timeouts times, ReadPlan plan) {
        return new PasisRead(group, client, session, times, Purpose.ofClient(SettlingMode.WRITE_BACK, plan));
    }

    /** A read by a client without the write grant: nodes are asked to repair what is repairable. */
    public static PasisRead withRepairRequests(PasisGroup group, Timeouts times, ReadPlan plan) {
        return new PasisRead(group, PrincipalId.NOBODY, 0, times, Purpose.ofClient(SettlingMode.ASK_REPAIR, plan));
    }

    /**
     * A node's verification. Its outcome is {@link PasisReadOutcome.NeverWritten} also where nothing is complete.
     *
     * @param awaited a version that peers may wait for before they answer
     */
    static PasisRead forVerification(PasisGroup group, OwnHistory own, Timeouts times, @Nullable VersionName awaited) {
        return new PasisRead(
                group,
                PrincipalId.NOBODY,
                0,
                times,
                new Purpose(SettlingMode.NONE, ReadPlan.ofVerification(group), own, awaited));
    }

    /** A node's verification at a bound: what is repairable is repaired too, since otherwise nothing could be freed. */
    static PasisRead forVerificationWithRepair(PasisGroup group, OwnHistory own, Timeouts times) {
        return new PasisRead(
                group,
                PrincipalId.NOBODY,
                0,
                times,
                new Purpose(SettlingMode.ASK_REPAIR, ReadPlan.full(group), own, null));
    }

    /** Versions that failed timestamp validation. */
    Set<ValidatingTimestamp> poisonous() {
        return Set.copyOf(poisonous);
    }

    /** Returns the course of this read. */
    public ReadReport report() {
        return new ReadReport(
                plan.delta(),
                plan.fragments(),
                gathering.asked(),
                gathering.secondRound() || settledOnce,
                gathering.fetched(),
                gathering.bytes());
    }

    @Override
    public List<Effect> start(long nowMillis) {
        startedMillis = nowMillis;
        List<Effect> effects = new ArrayList<>();
        gathering.begin(nowMillis, firstRound, plan.fragments(), effects);
        progress(nowMillis, effects);
        return effects;
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        List<Effect> effects = new ArrayList<>();
        if (!(message instanceof PasisMessage.Answer answer)) {
            return effects;
        }
        PasisWrite back = writeBack;
        if (back != null) {
            effects.addAll(back.onMessage(nowMillis, from, message));
        }
        int slot = outcome == null ? gathering.take(from, answer, effects) : -1;
        if (slot >= 0) {
            if (answer instanceof PasisMessage.Refused refused && refused.refusal() == PasisRefusal.OTHER_EPOCH) {
                epochs.onOtherEpoch(slot, refused.epoch());
            }
            RepairRequests asked = repairs;
            if (asked != null) {
                asked.take(slot, answer);
            }
            progress(nowMillis, effects);
        }
        return effects;
    }

    private void progress(long nowMillis, List<Effect> effects) {
        if (settled != null) {
            settle();
        }
        boolean further = true;
        while (outcome == null && settled == null && restartMillis == Long.MAX_VALUE && further) {
            gathering.engageMore(nowMillis, effects);
            int answered = gathering.answered();
            ValidatingTimestamp version = gathering.candidate(passedOver, poisonous);
            further = answered >= firstRound
                    && (settling == SettlingMode.NONE
                            ? verify(nowMillis, version, effects)
                            : read(nowMillis, version, answered, effects));
        }
    }

    /** Deals with one candidate; false if it must wait. */
    private boolean read(long nowMillis, ValidatingTimestamp version, int answered, List<Effect> effects) {
        long claims = gathering.standing(version, SlotView.VersionStatus.CLAIMS);
        long hidden = gathering.standing(version, SlotView.VersionStatus.COLLECTED)
                + gathering.standing(version, SlotView.VersionStatus.UNKNOWN);
        boolean hides = hidden >= group.minShown(answered);
        if (version.isNone() && !hides) {
            outcome = neverWritten();
            return true;
        }
        boolean proven = gathering.isProvenByNodes(version);
        boolean complete = proven || claims >= group.quorum();
        boolean enough = !version.isNone() && (complete || claims >= group.repairable());
        if (!enough && !hides && claims + hidden < group.minShown(answered)) {
            passedOver.add(version);
            return true;
        }
        // What is not known to be complete may be so at the rest of N - b: it is written back only if it is not.
        if (!enough || hides || (!complete && answered < group.quorum())) {
            return waits(nowMillis, gathering.askMore(nowMillis, version, effects));
        }
        DecodedBlock block = decoded(version, !complete || !(proven || group.verification() == Verification.NONE));
        if (poisonous.contains(version)) {
            return true;
        }
        if (block == null) {
            if (gathering.isHopeless(version, claims, hidden, answered)) {
                passedOver.add(version);
                return true;
            }
            return waits(nowMillis, gathering.fetch(nowMillis, version, effects));
        }
        if (complete) {
            outcome = new PasisReadOutcome.Value(version, group.trimmed(block.padded()), block.padded());
        } else {
            beginSettling(nowMillis, version, block, effects);
        }
        return true;
    }

    /** The same for a verification: what is not complete now is passed over. */
    private boolean verify(long nowMillis, ValidatingTimestamp version, List<Effect> effects) {
        if (version.isNone()) {
            outcome = neverWritten();
            return true;
        }
        boolean proven = gathering.isProvenByNodes(version);
        if (!proven && gathering.standing(version, SlotView.VersionStatus.CLAIMS) < group.quorum()) {
            if (!gathering.mayBeComplete(nowMillis, version)) {
                passedOver.add(version);
                return true;
            }
            return waits(nowMillis, gathering.askMore(nowMillis, version, effects));
        }
        DecodedBlock block = decoded(version, !proven);
        if (poisonous.contains(version)) {
            return true;
        }
        if (block == null) {
            return waits(nowMillis, gathering.fetch(nowMillis, version, effects));
        }
        outcome = new PasisReadOutcome.Value(version, group.trimmed(block.padded()), block.padded());
        return true;
    }

    /** Waits for more answers. If no pending answer could decide, the read restarts. */
    private boolean waits(long nowMillis, boolean hope) {
        if (!hope) {
            restartMillis = nowMillis + times.hedgeMillis() / 4;
        }
        return false;
    }

    private PasisReadOutcome neverWritten() {
        return new PasisReadOutcome.NeverWritten(
                Bytes.of(new byte[group.policy().blockBytes()]));
    }

    /** The block, once m fragments are there; nothing, and the version marked, if it is poisonous. */
    private @Nullable DecodedBlock decoded(ValidatingTimestamp version, boolean validated) {
        DecodedBlock known = decoded.get(version);
        if (known != null && (known.fragments().isPresent() || !validated)) {
            return known;
        }
        Map<Integer, Bytes> valid = gathering.validFragments(version);
        if (valid.size() < group.m()) {
            return null;
        }
        Bytes padded = group.decode(valid);
        DecodedBlock block = new DecodedBlock(padded, validated ? group.validate(version, padded) : Optional.empty());
        if (validated && block.fragments().isEmpty()) {
            poisonous.add(version);
            return null;
        }
        decoded.put(version, block);
        return block;
    }

    private void beginSettling(long nowMillis, ValidatingTimestamp version, DecodedBlock block, List<Effect> effects) {
        Set<Integer> holders = gathering.holders(version);
        settled = version;
        settledOnce = true;
        settledMillis = nowMillis;
        if (settling == SettlingMode.WRITE_BACK) {
            List<Bytes> all = block.fragments().orElseThrow();
            PasisWrite back = PasisWrite.repair(group, client, session, times, version, all, holders);
            writeBack = back;
            effects.addAll(back.start(nowMillis));
        } else {
            repairs = new RepairRequests(group, version, holders);
            effects.addAll(repairs.start(nowMillis, times));
        }
        settle();
    }

    /**
     * Ends the read if the version is complete by now. Passes it over if b + 1 nodes have found that it cannot have
     * been complete when this read began.
     */
    private void settle() {
        ValidatingTimestamp version = settled;
        PasisWrite back = writeBack;
        RepairRequests asked = repairs;
        DecodedBlock block = version == null ? null : decoded.get(version);
        if (version == null || block == null || outcome != null) {
            return;
        }
        boolean written = back != null && back.outcome().orElse(null) instanceof PasisWriteOutcome.Written;
        if (written || (asked != null && asked.done())) {
            outcome = new PasisReadOutcome.Value(version, group.trimmed(block.padded()), block.padded());
        } else if ((back != null && back.isRefuted()) || (asked != null && asked.isRefuted())) {
            passedOver.add(version);
            settled = null;
            writeBack = null;
            repairs = null;
        } else if (back != null && back.outcome().orElse(null) instanceof PasisWriteOutcome.Failed failed) {
            outcome = new PasisReadOutcome.Failed(failed.reason());
        } else if (back != null && back.outcome().orElse(null) instanceof PasisWriteOutcome.EpochOver) {
            outcome = new PasisReadOutcome.Failed(Failure.OTHER_EPOCH);
        }
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        List<Effect> effects = new ArrayList<>();
        PasisWrite back = writeBack;
        if (back != null) {
            effects.addAll(back.onTick(nowMillis));
        }
        if (outcome != null) {
            return effects;
        }
        if (repairs != null) {
            effects.addAll(repairs.onTick(nowMillis));
        }
        effects.addAll(epochs.onTick(nowMillis));
        Optional<Failure> reason = epochs.over()
                ? Optional.of(Failure.OTHER_EPOCH)
                : gathering.refusals().decisive(nowMillis - startedMillis >= 2 * times.retryMillis());
        if (reason.isPresent() || nowMillis - startedMillis >= times.timeoutMillis()) {
            Failure why = reason.or(gathering.refusals()::most).orElse(Failure.TIMED_OUT);
            outcome = new PasisReadOutcome.Failed(why);
            return effects;
        }
        // Nodes that claimed the version may be unreachable, and others have collected a later one: these neither claim
        // nor deny it.
        boolean stuck = repairs != null && nowMillis - settledMillis >= REPAIRS_RETRIES * times.retryMillis();
        if (stuck || nowMillis >= restartMillis) {
            restartMillis = Long.MAX_VALUE;
            settled = null;
            repairs = null;
            decoded.clear();
            passedOver.clear();
            gathering.begin(nowMillis, group.quorum(), group.m(), effects);
        }
        if (settled == null) {
            gathering.sendAgain(nowMillis, effects);
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
        if (outcome == null) {
            gathering.onMovement(peer, atMillis);
        }
    }

    @Override
    public Optional<PasisReadOutcome> outcome() {
        return Optional.ofNullable(outcome);
    }

    @Override
    public boolean isFinished() {
        PasisWrite back = writeBack;
        return outcome != null && (back == null || back.isFinished());
    }
}
