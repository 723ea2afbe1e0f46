package io.bulwark.protocol.ordering.replica;

import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.message.RequestId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Executes what is decided, number by number (4.2), once the conclusion is on disk. What is executed depends on the order and
 * the state only: agreed time, max(previous, proposed), is kept in the state.
 */
final class Execution {
    private final SlotLog log;
    private final BatchStore batches;
    private final RequestPool pool;
    private final RecentResults results;
    private final Application application;
    private final Outbox outbox;
    private long executed;
    private long highest;
    private long agreedMillis;
    private Consumer<Request> listener = _ -> {};
    private boolean suspended;
    private long progressMillis;

    Execution(
            SlotLog log,
            BatchStore batches,
            RequestPool pool,
            RecentResults results,
            Application application,
            Outbox outbox) {
        this.log = log;
        this.batches = batches;
        this.pool = pool;
        this.results = results;
        this.application = application;
        this.outbox = outbox;
        readState();
    }

    private void readState() {
        executed = application.checkpoints().getLast().sequence();
        Bytes state = application.engineState();
        WireReader in = new WireReader(state);
        agreedMillis = state.isEmpty() ? 0 : in.nonNegative64();
        in.end();
    }

    /** Who is told of each request that is executed and was not lately. */
    void setListener(Consumer<Request> newListener) {
        listener = newListener;
    }

    /** The last number executed. */
    long executed() {
        return executed;
    }

    /** False while a state is fetched, and while another state is behind what was executed here once. */
    boolean isReadable() {
        return !suspended && executed >= highest;
    }

    /** What goes into the state beside the application's. */
    Bytes engineState() {
        return new WireWriter(16).i64(agreedMillis).toBytes();
    }

    /** When something was executed last, or another state began. */
    long progressMillis() {
        return progressMillis;
    }

    /** While a state is fetched the application is not called. */
    boolean isSuspended() {
        return suspended;
    }

    void suspend() {
        suspended = true;
    }

    /** The application has the state of its last checkpoint. */
    void resume(long nowMillis) {
        suspended = false;
        progressMillis = nowMillis;
        highest = Math.max(highest, executed);
        readState();
    }

    /** The number to be executed next, if it is decided and its batch or bodies are missing. */
    @Nullable
    Bytes waitingFor() {
        Slot slot = log.peek(executed + 1);
        return slot == null || slot.decided == null || batches.isComplete(slot.decided) ? null : slot.decided;
    }

    /**
     * Executes the next number, if it can.
     *
     * @return whether it did
     */
    boolean executeNext(long nowMillis) {
        Slot slot = log.peek(executed + 1);
        if (suspended || slot == null || slot.decided == null || !outbox.isDurable(slot.decidedIndex)) {
            return false;
        }
        Batch batch = batches.get(slot.decided);
        if (batch == null || !batches.isComplete(slot.decided)) {
            return false;
        }
        agreedMillis = Math.max(agreedMillis, batch.millis());
        List<Request> requests = batches.requests(slot.decided);
        for (int i = 0; i < requests.size(); i++) {
            execute(batch.requests().get(i), requests.get(i));
        }
        executed++;
        progressMillis = nowMillis;
        return true;
    }

    private void execute(RequestId id, Request request) {
        Bytes result = request.query()
                ? application.query(request.client(), request.operation())
                : application.execute(request.client(), request.operation(), agreedMillis);
        if (results.get(id) == null) {
            listener.accept(request);
        }
        results.put(id, result);
        pool.onExecuted(id);
        outbox.add(new ReplicaEffect.Reply(request.client(), request.call(), result));
    }
}
