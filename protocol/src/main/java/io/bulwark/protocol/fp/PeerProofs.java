package io.bulwark.protocol.fp;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * Versions of a block that the peers of a node have proven, as far as it has heard. A peer that asks for a MAC of
 * REPAIR has proven it. One of f + 1 slots is correct, so a version that f + 1 slots have proven is proven to this
 * node, too. It also has the versions that this node has proven itself and had no room to stage.
 */
final class PeerProofs {
    /** Limit for each slot, and for versions without room; the oldest are forgotten. */
    private static final int VERSIONS_MAX = 4;

    private final Map<Integer, Deque<Timestamp>> asked = new HashMap<>();
    private final Set<Timestamp> withoutRoom = new LinkedHashSet<>();

    void asked(int slot, Timestamp version) {
        Deque<Timestamp> ofSlot = asked.computeIfAbsent(slot, ignored -> new ArrayDeque<>());
        ofSlot.remove(version);
        ofSlot.addLast(version);
        if (ofSlot.size() > VERSIONS_MAX) {
            ofSlot.removeFirst();
        }
    }

    /** Counts the slots that have proven it. */
    long count(Timestamp version) {
        return asked.values().stream()
                .filter(ofSlot -> ofSlot.contains(version))
                .count();
    }

    void addWithoutRoom(Timestamp version) {
        withoutRoom.add(version);
        if (withoutRoom.size() > VERSIONS_MAX) {
            withoutRoom.remove(withoutRoom.iterator().next());
        }
    }

    boolean isWithoutRoom(Timestamp version) {
        return withoutRoom.contains(version);
    }

    /** Forgets all of it: the slots have other holders. */
    void clear() {
        asked.clear();
        withoutRoom.clear();
    }
}
