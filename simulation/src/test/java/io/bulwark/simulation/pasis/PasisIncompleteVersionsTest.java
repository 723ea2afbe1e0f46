package io.bulwark.simulation.pasis;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.pasis.PasisBackground;
import io.bulwark.protocol.pasis.PasisLimits;
import io.bulwark.protocol.pasis.ValidatingTimestamp;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests the handling of incomplete or poisonous versions when nobody writes the block again: b = 1, m = 2, N = 5. */
@NullMarked
class PasisIncompleteVersionsTest {
    private static final int FAULTY = 20;
    private static final int[] ALL = {0, 1, 2, 3, 4};
    private static final PasisLimits LIMITS =
            new PasisLimits(20, 64, 1 << 20, 1 << 22, true, 200, 2, 64, 256, 10_000, 200, 1_000);

    private final PasisCluster cluster = new PasisCluster(1, 2, 5, Verification.LAZY, LIMITS);

    private void poison(long time, int... slots) {
        List<Bytes> mixed = cluster.mixed(0);
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

    private void leaveUndone(long time) {
        List<Bytes> fragments = cluster.fragments(0);
        ValidatingTimestamp version = ValidatingTimestamp.of(time, PrincipalId.client(FAULTY), fragments);
        cluster.send(FAULTY, 0, version, fragments, 0, 1, 2);
    }

    @Test
    void aWriteThatWasLeftUndoneIsRepairedByTheSecondVerification() {
        leaveUndone(1);
        cluster.verify(0, 1);
        assertThat(cluster.held(3, 0)).isZero();
        cluster.verifyAgain(0, 1);
        cluster.simulation.runFor(1_000);
        assertThat(cluster.held(3, 0)).isEqualTo(1);
        assertThat(cluster.counters(1).possibleVersions()).isZero();
    }

    @Test
    void whereSeveralWaitForOneVerificationItRepairsIfAnyOfThemWantsThat() {
        leaveUndone(1);
        cluster.ask(1, 0);
        cluster.onDemand = true;
        BlockId block = cluster.group(0).block();
        cluster.together(
                1,
                new PasisBackground.Verify(block, false),
                new PasisBackground.Verify(block, true),
                cluster.question(1, 0));
        assertThat(cluster.counters(1).verifications()).isEqualTo(2);
        assertThat(cluster.counters(1).onDemand()).isEqualTo(1);
        cluster.simulation.runFor(1_000);
        assertThat(cluster.held(3, 0)).isEqualTo(1);
    }

    @Test
    void aVersionThatIsVerifiedAlreadyKeepsNoOtherFromBeingVerifiedAtWriteTime() {
        PasisCluster writeTime = new PasisCluster(1, 2, 5, Verification.WRITE_TIME, LIMITS);
        // Peers wait for the first version, which never reaches them. The others arrive meanwhile, the last one at all
        // nodes.
        for (long time : List.of(7L, 9L, 8L)) {
            List<Bytes> fragments = writeTime.fragments(0);
            ValidatingTimestamp version = ValidatingTimestamp.of(time, PrincipalId.client(FAULTY), fragments);
            writeTime.sendOff(FAULTY, 0, version, fragments, time == 8 ? ALL : new int[] {1});
            writeTime.simulation.runFor(30);
        }
        writeTime.simulation.runFor(1_000);
        assertThat(writeTime.held(1, 0)).as("8 is verified, 9 is not").isEqualTo(2);
        assertThat(writeTime.counters(1).verifications()).isEqualTo(2);
    }

    @Test
    void whatCannotBeVerifiedIsVerifiedForReadersLessAndLessOften() {
        cluster.onDemand = true;
        leaveUndone(1);
        for (int i = 0; i < 100; i++) {
            cluster.ask(1, 0);
        }
        assertThat(cluster.counters(1).onDemand())
                .as("now, and after 1, 2 and 4 seconds")
                .isBetween(3L, 5L);
        leaveUndone(2);
        long before = cluster.counters(1).onDemand();
        cluster.ask(1, 0);
        assertThat(cluster.counters(1).onDemand()).as("it was written since").isEqualTo(before + 1);
    }

    @Test
    void whatIsWrittenDuringAVerificationIsVerifiedBeforeTheNextRead() {
        cluster.onDemand = true;
        leaveUndone(1);
        // Too few are left for a verification to end before its time is up.
        cluster.simulation.crash(PrincipalId.node(3));
        cluster.simulation.crash(PrincipalId.node(4));
        cluster.ask(1, 0);
        leaveUndone(2);
        cluster.simulation.runFor(600);
        assertThat(cluster.counters(1).onDemand()).isEqualTo(1);
        cluster.ask(1, 0);
        assertThat(cluster.counters(1).onDemand()).isEqualTo(2);
    }
}
