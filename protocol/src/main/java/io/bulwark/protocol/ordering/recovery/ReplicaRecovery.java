package io.bulwark.protocol.ordering.recovery;

import io.bulwark.protocol.effect.DistantPast;
import io.bulwark.protocol.ordering.checkpoint.Checkpoints;
import io.bulwark.protocol.ordering.checkpoint.StateTransfer;
import io.bulwark.protocol.ordering.driver.LogRecord;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.driver.ReplicaEffect;
import io.bulwark.protocol.ordering.key.Signing;
import io.bulwark.protocol.ordering.log.Outbox;
import io.bulwark.protocol.ordering.log.ReplicaContext;
import io.bulwark.protocol.ordering.log.SlotLog;
import io.bulwark.protocol.ordering.log.View;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.ReplicaMessage.QueryStable;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Recover;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RecoveryReply;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ReplyStable;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.normal.Execution;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.OwnRecovery;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.Phase;
import io.bulwark.protocol.ordering.request.RequestPool;
import io.bulwark.protocol.ordering.view.ViewChangeExecutor;
import io.bulwark.protocol.ordering.view.ViewGroup;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Recovery of this replica (4.4). First H_M is estimated. Until then no message with a number is sent, and until a
 * stable checkpoint at or above H_M none above H_M: the ceiling of the log. Then a signed request is ordered, whose
 * execution makes the others drop the keys that an intruder may know; 2f+1 replies give the recovery point. Meanwhile
 * each page of the state is checked. The replica has recovered when the state is checked and the checkpoint at the
 * recovery point is stable.
 *
 * <p>A replica that has lost its promises, or cannot trust them, votes on nothing up to the recovery point: the floor
 * of the log. It asks for no view with a log that begins below that. It continues with the others' view. Its earlier
 * messages count nowhere any more after 2 T_k, and before that it votes on nothing at all (docs/ordering,
 * "damage" and "recovery").
 *
 * <pre>
 * from        to          when
 * NONE        ESTIMATING  the watchdog has restarted the replica, or its promises are lost (a new life)
 * ESTIMATING  REQUESTING  2f others have answered and H_M is known: the request is signed and sent
 * REQUESTING  REACHING    2f+1 replies accept the request: the recovery point is known
 * REQUESTING  REFUSED     the replies refuse it as too early
 * REFUSED     REQUESTING  a sixteenth of T_w later, with another request
 * REACHING    NONE        the checkpoint at the recovery point is stable, and the state is checked
 * any         (end)       the log cannot be right: the driver removes it, and begins another life
 * </pre>
 */
public final class ReplicaRecovery {
    /** Checkpoint that could not be checked to the end, and the time at which this was noticed. */
    private record DiscardedCheckpoint(Numbered checkpoint, long sinceMillis) {}

    private final ReplicaConfig config;
    private final SlotLog log;
    private final ViewChangeExecutor views;
    private final View view;
    private final StateTransfer transfer;
    private final Execution execution;
    private final PeerRecoveries peers;
    private final Checkpoints checkpoints;
    private final RequestPool pool;
    private final Signing signing;
    private final RandomGenerator random;
    private final Outbox outbox;
    private final Recoveries.Host host;
    private final boolean forgotten;
    /** Beginning of the log on disk. Any checkpoint that this life reaches has a certificate. */
    private final long began;

    private final HighWaterMarkEstimate estimation;
    private final RecoveryReplies replies;
    private final Map<Integer, Bytes> nonces = new TreeMap<>();
    private Phase phase;
    private long beginIndex;
    private long round;
    private long nextMillis = DistantPast.MILLIS;
    private long sentMillis;
    private long estimate = -1;
    private long point;
    private @Nullable RecoveryRequest request;
    private @Nullable Numbered checking;
    private @Nullable DiscardedCheckpoint gone;
    private boolean checked;
    private boolean forgedView;
    private long othersView;
    private boolean useless;
    private boolean executedHere;
    private long call;
    private long startedMillis;
    private long estimatedMillis;
    private long answeredMillis;
    private long checkedMillis;
    private long recoveredMillis;
    private long checkedPages;
    private long damagedPages;

