package io.bulwark.protocol.ordering.request;

import io.bulwark.protocol.effect.DistantPast;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.message.RequestId;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Requests that one peer vouches for, or reports as ready, and the time of its last report. Above {@code max} vouches,
 * the oldest one of the client with the most vouches is removed. So clients with many requests cannot displace the
 * vouches of a client with few.
 */
final class RequestEchoes {
    private final int max;

    /** The one that was not repeated for longest first. */
    private final LinkedHashMap<RequestId, Long> saidMillis = new LinkedHashMap<>();

    private final Map<PrincipalId, SequencedSet<RequestId>> ofClients = new HashMap<>();

    /** The clients with so many vouches. */
    private final TreeMap<Integer, SequencedSet<PrincipalId>> byCount = new TreeMap<>();

    RequestEchoes(int max) {
        this.max = max;
    }

    /**
     * The peer vouches, perhaps again.
     *
     * @return what is forgotten for it
     */
    @Nullable
    RequestId add(long nowMillis, RequestId id) {
        SequencedSet<RequestId> ofClient = ofClients.computeIfAbsent(id.client(), ignored -> new LinkedHashSet<>());
        ofClient.addLast(id);
        if (saidMillis.putLast(id, nowMillis) != null) {
            return null;
        }
        move(id.client(), ofClient.size() - 1, ofClient.size());
        if (saidMillis.size() <= max) {
            return null;
        }
        PrincipalId busiest = byCount.sequencedValues().getLast().getFirst();
        RequestId oldest = ofClients.getOrDefault(busiest, ofClient).getFirst();
        remove(oldest);
        return oldest;
    }

    /** Returns the time of the peer's last report; long ago if there was none. */
    long saidMillis(RequestId id) {
        return saidMillis.getOrDefault(id, DistantPast.MILLIS);
    }

    void remove(RequestId id) {
        SequencedSet<RequestId> ofClient = ofClients.get(id.client());
        if (saidMillis.remove(id) == null || ofClient == null) {
            return;
        }
        ofClient.remove(id);
        move(id.client(), ofClient.size() + 1, ofClient.size());
        if (ofClient.isEmpty()) {
            ofClients.remove(id.client());
        }
    }

    private void move(PrincipalId client, int from, int to) {
        SequencedSet<PrincipalId> before = byCount.get(from);
        if (before != null) {
            before.remove(client);
            if (before.isEmpty()) {
                byCount.remove(from);
            }
        }
        if (to > 0) {
            byCount.computeIfAbsent(to, ignored -> new LinkedHashSet<>()).add(client);
        }
    }

    /** Forgets one vouch that was last repeated before this time; null if there is none left. */
    @Nullable
    RequestId expire(long beforeMillis) {
        Map.Entry<RequestId, Long> oldest = saidMillis.firstEntry();
        if (oldest == null || oldest.getValue() >= beforeMillis) {
            return null;
        }
        RequestId id = oldest.getKey();
        remove(id);
        return id;
    }

    /** Forgets and returns everything. */
    List<RequestId> clear() {
        List<RequestId> said = List.copyOf(saidMillis.keySet());
        saidMillis.clear();
        ofClients.clear();
        byCount.clear();
        return said;
    }
}
