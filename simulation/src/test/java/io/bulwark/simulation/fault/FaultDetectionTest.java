package io.bulwark.simulation.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.metadata.FaultKind;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The test's rate of false alarms, framing, and detection (Agile Store, 3.3.1 and figure 6). */
@NullMarked
class FaultDetectionTest {
    private static final int NODES = 13;
    private static final int FAULTS = 3;
    private static final int MONTH = 30 * 24 * 60;
    private static final long SEED = Long.getLong("bulwark.seed", System.nanoTime());

    private final SplittableRandom random = new SplittableRandom(SEED);

    FaultDetectionTest() {
        System.err.println("-Dbulwark.seed=" + SEED);
    }

    /** Page's test reaches the line h after exp(h) windows or later: at lower lines, which are reached often enough to count. */
    @ParameterizedTest
    @EnumSource(FaultKind.class)
    void linesAreReachedNoMoreOftenThanStated(FaultKind kind) {
        double p0 = kind == FaultKind.WRONG ? 0.0001 : 0.05;
        int windows = 2_000_000;
        for (int line : new int[] {2_000, 4_000, 6_000}) {
            int score = 0;
            int reached = 0;
            for (int window = 0; window < windows; window++) {
                int bad = 0;
                for (int look = 0; look < WatchedGroup.LOOKS; look++) {
                    bad += random.nextDouble() < p0 ? 1 : 0;
                }
                score = kind.next(score, WatchedGroup.LOOKS, bad);
                if (score >= line) {
                    reached++;
                    score = 0;
                }
            }
            assertThat(reached)
                    .as("%s at %s, -Dbulwark.seed=%s", kind, line, SEED)
                    .isLessThan((int) (windows * Math.exp(-line / 1000.0)));
        }
    }

    /** A month on slow, uneven links with slow spells several times a day: no reporter suspects anybody. */
    @Test
    void nobodyIsSuspectedInAMonthWithoutFaults() {
        WatchedGroup group = new WatchedGroup(FigureSix.correct(NODES, random), FAULTS, 0.002, 0.2, random.nextLong());
        for (int window = 0; window < MONTH; window++) {
            assertThat(group.window())
                    .as("window %s, -Dbulwark.seed=%s", window, SEED)
                    .isEmpty();
        }
        assertThat(group.crossings()).as("-Dbulwark.seed=%s", SEED).isZero();
    }

    @Test
    void asManyLiarsAsToleratedFrameNobodyAndHideNobody() {
        for (int run = 0; run < 50; run++) {
            List<WatchedNode> nodes = FigureSix.correct(NODES, random);
            for (int liar = 0; liar < FAULTS; liar++) {
                nodes.set(liar, WatchedNode.faulty(0.01, liar == 0 ? 0.5 : 0, 0));
            }
            WatchedGroup group = new WatchedGroup(nodes, FAULTS, 0.002, 0.2, random.nextLong());
            List<Integer> named = List.of();
            for (int window = 0; window < 500; window++) {
                named = group.window();
                assertThat(named).as("-Dbulwark.seed=%s", SEED).isSubsetOf(0);
            }
            assertThat(named).as("-Dbulwark.seed=%s", SEED).containsExactly(0);
        }
    }

    /** Static and dynamic quorums are over with the sixth fault; what is removed leaves room for others. */
    @Test
    void reconfigurableQuorumsOutliveElevenFaults() {
        List<FigureSix.Row> rows = FigureSix.run(11, SEED);
        FigureSix.Row last = rows.getLast();
        assertThat(last.injected()).as("-Dbulwark.seed=%s: %s", SEED, rows).isEqualTo(11);
        assertThat(last.removed()).isEqualTo(11);
        assertThat(last.n()).isEqualTo(FigureSix.NODES - 11);
        assertThat(last.b()).isEqualTo(1);
        assertThat(last.isStaticOver()).isTrue();
        assertThat(rows).allMatch(row -> row.b() <= FigureSix.MOST_FAULTS && row.n() >= 4 * row.b() + 1);
    }

    @Test
    void detectionIsSlowerWithConcurrentWritesAndNeverFails() {
        List<FigureSix.Detection> found = FigureSix.detections(List.of(0.3, 0.6), List.of(0.0, 0.3, 0.6), 40, SEED);
        assertThat(found).as("-Dbulwark.seed=%s", SEED).allMatch(each -> each.missed() == 0);
        for (int share = 0; share < 2; share++) {
            assertThat(found.get(3 * share + 2).meanWindows())
                    .as("-Dbulwark.seed=%s: %s", SEED, found)
                    .isGreaterThan(found.get(3 * share).meanWindows());
        }
    }
}
