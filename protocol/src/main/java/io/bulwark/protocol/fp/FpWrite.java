package io.bulwark.protocol.fp;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.epoch.EpochWatch;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.fingerprint.Fpcc;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Failure;
import io.bulwark.protocol.kernel.RetryTimer;
import io.bulwark.protocol.kernel.Target;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Operations c_write and c_dowrite (thesis figure 4.2.2): prepares the block at the first m + f nodes, chooses a
 * timestamp, commits. Wait-free (theorem 4.2.1): nodes that are slow, refuse or lie are replaced by PREPARE_BLOCK at
 * others, and late prepares are still forwarded. Continues after its outcome until each participating node has
 * committed, or time runs out.
 */
public final class FpWrite implements ClientOperation<FpWriteOutcome> {
    /**
     * Factor over the others' answer time after which up to f nodes that do not answer are slow, even if their
     * connections move.
     */
    private static final int SLOW_FACTOR = 3;

    /** Number of retry times for which the nodes may be at the client's limit. */
    private static final int FULL_RETRIES = 8;

    private final FpGroup group;
    private final long session;
    private final Timeouts times;
    /** True if a COMMIT was sent in an earlier epoch. */
    private final boolean goesOn;

    private final Bytes block;
    private final Fpcc fpcc;
    private final List<Bytes> fragments;
    private final List<WriteMember> members = new ArrayList<>();
    private final EpochWatch epochs;

    /** ts of line 1111, unsigned; 0 while none is chosen. */
    private long chosen;

    /** True once the timestamp can no longer change: it was given, or a COMMIT was sent. */
    private boolean fixed;

    private boolean commitSent;
    private long deadlineMillis = Long.MAX_VALUE;
    private long helpUntilMillis = Long.MAX_VALUE;
    private long renewedMillis = Long.MIN_VALUE;
    private long slowestAnswerMillis;
    /** Time since which more than f nodes have been at the client's limit; negative if they are not. */
    private long fullSinceMillis = -1;

    private boolean finished;
    private @Nullable FpWriteOutcome outcome;

    /**
     * A write by a client.
     *
     * @param session the client's open session for the volume
     * @param data the whole block, of the policy's block size
     * @throws IllegalArgumentException if the data has another length
     */
    public FpWrite(FpGroup group, long session, Bytes data, Timeouts times) {
        this(group, session, group.padded(data), null, false, times);
    }

    private FpWrite(FpGroup group, long session, Bytes padded, @Nullable Timestamp at, boolean goesOn, Timeouts times) {
        this.group = group;
        this.goesOn = goesOn;
        this.session = session;
        this.times = times;
        this.block = padded;
        this.epochs = group.epochs(-1, times);
        // Lines 1000 to 1002: partial encoding.
        BlockCode.Encoded encoded = group.code().encode(padded);
        this.fragments = encoded.fragments();
        this.fpcc = at == null ? encoded.fpcc() : at.written();
        this.chosen = at == null ? 0 : at.ts();
        this.fixed = at != null;
        for (int slot = 0; slot < group.n(); slot++) {
            // A version of another writer may have hashes that fit no fragment: these slots get the whole block.
            boolean whole = slot >= fragments.size()
                    || (at != null
                            && !Hashes.sha256(fragments.get(slot))
                                    .equals(fpcc.cc().get(slot)));
            members.add(new WriteMember(slot, whole, times));
        }
    }

    /** Writes back what was read at a timestamp (line 1625). {@code padded} is the block as it was decoded. */
    static FpWrite forWriteBack(FpGroup group, long session, Bytes padded, Timestamp at, Timeouts times) {
        return new FpWrite(group, session, padded, at, false, times);
    }

    /** Goes on with a write that ended with {@link FpWriteOutcome.EpochOver}, in a later epoch. */
    public static FpWrite continueInEpoch(FpGroup group, long session, Bytes data, Timestamp at, Timeouts times) {
        return new FpWrite(group, session, group.padded(data), at, true, times);
    }

