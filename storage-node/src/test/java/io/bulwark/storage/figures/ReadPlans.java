package io.bulwark.storage.figures;

import io.bulwark.protocol.pasis.PasisGroup;
import io.bulwark.protocol.pasis.ReadPlan;
import io.bulwark.protocol.pasis.ReadPlanner;
import io.bulwark.protocol.pasis.ReadReport;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/** Plans of reads. Nodes are asked in a random order, as in the Agile Store paper (3.3.2). */
interface ReadPlans {
    ReadPlan next(PasisGroup group, RandomGenerator random);

    /** Learns from a read by the last plan. */
    default void finished(PasisGroup group, ReadReport report, long nanos) {}

    /** Returns plans under which so many nodes are asked first, and all of them send copies. */
    static ReadPlans copies(int nodes) {
        return (group, random) -> {
            int fewest = 2 * group.policy().f() + 1;
            return new ReadPlan(order(group, random), nodes - fewest, nodes);
        };
    }

    /** Returns plans of the paper's base version: the smallest quorum of which any two share 2b + 1 nodes sends copies. */
    static ReadPlans quorum() {
        return (group, random) -> {
            int n = group.policy().n();
            int nodes = Math.ceilDiv(n + 2 * group.policy().f() + 1, 2);
            return copies(nodes).next(group, random);
        };
    }

    /** Returns plans under which all are asked that can be waited for, and all of them send copies. */
    static ReadPlans full() {
        return (group, random) -> {
            int n = group.policy().n();
            return new ReadPlan(order(group, random), n, n);
        };
    }

    /** Returns plans under which all are asked that can be waited for, and each sends its hash with this probability (3.3.3). */
    static ReadPlans drawn(double hashProbability) {
        return (group, random) -> {
            int n = group.policy().n();
            int copies = (int) IntStream.range(0, n - group.policy().f())
                    .filter(_ -> random.nextDouble() >= hashProbability)
                    .count();
            return new ReadPlan(order(group, random), n, copies);
        };
    }

    /** Returns the product's plans. They are for one thread. */
    static ReadPlans of(ReadPlanner planner) {
        return new ReadPlans() {
            @Override
            public ReadPlan next(PasisGroup group, RandomGenerator random) {
                return planner.plan(group, Set.of());
            }

            @Override
            public void finished(PasisGroup group, ReadReport report, long nanos) {
                planner.finished(group, report, nanos);
            }
        };
    }

    private static List<Integer> order(PasisGroup group, RandomGenerator random) {
        List<Integer> order =
                new ArrayList<>(IntStream.range(0, group.policy().n()).boxed().toList());
        Collections.shuffle(order, random);
        return order;
    }
}
