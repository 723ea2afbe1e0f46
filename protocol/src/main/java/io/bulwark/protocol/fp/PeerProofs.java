package io.bulwark.protocol.fp;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * Which versions of a block the peers of a node have proven, as far as it has heard: who asks for a MAC of REPAIR has. What f + 1 slots have proven
 * a correct one has, so that it is proven to this node, too. And what this node has proven itself and had no room to stage.
 */
final class PeerProofs {
    /** Of each slot, and without room: the eldest are forgotten. */
    private static final int VERSIONS_MAX = 4;

    private final Map<Integer, Deque<Timestamp>> asked = new HashMap<>();
    private final Set<Timestamp> withoutRoom = new LinkedHashSet<>();

    void asked(int slot, Timestamp version) {
        Deque<Timestamp> ofSlot = asked.computeIfAbsent(slot, _ -> new ArrayDeque<>());
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
