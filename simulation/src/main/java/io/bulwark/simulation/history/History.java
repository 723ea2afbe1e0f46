package io.bulwark.simulation.history;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Operations of correct and faulty clients on registers and objects, in any order. */
public record History(List<Operation> operations) {
    /**
     * Keeps the operations as they were recorded.
     *
     * @throws IllegalArgumentException if a key is used as a register and as an object
     */
    public History {
        operations = List.copyOf(operations);
        Map<String, Boolean> registers = new LinkedHashMap<>();
        for (Operation operation : operations) {
            boolean register = operation.action().isRegisterAction();
            if (registers.merge(operation.key(), register, (before, _) -> before) != register) {
                throw new IllegalArgumentException(operation.key() + " is used as a register and as an object");
            }
        }
    }

    /** The numbers of each key's operations, counted from 0 in the order of the list. */
    Map<String, List<Integer>> byKey() {
        Map<String, List<Integer>> keys = new LinkedHashMap<>();
        for (int number = 0; number < operations.size(); number++) {
            keys.computeIfAbsent(operations.get(number).key(), _ -> new ArrayList<>())
                    .add(number);
        }
        return keys;
    }
}
