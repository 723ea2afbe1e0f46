package io.bulwark.simulation.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Decides a register whose values differ, in O(n log n) (P. Gibbons and E. Korach, Testing shared memories, section
 * 4.1). A write and the reads of its value form a cluster, and stand together in every legal order. One cluster comes
 * before another if one of its operations ended before one of the other began. A legal order exists unless two clusters
 * come before each other. {@code firstEnd} is the earliest end in a cluster, {@code lastStart} the latest beginning.
 * Two clusters conflict if {@code a.firstEnd < b.lastStart && b.firstEnd < a.lastStart}: two forward zones overlap, or
 * one encloses a backward zone.
 */
final class RegisterZones {
    private static final long BEFORE_ALL = -1;

    /** A cluster; the numbers are those of the operations that end first and begin last, or -1 for the initial value. */
    private static final class Cluster {
        private final String value;
        private long firstEnd = Operation.NEVER;
        private int endsFirst = -1;
        private long lastStart = BEFORE_ALL;
        private int beginsLast = -1;

        private Cluster(String value) {
            this.value = value;
        }

        private boolean forward() {
            return firstEnd < lastStart;
        }

        private void add(int number, Operation operation) {
            if (operation.lastMicros() < firstEnd) {
                firstEnd = operation.lastMicros();
                endsFirst = number;
            }
            if (operation.invokedMicros() > lastStart) {
                lastStart = operation.invokedMicros();
                beginsLast = number;
            }
        }
    }

    private final History history;
    private final String key;
    private final List<Integer> numbers;

    RegisterZones(History history, String key, List<Integer> numbers) {
        this.history = history;
        this.key = key;
        this.numbers = numbers;
    }

    Optional<Violation> violation() {
        Sources sources = new Sources(history, key, numbers);
        Cluster initial = new Cluster("nothing");
        // Written before everything.
        initial.firstEnd = BEFORE_ALL;
        Map<String, Cluster> clusters = new HashMap<>();
        for (int number : numbers) {
            Operation operation = history.operations().get(number);
            Optional<Violation> wrong = sources.violation(number);
            if (wrong.isPresent()) {
                return wrong;
            }
            if (!operation.isIrrelevant()) {
                String value = operation.value();
                (value == null ? initial : clusters.computeIfAbsent(value, Cluster::new)).add(number, operation);
            }
        }
        List<Cluster> all = new ArrayList<>(clusters.values());
        all.add(initial);
        return conflict(all);
    }

    private Optional<Violation> conflict(List<Cluster> clusters) {
        List<Cluster> forward = clusters.stream()
                .filter(Cluster::forward)
                .sorted(Comparator.comparingLong(cluster -> cluster.firstEnd))
                .toList();
        for (int i = 1; i < forward.size(); i++) {
            if (forward.get(i).firstEnd < forward.get(i - 1).lastStart) {
                return Optional.of(violation(forward.get(i - 1), forward.get(i)));
            }
        }
        // The forward zones do not overlap: only the last that begins before a backward zone can enclose it.
        for (Cluster cluster : clusters) {
            if (!cluster.forward()) {
                int before = lastBefore(forward, cluster.lastStart);
                if (before >= 0 && cluster.firstEnd < forward.get(before).lastStart) {
                    return Optional.of(violation(forward.get(before), cluster));
                }
            }
        }
        return Optional.empty();
    }

    /** The last zone that begins before {@code micros}, or -1. */
    private static int lastBefore(List<Cluster> forward, long micros) {
        int low = 0;
        int high = forward.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (forward.get(middle).firstEnd < micros) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low - 1;
    }

    /** Describes the violation: each cluster came before the other. */
    private Violation violation(Cluster a, Cluster b) {
        // The initial value was there before everything, so only its later reads can be named.
        String first = a.endsFirst < 0
                ? a.value + " was there first"
                : "#" + a.endsFirst + " ended before #" + b.beginsLast + " began, so " + a.value + " came before "
                        + b.value;
        String reason = first + "; but #" + b.endsFirst + " ended before #" + a.beginsLast + " began, so " + b.value
                + " came before " + a.value;
        List<Integer> involved = new ArrayList<>();
        for (Cluster cluster : List.of(a, b)) {
            for (int number : numbers) {
                Operation operation = history.operations().get(number);
                if (operation.action() == Action.WRITE
                        && !operation.isIrrelevant()
                        && cluster.value.equals(operation.value())) {
                    involved.add(number);
                }
            }
        }
        involved.addAll(List.of(a.endsFirst, b.beginsLast, b.endsFirst, a.beginsLast));
        involved.removeIf(number -> number < 0);
        involved.sort(Comparator.comparingLong(
                number -> history.operations().get(number).invokedMicros()));
        return Violation.of(history, key, reason, involved);
    }
}
