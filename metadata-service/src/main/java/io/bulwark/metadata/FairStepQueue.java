package io.bulwark.metadata;

import io.bulwark.protocol.id.PrincipalId;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Fair queue of steps that other principals asked for: one step of each in turn, so that a principal with many steps
 * delays only itself. Thread-safe.
 */
final class FairStepQueue {
    private final LinkedHashMap<PrincipalId, Queue<Runnable>> waiting = new LinkedHashMap<>();

    synchronized void add(PrincipalId from, Runnable step) {
        waiting.computeIfAbsent(from, _ -> new ArrayDeque<>()).add(step);
    }

    /** The next step; null if none waits. */
    synchronized @Nullable Runnable poll() {
        Map.Entry<PrincipalId, Queue<Runnable>> first = waiting.pollFirstEntry();
        if (first == null) {
            return null;
        }
        Runnable step = first.getValue().poll();
        if (!first.getValue().isEmpty()) {
            waiting.putLast(first.getKey(), first.getValue());
        }
        return step;
    }

    synchronized boolean isEmpty() {
        return waiting.isEmpty();
    }
}
