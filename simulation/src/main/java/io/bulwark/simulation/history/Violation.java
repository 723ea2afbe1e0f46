package io.bulwark.simulation.history;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reason why a history is not linearizable.
 *
 * @param key the register or object
 * @param reason one sentence that names operations as {@code #number}
 * @param operations the numbers of the operations that matter, counted from 0 in the history's list
 * @param lines the same for people
 */
public record Violation(String key, String reason, List<Integer> operations, List<String> lines) {
    public Violation {
        operations = List.copyOf(operations);
        lines = List.copyOf(lines);
    }

    static Violation of(History history, String key, String reason, List<Integer> operations) {
        List<Integer> distinct = operations.stream().distinct().toList();
        return new Violation(
                key,
                reason,
                distinct,
                distinct.stream()
                        .map(number -> "#" + number + " " + history.operations().get(number))
                        .toList());
    }

    /** A few lines of text. */
    @Override
    public String toString() {
        return Stream.concat(Stream.of(key + ": " + reason), lines.stream().map(line -> "  " + line))
                .collect(Collectors.joining("\n"));
    }
}
