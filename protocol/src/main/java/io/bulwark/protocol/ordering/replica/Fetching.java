package io.bulwark.protocol.ordering.replica;

import io.bulwark.protocol.ordering.message.ReplicaMessage.FetchBatch;
import io.bulwark.protocol.ordering.message.ReplicaMessage.FetchRequests;
import io.bulwark.protocol.ordering.message.RequestId;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Asks for batches and bodies by digest, of one replica after the other. What is wanted is said again with each tick; what is
 * not said again is not wanted any more.
 */
final class Fetching {
    private static final int REQUESTS_MAX = 256;

    private final ReplicaConfig config;
    private final Outbox outbox;
    private final Map<Bytes, Want> batches = new LinkedHashMap<>();
    private final Map<RequestId, Want> requests = new LinkedHashMap<>();
    private boolean odd;

    private static final class Want {
        private long nextMillis;
        private long sources;
        private int replica;
        private boolean odd;

        private Want(long nextMillis, int replica) {
            this.nextMillis = nextMillis;
            this.replica = replica;
        }

        /** Of the next one from this time on. */
        private void asked(long newNextMillis) {
            nextMillis = newNextMillis;
            replica++;
        }
    }

    Fetching(ReplicaConfig config, Outbox outbox) {
        this.config = config;
        this.outbox = outbox;
    }

    /** @param first the replica to ask first */
    void wantBatch(long nowMillis, Bytes digest, int first) {
        Want want = batches.computeIfAbsent(digest, _ -> new Want(nowMillis, first));
        want.odd = odd;
        want.sources = -1;
    }

    /**
     * A body. It may be on its way from its client; therefore it is not asked for at once.
     *
     * @param sources bit i: replica i may have it
     */
    void wantRequest(long nowMillis, RequestId id, long sources) {
        Want want = requests.computeIfAbsent(
                id, _ -> new Want(nowMillis + config.timers().fetchMillis() / 4, 0));
        want.odd = odd;
        want.sources = sources;
    }

    boolean wants(RequestId id) {
        return requests.containsKey(id);
    }

    boolean wants(Bytes digest) {
        return batches.containsKey(digest);
    }

    /** Everything that is wanted has been said. */
    void ask(long nowMillis) {
        batches.values().removeIf(want -> want.odd != odd);
        requests.values().removeIf(want -> want.odd != odd);
        odd = !odd;
        batches.forEach((digest, want) -> {
            if (want.nextMillis <= nowMillis) {
                outbox.send(next(want), new FetchBatch(digest));
                want.asked(nowMillis + config.timers().fetchMillis());
            }
        });
        SortedMap<Integer, List<RequestId>> ofPeers = new TreeMap<>();
        requests.forEach((id, want) -> {
            if (want.nextMillis <= nowMillis) {
                List<RequestId> ids = ofPeers.computeIfAbsent(next(want), _ -> new ArrayList<>());
                if (ids.size() < REQUESTS_MAX) {
                    ids.add(id);
                    want.asked(nowMillis + config.timers().fetchMillis());
                }
            }
        });
        ofPeers.forEach((peer, ids) -> outbox.send(peer, new FetchRequests(ids)));
    }

    /** Whom to ask now. */
    private int next(Want want) {
        long all = ~(1L << config.self());
        long sources = (want.sources & all) == 0 ? all : want.sources & all;
        int replica = want.replica % config.replicas();
        while ((sources >> replica & 1) == 0) {
            replica = (replica + 1) % config.replicas();
        }
        want.replica = replica;
        return replica;
    }
}
