package io.bulwark.simulation.campaign;

import io.bulwark.simulation.engine.NetworkFaults;
import java.util.OptionalInt;
import java.util.SplittableRandom;

/** Settings that are fixed for a whole campaign; each seed chooses the rest. */
public record Shape(
        OptionalInt nodes, OptionalInt faults, OptionalInt fragments, OptionalInt byzantineClients, OptionalInt steps) {
    /** Everything is left to the seeds. */
    public static Shape any() {
        return new Shape(
                OptionalInt.empty(),
                OptionalInt.empty(),
                OptionalInt.empty(),
                OptionalInt.empty(),
                OptionalInt.empty());
    }

    /** f and m fixed, the rest left to the seeds. */
    public static Shape of(int faults, int fragments) {
        return new Shape(
                OptionalInt.empty(),
                OptionalInt.of(faults),
                OptionalInt.of(fragments),
                OptionalInt.empty(),
                OptionalInt.empty());
    }

    /** The same with so many steps. */
    public Shape withSteps(int each) {
        return new Shape(nodes, faults, fragments, byzantineClients, OptionalInt.of(each));
    }

    /**
     * The setting of one seed.
     *
     * @throws IllegalArgumentException if what is fixed does not go together
     */
    public Setting setting(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int chosenFaults = 1 + random.nextInt(2);
        int chosenMore = random.nextInt(3);
        int chosenSpare = random.nextInt(4) == 0 ? 1 + random.nextInt(3) : 0;
        int chosenClients = random.nextInt(4);
        int chosenSteps = 40 + random.nextInt(160);
        NetworkFaults network = switch (random.nextInt(4)) {
            case 0 -> NetworkFaults.calm();
            case 1 -> new NetworkFaults(1, 300, 0, 100);
            case 2 -> new NetworkFaults(1, 40, 100, 20);
            default -> NetworkFaults.rough();
        };
        int f = faults.orElse(Math.max(1, Math.min(chosenFaults, faultsMax())));
        int m = fragments.orElseGet(() -> nodes.isPresent() ? nodes.getAsInt() - 2 * f : f + 1 + chosenMore);
        int n = nodes.orElse(m + 2 * f + chosenSpare);
        return new Setting(seed, n, f, m, byzantineClients.orElse(chosenClients), steps.orElse(chosenSteps), network);
    }

    /** Returns the most faults that the fixed numbers of nodes and fragments allow: m > f, and n >= m + 2f. */
    private int faultsMax() {
        int most = Integer.MAX_VALUE;
        if (fragments.isPresent()) {
            most = fragments.getAsInt() - 1;
        }
        if (nodes.isPresent()) {
            most = Math.min(most, (nodes.getAsInt() - 1) / 3);
        }
        return nodes.isPresent() && fragments.isPresent()
                ? Math.min(most, (nodes.getAsInt() - fragments.getAsInt()) / 2)
                : most;
    }
}
