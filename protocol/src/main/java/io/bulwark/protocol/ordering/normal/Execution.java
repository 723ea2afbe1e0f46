package io.bulwark.protocol.ordering.normal;

import io.bulwark.protocol.ordering.driver.Application;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.driver.ReplicaEffect;
import io.bulwark.protocol.ordering.log.Outbox;
import io.bulwark.protocol.ordering.log.ReplicaContext;
import io.bulwark.protocol.ordering.log.Slot;
import io.bulwark.protocol.ordering.log.SlotLog;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaClient;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.message.RequestId;
import io.bulwark.protocol.ordering.request.RecentResults;
import io.bulwark.protocol.ordering.request.RequestPool;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Execution of the decided batches, number by number (4.2), once the conclusion is on disk. It depends on the order and
 * the state only: agreed time, max(previous, proposed), is kept in the state, and so are the recoveries.
 */
public final class Execution {
    /** Observer of executed requests. */
    public interface Listener {
        /** A client's request was executed, and was not lately. */
        void onExecuted(Request request);
    }

    private final ReplicaConfig config;
    private final SlotLog log;
    private final BatchStore batches;
    private final RequestPool pool;
    private final RecentResults results;
    private final Application application;
    private final ReplicaRequests replicas;
    private final Outbox outbox;
    private long executed;
    private long highest;
    private long agreedMillis;
    private Configuration configuration;
    private boolean isReplacing;
    private Listener listener = ignored -> {};
    private boolean suspended;
    private long progressMillis;

    public Execution(
            ReplicaContext context,
            BatchStore batches,
            RequestPool pool,
            RecentResults results,
            Application application,
            ReplicaRequests replicas) {
        config = context.config();
        log = context.log();
        outbox = context.outbox();
        this.batches = batches;
        this.pool = pool;
        this.results = results;
        this.application = application;
        this.replicas = replicas;
        configuration = config.term().configuration();
        readState();
    }

    private void readState() {
        executed = application.checkpoints().getLast().sequence();
        Bytes state = application.engineState();
        WireReader in = new WireReader(state);
        agreedMillis = state.isEmpty() ? 0 : in.nonNegative64();
        replicas.read(in);
        boolean isLater = in.remaining() > 0;
        configuration = isLater ? Configuration.read(in) : config.term().configuration();
        in.end();
        if ((isLater ? configuration.number() : 0) != config.term().number()) {
            replicas.disregard();
        }
        isReplacing = application.nextMembers().isPresent();
    }

    public void setListener(Listener newListener) {
        listener = newListener;
    }

    /**
     * A recovery is open and needs the numbers up to here, or a change of members does, which waits for a checkpoint; 0
     * if none is.
     */
    public long fillUpTo(long stable) {
        long interval = config.checkpointInterval();
        return successor() != null
                ? 0
                : Math.max(replicas.openUpTo(stable), isReplacing ? (executed / interval + 1) * interval : 0);
    }

    /** Returns the successor of this configuration, which ends with the last executed number; null if it continues. */
    public @Nullable Configuration successor() {
        return configuration.number() > config.term().number() ? configuration : null;
    }

    /** The last number executed. */
    public long executed() {
        return executed;
    }

    /** False while a state is fetched, and while another state is behind what was executed here once. */
    public boolean isReadable() {
        return !suspended && executed >= highest;
    }

    /** Returns the engine's part of the state, stored beside the application's. */
    public Bytes engineState() {
        WireWriter out = new WireWriter(64).i64(agreedMillis);
        replicas.write(out);
        if (configuration.number() > 0) {
            configuration.write(out);
        }
        return out.toBytes();
    }

    /** When something was executed last, or another state began. */
    public long progressMillis() {
        return progressMillis;
    }

    /** While a state is fetched the application is not called. */
    public boolean isSuspended() {
        return suspended;
    }

    public void suspend() {
        suspended = true;
    }

    /** The application has the state of its last checkpoint. */
    public void resume(long nowMillis) {
        suspended = false;
        results.clear();
        progressMillis = nowMillis;
        highest = Math.max(highest, executed);
        readState();
        replicas.onResumed(nowMillis);
    }

    /** The number to be executed next, if it is decided and its batch or bodies are missing. */
    public @Nullable Bytes awaitedBatch() {
        Slot slot = log.peek(executed + 1);
        return slot == null || slot.decided == null || batches.isComplete(slot.decided) ? null : slot.decided;
    }

    /**
     * Executes the next number, if it can.
     *
     * @return whether it did
     */
    public boolean executeNext(long nowMillis) {
        Slot slot = log.peek(executed + 1);
        if (suspended
                || successor() != null
                || slot == null
                || slot.decided == null
                || !outbox.isDurable(slot.decidedIndex)) {
            return false;
        }
        Batch batch = batches.get(slot.decided);
        if (batch == null || !batches.isComplete(slot.decided)) {
            return false;
        }
        agreedMillis = Math.max(agreedMillis, batch.millis());
        List<Request> requests = batches.requests(slot.decided);
        for (int i = 0; i < requests.size(); i++) {
            execute(nowMillis, executed + 1, batch.requests().get(i), requests.get(i));
        }
        executed++;
        progressMillis = nowMillis;
        application.nextMembers().ifPresent(this::replace);
        return true;
    }

    /**
     * Replaces the members at a checkpoint: nothing is executed above it here. A recovering replica starts its recovery
     * again among the next members.
     */
    private void replace(List<Member> next) {
        isReplacing = true;
        if (executed % config.checkpointInterval() == 0) {
            isReplacing = false;
            Configuration now = configuration;
            configuration = new Configuration(now.number() + 1, next);
            replicas.handOver(now, configuration, executed, agreedMillis);
            application.onReconfigured(configuration);
        }
    }

    private void execute(long nowMillis, long sequence, RequestId id, Request request) {
        if (ReplicaClient.isRecovery(request.client())) {
            pool.onExecuted(nowMillis, id, request.operation().length());
            results.put(id, sequence, Bytes.EMPTY);
            replicas.execute(nowMillis, sequence, agreedMillis, request);
            return;
        }
        int place = ReplicaClient.placeOfCommands(request.client());
        Bytes result;
        if (place >= 0) {
            executeOfReplica(place, request.operation());
            result = Bytes.EMPTY; // who submitted it reads the state
        } else {
            result = request.query()
                    ? application.query(request.client(), request.operation())
                    : application.execute(request.client(), request.operation(), agreedMillis);
            outbox.add(new ReplicaEffect.Reply(request.client(), request.call(), result));
        }
        if (results.get(id) == null) {
            listener.onExecuted(request);
        }
        results.put(id, sequence, result);
        pool.onExecuted(nowMillis, id, request.operation().length());
    }

    /** To the application a replica has its name. No correct replica vouches for the command of a place that there is not. */
    private void executeOfReplica(int place, Bytes operation) {
        List<Member> members = config.term().configuration().members();
        if (place < members.size()) {
            var unused = application.execute(members.get(place).replica(), operation, agreedMillis);
        }
    }
}
