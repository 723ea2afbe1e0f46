package io.bulwark.simulation.pasis;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.pasis.PasisLimits;
import io.bulwark.protocol.pasis.ValidatingTimestamp;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** What becomes of versions that are not complete, or poisonous, when nobody writes the block again: b = 1, m = 2, N = 5. */
@NullMarked
class PasisLeftoversTest {
    private static final int FAULTY = 20;
    private static final int[] ALL = {0, 1, 2, 3, 4};
    private static final PasisLimits LIMITS =
            new PasisLimits(20, 64, 1 << 20, 1 << 22, true, 200, 2, 64, 256, 10_000, 200, 1_000);

    private final PasisCluster cluster = new PasisCluster(1, 2, 5, Verification.LAZY, LIMITS);

    private List<Bytes> fragments() {
        return cluster.group(0).encode(cluster.group(0).padded(cluster.value()));
    }

    private void poison(long time, int... slots) {
        List<Bytes> mixed = new ArrayList<>(fragments());
        mixed.set(4, fragments().get(4));
        cluster.send(FAULTY, 0, ValidatingTimestamp.of(time, PrincipalId.client(FAULTY), mixed), mixed, slots);
    }

    @Test
    void allThatTheLeadersFindPoisonousIsDiscardedAtTheOthers() {
        cluster.write(1, 0);
        cluster.simulation.runFor(1_000);
        cluster.verify(0, ALL);
        for (int time = 2; time < 14; time++) {
            poison(time, ALL);
        }
        assertThat(cluster.held(3, 0)).isEqualTo(13);
        cluster.verify(0, 0, 1);
        for (int node : ALL) {
            assertThat(cluster.held(node, 0)).isEqualTo(1);
            assertThat(cluster.counters(node).poisonous()).isEqualTo(12);
        }
    }

    @Test
    void whatIsPoisonousAtTooFewNodesToBeCompleteIsDiscardedByTheSecondVerification() {
        cluster.write(1, 0);
        cluster.simulation.runFor(1_000);
        cluster.verify(0, ALL);
        poison(2, 2, 3, 4);
        cluster.verify(0, 2, 3, 4);
        assertThat(cluster.counters(3).possibleVersions())
                .as("its writer may be about to complete it")
                .isEqualTo(1);
        cluster.verifyAgain(0, 3);
        assertThat(cluster.held(3, 0)).isEqualTo(1);
        // With node 3's, its notice is the second that node 2 gets.
        cluster.verifyAgain(0, 4);
        for (int node : new int[] {2, 3, 4}) {
            assertThat(cluster.held(node, 0)).isEqualTo(1);
            assertThat(cluster.counters(node).poisonous()).isEqualTo(1);
        }
    }

    @Test
    void aWriteThatWasLeftUndoneIsRepairedByTheSecondVerification() {
        List<Bytes> fragments = fragments();
        ValidatingTimestamp version = ValidatingTimestamp.of(1, PrincipalId.client(FAULTY), fragments);
        cluster.send(FAULTY, 0, version, fragments, 0, 1, 2);
        cluster.verify(0, 1);
        assertThat(cluster.held(3, 0)).isZero();
        cluster.verifyAgain(0, 1);
        cluster.simulation.runFor(1_000);
        assertThat(cluster.held(3, 0)).isEqualTo(1);
        assertThat(cluster.counters(1).possibleVersions()).isZero();
    }
}
