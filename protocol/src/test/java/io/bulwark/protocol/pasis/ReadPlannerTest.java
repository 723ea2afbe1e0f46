package io.bulwark.protocol.pasis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.bulwark.protocol.pasis.ReadTuning.Optimism;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** The choice of delta and of the nodes that send the block (Agile Store paper, 3.3.2 and 3.3.3), with b = 2, n = 9. */
@NullMarked
class ReadPlannerTest {
    private static final long SEED = Long.getLong("bulwark.seed", System.nanoTime());
    private static final long MILLI = 1_000_000;

    static {
        System.out.println("ReadPlannerTest: -Dbulwark.seed=" + SEED);
    }

    private final PasisGroup group = GroupFixture.masking(2, 9).pasis();
    private final Random random = new Random(SEED);

    private ReadPlanner planner(Optimism optimism, OptionalDouble hashProbability) {
        return new ReadPlanner(new ReadTuning(optimism, hashProbability), random);
    }

    private static ReadReport report(ReadPlan plan, boolean secondRound) {
        return new ReadReport(plan.delta(), plan.fragments(), 5 + plan.delta(), secondRound, false, 512);
    }

    @Test
    void blindFullAndEstimatedChoicesAskAsManyAsThePaperSays() {
        OptionalDouble one = OptionalDouble.of(0);
        assertThat(planner(Optimism.BLIND, one).plan(group, Set.of()).firstRound(group))
                .isEqualTo(5);
        assertThat(planner(Optimism.FULL, one).plan(group, Set.of()).firstRound(group))
                .isEqualTo(7);
        // ceil(1 * 5 / 8) and ceil(2 * 5 / 7); more than b are no estimate.
        ReadPlanner estimated = planner(Optimism.ESTIMATED, one);
        assertThat(estimated.plan(group, Set.of()).delta()).isZero();
        assertThat(estimated.plan(group, Set.of(4)).delta()).isEqualTo(1);
        assertThat(estimated.plan(group, Set.of(4, 5)).delta()).isEqualTo(2);
        assertThat(estimated.plan(group, Set.of(1, 2, 3, 4, 5)).delta()).isEqualTo(2);
    }

    @Test
    void doubtedNodesAreAskedLastAndAllOfThemInSomeOrder() {
        for (int i = 0; i < 50; i++) {
            List<Integer> order = planner(Optimism.BLIND, OptionalDouble.empty())
                    .plan(group, Set.of(2, 7))
                    .order();
            assertThat(order).hasSize(9).containsAll(List.of(0, 1, 3, 4, 5, 6, 8));
            assertThat(order.subList(7, 9)).containsExactlyInAnyOrder(2, 7);
        }
    }

    @Test
    void healthyNodesShareTheLoadOfDoubtedOnesEvenly() {
        int runs = 16_000;
        int[] asked = new int[9];
        int[] copies = new int[9];
        ReadPlanner planner = planner(Optimism.BLIND, OptionalDouble.of(0.8));
        for (int i = 0; i < runs; i++) {
            List<Integer> order = planner.plan(group, Set.of(2)).order();
            order.subList(0, 5).forEach(slot -> asked[slot]++);
            copies[order.getFirst()]++;
        }
        for (int slot = 0; slot < 9; slot++) {
            double share = slot == 2 ? 0 : 1.0 / 8;
            assertThat((double) copies[slot] / runs).as("seed " + SEED).isBetween(share - 0.02, share + 0.02);
            assertThat(asked[slot] / 5.0 / runs).as("seed " + SEED).isBetween(share - 0.02, share + 0.02);
        }
    }

    @Test
    void anEstimateIsForNodesDrawnFromAll() {
        ReadPlanner planner = planner(Optimism.ESTIMATED, OptionalDouble.of(0));
        double met = 0;
        for (int i = 0; i < 4_000; i++) {
            List<Integer> first = planner.plan(group, Set.of(2, 7)).order().subList(0, 5);
            met += (first.contains(2) ? 1 : 0) + (first.contains(7) ? 1 : 0);
        }
        // 2 * 5 / 9 of the five nodes of a blind read: the delta of 2 is for these.
        assertThat(met / 4_000).as("seed " + SEED).isBetween(1.0, 1.22);
    }

