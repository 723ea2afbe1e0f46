package io.bulwark.simulation.exhaustive;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Path by which each state was reached first: 12 bytes for each. */
final class Ancestry {
    /** One step of one party. */
    record Link(int party, Input input) {}

    private final Map<Input, Integer> numbers = new HashMap<>();
    private final List<Input> inputs = new ArrayList<>();
    private int[] parents = new int[1 << 10];
    private int[] parties = new int[1 << 10];
    private int[] steps = new int[1 << 10];
    private int size;

    int size() {
        return size;
    }

    /** The number of the new state. */
    int add(int parent, int party, Input input) {
        if (size == parents.length) {
            parents = Arrays.copyOf(parents, 2 * size);
            parties = Arrays.copyOf(parties, 2 * size);
            steps = Arrays.copyOf(steps, 2 * size);
        }
        parents[size] = parent;
        parties[size] = party;
        steps[size] = numbers.computeIfAbsent(input, added -> {
            inputs.add(added);
            return inputs.size() - 1;
        });
        return size++;
    }

    /** Returns the links from the first state to this one. */
    List<Link> path(int number) {
        ArrayDeque<Link> path = new ArrayDeque<>();
        for (int at = number; parents[at] >= 0; at = parents[at]) {
            path.addFirst(new Link(parties[at], inputs.get(steps[at])));
        }
        return List.copyOf(path);
    }
}
