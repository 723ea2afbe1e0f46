package io.bulwark.simulation.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Operations that brought the returned values. A violation found here needs no search for an order. */
final class Sources {
    private final History history;
    private final String key;
    private final Map<String, List<Integer>> brought = new HashMap<>();
    private final Map<String, Integer> failed = new HashMap<>();

    Sources(History history, String key, List<Integer> numbers) {
        this.history = history;
        this.key = key;
        for (int number : numbers) {
            Operation operation = history.operations().get(number);
            String value = operation.value();
            if (value != null && operation.action().hasOwnValue()) {
                if (operation.isIrrelevant() || operation.refused()) {
                    failed.putIfAbsent(value, number);
                } else {
                    brought.computeIfAbsent(value, _ -> new ArrayList<>()).add(number);
                }
            }
        }
    }

    /** The operations that may have brought it. */
    List<Integer> of(String value) {
        return brought.getOrDefault(value, List.of());
    }

    /** Returns the violation in the value that this operation returned. */
    Optional<Violation> violation(int number) {
        Operation read = history.operations().get(number);
        String value = read.value();
        if (read.isIrrelevant() || !read.action().reads() || value == null) {
            return Optional.empty();
        }
        List<Integer> sources = of(value);
        if (sources.isEmpty()) {
            Integer without = failed.get(value);
            return Optional.of(
                    without == null
                            ? violation("#" + number + " returned " + value + ", which nobody brought", number)
                            : violation(
                                    "#" + number + " returned the value of #" + without + ", which had no effect",
                                    without,
                                    number));
        }
        boolean before = sources.stream()
                .allMatch(source -> history.operations().get(source).invokedMicros() > read.completedMicros());
        return before
                ? Optional.of(violation(
                        "#" + number + " returned the value of #" + sources.getFirst() + " before that was invoked",
                        number,
                        sources.getFirst()))
                : Optional.empty();
    }

    private Violation violation(String reason, Integer... numbers) {
        return Violation.of(history, key, reason, List.of(numbers));
    }
}