    @Test
    void deltaRisesUntilNineOfTenReadsEndInTheFirstRoundAndFallsAgain() {
        ReadPlanner planner = planner(Optimism.ADAPTED, OptionalDouble.of(0));
        // Two of the nodes are faulty and look healthy: a read needs delta = 2.
        for (int i = 0; i < 100; i++) {
            ReadPlan plan = planner.plan(group, Set.of());
            planner.finished(group, report(plan, plan.delta() < 2 && random.nextInt(3) != 0), MILLI);
        }
        assertThat(planner.plan(group, Set.of()).delta()).isEqualTo(2);
        int misses = 0;
        for (int i = 0; i < 2_000; i++) {
            ReadPlan plan = planner.plan(group, Set.of());
            boolean miss = plan.delta() < 2;
            misses += miss ? 1 : 0;
            planner.finished(group, report(plan, miss), MILLI);
        }
        assertThat(misses).as("trials become rare").isLessThan(100);
        for (int i = 0; i < 6_000; i++) {
            planner.finished(group, report(planner.plan(group, Set.of()), false), MILLI);
        }
        assertThat(planner.plan(group, Set.of()).delta()).isZero();
    }

    @Test
    void reportsOfAnEarlierDeltaDoNotRaiseItFurther() {
        ReadPlanner planner = planner(Optimism.ADAPTED, OptionalDouble.of(0));
        ReadPlan blind = planner.plan(group, Set.of());
        for (int i = 0; i < 40; i++) {
            planner.finished(group, report(blind, true), MILLI);
        }
        assertThat(planner.plan(group, Set.of()).delta()).isEqualTo(1);
    }

    @Test
    void aFixedProbabilityGivesThatShareOfHashesAtEachNode() {
        double p = 0.7;
        ReadPlanner planner = planner(Optimism.BLIND, OptionalDouble.of(p));
        int runs = 20_000;
        int[] copies = new int[9];
        int[] asked = new int[9];
        for (int i = 0; i < runs; i++) {
            ReadPlan plan = planner.plan(group, Set.of());
            assertThat(plan.fragments()).isBetween(1, 2);
            for (int k = 0; k < 5; k++) {
                asked[plan.order().get(k)]++;
                copies[plan.order().get(k)] += k < plan.fragments() ? 1 : 0;
            }
        }
        for (int slot = 0; slot < 9; slot++) {
            assertThat(1 - (double) copies[slot] / asked[slot])
                    .as("seed " + SEED)
                    .isBetween(p - 0.04, p + 0.04);
        }
        assertThatIllegalArgumentException().isThrownBy(() -> new ReadTuning(Optimism.BLIND, OptionalDouble.of(1.01)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ReadTuning(Optimism.BLIND, OptionalDouble.of(Double.NaN)));
    }

    /** The latency that so many copies give: each takes its time on the link, and none takes a second round. */
    private static long latency(int copies, long roundTrip, long transfer, double missing) {
        return (long) (roundTrip + copies * transfer + Math.pow(missing, copies) * (roundTrip + transfer));
    }

    private ReadPlanner climbed(long roundTrip, long transfer, double missing) {
        ReadPlanner planner = planner(Optimism.BLIND, OptionalDouble.empty());
        for (int i = 0; i < 20_000; i++) {
            ReadPlan plan = planner.plan(group, Set.of());
            long nanos = latency(plan.fragments(), roundTrip, transfer, missing);
            planner.finished(group, report(plan, false), nanos + random.nextLong(nanos / 50 + 1));
        }
        return planner;
    }

    /** Returns the number of copies of most plans. */
    private int copies(ReadPlanner planner) {
        List<Integer> next = random.ints(15)
                .mapToObj(ignored -> planner.plan(group, Set.of()).fragments())
                .toList();
        return new HashSet<>(next)
                .stream()
                        .max((a, b) -> Long.compare(count(next, a), count(next, b)))
                        .orElseThrow();
    }

    private static long count(List<Integer> all, int value) {
        return all.stream().filter(each -> each == value).count();
    }

    @Test
    void hillClimbingFindsTheNumberOfCopiesOfLeastLatency() {
        // All nodes have the block: one copy is as fast as any number, on any link.
        assertThat(copies(climbed(MILLI, MILLI, 0))).isEqualTo(1);
        assertThat(copies(climbed(40 * MILLI, MILLI / 10, 0))).isEqualTo(1);
        // Half of the nodes lack it, on a long link with room: several copies save the second round.
        assertThat(copies(climbed(40 * MILLI, MILLI / 10, 0.5))).isGreaterThan(2);
        // The same on a narrow link, where a copy costs more than a round: the block is fetched from one that has it.
        assertThat(copies(climbed(MILLI, 40 * MILLI, 0.5))).isZero();
    }
}
