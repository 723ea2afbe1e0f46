package io.bulwark.metadata;

import io.bulwark.protocol.id.PrincipalId;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** Steps that others asked for, one of each in turn: who asks for much waits for itself, and not who asks for little. Thread-safe. */
final class StepsInTurn {
    private final LinkedHashMap<PrincipalId, Queue<ReplicaLoop.Step>> waiting = new LinkedHashMap<>();

    synchronized void add(PrincipalId from, ReplicaLoop.Step step) {
        waiting.computeIfAbsent(from, _ -> new ArrayDeque<>()).add(step);
    }

    /** The next step; null if none waits. */
    synchronized ReplicaLoop.@Nullable Step poll() {
        Map.Entry<PrincipalId, Queue<ReplicaLoop.Step>> first = waiting.pollFirstEntry();
        if (first == null) {
            return null;
        }
        ReplicaLoop.Step step = first.getValue().poll();
        if (!first.getValue().isEmpty()) {
            waiting.putLast(first.getKey(), first.getValue());
        }
        return step;
    }

    synchronized boolean isEmpty() {
        return waiting.isEmpty();
    }
}
