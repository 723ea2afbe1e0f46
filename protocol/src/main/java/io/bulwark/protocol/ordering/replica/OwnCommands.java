package io.bulwark.protocol.ordering.replica;

import io.bulwark.protocol.ordering.log.Outbox;
import io.bulwark.protocol.ordering.log.ReplicaContext;
import io.bulwark.protocol.ordering.message.ReplicaClient;
import io.bulwark.protocol.ordering.message.ReplicaMessage.OwnCommand;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.message.RequestId;
import io.bulwark.protocol.ordering.request.RecentResults;
import io.bulwark.protocol.ordering.request.RequestPool;
import io.bulwark.protocol.wire.Bytes;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * Commands of replicas to the application, ordered as the requests of clients. A replica repeats its own to all others
 * until they are executed. They come under session keys, not over the connections of clients: what an intruder took from
 * a replica before its last recovery is good for none.
 */
final class OwnCommands {
    /** Limits of the own commands that are not executed yet: below the quota that each replica gives to them. */
    private static final int PENDING_MAX = 64;

    private static final int PENDING_BYTES_MAX = 4 << 20;

    private static final class Pending {
        private final Request request;
        private long saidMillis;

        private Pending(Request request, long saidMillis) {
            this.request = request;
            this.saidMillis = saidMillis;
        }
    }

    private final int self;
    private final long repeatMillis;
    private final RequestPool pool;
    private final RecentResults results;
    private final Outbox outbox;
    private final Map<RequestId, Pending> pending = new LinkedHashMap<>();
    private long pendingBytes;
    private long nextCall;

    OwnCommands(ReplicaContext context, RequestPool pool, RecentResults results, RandomGenerator random) {
        self = context.config().self();
        repeatMillis = context.config().timers().requestMillis() / 2;
        outbox = context.outbox();
        this.pool = pool;
        this.results = results;
        nextCall = random.nextLong();
    }

    /** Has a command ordered. Returns false, and does nothing, if it waits already, or too many do. */
    boolean submit(long nowMillis, Bytes operation) {
        if (pending.size() >= PENDING_MAX
                || pendingBytes + operation.length() > PENDING_BYTES_MAX
                || pending.values().stream()
                        .anyMatch(each -> each.request.operation().equals(operation))) {
            return false;
        }
        Request request = new Request(ReplicaClient.ofCommands(self), nextCall++, false, operation);
        pending.put(request.id(), new Pending(request, nowMillis));
        pendingBytes += operation.length();
        send(nowMillis, request);
        return true;
    }

    private void send(long nowMillis, Request request) {
        var unused = pool.onRequest(nowMillis, request.id(), request);
        outbox.multicast(new OwnCommand(request.call(), request.operation()));
    }

    /** A command of another replica. */
    void onCommand(long nowMillis, int from, OwnCommand command) {
        Request request = new Request(ReplicaClient.ofCommands(from), command.call(), false, command.operation());
        RequestId id = request.id();
        if (results.get(id) == null || pool.isWantedByOthers(id)) {
            var unused = pool.onRequest(nowMillis, id, request);
        }
    }

    void onTick(long nowMillis) {
        pending.entrySet().removeIf(each -> isExecuted(each.getKey(), each.getValue()));
        for (Pending each : pending.values()) {
            if (nowMillis - each.saidMillis >= repeatMillis) {
                each.saidMillis = nowMillis;
                send(nowMillis, each.request);
            }
        }
    }

    private boolean isExecuted(RequestId id, Pending each) {
        boolean executed = results.get(id) != null;
        pendingBytes -= executed ? each.request.operation().length() : 0;
        return executed;
    }

    /** Another state is here, and may reflect any of them. Who submitted them finds out, and submits again. */
    void clear() {
        pending.clear();
        pendingBytes = 0;
    }
}
