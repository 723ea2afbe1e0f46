package io.bulwark.simulation.ordering;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.ordering.recovery.RecoveryReport;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.OwnRecovery;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.Phase;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests that a replica counts as cured only by a recovery that began after its lies. */
@NullMarked
class RecoveryPlanTest {
    private static final int REPLICAS = 4;
    private static final int STEPS = 20_000;
    private static final long WINDOW_MILLIS = 20;
    private static final RecoveryReport RECOVERED =
            new RecoveryReport(Phase.NONE, false, new OwnRecovery(1, 1, 1, 1, 1, 1, 1, 1, 0), List.of());

    @Test
    void aRecoveryThatBeganBeforeTheLiesCuresNobody() {
        for (long seed = 0; seed < 20; seed++) {
            Recoveries recoveries = new Recoveries(new Random(seed));
            RecoveryPlan plan =
                    new RecoveryPlan(recoveries, new Random(seed), REPLICAS, Set.of(0), 1, -1, true, WINDOW_MILLIS);
            for (int step = 0; step < STEPS; step++) {
                recoveries.now++;
                plan.step();
            }
            assertThat(recoveries.moves).as("seed %d", seed).isNotEmpty();
        }
    }

    /** Each recovery takes some random steps. */
    private static final class Recoveries implements RecoveryPlan.Host {
        private final Random random;
        private final Set<Integer> lying = new TreeSet<>(Set.of(0));
        private final List<Integer> moves = new ArrayList<>();
        private final long[] overMillis = new long[REPLICAS];
        private long now;

        Recoveries(Random random) {
            this.random = random;
        }

        @Override
        public @Nullable RecoveryReport report(int replica) {
            return overMillis[replica] == 0 || now < overMillis[replica] ? null : RECOVERED;
        }

        @Override
        public void recover(int replica, boolean handsOver) {
            overMillis[replica] = now + 1 + random.nextInt(100);
            lying.remove(replica);
        }

        @Override
        public void forget(int replica) {
            throw new AssertionError("nobody forgets here");
        }

        @Override
        public void move(int liar, int next) {
            assertThat(lying)
                    .as("those that still lie when the intruder has moved on")
                    .isEmpty();
            lying.add(next);
            moves.add(next);
        }

        @Override
        public long nowMillis() {
            return now;
        }
    }
}
