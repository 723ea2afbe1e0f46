package io.bulwark.protocol.pasis;

import java.util.List;
import java.util.stream.IntStream;

/**
 * First round of a read (Agile Store paper, 3.3.2 and 3.3.3): 2b + 1 + delta nodes are asked, of which some send their
 * fragment and the others its hash, which is in the timestamp. The plan is a guess: whatever it is, a read returns only
 * what the answers prove, and asks more nodes otherwise.
 *
 * @param order all slots, those to be asked first at the beginning
 * @param delta the number of nodes beyond 2b + 1, bounded by the N - b of a full round
 * @param fragments the number of these nodes that send their fragment
 */
public record ReadPlan(List<Integer> order, int delta, int fragments) {
    public ReadPlan {
        order = List.copyOf(order);
        if (delta < 0 || fragments < 0 || !order.stream().sorted().toList().equals(slots(order.size()))) {
            throw new IllegalArgumentException(
                    "a plan with delta = " + delta + ", " + fragments + " fragments, slots " + order);
        }
    }

    /** Returns the plan without a guess: N - b nodes, of which the first m send their fragments. */
    public static ReadPlan full(PasisGroup group) {
        return new ReadPlan(slots(group.n()), group.n(), group.m());
    }

    private static List<Integer> slots(int number) {
        return IntStream.range(0, number).boxed().toList();
    }

    /** Returns a node's plan: as above, but it holds a whole copy itself, or fetches one once it knows which. */
    static ReadPlan ofVerification(PasisGroup group) {
        return new ReadPlan(full(group).order(), group.n(), group.holdsCopies() ? 0 : group.m());
    }

    /** Returns how many nodes the first round asks. */
    int firstRound(PasisGroup group) {
        return Math.min(group.quorum(), group.fewestAsked() + delta);
    }
}
