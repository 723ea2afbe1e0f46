package io.bulwark.protocol.ordering.retransmission;

import io.bulwark.protocol.effect.DistantPast;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.log.Outbox;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.BatchBody;
import io.bulwark.protocol.ordering.message.ReplicaMessage.FetchBatch;
import io.bulwark.protocol.ordering.message.ReplicaMessage.FetchRequests;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RequestBodies;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.message.RequestId;
import io.bulwark.protocol.ordering.normal.BatchStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Server of batches and bodies by digest. The bytes per interval for one peer are bounded, and no answer exceeds the
 * size of a batch, since votes wait behind it.
 */
final class BatchServer {
    private static final int NAME_BYTES = 48;

    /** Charge for an answer without bodies. It limits the answers to a peer that asks as fast as it is answered. */
    private static final int NOTHING_BYTES = ReplicaMessage.BODIES_BYTES_MAX / 8;

    private final ReplicaConfig config;
    private final BatchStore batches;
    private final Outbox outbox;
    private final long[] servedBytes;
    private long sinceMillis = DistantPast.MILLIS;

    BatchServer(ReplicaConfig config, BatchStore batches, Outbox outbox) {
        this.config = config;
        this.batches = batches;
        this.outbox = outbox;
        servedBytes = new long[config.replicas()];
    }

    void onFetchBatch(long nowMillis, int from, FetchBatch fetch) {
        Batch batch = batches.get(fetch.digest());
        if (batch != null
                && spend(nowMillis, from, (long) NAME_BYTES * batch.requests().size())) {
            outbox.send(from, new BatchBody(batch));
        }
    }

    void onFetchRequests(long nowMillis, int from, FetchRequests fetch) {
        List<Request> bodies = new ArrayList<>();
        long bytes = 0;
        for (RequestId id : fetch.requests()) {
            Request body = batches.body(id);
            if (body == null) {
                continue;
            }
            bytes += NAME_BYTES + body.operation().length();
            if (!bodies.isEmpty() && bytes > bytesMax()) {
                break;
            }
            bodies.add(body);
        }
        // Answer even without bodies: the asker's question stays open until it is answered, and then it asks the
        // others.
        if (spend(nowMillis, from, bodies.isEmpty() ? NOTHING_BYTES : bytes)) {
            outbox.send(from, new RequestBodies(bodies));
        }
    }

    private long bytesMax() {
        return Math.min(config.batches().bytesMax(), ReplicaMessage.BODIES_BYTES_MAX);
    }

    private boolean spend(long nowMillis, int peer, long bytes) {
        if (nowMillis - sinceMillis >= config.timers().fetchMillis() / 2) {
            sinceMillis = nowMillis;
            Arrays.fill(servedBytes, 0);
        }
        if (servedBytes[peer] > ReplicaMessage.BODIES_BYTES_MAX) {
            return false;
        }
        servedBytes[peer] += bytes;
        return true;
    }
}
