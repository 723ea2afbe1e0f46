package io.bulwark.protocol.ordering.replica;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.ordering.CallRefusal;
import io.bulwark.protocol.ordering.checkpoint.Checkpoints;
import io.bulwark.protocol.ordering.checkpoint.ConfigurationEnd;
import io.bulwark.protocol.ordering.checkpoint.StateTransfer;
import io.bulwark.protocol.ordering.driver.Application;
import io.bulwark.protocol.ordering.driver.LogRecord;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.driver.ReplicaEffect;
import io.bulwark.protocol.ordering.driver.StartReason;
import io.bulwark.protocol.ordering.key.Signing;
import io.bulwark.protocol.ordering.log.Clock;
import io.bulwark.protocol.ordering.log.HistoryGuard;
import io.bulwark.protocol.ordering.log.Outbox;
import io.bulwark.protocol.ordering.log.ReplicaContext;
import io.bulwark.protocol.ordering.log.Slot;
import io.bulwark.protocol.ordering.log.SlotLog;
import io.bulwark.protocol.ordering.log.View;
import io.bulwark.protocol.ordering.message.ReplicaMessage.BatchBody;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Checkpoint;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Commit;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Executed;
import io.bulwark.protocol.ordering.message.ReplicaMessage.FetchBatch;
import io.bulwark.protocol.ordering.message.ReplicaMessage.FetchRequests;
import io.bulwark.protocol.ordering.message.ReplicaMessage.NewView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Phase;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepare;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Prepare;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RequestBodies;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RequestEcho;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RequestReady;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Status;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Transfer;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.message.RequestId;
import io.bulwark.protocol.ordering.normal.Agreement;
import io.bulwark.protocol.ordering.normal.Assignments;
import io.bulwark.protocol.ordering.normal.BatchStore;
import io.bulwark.protocol.ordering.normal.Execution;
import io.bulwark.protocol.ordering.normal.Primary;
import io.bulwark.protocol.ordering.recovery.PeerRecoveries;
import io.bulwark.protocol.ordering.recovery.RecoveryReport;
import io.bulwark.protocol.ordering.recovery.ReplicaRecovery;
import io.bulwark.protocol.ordering.request.RecentResults;
import io.bulwark.protocol.ordering.request.RequestPool;
import io.bulwark.protocol.ordering.retransmission.BatchFetcher;
import io.bulwark.protocol.ordering.retransmission.BatchServer;
import io.bulwark.protocol.ordering.retransmission.CommitLearner;
import io.bulwark.protocol.ordering.retransmission.MissingBatches;
import io.bulwark.protocol.ordering.retransmission.StatusExchange;
import io.bulwark.protocol.ordering.view.NextViewMessages;
import io.bulwark.protocol.ordering.view.PrimarySuspicion;
import io.bulwark.protocol.ordering.view.ViewChangeExecutor;
import io.bulwark.protocol.ordering.view.ViewHistory;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Replica as a state machine: it takes any number of inputs, then returns the effects of all of them ({@link #drain}),
 * so that vouches, batches and syncs of concurrent inputs are shared. Single-threaded.
 *
 * <p>The driver passes on only messages whose MACs under current keys authenticate the sender. It reports key changes
 * ({@link #onKeyChange}) between the last message under the old key and the first under the new one. It calls {@link
 * #onTick} every 10 to 50 ms, and carries out effects in their order. The time of all inputs is the driver's own and
 * never goes back; {@link #onClock} reports the wall clock time.
 */
public final class Replica {
    private final ReplicaConfig config;
    private final Application application;
    private final Outbox outbox;
    private final Clock clock = new Clock();
    private final View view;
    private final SlotLog log;
    private final ViewHistory history;
    private final RecentResults results;
    private final RequestPool pool;
    private final BatchStore batches;
    private final Assignments assignments;
    private final HistoryGuard guard;
    private final Execution execution;
    private final Checkpoints checkpoints;
    private final Agreement agreement;
    private final Primary primaryRole;
    private final CommitLearner commitLearner;
    private final BatchFetcher fetching;
    private final BatchServer serving;
    private final StatusExchange statusExchange;
    private final PrimarySuspicion suspicion;
    private final ViewChangeExecutor viewChangeExecutor;
    private final NextViewMessages early;
    private final StateTransfer stateTransfer;
    private final PeerRecoveries peerRecoveries;
    private final ReplicaRecovery replicaRecovery;
    private final MissingBatches wants;
    private final ConfigurationEnd ending;
    private final Deque<Discard> discards = new ArrayDeque<>();

    /** Last number of which the disk had a COMMIT or a learned commit at the start of this replica. */
    private final long promised;

    private Numbered low;

    private record Discard(long index, long sequence) {}

    /** A life of a replica whose group has no keys to sign with: it does not recover, and lets no other recover. */
    public Replica(ReplicaConfig config, Application application, List<LogRecord> records) {
        this(config, application, records, StartReason.NORMAL, Signing.NONE, new SplittableRandom(0));
    }

    /**
     * Starts a replica.
     *
     * @param application with the state of its last durable checkpoint
     * @param records the durable log records of earlier runs, in order: all segments from the last complete summary on
     * @param random must be unpredictable
     */
    public Replica(
            ReplicaConfig config,
            Application application,
            List<LogRecord> records,
            StartReason start,
            Signing signing,
            RandomGenerator random) {
        this.config = config;
        this.application = application;
        outbox = new Outbox(config);
        RecoveredLog memory = new RecoveredLog(
                config.term(), start, records, application.checkpoints().getFirst());
        low = memory.low();
        view = new View(config, memory.view(), memory.isActive());
        log = new SlotLog(config.logSize(), low.sequence());
        history = new ViewHistory(config.group(), low.sequence());
        memory.restore(history, log.end());
        results = new RecentResults(config.room().resultsPerClient());
        pool = new RequestPool(config, results);
        batches = new BatchStore(pool);
        memory.restore(batches);
        promised = memory.restore(log, batches, config.self());
        assignments = new Assignments(log);
        assignments.rebuild(batches);
        pool.setHasNumber(assignments::hasNumber);
        execution = new Execution(config, log, batches, pool, results, application, outbox);
        assignments.onExecuted(execution.executed());
        checkpoints = new Checkpoints(config, application, outbox, low.sequence());
        guard = new HistoryGuard(config, log, checkpoints);
        agreement = new Agreement(config, view, log, history, pool, batches, assignments, guard, clock, outbox);
        primaryRole = new Primary(config, view, log, pool, batches, assignments, agreement, clock, outbox);
        commitLearner = new CommitLearner(config, log, execution, guard, outbox);
        fetching = new BatchFetcher(config, outbox);
        serving = new BatchServer(config, batches, outbox);
        statusExchange =
                new StatusExchange(config, view, log, pool, execution, agreement, checkpoints, commitLearner, outbox);
        suspicion = new PrimarySuspicion(view, log, pool, execution);
        execution.setListener(new AfterExecution());
        early = new NextViewMessages(config);
        stateTransfer = new StateTransfer(config, log, execution, checkpoints, guard, outbox);
        viewChangeExecutor = new ViewChangeExecutor(
                config, memory, view, log, history, batches, execution, checkpoints, outbox, new AfterViewChange());
        ReplicaContext parts =
                new ReplicaContext(config, view, log, history, execution, checkpoints, pool, signing, random, outbox);
        ending = new ConfigurationEnd(config, execution, outbox);
        wants = new MissingBatches(parts, agreement, viewChangeExecutor, batches, fetching);
        peerRecoveries = new PeerRecoveries(parts);
        replicaRecovery = new ReplicaRecovery(
                parts, memory.recovery(), viewChangeExecutor, stateTransfer, peerRecoveries, this::onLogChanged);
        stateTransfer.setDistrust(replicaRecovery::isStateUntrusted);
        guard.setTrustsOwn(() -> !replicaRecovery.isOpen());
        if (!records.isEmpty() || replicaRecovery.isOpen() || execution.executed() < low.sequence()) {
            primaryRole.abdicate();
        }
        NewView installed = memory.newView();
        if (installed != null && view.isActiveIn(installed.view())) {
            agreement.onChosen(0, installed);
        }
        replicaRecovery.begin(roll());
        checkpoints.announce();
    }

    /** Reports the wall-clock time; to be called at the start and periodically. */
    public void onClock(long nowMillis, long wallMillis) {
        clock.set(nowMillis, wallMillis);
    }

    /** A request, from its authenticated client. A replica has nothing ordered but its recovery, and that comes signed. */
    public void onRequest(long nowMillis, Request request) {
        if (request.client().kind() == PrincipalKind.REPLICA) {
            outbox.add(new ReplicaEffect.Refuse(request.client(), request.call(), CallRefusal.FAILED));
            return;
        }
        RequestId id = request.id();
        Bytes result = results.get(id);
        if (result != null) {
            outbox.add(new ReplicaEffect.Reply(request.client(), request.call(), result));
            if (!pool.isWantedByOthers(id)) {
                return;
            }
        }
        if (!pool.onRequest(nowMillis, id, request)) {
            outbox.add(new ReplicaEffect.Refuse(request.client(), request.call(), CallRefusal.OVERLOADED));
        }
    }

    /** A query to be answered from the state as it is, without ordering. */
    public void onQuery(PrincipalId client, long call, Bytes query) {
        // Other replicas may be ahead until the state that its log begins with is here, and after its configuration has
        // ended.
        boolean isBehind = execution.executed() < Math.max(promised, low.sequence());
        if (!execution.isReadable() || isBehind || execution.successor() != null) {
            outbox.add(new ReplicaEffect.Refuse(client, call, CallRefusal.NOT_READY));
        } else {
            outbox.add(new ReplicaEffect.Reply(client, call, application.query(client, query)));
        }
    }

    /** A message of another replica of the group. */
    public void onMessage(long nowMillis, int from, ReplicaMessage message) {
        if (from < 0 || from >= config.replicas() || from == config.self()) {
            throw new IllegalArgumentException("no peer: " + from);
        }
        switch (message) {
            case RequestEcho requestEcho -> pool.onEcho(nowMillis, from, requestEcho.requests());
            case RequestReady ready -> pool.onReady(nowMillis, from, ready.requests());
            case Phase phase -> onPhase(nowMillis, from, phase);
            case Executed executed -> commitLearner.onExecuted(from, executed);
            case Checkpoint checkpoint -> checkpoints.onCheckpoint(from, checkpoint);
            case ReplicaMessage.ViewChange change -> {
                long before = view.number();
                boolean resigns = view.isActive() && from == view.primary() && change.view() > before;
                viewChangeExecutor.onMessage(nowMillis, from, message);
                if (resigns) {
                    viewChangeExecutor.suspect(nowMillis, before);
                }
            }
            case ReplicaMessage.ViewChangeAck _,
                    NewView _,
                    ReplicaMessage.FetchViewChange _,
                    ReplicaMessage.ForwardedViewChange _ -> viewChangeExecutor.onMessage(nowMillis, from, message);
            case FetchBatch fetch -> serving.onFetchBatch(nowMillis, from, fetch);
            case BatchBody body -> {
                Bytes digest = body.batch().digest();
                if (fetching.wants(digest)) {
                    batches.put(digest, body.batch());
                }
            }
            case FetchRequests fetch -> serving.onFetchRequests(nowMillis, from, fetch);
            case RequestBodies bodies -> wants.onBodies(nowMillis, from, bodies);
            case ReplicaMessage.Recovery recovery -> onRecovery(nowMillis, from, recovery);
            case Transfer _ -> {} // the driver's, who knows where the application keeps its pages
            case Status status -> {
                viewChangeExecutor.onMessage(nowMillis, from, status);
                statusExchange.onStatus(nowMillis, from, status);
                guard.onStatus(from, status);
            }
        }
    }

    private void onRecovery(long nowMillis, int from, ReplicaMessage.Recovery message) {
        switch (message) {
            case ReplicaMessage.QueryStable query -> peerRecoveries.onQuery(from, query);
            case ReplicaMessage.ReplyStable reply -> replicaRecovery.onReply(nowMillis, from, reply);
            case ReplicaMessage.Recover recover -> peerRecoveries.onRecover(nowMillis, from, recover);
            case ReplicaMessage.RecoveryReply reply -> replicaRecovery.onReply(nowMillis, from, reply);
        }
    }

    private void onPhase(long nowMillis, int from, Phase message) {
        if (message.view() > view.number() || (message.view() == view.number() && !view.isActive())) {
            early.add(from, message);
            return;
        }
        switch (message) {
            case PrePrepare prePrepare -> agreement.onPrePrepare(nowMillis, from, prePrepare);
            case Prepare prepare -> agreement.onPrepare(from, prepare);
            case Commit commit -> agreement.onCommit(from, commit);
        }
    }

    /**
     * Handles new session keys with this peer: of its messages under the old keys only complete certificates remain
     * (4.1).
     */
    public void onKeyChange(int peer) {
        boolean isPrimary = peer == view.primary();
        log.all().forEach(slot -> slot.onKeyChange(peer, isPrimary));
        pool.onKeyChange(peer);
        checkpoints.onKeyChange(peer);
        early.onKeyChange(peer);
        viewChangeExecutor.changes().onKeyChange(peer);
        replicaRecovery.onKeyChange(peer);
        guard.onKeyChange(peer);
    }

    /**
     * Records whether another replica's build accepts a NEW-VIEW that leaves numbers free. Without a report it is
     * assumed to.
     */
    public void onBuild(int peer, boolean leavesFree) {
        viewChangeExecutor.changes().onBuild(peer, leavesFree);
    }

    /** The log is synced up to this index. */
    public void onDurable(long nowMillis, long upTo) {
        outbox.onDurable(upTo);
        viewChangeExecutor.onDurable(nowMillis);
        discard();
    }

    private void discard() {
        while (!discards.isEmpty()
                && outbox.isDurable(discards.peek().index())
                && !execution.isSuspended()
                && !replicaRecovery.isChecking()) {
            checkpoints.discard(discards.remove().sequence());
        }
    }

    /** The checkpoint that the application took at this number is durable and can be served, also after a restart. */
    public void onCheckpointDurable(long sequence) {
        checkpoints.onDurable(sequence);
    }

    /**
     * Handles the end of a fetch: the state is here, durable, and the application's last checkpoint.
     *
     * @param pages number of the earlier local pages that were digested
     * @param damaged number of these that were corrupt or missing
     */
    public void onStateFetched(long nowMillis, long pages, long damaged) {
        if (stateTransfer.onFetched(nowMillis)) {
            assignments.onExecuted(execution.executed());
            pool.clear();
            replicaRecovery.onStateChecked(nowMillis, pages, damaged);
        }
    }

    /** More than f others have no page any more of the state that is to be fetched: a newer one is, as soon as there is one. */
    public void onStateGone() {
        stateTransfer.onGone();
    }

    /** More than f others have no page any more of the checkpoint that was to be checked, and it is not right here. */
    public void onCheckGone(long nowMillis) {
        replicaRecovery.onCheckGone(nowMillis);
    }

    /**
     * The pages of the checkpoint that was to be checked are right now.
     *
     * @param damaged so many of the pages were wrong or missing, and were replaced
     */
    public void onStateChecked(long nowMillis, long pages, long damaged) {
        replicaRecovery.onStateChecked(nowMillis, pages, damaged);
        discard();
    }

    /**
     * Handles a state that the application cannot read, also during a call from here (whose exception has left {@link
     * #drain}). The state at the low water mark is fetched, and the decided batches above it are executed again.
     */
    public void onStateDamaged(long nowMillis) {
        if (low.equals(RecoveredLog.NOWHERE)) {
            stateTransfer.lose();
        } else {
            stateTransfer.fetch(nowMillis, low);
        }
    }

    /**
     * Prepares this replica for its stop: decisions are written to disk. A primary gives up its view: all others ask
     * for the next at once. Returns whether it is the primary.
     */
    public boolean handOver(long nowMillis) {
        boolean leads = view.isActive() && view.isPrimary();
        agreement.recordDecided();
        if (leads) {
            viewChangeExecutor.suspect(nowMillis, view.number());
        }
        return leads;
    }

    /** Returns whether another replica leads, in a view that has made progress or in which no request waits. */
    public boolean isLed() {
        return primaryRole.isLed(execution.executed());
    }

    /** Time passes. */
    public void onTick(long nowMillis) {
        viewChangeExecutor.onTick(nowMillis);
        long timeoutMillis = Math.min(
                viewChangeExecutor.changes().timeoutMillis(), config.timers().requestMillisMax());
        boolean suspects = suspicion.suspects(nowMillis, timeoutMillis) || primaryRole.hasAbdicated();
        suspects |= viewChangeExecutor.changes().mustYield(nowMillis);
        if (suspects && !replicaRecovery.isMute() && execution.successor() == null) {
            viewChangeExecutor.suspect(nowMillis, view.number());
        }
        if (!replicaRecovery.isBlind() || replicaRecovery.isForgotten()) {
            stateTransfer.onTick(nowMillis, viewChangeExecutor.beginning(low));
        }
        replicaRecovery.onTick(nowMillis);
        peerRecoveries.onTick(nowMillis);
        pool.onTick(nowMillis);
        wants.onTick(nowMillis);
        statusExchange.onTick(nowMillis, viewChangeExecutor.changes());
        agreement.recordDecided();
    }

    /** Does what the inputs since the last time have made possible, and returns all effects since. */
    public List<ReplicaEffect> drain(long nowMillis) {
        viewChangeExecutor.onBodies(nowMillis);
        agreement.retry(nowMillis);
        String contradiction = guard.contradiction();
        if (contradiction != null) {
            var _ = outbox.drain();
            return List.of(new ReplicaEffect.Stop(contradiction));
        }
        while (execution.executeNext(nowMillis)) {
            assignments.onExecuted(execution.executed());
            if (execution.executed() % config.checkpointInterval() == 0) {
                checkpoints.take(execution.executed(), execution.engineState());
            }
        }
        Numbered stable = checkpoints.newlyStable();
        if (stable != null) {
            onStable(nowMillis, stable);
        }
        statusExchange.announceNew();
        if (execution.successor() == null) {
            primaryRole.propose(nowMillis, execution.executed(), execution.fillUpTo(log.low()));
        } else if (replicaRecovery.allows(new Checkpoint(low.sequence(), low.digest()))) {
            ending.tell(low);
        }
        return outbox.drain();
    }

    private void onStable(long nowMillis, Numbered stable) {
        if (stable.sequence() > log.low()) {
            low = stable;
            log.trim(stable.sequence());
            history.trim(stable.sequence());
            replicaRecovery.onStable(stable.sequence());
        }
        discards.add(new Discard(onLogChanged(nowMillis), stable.sequence()));
    }

    /** The water marks have moved. */
    private long onLogChanged(long nowMillis) {
        long index = roll();
        assignments.rebuild(batches);
        // After the record of the low water mark, on which the high one rests.
        NewView installed = viewChangeExecutor.installed();
        if (installed != null && view.isActiveIn(installed.view())) {
            agreement.onChosen(nowMillis, installed);
        }
        return index;
    }

    private final class AfterExecution implements Execution.Listener {
        @Override
        public void onExecuted(Request request) {
            suspicion.onExecuted(request);
            if (view.isActive()) {
                viewChangeExecutor.changes().onProgress();
            }
        }

        @Override
        public void onRecovery(long nowMillis, int replica, long call, long sequence, boolean accepted) {
            if (replica == config.self()) {
                replicaRecovery.onExecuted(nowMillis, call, sequence, accepted);
                return;
            }
            peerRecoveries.onExecuted(nowMillis, replica, call, sequence, accepted);
            if (accepted) {
                onKeyChange(replica);
                outbox.add(new ReplicaEffect.DropKeys(replica));
            }
        }
    }

    private long roll() {
        List<LogRecord> bodies = batches.retain(RecoveredLog.live(log, history));
        List<Numbered> held = checkpoints.held(Long.MAX_VALUE);
        long index = outbox.roll(RecoveredLog.summary(
                low,
                viewChangeExecutor.own(),
                viewChangeExecutor.installed(),
                held,
                log,
                history,
                replicaRecovery.record(),
                bodies));
        primaryRole.gate(index);
        return index;
    }

    private final class AfterViewChange implements ViewChangeExecutor.Host {
        @Override
        public void onLeft() {
            assignments.clear();
        }

        @Override
        public void onEntered(long nowMillis, NewView newView) {
            suspicion.enter(nowMillis, newView);
            agreement.onChosen(nowMillis, newView);
            primaryRole.enter(newView);
            for (NextViewMessages.EarlyMessage message : early.take(newView.view())) {
                onPhase(nowMillis, message.from(), message.message());
            }
        }
    }

    /** The view that this replica is in, or asks for. */
    public long view() {
        return view.number();
    }

    /** Returns whether it takes part in its view; otherwise a view change is open. */
    public boolean isActive() {
        return view.isActive();
    }

    /** The last number executed. */
    public long executed() {
        return execution.executed();
    }

    /** Returns the engine's part of the state, for a checkpoint after the last executed number. */
    public Bytes engineState() {
        return execution.engineState();
    }

    /** Returns whether it fetches a state instead of executing. */
    public boolean isFetching() {
        return execution.isSuspended();
    }

    /** Returns by how many numbers the checkpoint of f+1 others is ahead of execution here. */
    public long lag() {
        Numbered missing = checkpoints.missing(execution.executed());
        return missing == null ? 0 : Math.max(0, missing.sequence() - execution.executed());
    }

    /** Returns the state of recoveries, this replica's and the others'. */
    public RecoveryReport recoveries(long nowMillis) {
        return new RecoveryReport(
                replicaRecovery.phase(),
                replicaRecovery.isForgotten(),
                replicaRecovery.report(),
                peerRecoveries.report(nowMillis));
    }

    /** The low water mark h. */
    public long lowWaterMark() {
        return log.low();
    }

    /**
     * Returns the digest of the batch decided for a number between the water marks. Nothing may depend on the
     * conclusion before it is durable: it can be forgotten, as can the own COMMIT that it may count.
     */
    public @Nullable Bytes decided(long sequence) {
        Slot slot = log.peek(sequence);
        return slot == null || slot.decided == null || !outbox.isDurable(slot.decidedIndex) ? null : slot.decided;
    }

    @Override
    public String toString() {
        return "view " + view.number() + (view.isActive() ? "" : " (open)") + ", h " + log.low() + ", executed "
                + execution.executed() + (execution.isSuspended() ? " (fetching)" : "") + ", "
                + pool.ready().size() + " ready"
                + (replicaRecovery.isOpen() ? ", recovers: " + replicaRecovery.phase() : "");
    }
}
