package io.bulwark.storage.completion;

import io.bulwark.protocol.metadata.FaultKind;
import io.bulwark.protocol.metadata.PeerObservation;
import io.bulwark.protocol.metadata.Suspicion;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Counts of a window, for the report that ends it. Good answers of a peer that nobody suspects change nothing, so they
 * are not reported: where all is well, no node reports anything.
 */
final class PeerCounts {
    private final Map<PeerKey, PeerCount> counts = new TreeMap<>();

    private record PeerKey(int node, FaultKind kind) implements Comparable<PeerKey> {
        @Override
        public int compareTo(PeerKey other) {
            return node != other.node ? Integer.compare(node, other.node) : kind.compareTo(other.kind);
        }
    }

    private record PeerCount(Place place, int asked, int bad) {}

    /** Placement group that this node shares with a peer. */
    record Place(int volume, int group) {}

    void add(int node, FaultKind kind, Place place, boolean bad) {
        add(node, kind, place, 1, bad ? 1 : 0);
    }

    void add(int node, FaultKind kind, Place place, int asked, int bad) {
        counts.merge(
                new PeerKey(node, kind),
                new PeerCount(place, asked, bad),
                (before, more) -> new PeerCount(
                        more.bad > 0 ? more.place : before.place, before.asked + more.asked, before.bad + more.bad));
    }

    /**
     * Ends the window.
     *
     * @param own what this node has reported so far, as the replicas keep it
     */
    List<PeerObservation> take(List<Suspicion> own) {
        Set<PeerKey> open = new HashSet<>();
        own.forEach(each -> open.add(new PeerKey(each.last().node(), each.last().kind())));
        List<PeerObservation> observations = new ArrayList<>();
        counts.forEach((key, count) -> {
            if (count.bad > 0 || open.contains(key)) {
                int asked = Math.min(Math.max(count.asked, count.bad), PeerObservation.ASKED_MAX);
                observations.add(new PeerObservation(
                        key.node, key.kind, count.place.volume, count.place.group, asked, Math.min(count.bad, asked)));
            }
        });
        counts.clear();
        return observations;
    }
}