    ReplicaRecovery(
            ReplicaContext context,
            RecoveryParts parts,
            PeerRecoveries peers,
            RecoveryStart start,
            Recoveries.Host host) {
        config = context.config();
        log = context.log();
        view = context.view();
        outbox = context.outbox();
        execution = parts.normal().execution();
        pool = parts.normal().pool();
        transfer = parts.transfer();
        checkpoints = transfer.checkpoints();
        views = parts.views();
        signing = start.signing();
        random = start.random();
        this.peers = peers;
        this.host = host;
        LogRecord.Recovery found = start.found();
        ViewGroup group = ViewGroup.of(config);
        estimation = new HighWaterMarkEstimate(group);
        replies = new RecoveryReplies(group);
        forgotten = found.open() && found.forgotten();
        began = log.low();
        phase = found.open() ? Phase.ESTIMATING : Phase.NONE;
        // A replica that has forgotten nothing has reached its earlier floor, and its log begins there or later.
        log.setFloor(forgotten ? Long.MAX_VALUE : Math.min(found.floor(), log.low()));
        if (found.open() && !forgotten) {
            log.setCeiling(log.low());
        }
        if (log.floor() > 0) {
            views.changes().forget();
        }
        outbox.setGate(this::allows);
        if (found.open() && (began % config.checkpointInterval() != 0 || began > Long.MAX_VALUE / 2)) {
            giveLogUp("its low water mark " + began + " is not the number of a checkpoint");
        }
    }

    /**
     * Sets the index of the record with which this life begins. No recovery message is sent before that record is
     * durable.
     */
    public void begin(long index) {
        beginIndex = index;
    }

    /** Returns the recovery record that the log keeps. */
    public LogRecord.Recovery record() {
        boolean open = phase != Phase.NONE;
        return new LogRecord.Recovery(open, open && forgotten, log.floor() == Long.MAX_VALUE ? 0 : log.floor());
    }

    /** The gate: what must not leave now. */
    public boolean allows(ReplicaMessage message) {
        return switch (message) {
            case ReplicaMessage.Phase said -> !forgedView && isWithin(said.sequence());
            case ReplicaMessage.Checkpoint said -> isWithin(said.sequence());
            case ReplicaMessage.Executed said ->
                isWithin(said.first()) && said.first() + said.digests().size() - 1 <= log.ceiling();
            case ReplicaMessage.ViewChange said -> !isMute() && said.stable() >= log.floor() && isBelowCeiling(said);
            case ReplicaMessage.NewView said ->
                !isMute()
                        && said.checkpoint().sequence() >= log.floor()
                        && said.checkpoint().sequence() <= log.ceiling() - config.logSize();
            default -> true;
        };
    }

    /** Nor does anything that has a number, before the state that the configuration begins with has been here. */
    private boolean isWithin(long sequence) {
        return sequence > log.floor()
                && sequence <= log.ceiling()
                && execution.executed() >= config.term().checkpoint().sequence();
    }

    private boolean isBelowCeiling(ReplicaMessage.ViewChange said) {
        return said.prepared().stream().allMatch(entry -> entry.sequence() <= log.ceiling())
                && said.prePrepared().stream().allMatch(entry -> entry.sequence() <= log.ceiling());
    }

    public boolean isOpen() {
        return phase != Phase.NONE;
    }

    /** It could not ask for another view now. */
    public boolean isMute() {
        return forgedView || isBlind();
    }

    /** Returns whether the beginning of its log is still unknown. */
    public boolean isBlind() {
        return log.floor() == Long.MAX_VALUE || (phase != Phase.NONE && !forgotten && estimate < 0);
    }

    /** Pages here are not trusted yet. */
    boolean isStateUntrusted() {
        return phase != Phase.NONE && !checked;
    }

    /** The checkpoint that is being checked must stay. */
    public boolean isChecking() {
        return checking != null;
    }

    public void onTick(long nowMillis) {
        if (phase == Phase.NONE || useless || !outbox.isDurable(beginIndex)) {
            return;
        }
        if (startedMillis == 0) {
            startedMillis = Math.max(1, nowMillis);
            call = random.nextLong();
            round = random.nextLong();
            if (!forgotten) {
                estimation.onReply(config.self(), checkpoints.last(), peers.prepared());
            }
        }
        if (nowMillis >= nextMillis) {
            switch (phase) {
                case ESTIMATING, REFUSED -> {
                    phase = phase == Phase.REFUSED ? Phase.REQUESTING : phase;
                    ask(nowMillis);
                }
                case REQUESTING -> repeat(nowMillis);
                case REACHING, NONE -> {}
            }
        }
        if (phase == Phase.REACHING) {
            checkState(nowMillis);
            reach(nowMillis);
        }
    }

