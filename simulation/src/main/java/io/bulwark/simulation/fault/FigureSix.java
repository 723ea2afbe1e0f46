package io.bulwark.simulation.fault;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Figure 6 of Agile Store: n and b while 35 servers become faulty one after the other, each closer to or farther from a
 * correct one. Static quorums keep b = 5, dynamic ones raise b with each fault, and reconfigurable ones remove what is
 * detected. As in the paper, dynamic quorums know the number of faults, and no spare node takes the place of a removed
 * one; a placement group with spare nodes keeps its n.
 */
public final class FigureSix {
    public static final int NODES = 35;
    public static final int LEAST_FAULTS = 1;
    public static final int MOST_FAULTS = 5;

    private static final int WINDOWS_MAX = 100_000;
    /** Mean time between faults at first; each fault makes the next one likelier, as in the paper. */
    private static final double FAULTS_PER_WINDOW = 1 / 400.0;

    private static final double HASTE = 1.25;
    private static final double CLOSEST = 0.15;

    /**
     * Situation after a change.
     *
     * @param window windows since the start
     * @param injected faults so far
     * @param removed detected and removed so far
     * @param dynamicB b of dynamic quorums; beyond 5 they are over
     */
    public record Row(int window, int injected, int removed, int dynamicB, int n, int b) {
        public boolean isStaticOver() {
            return injected > MOST_FAULTS;
        }
    }

    /**
     * Time until a faulty node is named.
     *
     * @param share of its answers that are stale
     * @param concurrent share of writes that are concurrent with looks
     */
    public record Detection(double share, double concurrent, double meanWindows, int runs, int missed) {}

    private FigureSix() {}

    /** Runs until this number of faults is injected and all are removed, or more than b are there at a time. */
    public static List<Row> run(int faults, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        WatchedGroup group = new WatchedGroup(correct(NODES, random), MOST_FAULTS, 0.0005, 0.2, random.nextLong());
        List<Row> rows = new ArrayList<>();
        rows.add(new Row(0, 0, 0, LEAST_FAULTS, NODES, LEAST_FAULTS));
        int injected = 0;
        int removed = 0;
        double rate = FAULTS_PER_WINDOW;
        for (int window = 1; window < WINDOWS_MAX && removed < faults; window++) {
            int before = injected + removed;
            if (injected < faults && injected - removed < MOST_FAULTS && random.nextDouble() < rate) {
                group.set(
                        pickCorrect(group, random),
                        new WatchedNode(0.01, CLOSEST + (1 - CLOSEST) * random.nextDouble(), 0, true));
                injected++;
                rate *= HASTE;
            }
            for (int node : group.window()) {
                group.remove(node);
                removed++;
            }
            if (injected + removed != before) {
                rows.add(new Row(
                        window,
                        injected,
                        removed,
                        Math.max(LEAST_FAULTS, injected),
                        NODES - removed,
                        Math.max(LEAST_FAULTS, injected - removed)));
            }
        }
        return rows;
    }

    /** Measures the time to detection of one faulty node of 13 by its share of stale answers and of concurrent writes. */
    public static List<Detection> detections(List<Double> shares, List<Double> concurrent, int runs, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Detection> all = new ArrayList<>();
        for (double share : shares) {
            for (double of : concurrent) {
                long sum = 0;
                int missed = 0;
                for (int run = 0; run < runs; run++) {
                    List<WatchedNode> nodes = correct(13, random);
                    nodes.set(0, WatchedNode.faulty(0.01, share, 0));
                    int windows = windowsUntilNamed(new WatchedGroup(nodes, 3, 0.0005, of, random.nextLong()));
                    sum += windows;
                    missed += windows == WINDOWS_MAX / 10 ? 1 : 0;
                }
                all.add(new Detection(share, of, (double) sum / runs, runs, missed));
            }
        }
        return all;
    }

    private static int windowsUntilNamed(WatchedGroup group) {
        int windows = 1;
        while (!group.window().contains(0) && windows < WINDOWS_MAX / 10) {
            windows++;
        }
        return windows;
    }

    /** Returns nodes on uneven links: up to 4% of answers late, up to 3% stale. */
    static List<WatchedNode> correct(int count, SplittableRandom random) {
        List<WatchedNode> nodes = new ArrayList<>();
        for (int node = 0; node < count; node++) {
            nodes.add(WatchedNode.correct(0.04 * random.nextDouble(), 0.03 * random.nextDouble()));
        }
        return nodes;
    }

    private static int pickCorrect(WatchedGroup group, SplittableRandom random) {
        while (true) {
            int node = random.nextInt(NODES);
            if (!group.isRemoved(node) && !group.node(node).isFaulty()) {
                return node;
            }
        }
    }
}
