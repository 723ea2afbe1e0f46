package io.bulwark.simulation.history;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Verdict on a history: whether it satisfies the Byzantine-faulty-client extension to linearizability (thesis
 * definition 3.2.3). The definition asks for one order of the operations of correct clients, and of some changes by
 * faulty clients. The invocation criteria must allow these changes, and each stands once. The order must be legal for a
 * sequential register or object, and keep the order of operations that follow each other in time.
 *
 * @param operations number of the operations that were judged
 * @param keys number of registers and objects
 * @param violations one for each key whose operations have no such order
 * @param undecided the keys that were given up: values that are not distinct and too many orders
 */
public record HistoryCheck(int operations, int keys, List<Violation> violations, List<String> undecided) {
    /** Orders that are tried for one key before it is given up. */
    public static final int CONFIGURATIONS_MAX = 2_000_000;

    public HistoryCheck {
        violations = List.copyOf(violations);
        undecided = List.copyOf(undecided);
    }

    public static HistoryCheck of(History history) {
        return of(history, CONFIGURATIONS_MAX);
    }

    /**
     * Decides, but gives up a key in time.
     *
     * @param configurationsMax how much is tried for one key before it is given up
     */
    public static HistoryCheck of(History history, int configurationsMax) {
        List<Violation> violations = new ArrayList<>();
        List<String> undecided = new ArrayList<>();
        Map<String, List<Integer>> keys = history.byKey();
        keys.forEach((key, numbers) -> {
            if (canUseZones(history, numbers)) {
                new RegisterZones(history, key, numbers).violation().ifPresent(violations::add);
            } else {
                switch (new OrderSearch(history, key, numbers, configurationsMax).run()) {
                    case OrderSearch.Result.Found _ -> {}
                    case OrderSearch.Result.None none -> violations.add(none.violation());
                    case OrderSearch.Result.GivenUp _ -> undecided.add(key);
                }
            }
        });
        return new HistoryCheck(history.operations().size(), keys.size(), violations, undecided);
    }

    /** A register whose values differ. */
    static boolean canUseZones(History history, List<Integer> numbers) {
        Set<String> values = new HashSet<>();
        for (int number : numbers) {
            Operation operation = history.operations().get(number);
            if (!operation.action().isRegisterAction()) {
                return false;
            }
            String value = operation.value();
            if (operation.action() == Action.WRITE
                    && !operation.isIrrelevant()
                    && value != null
                    && !values.add(value)) {
                return false;
            }
        }
        return true;
    }

    /** Returns the violation, or the reason why none could be decided; empty if the history is linearizable. */
    public Optional<String> problem() {
        if (!violations.isEmpty()) {
            return Optional.of("not linearizable: " + violations.getFirst());
        }
        return undecided.isEmpty() ? Optional.empty() : Optional.of("undecided: " + undecided.getFirst());
    }
}