    private void ask(long nowMillis) {
        nextMillis = nowMillis + config.timers().statusMillis();
        outbox.multicast(new QueryStable(round));
    }

    /** The request goes out again; if that does not help, its nonces may be forgotten, and it is signed anew. */
    private void repeat(long nowMillis) {
        RecoveryRequest current = request;
        if (current != null && nowMillis - sentMillis < 4 * config.timers().requestMillis()) {
            nextMillis = nowMillis + config.timers().statusMillis();
            submit(nowMillis, current);
            return;
        }
        if (current != null) {
            withdraw();
        }
        ask(nowMillis);
    }

    private void withdraw() {
        request = null;
        nonces.clear();
        round = random.nextLong();
    }

    private void submit(long nowMillis, RecoveryRequest current) {
        Request ordered = current.request();
        if (!executedHere) {
            pool.onRequest(nowMillis, ordered.id(), ordered);
        }
        outbox.multicast(new Recover(ordered));
    }

    void onReply(long nowMillis, int from, ReplyStable reply) {
        boolean wanted = phase == Phase.ESTIMATING || (phase == Phase.REQUESTING && request == null);
        if (!wanted || reply.round() != round || startedMillis == 0 || useless) {
            return;
        }
        nonces.put(from, reply.nonce());
        estimation.onReply(from, reply.checkpoint(), reply.prepared());
        if (nonces.size() < 2 * config.faulty()) {
            return;
        }
        if (estimate < 0) {
            OptionalLong estimated = estimation.estimate();
            if (estimated.isEmpty()) {
                return;
            }
            onEstimated(nowMillis, estimated.getAsLong());
        }
        if (!useless && views.judgeFound(nowMillis)) {
            makeRequest(nowMillis);
        }
    }

    private void onEstimated(long nowMillis, long highMark) {
        if (began > highMark - config.logSize()) {
            giveLogUp("no correct replica has a stable checkpoint " + began + " yet");
            return;
        }
        estimate = highMark;
        estimatedMillis = nowMillis;
        if (!forgotten) {
            log.discardAbove(estimate);
            log.setCeiling(estimate);
            views.onEstimated(nowMillis, estimate);
        }
        if (execution.executed() > estimate) {
            transfer.lose(); // a state that nobody can have come to
        }
        host.onLogChanged(nowMillis);
    }

    /** The log is forged, or an older copy. */
    private void giveLogUp(String why) {
        useless = true;
        log.setFloor(Long.MAX_VALUE);
        outbox.add(new ReplicaEffect.Forget(why));
    }

    private void makeRequest(long nowMillis) {
        phase = Phase.REQUESTING;
        List<RecoveryRequest.Challenge> challenges = new ArrayList<>();
        nonces.forEach((replica, nonce) -> challenges.add(new RecoveryRequest.Challenge(replica, nonce)));
        Bytes signature = signing.sign(RecoveryRequest.content(config.self(), call, estimate, challenges));
        RecoveryRequest made = new RecoveryRequest(config.self(), call, estimate, challenges, signature);
        request = made;
        sentMillis = nowMillis;
        nextMillis = nowMillis + config.timers().statusMillis();
        submit(nowMillis, made);
    }

    void onReply(long nowMillis, int from, RecoveryReply reply) {
        if (phase != Phase.REQUESTING || reply.call() != call) {
            return;
        }
        replies.onReply(from, reply);
        if (replies.isJudged(views.unilateralView())) {
            replies.accepted().ifPresent(sequence -> onAnswered(nowMillis, sequence));
        }
        if (phase == Phase.REQUESTING && replies.isRefused()) {
            phase = Phase.REFUSED;
            withdraw();
            replies.clear();
            call = random.nextLong();
            executedHere = false;
            nextMillis = nowMillis + config.recoveries().watchdogMillis() / 16;
        }
    }

