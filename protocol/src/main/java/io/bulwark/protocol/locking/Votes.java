package io.bulwark.protocol.locking;

import io.bulwark.protocol.wire.Bytes;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** Latest answer of each server to one question. */
final class Votes {
    private final Map<LogPeer, Bytes> given = new LinkedHashMap<>();

    /** Records an answer, and returns how many servers have given the same. */
    int give(LogPeer peer, Bytes answer) {
        given.put(peer, answer);
        return of(answer).size();
    }

    /** Servers that have given this answer. */
    Set<LogPeer> of(Bytes answer) {
        Set<LogPeer> same = new LinkedHashSet<>();
        given.forEach((peer, each) -> {
            if (each.equals(answer)) {
                same.add(peer);
            }
        });
        return same;
    }
}
