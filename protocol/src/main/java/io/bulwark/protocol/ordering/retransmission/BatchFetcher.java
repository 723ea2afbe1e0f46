package io.bulwark.protocol.ordering.retransmission;

import io.bulwark.protocol.effect.DistantPast;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.log.Outbox;
import io.bulwark.protocol.ordering.message.ReplicaMessage.FetchBatch;
import io.bulwark.protocol.ordering.message.ReplicaMessage.FetchRequests;
import io.bulwark.protocol.ordering.message.RequestId;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Requests for batches and bodies by digest, to one replica at a time. Each tick names the wanted items again, the most
 * urgent first; an item that is not named again is dropped. Each replica has one question for bodies open at a time,
 * until it answers or the timeout passes. Answers to more questions would only queue up, with votes behind them, and be
 * requested twice meanwhile.
 */
final class BatchFetcher {
    private static final int REQUESTS_MAX = 256;
    private static final int NOBODY = -1;
    private static final long NEVER = DistantPast.MILLIS;

    private final ReplicaConfig config;
    private final Outbox outbox;
    private final Map<Bytes, WantedItem> batches = new LinkedHashMap<>();
    private final LinkedHashMap<RequestId, WantedItem> requests = new LinkedHashMap<>();

    /** Since when a question for bodies is open, by who was asked. */
    private final long[] openMillis;

    private boolean odd;

    private static final class WantedItem {
        private long nextMillis;
        private long sources;
        private int replica;

        /** Replica that was asked last. */
        private int askedOf = NOBODY;

        /** Bit i: replica i was asked in vain, or is being asked, since all were. */
        private long tried;

        private boolean odd;

        private WantedItem(long nextMillis, int replica) {
            this.nextMillis = nextMillis;
            this.replica = replica;
        }

        /** Records the request to a replica; the next one may be asked from this time on. */
        private void asked(int of, long newNextMillis) {
            nextMillis = newNextMillis;
            askedOf = of;
            tried |= 1L << of;
            replica = of + 1;
        }
    }

    BatchFetcher(ReplicaConfig config, Outbox outbox) {
        this.config = config;
        this.outbox = outbox;
        openMillis = new long[config.replicas()];
        Arrays.fill(openMillis, NEVER);
    }

    /** @param first the replica to ask first */
    void wantBatch(long nowMillis, Bytes digest, int first) {
        WantedItem want = batches.computeIfAbsent(digest, ignored -> new WantedItem(nowMillis, first));
        want.odd = odd;
        want.sources = -1;
    }

    /**
     * A body. It may be on its way from its client; therefore it is not asked for at once.
     *
     * @param sources bit i: replica i may have it
     */
    void wantRequest(long nowMillis, RequestId id, long sources) {
        WantedItem known = requests.get(id);
        WantedItem want =
                known == null ? new WantedItem(nowMillis + config.timers().fetchMillis() / 4, 0) : known;
        if (known == null || known.odd != odd) {
            requests.putLast(id, want);
        }
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
                int of = next(want, ~0L);
                outbox.send(of, new FetchBatch(digest));
                want.asked(of, nowMillis + config.timers().fetchMillis());
            }
        });
        askForBodies(nowMillis);
    }

    /**
     * Handles bodies from this replica. Other requested bodies did not fit into its answer, or it lacks them: these are
     * requested now.
     */
    void onBodies(long nowMillis, int from, Set<RequestId> came) {
        if (openMillis[from] == NEVER) {
            return; // It was asked for nothing: that must not have it looked through.
        }
        openMillis[from] = NEVER;
        long inVain = 1L << from;
        for (RequestId id : came) {
            WantedItem want = requests.get(id);
            if (want != null && want.askedOf == from) {
                want.askedOf = NOBODY; // the next answer lacks it
                inVain = 0;
            }
        }
        for (WantedItem want : requests.values()) {
            if (want.askedOf == from) {
                want.tried = (want.tried & ~(1L << from)) | inVain;
                if ((sources(want) & ~want.tried) != 0) {
                    want.nextMillis = Math.min(want.nextMillis, nowMillis);
                } // else nobody has it: those that have nothing are not to be asked as fast as they answer
            }
        }
        askForBodies(nowMillis);
    }

    private void askForBodies(long nowMillis) {
        long free = 0;
        for (int peer = 0; peer < openMillis.length; peer++) {
            boolean isOpen = nowMillis - openMillis[peer] < config.timers().fetchMillis();
            free |= isOpen ? 0 : 1L << peer;
        }
        SortedMap<Integer, List<RequestId>> ofPeers = new TreeMap<>();
        for (Map.Entry<RequestId, WantedItem> entry : requests.entrySet()) {
            WantedItem want = entry.getValue();
            int of = want.nextMillis <= nowMillis ? next(want, free) : NOBODY;
            if (of != NOBODY) {
                List<RequestId> ids = ofPeers.computeIfAbsent(of, ignored -> new ArrayList<>());
                ids.add(entry.getKey());
                want.asked(of, nowMillis + config.timers().fetchMillis());
                free &= ids.size() < REQUESTS_MAX ? -1 : ~(1L << of);
            }
        }
        ofPeers.forEach((peer, ids) -> {
            openMillis[peer] = nowMillis;
            outbox.send(peer, new FetchRequests(ids));
        });
    }

    private long sources(WantedItem want) {
        long all = (-1L >>> (Long.SIZE - config.replicas())) & ~(1L << config.self());
        return (want.sources & all) == 0 ? all : want.sources & all;
    }

    /**
     * Returns which of these replicas to ask now, or nobody if the replicas next in turn are busy. No replica is asked
     * twice before all were asked. Otherwise a liar that immediately sends empty answers would always be the free one.
     */
    private int next(WantedItem want, long free) {
        long sources = sources(want);
        if ((sources & ~want.tried) == 0) {
            want.tried = 0;
        }
        for (int i = 0; i < config.replicas(); i++) {
            int replica = (want.replica + i) % config.replicas();
            if (((sources & ~want.tried & free) >> replica & 1) == 1) {
                return replica;
            }
        }
        return NOBODY;
    }
}