    /**
     * Handles the execution of this replica's own request, or a state that reflects it. A log has its low water mark at
     * or above the point of its last recovery, or says that a recovery is open. A replica that does not recover may
     * therefore meet an accepted request above its first mark only if its log was set back or lost.
     */
    public void onExecuted(long nowMillis, long executedCall, long sequence, boolean accepted) {
        if (phase == Phase.NONE) {
            if (accepted && !useless && startedMillis == 0 && sequence > began) {
                giveLogUp("this replica recovered with number " + sequence
                        + ", which its log lacks: its directory was set back to an older copy or emptied");
            }
            return;
        }
        executedHere |= executedCall == call;
        onReply(nowMillis, config.self(), new RecoveryReply(executedCall, accepted, sequence, RecoveryReplies.NO_VIEW));
    }

    private void onAnswered(long nowMillis, long sequence) {
        phase = Phase.REACHING;
        point = Math.max(estimate, RecoveryLedger.markAt(ViewGroup.of(config), sequence));
        answeredMillis = nowMillis;
        // A replica that has progressed with others in this life stays with them.
        forgedView = replies.isForged(views.unilateralView())
                && view.number() == views.unilateralView()
                && !views.hasBegun();
        if (forgedView) {
            othersView = replies.validView(view.number());
        } else {
            views.onAnswered(nowMillis, sequence);
        }
    }

    /** The state is checked in place, at the first checkpoint that is stable in this life. */
    private void checkState(long nowMillis) {
        Numbered stable = checkpoints.stableHere();
        DiscardedCheckpoint last = gone;
        boolean hopeless = last != null
                && last.checkpoint().equals(stable)
                && nowMillis - last.sinceMillis() < config.recoveries().keyMillis();
        if (!checked && checking == null && stable != null && !hopeless && !transfer.isFetching()) {
            checking = stable;
            outbox.add(new ReplicaEffect.CheckState(stable));
        }
    }

    /**
     * The pages of the checkpoint that was to be checked are right now.
     *
     * @param pages number of pages digested
     * @param damaged number of these that were corrupt or missing
     */
    public void onStateChecked(long nowMillis, long pages, long damaged) {
        checking = null;
        if (phase != Phase.NONE && !checked) {
            checked = true;
            checkedMillis = nowMillis;
            checkedPages = pages;
            damagedPages = damaged;
        }
    }

    /**
     * Handles a check whose checkpoint the others have discarded, while a page of it is corrupt here. A later
     * checkpoint is checked, which may not have that page.
     */
    public void onCheckGone(long nowMillis) {
        Numbered given = checking;
        gone = given == null ? null : new DiscardedCheckpoint(given, nowMillis);
        checking = null;
    }

    private void reach(long nowMillis) {
        boolean past = nowMillis - startedMillis >= 2 * config.recoveries().keyMillis();
        if (forgotten && log.floor() == Long.MAX_VALUE && past) {
            log.setFloor(point);
            host.onLogChanged(nowMillis);
        }
        boolean stable = checkpoints.stableHere() != null && log.low() >= point;
        // By then all have dropped this replica's messages about the forged view since its start, and its earlier
        // promises lie below the mark.
        if (forgedView
                && stable
                && nowMillis - answeredMillis >= 2 * config.recoveries().keyMillis()) {
            forgedView = false;
            views.returnTo(nowMillis, othersView);
            host.onLogChanged(nowMillis);
        }
        if (stable && checked && !forgedView && log.floor() != Long.MAX_VALUE) {
            views.onRecovered(nowMillis);
            phase = Phase.NONE;
            recoveredMillis = nowMillis;
            host.onLogChanged(nowMillis);
        }
    }

    /** The low water mark has moved to a checkpoint that is certified in this life. */
    public void onStable(long sequence) {
        if (estimate >= 0 && sequence >= estimate) {
            log.setCeiling(Long.MAX_VALUE);
        }
    }

    /** Discards what the peer reported under its old keys. */
    public void onKeyChange(int peer) {
        if (phase == Phase.ESTIMATING) {
            estimation.forget(peer);
            nonces.remove(peer);
        }
        replies.forget(peer);
    }

    public Phase phase() {
        return phase;
    }

    public boolean isForgotten() {
        return phase != Phase.NONE && forgotten;
    }

    public OwnRecovery report() {
        return new OwnRecovery(
                startedMillis,
                estimatedMillis,
                answeredMillis,
                checkedMillis,
                recoveredMillis,
                Math.max(0, estimate),
                point,
                checkedPages,
                damagedPages);
    }
}