    @Override
    public List<Effect> start(long nowMillis) {
        deadlineMillis = nowMillis + times.timeoutMillis();
        List<Effect> effects = new ArrayList<>();
        for (int slot = 0; slot < group.policy().writeQuorum(); slot++) {
            prepare(nowMillis, members.get(slot), effects);
        }
        return effects;
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        List<Effect> effects = new ArrayList<>();
        if (finished || !(message instanceof FpMessage.Answer answer)) {
            return effects;
        }
        int slot = group.slotOf(from, answer.target());
        if (slot >= 0 && answer instanceof FpMessage.Refused refused && refused.refusal() == FpRefusal.OTHER_EPOCH) {
            epochs.onOtherEpoch(slot, refused.epoch());
        }
        if (slot < 0 || !members.get(slot).engaged) {
            return effects;
        }
        WriteMember member = members.get(slot);
        boolean waiting = member.retryTimer.waiting();
        long askedMillis = member.retryTimer.askedMillis();
        switch (answer) {
            case FpMessage.Prepared prepared -> onPrepared(member, prepared, effects);
            case FpMessage.Committed committed -> onCommitted(member, committed);
            case FpMessage.Refused refused -> onRefused(nowMillis, member, refused, effects);
            default -> {
                return effects;
            }
        }
        if (waiting && !member.retryTimer.waiting()) {
            slowestAnswerMillis = Math.max(slowestAnswerMillis, nowMillis - askedMillis);
        }
        progress(nowMillis, effects);
        return effects;
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        List<Effect> effects = new ArrayList<>();
        if (finished) {
            return effects;
        }
        if (outcome == null && nowMillis >= deadlineMillis) {
            fail(decisive().orElse(Failure.TIMED_OUT));
        }
        if (outcome != null && nowMillis >= helpUntilMillis) {
            finished = true;
        }
        if (finished) {
            return effects;
        }
        if (outcome == null) {
            effects.addAll(epochs.onTick(nowMillis));
        }
        for (WriteMember member : members) {
            if (member.engaged && !member.committed && member.retryTimer.isRetryDue(nowMillis)) {
                retry(nowMillis, member, effects);
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
        int slot = group.slotOf(peer);
        if (slot >= 0) {
            RetryTimer retryTimer = members.get(slot).retryTimer;
            long silent = members.stream()
                    .filter(member -> member.engaged && member.retryTimer.waiting())
                    .count();
            long until = retryTimer.askedMillis() + SLOW_FACTOR * slowestAnswerMillis;
            retryTimer.onMovement(silent > group.f() ? atMillis : Math.min(atMillis, until));
        }
    }

    @Override
    public Optional<FpWriteOutcome> outcome() {
        return Optional.ofNullable(outcome);
    }

    @Override
    public boolean isFinished() {
        return finished;
    }

    private void onPrepared(WriteMember member, FpMessage.Prepared prepared, List<Effect> effects) {
        long ts = prepared.version().ts();
        boolean asked = ts == member.askedTs || (member.askedTs == 0 && member.first == null);
        if (prepared.macs().size() != group.n() || !prepared.version().pin().equals(fpcc.pin())) {
            effects.add(accuse(member, "a prepare of another block"));
            return;
        }
        if (!asked && ts != chosen) {
            return;
        }
        if (member.askedTs == 0 && member.first == null) {
            member.first = prepared;
            member.said = member.said == 0 ? ts : member.said;
        }
        if (ts == chosen) {
            onRenewed(member, prepared);
            member.atChosen = prepared;
        }
        if (!member.isCommitting()) {
            member.refusal = null;
            member.retryTimer.answered();
        }
    }

    /**
     * Marks members that refused the earlier MACs: they get the new ones as soon as these are here, since these expire,
     * too.
     */
    private void onRenewed(WriteMember member, FpMessage.Prepared prepared) {
        FpMessage.Prepared before = member.atChosen;
        if (!member.renewing || before == null) {
            return;
        }
        member.renewing = false;
        for (WriteMember other : members) {
            Bytes mac = prepared.macs().get(other.slot);
            other.renewed |= other.refusal == FpRefusal.PREPARES
                    && !mac.equals(before.macs().get(other.slot));
        }
    }

    private void onCommitted(WriteMember member, FpMessage.Committed committed) {
        if (commitSent && committed.version().equals(new Version(chosen, fpcc.pin()))) {
            member.committed = true;
            member.refusal = null;
            member.retryTimer.answered();
        }
    }

    private void onRefused(long nowMillis, WriteMember member, FpMessage.Refused refused, List<Effect> effects) {
        // At its limit a node says at what ts it would have prepared: that is an answer, too.
        boolean atLimit = refused.refusal() == FpRefusal.LIMIT && member.askedTs == 0;
        boolean ofPrepare = refused.asked() == RequestKind.PREPARE
                && (refused.ts() == member.askedTs || atLimit)
                && !member.isCommitting();
        boolean ofCommit = refused.asked() == RequestKind.COMMIT && refused.ts() == chosen && member.isCommitting();
        if (member.committed || !(ofPrepare || ofCommit)) {
            return;
        }
        member.retryTimer.answered();
        if (ofPrepare && atLimit && member.said == 0) {
            member.said = refused.ts();
        }
        if (ofPrepare && refused.refusal() == FpRefusal.INCONSISTENT) {
            if (member.wholeBlock) {
                // The block was encoded or decoded here: no correct node refuses it.
                effects.add(accuse(member, "refuses a block that matches its fingerprinted cross-checksum"));
            } else {
                member.wholeBlock = true;
                prepare(nowMillis, member, effects);
                return;
            }
        }
        member.refusal = refused.refusal();
        member.refusedEpoch = refused.epoch();
    }

    private void progress(long nowMillis, List<Effect> effects) {
        if (outcome == null) {
            choose();
        }
        askAtChosen(nowMillis, effects);
        commit(nowMillis, effects);
        long committed = members.stream().filter(member -> member.committed).count();
        if (outcome == null && committed >= group.policy().writeQuorum()) {
            outcome = new FpWriteOutcome.Written(new Timestamp(chosen, fpcc));
            helpUntilMillis = nowMillis + times.helpMillis();
        }
        if (outcome == null) {
            failEarly(nowMillis);
        }
        if (outcome == null) {
            engageMore(nowMillis, effects);
        } else if (members.stream().noneMatch(member -> member.engaged && !member.committed)) {
            finished = true;
        }
    }

    /**
     * Chooses the timestamp (lines 1109 to 1112) among the first 3f + 1 slots only: a timestamp that only the other
     * slots know could be missed. It is the greatest of 2f + 1 answers. The choice is fixed, since correct nodes may
     * have staged the block at it, and a staged leftover stays as long as the session. The exception: more than f nodes
     * call it FAR and 2f + 1 have answered a smaller one. Then it is the (2f + 1)st smallest.
     */
    private void choose() {
        if (fixed || (chosen != 0 && refusalCount(FpRefusal.FAR) <= group.f())) {
            return;
        }
        List<Long> answers = new ArrayList<>();
        for (WriteMember member : members.subList(0, group.policy().timestampSlots())) {
            if (member.said != 0) {
                answers.add(member.said);
            }
        }
        if (answers.size() < group.policy().timestampQuorum()) {
            return;
        }
        answers.sort(Long::compareUnsigned);
        long choice = answers.get(group.policy().timestampQuorum() - 1);
        if (choice != chosen) {
            chosen = choice;
            for (WriteMember member : members) {
                FpMessage.Prepared first = member.first;
                member.atChosen = first != null && first.version().ts() == choice ? first : null;
            }
        }
    }

    /** Lines 1113 to 1117: a new prepare from each node that answered with another ts. */
    private void askAtChosen(long nowMillis, List<Effect> effects) {
        if (chosen == 0) {
            return;
        }
        for (WriteMember member : members) {
            boolean answeredAnother = member.said != 0 || (commitSent && member.askedTs == 0);
            if (member.engaged && member.atChosen == null && answeredAnother && member.askedTs != chosen) {
                prepare(nowMillis, member, effects);
            }
        }
    }

    /** Lines 1119, 1120 and 1123 to 1131: m + f matching prepares, forwarded to each node with the MACs meant for it. */
    private void commit(long nowMillis, List<Effect> effects) {
        List<WriteMember> prepared =
                members.stream().filter(member -> member.atChosen != null).toList();
        if (chosen == 0 || prepared.size() < group.policy().writeQuorum()) {
            return;
        }
        for (WriteMember member : prepared) {
            boolean late =
                    member.refusal == FpRefusal.PREPARES && (prepared.size() > member.commitWith || member.renewed);
            if (!member.committed && (member.commitWith == 0 || late)) {
                sendCommit(member, effects);
                member.retryTimer.ask(nowMillis);
                member.refusal = null;
            }
        }
    }

    private void sendCommit(WriteMember member, List<Effect> effects) {
        fixed = true;
        commitSent = true;
        List<FpMessage.PrepareMac> prepareMacs = new ArrayList<>();
        for (WriteMember other : members) {
            FpMessage.Prepared prepared = other.atChosen;
            if (prepared != null) {
                Bytes mac = prepared.macs().get(member.slot);
                prepareMacs.add(new FpMessage.PrepareMac(other.slot, prepared.nonce(), mac));
            }
        }
        member.commitWith = prepareMacs.size();
        member.renewed = false;
        send(member, new FpMessage.Commit(group.target(member.slot), session, chosen, fpcc, prepareMacs), effects);
    }

    /** Sends PREPARE: with no ts until this node has answered one or the timestamp is fixed, then with the chosen one. */
    private void prepare(long nowMillis, WriteMember member, List<Effect> effects) {
        member.engaged = true;
        member.askedTs = fixed || member.said != 0 ? chosen : 0;
        sendPrepare(member, member.askedTs, effects);
        member.retryTimer.ask(nowMillis);
        member.refusal = null;
    }

    private void sendPrepare(WriteMember member, long ts, List<Effect> effects) {
        Target target = group.target(member.slot);
        send(
                member,
                member.wholeBlock
                        ? new FpMessage.PrepareBlock(target, session, ts, fpcc, block)
                        : new FpMessage.PrepareFragment(target, session, ts, fpcc, fragments.get(member.slot)),
                effects);
    }

    private void retry(long nowMillis, WriteMember member, List<Effect> effects) {
        if (!member.retryTimer.waiting() && member.refusal == null) {
            return;
        }
        if (!member.retryTimer.hasRetried() && member.retryTimer.isSlow(nowMillis)) {
            effects.add(
                    new Effect.Evidence(group.node(member.slot), group.block(), Verdict.SLOW, "no answer to a write"));
        }
        member.retryTimer.askAgain(nowMillis);
        if (member.refusal == (member.isCommitting() ? FpRefusal.PREPARES : FpRefusal.SESSION_CLOSED)) {
            renewPrepares(nowMillis, effects);
        }
        if (!member.isCommitting()) {
            sendPrepare(member, member.askedTs, effects);
            return;
        }
        sendCommit(member, effects);
    }

    /**
     * Prepares again, at the same timestamp where that was answered. Where a key was renewed meanwhile, nodes refuse the
     * earlier MACs. Where the session was closed meanwhile, those that prepared before must say so, too: with f silent
     * liars no others are left to make f + 1.
     */
    private void renewPrepares(long nowMillis, List<Effect> effects) {
        if (nowMillis - times.retryMillis() < renewedMillis) {
            return;
        }
        renewedMillis = nowMillis;
        for (WriteMember member : members) {
            if (member.atChosen != null) {
                member.renewing = true;
                member.askedTs = chosen;
                sendPrepare(member, chosen, effects);
            } else if (member.first != null) {
                sendPrepare(member, member.askedTs, effects);
            }
        }
    }

    /** Replaces nodes that are slow or refuse, while the nodes that may still commit are fewer than m + f. */
    private void engageMore(long nowMillis, List<Effect> effects) {
        if (refusalCount(FpRefusal.LIMIT) > group.f()) {
            return;
        }
        long hopeful = members.stream()
                .filter(member -> member.canStillHelp(nowMillis))
                .count();
        for (WriteMember member : members) {
            // After FAR the answers of all first 3f + 1 slots are wanted: they show that the greatest is too great.
            boolean decides =
                    !fixed && member.slot < group.policy().timestampSlots() && refusalCount(FpRefusal.FAR) > 0;
            if (!member.engaged && (decides || hopeful < group.policy().writeQuorum())) {
                prepare(nowMillis, member, effects);
                hopeful++;
            }
        }
    }

    private long refusalCount(FpRefusal refusal) {
        return members.stream().filter(member -> member.refusal == refusal).count();
    }

    /**
     * Fails a write of which no COMMIT was sent, for a reason that more than f nodes give and that waiting does not
     * change.
     */
    private void failEarly(long nowMillis) {
        Failure reason = decisive().orElse(null);
        boolean full = refusalCount(FpRefusal.LIMIT) > group.f();
        fullSinceMillis = !full ? -1 : fullSinceMillis < 0 ? nowMillis : fullSinceMillis;
        if (reason == Failure.SESSION_CLOSED && commitSent) {
            // A correct node takes the COMMIT no more, nor will any other that has not taken it yet.
            fail(reason);
        } else if (reason == Failure.OTHER_EPOCH && mayBeWritten()) {
            outcome = new FpWriteOutcome.EpochOver(new Timestamp(chosen, fpcc));
            finished = true;
        } else if (!commitSent && reason != null) {
            switch (reason) {
                case SESSION_CLOSED, OTHER_EPOCH, NO_SPACE, EXHAUSTED -> fail(reason);
                case SESSION_UNKNOWN, NO_GRANT -> {
                    // The replicas that a node asked may not have executed the opening yet.
                    if (deadlineMillis - nowMillis <= times.timeoutMillis() - 2 * times.retryMillis()) {
                        fail(reason);
                    }
                }
                case LIMIT -> {
                    // Failed writes of its session may fill its room for good; another session has room.
                    if (!goesOn && nowMillis - fullSinceMillis >= FULL_RETRIES * times.retryMillis()) {
                        fail(reason);
                    }
                }
                case BLOCK_LIMIT, POOL, TIMED_OUT -> {}
            }
        }
    }

    private void fail(Failure reason) {
        outcome = new FpWriteOutcome.Failed(reason, mayBeWritten());
        finished = true;
    }

    private boolean mayBeWritten() {
        return commitSent || goesOn;
    }

    private Optional<Failure> decisive() {
        long epoch = group.placement().epoch();
        return epochs.over()
                ? Optional.of(Failure.OTHER_EPOCH)
                : RefusalMeaning.decisive(
                        group,
                        members.stream()
                                .map(member -> Optional.ofNullable(member.refusal)
                                        .flatMap(refusal ->
                                                RefusalMeaning.failure(refusal, member.refusedEpoch, epoch))));
    }

    private Effect accuse(WriteMember member, String detail) {
        return new Effect.Evidence(group.node(member.slot), group.block(), Verdict.MISBEHAVED, detail);
    }

    private void send(WriteMember member, FpMessage message, List<Effect> effects) {
        effects.add(new Effect.Send(group.node(member.slot), 0, message));
    }
}
