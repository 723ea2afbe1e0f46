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
import io.bulwark.protocol.ordering.log.Outbox;
import io.bulwark.protocol.ordering.log.ReplicaContext;
import io.bulwark.protocol.ordering.log.Slot;
import io.bulwark.protocol.ordering.log.SlotLog;
import io.bulwark.protocol.ordering.log.View;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.BatchBody;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Checkpoint;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Executed;
import io.bulwark.protocol.ordering.message.ReplicaMessage.FetchBatch;
import io.bulwark.protocol.ordering.message.ReplicaMessage.FetchRequests;
import io.bulwark.protocol.ordering.message.ReplicaMessage.NewView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.ReplicaMessage.OwnCommand;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Phase;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RequestBodies;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RequestEcho;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RequestReady;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Status;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Transfer;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.message.RequestId;
import io.bulwark.protocol.ordering.normal.BatchStore;
import io.bulwark.protocol.ordering.normal.Execution;
import io.bulwark.protocol.ordering.normal.NormalCase;
import io.bulwark.protocol.ordering.recovery.ExecutedRecoveries;
import io.bulwark.protocol.ordering.recovery.Recoveries;
import io.bulwark.protocol.ordering.recovery.RecoveryParts;
import io.bulwark.protocol.ordering.recovery.RecoveryReport;
import io.bulwark.protocol.ordering.recovery.RecoveryStart;
import io.bulwark.protocol.ordering.request.RecentResults;
import io.bulwark.protocol.ordering.request.RequestPool;
import io.bulwark.protocol.ordering.retransmission.Retransmission;
import io.bulwark.protocol.ordering.view.ViewChangeExecutor;
import io.bulwark.protocol.ordering.view.ViewGroup;
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
 * so that echoes, batches and syncs of concurrent inputs are shared. Single-threaded.
 *
 * <p>The driver passes on only messages whose MACs under current keys authenticate the sender. It reports key changes
 * ({@link #onKeyChange}) between the last message under the old key and the first under the new one. It calls {@link
 * #onTick} every 10 to 100 ms, and carries out effects in their order. The time of all inputs is the driver's own and
 * never goes back; {@link #onClock} reports the wall clock time.
 *
 * <p>This class passes each input to the part that handles it. It moves the water marks itself.
 *
 * <pre>
 * part                        section  messages
 * {@link RequestPool}         4.2      requests, their echoes and READY
 * {@link OwnCommands}         none     commands of replicas to the application
 * {@link NormalCase}          4.2      PRE-PREPARE, PREPARE, COMMIT of the active view
 * {@link Checkpoints}         4.3      CHECKPOINT
 * {@link Recoveries}          4.4      estimates, recovery requests, and their replies
 * {@link ViewChangeExecutor}  4.5      VIEW-CHANGE, its ACK, NEW-VIEW; messages of later views wait there
 * {@link Retransmission}      4.6.1    STATUS, executed batches, batches and requests that somebody lacks
 * {@link StateTransfer}       4.6.2    none: the driver fetches the pages
 * </pre>
 *
 * <p>States, as the driver sees them:
 *
 * <pre>
 * from       to         when
 * active     open       a view change begins ({@link #isActive} becomes false)
 * open       active     the NEW-VIEW of its view is on disk
 * executing  fetching   it lacks a checkpoint of the others ({@link #isFetching} becomes true)
 * fetching   executing  {@link #onStateFetched}
 * executing  ended      the state names other members, and their checkpoint is stable: Ended
 * any        stopped    Forget or Stop: this life does nothing more
 * </pre>
 */
public final class Replica {
    private final ReplicaConfig config;
    private final Application application;
    private final ReplicaContext context;
    private final View view;
    private final SlotLog log;
    private final Outbox outbox;
    private final RecentResults results;
    private final RequestPool pool;
    private final Execution execution;
    private final NormalCase normal;
    private final Checkpoints checkpoints;
    private final StateTransfer stateTransfer;
    private final ViewChangeExecutor views;
    private final Recoveries recoveries;
    private final Retransmission retransmission;
    private final ConfigurationEnd ending;
    private final OwnCommands commands;
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
        RecoveredLog recovered = new RecoveredLog(
                config.term(), start, records, application.checkpoints().getFirst());
        low = recovered.low();
        view = new View(config, recovered.view(), recovered.isActive());
        log = new SlotLog(config.logSize(), low.sequence());
        context = new ReplicaContext(config, view, log);
        outbox = context.outbox();
        ViewHistory history = new ViewHistory(ViewGroup.of(config), low.sequence());
        recovered.restore(history, log.end());
        results = new RecentResults(config.room().resultsPerClient());
        pool = new RequestPool(config, results);
        BatchStore batches = new BatchStore(pool);
        recovered.restore(batches);
        promised = recovered.restore(log, batches, config.self());
        ExecutedRecoveries executed = new ExecutedRecoveries(config);
        execution = new Execution(context, batches, pool, results, application, executed);
        normal = new NormalCase(context, pool, batches, execution, history);
        checkpoints = new Checkpoints(config, application, outbox, low.sequence());
        stateTransfer = new StateTransfer(context, execution, checkpoints);
        ending = new ConfigurationEnd(context, execution);
        commands = new OwnCommands(context, pool, results, random);
        views = new ViewChangeExecutor(context, history, normal, checkpoints, recovered.views());
        recoveries = new Recoveries(
                context,
                new RecoveryParts(normal, stateTransfer, views),
                executed,
                new RecoveryStart(recovered.recovery(), signing, random),
                new DuringRecovery());
        retransmission = new Retransmission(context, normal, checkpoints, views);
        if (!records.isEmpty() || recoveries.own().isOpen() || execution.executed() < low.sequence()) {
            normal.primary().abdicate();
        }
        chooseAgain(0);
        recoveries.own().begin(roll());
        checkpoints.announce();
    }

    /** Reports the wall-clock time; to be called at the start and periodically. */
    public void onClock(long nowMillis, long wallMillis) {
        context.clock().set(nowMillis, wallMillis);
    }

    /**
     * A request, from its authenticated client. What a replica has ordered comes in its messages.
     */
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

    /**
     * Has a command of this replica to the application ordered: repeated until it is executed, but not over a restart or
     * a transfer of state. Nobody is told the reply.
     *
     * @return false if the same command waits already, or too many do
     */
    public boolean submit(long nowMillis, Bytes operation) {
        return execution.successor() == null && commands.submit(nowMillis, operation);
    }

    /** A query to be answered from the state as it is, without ordering. */
    public void onQuery(PrincipalId client, long call, Bytes query) {
        if (!isReadable()) {
            outbox.add(new ReplicaEffect.Refuse(client, call, CallRefusal.NOT_READY));
        } else {
            outbox.add(new ReplicaEffect.Reply(client, call, application.query(client, query)));
        }
    }

    /**
     * Returns whether the state here has all that this replica has helped to decide, in this life or an earlier one.
     * Other replicas may be ahead until the state that its log begins with is here, and after its configuration has
     * ended.
     */
    public boolean isReadable() {
        return execution.isReadable()
                && execution.executed() >= Math.max(promised, low.sequence())
                && execution.successor() == null;
    }

    /** A message of another replica of the group. */
    public void onMessage(long nowMillis, int from, ReplicaMessage message) {
        if (from < 0 || from >= config.replicas() || from == config.self()) {
            throw new IllegalArgumentException("no peer: " + from);
        }
        switch (message) {
            case RequestEcho requestEcho -> pool.onEcho(nowMillis, from, requestEcho.requests());
            case RequestReady ready -> pool.onReady(nowMillis, from, ready.requests());
            case OwnCommand command -> commands.onCommand(nowMillis, from, command);
            case Phase phase -> views.onPhase(nowMillis, from, phase);
            case Executed executed -> retransmission.onExecuted(from, executed);
            case Checkpoint checkpoint -> checkpoints.onCheckpoint(from, checkpoint);
            case ReplicaMessage.ViewChange change -> views.onViewChange(nowMillis, from, change);
            case ReplicaMessage.ViewChangeAck ignored -> views.onMessage(nowMillis, from, message);
            case NewView ignored -> views.onMessage(nowMillis, from, message);
            case ReplicaMessage.FetchViewChange ignored -> views.onMessage(nowMillis, from, message);
            case ReplicaMessage.ForwardedViewChange ignored -> views.onMessage(nowMillis, from, message);
            case FetchBatch fetch -> retransmission.onFetchBatch(nowMillis, from, fetch);
            case BatchBody body -> retransmission.onBatch(body);
            case FetchRequests fetch -> retransmission.onFetchRequests(nowMillis, from, fetch);
            case RequestBodies bodies -> retransmission.onBodies(nowMillis, from, bodies);
            case ReplicaMessage.Recovery recovery -> recoveries.onMessage(nowMillis, from, recovery);
            case Transfer ignored -> {} // the driver's, who knows where the application keeps its pages
            case Status status -> {
                views.onMessage(nowMillis, from, status);
                retransmission.onStatus(nowMillis, from, status);
                context.guard().onStatus(from, status);
            }
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
        views.onKeyChange(peer);
        recoveries.own().onKeyChange(peer);
        context.guard().onKeyChange(peer);
    }

    /** The log is synced up to this index. */
    public void onDurable(long nowMillis, long upTo) {
        outbox.onDurable(upTo);
        views.onDurable(nowMillis);
        discard();
    }

    private void discard() {
        while (!discards.isEmpty()
                && outbox.isDurable(discards.peek().index())
                && !execution.isSuspended()
                && !recoveries.own().isChecking()) {
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
            normal.onStateFetched();
            commands.clear();
            recoveries.own().onStateChecked(nowMillis, pages, damaged);
        }
    }

    /**
     * More than f others have no page any more of the state that is to be fetched: a newer one is, as soon as there is
     * one.
     */
    public void onStateGone() {
        stateTransfer.onGone();
    }

    /** More than f others have no page any more of the checkpoint that was to be checked, and it is not right here. */
    public void onCheckGone(long nowMillis) {
        recoveries.own().onCheckGone(nowMillis);
    }

    /**
     * The pages of the checkpoint that was to be checked are right now.
     *
     * @param damaged so many of the pages were wrong or missing, and were replaced
     */
    public void onStateChecked(long nowMillis, long pages, long damaged) {
        recoveries.own().onStateChecked(nowMillis, pages, damaged);
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
        normal.agreement().recordDecided();
        if (leads) {
            views.suspect(nowMillis, view.number());
        }
        return leads;
    }

    /** Returns whether another replica leads, in a view that has made progress or in which no request waits. */
    public boolean isLed() {
        return normal.primary().isLed(execution.executed());
    }

    /** Time passes. */
    public void onTick(long nowMillis) {
        views.onTick(nowMillis);
        boolean suspects = views.suspects(nowMillis);
        if (suspects && !recoveries.own().isMute() && execution.successor() == null) {
            views.suspect(nowMillis, view.number());
        }
        if (!recoveries.own().isBlind() || recoveries.own().isForgotten()) {
            stateTransfer.onTick(nowMillis, views.beginning(low));
        }
        recoveries.onTick(nowMillis);
        pool.onTick(nowMillis);
        commands.onTick(nowMillis);
        retransmission.onTick(nowMillis);
        normal.agreement().recordDecided();
    }

    /** Does what the inputs since the last time have made possible, and returns all effects since. */
    public List<ReplicaEffect> drain(long nowMillis) {
        views.onBodies(nowMillis);
        normal.agreement().retry(nowMillis);
        String contradiction = context.guard().contradiction();
        if (contradiction != null) {
            var unused = outbox.drain();
            return List.of(new ReplicaEffect.Stop(contradiction));
        }
        while (normal.executeNext(nowMillis)) {
            if (execution.executed() % config.checkpointInterval() == 0) {
                checkpoints.take(execution.executed(), execution.engineState());
            }
        }
        Numbered stable = checkpoints.newlyStable();
        if (stable != null) {
            onStable(nowMillis, stable);
        }
        retransmission.announceNew();
        if (execution.successor() == null) {
            normal.primary().propose(nowMillis, execution.executed(), execution.fillUpTo(log.low()));
        } else if (recoveries.own().allows(new Checkpoint(low.sequence(), low.digest()))) {
            ending.tell(low);
        }
        return outbox.drain();
    }

    private void onStable(long nowMillis, Numbered stable) {
        if (stable.sequence() > log.low()) {
            low = stable;
            log.trim(stable.sequence());
            views.history().trim(stable.sequence());
            recoveries.own().onStable(stable.sequence());
        }
        discards.add(new Discard(onLogChanged(nowMillis), stable.sequence()));
    }

    private final class DuringRecovery implements Recoveries.Host {
        @Override
        public long onLogChanged(long nowMillis) {
            return Replica.this.onLogChanged(nowMillis);
        }

        @Override
        public void onKeyChange(int peer) {
            Replica.this.onKeyChange(peer);
        }
    }

    /** The water marks have moved. */
    private long onLogChanged(long nowMillis) {
        long index = roll();
        normal.onLogCut();
        // After the record of the low water mark, on which the high one rests.
        chooseAgain(nowMillis);
        return index;
    }

    /** The choices of NEW-VIEW between the present water marks. */
    private void chooseAgain(long nowMillis) {
        NewView installed = views.installed();
        if (installed != null && view.isActiveIn(installed.view())) {
            normal.agreement().onChosen(nowMillis, installed);
        }
    }

    private long roll() {
        List<LogRecord> bodies = normal.batches().retain(views.live());
        List<Numbered> held = checkpoints.held(Long.MAX_VALUE);
        long index = outbox.roll(RecoveredLog.summary(
                low, views.own(), views.installed(), held, log, views.history(), recoveries.record(), bodies));
        normal.primary().gate(index);
        return index;
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
        return recoveries.report(nowMillis);
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
                + (recoveries.own().isOpen() ? ", recovers: " + recoveries.own().phase() : "");
    }
}
