package io.bulwark.protocol.ordering.replica;

import static io.bulwark.protocol.ordering.replica.ClusterAssertions.allEqual;
import static io.bulwark.protocol.ordering.replica.ClusterAssertions.finish;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.ordering.driver.LogRecord;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.driver.StartReason;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.recovery.RecoveryReport;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.KnownRecovery;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.OwnRecovery;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.Phase;
import io.bulwark.protocol.ordering.recovery.ReplicaRecovery;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Recoveries of replicas (4.4; docs/ordering). K = 8, L = 16. */
@NullMarked
class RecoveryTest {
    private static final long WATCHDOG_MILLIS = 20_000;
    private static final long KEY_MILLIS = 1_000;
    private static final long SLOW_MILLIS = 5_000;
    private int numbers;

    private static ReplicaConfig settings(ReplicaConfig config) {
        return config.withLog(8, 16)
                .withRecoveries(new ReplicaConfig.Recoveries(WATCHDOG_MILLIS, KEY_MILLIS, SLOW_MILLIS));
    }

    private void submit(TestCluster cluster, int count) {
        for (int i = 0; i < count; i++) {
            cluster.submit(i % 3, numbers, TestCluster.operation(numbers++));
            cluster.run(10);
        }
    }

    /**
     * Brings the group to a checkpoint. A replica that stops now lacks nothing after its restart: its state is checked
     * in place, and not fetched.
     */
    private void comeToACheckpoint(TestCluster cluster) {
        while (cluster.replica(1).executed() % 8 != 0) {
            submit(cluster, 1);
            finish(cluster, 2_000);
        }
        cluster.run(100);
    }

    private static void recover(TestCluster cluster, int replica) {
        cluster.replica(replica).handOver(cluster.nowMillis);
        cluster.run(100);
        cluster.crash(replica);
        cluster.start(replica, StartReason.RECOVERING);
    }

    private static RecoveryReport report(TestCluster cluster, int replica) {
        return cluster.replica(replica).recoveries(cluster.nowMillis);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void eachReplicaRecoversInTurnWithoutAnyOtherWork(int faulty) {
        TestCluster cluster = new TestCluster(faulty, 1, RecoveryTest::settings);
        submit(cluster, 20);
        finish(cluster, 2_000);
        for (int replica = 0; replica <= 3 * faulty; replica++) {
            comeToACheckpoint(cluster);
            recover(cluster, replica);
            cluster.run(2_000);
            RecoveryReport report = report(cluster, replica);
            assertThat(report.phase()).as(cluster::toString).isEqualTo(Phase.NONE);
            OwnRecovery own = report.own();
            assertThat(own.startedMillis()).isPositive();
            assertThat(own.estimatedMillis()).isGreaterThanOrEqualTo(own.startedMillis());
            assertThat(own.answeredMillis()).isGreaterThanOrEqualTo(own.estimatedMillis());
            assertThat(own.checkedMillis()).isGreaterThanOrEqualTo(own.answeredMillis());
            assertThat(own.recoveredMillis()).isGreaterThanOrEqualTo(own.checkedMillis());
            assertThat(own.checkedPages()).isEqualTo(1);
            assertThat(cluster.replica(replica).lowWaterMark()).isGreaterThanOrEqualTo(own.point());
            for (TestCluster.Node node : cluster.nodes) {
                if (node.self != replica) {
                    assertThat(node.dropped).endsWith(replica);
                    assertThat(peer(cluster, node.self, replica).open()).isFalse();
                }
            }
        }
        submit(cluster, 20);
        finish(cluster, 2_000);
        allEqual(cluster);
    }

    /** Its directory is an older copy: here the oldest that there is, an empty one. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void whoseDirectoryIsOlderThanItsRecoveryForgetsAndRecovers(int faulty) {
        TestCluster cluster = new TestCluster(faulty, 21, RecoveryTest::settings);
        submit(cluster, 20);
        finish(cluster, 2_000);
        comeToACheckpoint(cluster);
        recover(cluster, 3);
        cluster.run(2_000);
        assertThat(report(cluster, 3).phase()).isEqualTo(Phase.NONE);
        cluster.crash(3);
        cluster.start(3);
        submit(cluster, 20);
        cluster.run(3_000);
        assertThat(cluster.nodes.get(3).isLogForged).as("its own directory").isFalse();
        cluster.replace(3, cluster.nodes.get(3).term);
        cluster.run(3_000);
        TestCluster.Node node = cluster.nodes.get(3);
        assertThat(node.isLogForged).as(cluster::toString).isTrue();
        cluster.run(WATCHDOG_MILLIS / 2);
        cluster.crash(3);
        node.forget();
        cluster.start(3, StartReason.FORGOTTEN);
        cluster.run(2 * KEY_MILLIS + 5_000);
        assertThat(report(cluster, 3).phase()).as(cluster::toString).isEqualTo(Phase.NONE);
        submit(cluster, 20);
        finish(cluster, 2_000);
        allEqual(cluster);
    }

    /** Nobody else asks for anything, so no request's timer runs. */
    @Test
    void aPrimaryThatFillsNoNumbersThatARecoveryWaitsForIsReplaced() {
        TestCluster cluster = new TestCluster(1, 13, RecoveryTest::settings);
        submit(cluster, 20);
        finish(cluster, 2_000);
        cluster.wire = (from, to, message) -> from == 0
                        && message instanceof ReplicaMessage.PrePrepare pre
                        && pre.batch().requests().isEmpty()
                ? List.of()
                : List.of(message);
        recover(cluster, 3);
        cluster.run(15_000);
        assertThat(cluster.replica(1).view()).as(cluster::toString).isEqualTo(1);
        assertThat(report(cluster, 3).phase()).as(cluster::toString).isEqualTo(Phase.NONE);
        allEqual(cluster);
    }

    @PlantedBug(
            in = ReplicaRecovery.class,
            rule = "answers under old keys do not count for a recovery",
            replace = "replies.forget(peer);",
            with = "{}")
    @Test
    void whatWasAnsweredUnderOldKeysIsNoAnswer() {
        TestCluster cluster = new TestCluster(1, 14, RecoveryTest::settings);
        submit(cluster, 20);
        finish(cluster, 2_000);
        Set<Integer> answering = new HashSet<>(Set.of(0));
        cluster.wire =
                (from, to, message) -> message instanceof ReplicaMessage.RecoveryReply && !answering.contains(from)
                        ? List.of()
                        : List.of(message);
        recover(cluster, 3);
        cluster.run(1_000);
        answering.remove(0);
        cluster.run(100);
        cluster.replica(3).onKeyChange(0);
        answering.add(1);
        cluster.run(1_000);
        assertThat(report(cluster, 3).phase()).as(cluster::toString).isEqualTo(Phase.REQUESTING);
        answering.add(2);
        cluster.run(2_000);
        assertThat(report(cluster, 3).phase()).as(cluster::toString).isEqualTo(Phase.NONE);
    }

    private static KnownRecovery peer(TestCluster cluster, int at, int replica) {
        return report(cluster, at).known().stream()
                .filter(each -> each.replica() == replica)
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void withFOthersDeadARecoveryEnds(int faulty) {
        TestCluster cluster = new TestCluster(faulty, 2, RecoveryTest::settings);
        submit(cluster, 20);
        finish(cluster, 2_000);
        for (int i = 0; i < faulty; i++) {
            cluster.crash(3 * faulty - i);
        }
        recover(cluster, 1);
        submit(cluster, 5);
        cluster.run(5_000);
        assertThat(report(cluster, 1).phase()).as(cluster::toString).isEqualTo(Phase.NONE);
        finish(cluster, 2_000);
    }

    /** It does not execute the recovery request: the others have discarded it. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void whoFetchesAStateThatReflectsARecoveryDropsTheKeys(int faulty) {
        TestCluster cluster = new TestCluster(faulty, 15, RecoveryTest::settings);
        submit(cluster, 20);
        finish(cluster, 2_000);
        int away = 3 * faulty;
        cluster.crash(away);
        recover(cluster, 1);
        cluster.run(2_000);
        assertThat(report(cluster, 1).phase()).as(cluster::toString).isEqualTo(Phase.NONE);
        submit(cluster, 40);
        finish(cluster, 2_000);
        cluster.start(away);
        assertThat(cluster.replica(away).executed())
                .isLessThan(report(cluster, 1).own().point());
        assertThat(cluster.replica(0).lowWaterMark())
                .isGreaterThan(report(cluster, 1).own().point());
        cluster.run(2_000);
        assertThat(cluster.nodes.get(away).dropped).as(cluster::toString).containsExactly(1);
        allEqual(cluster);
    }

    @PlantedBug(
            in = ReplicaRecovery.class,
            rule = "a recovery ends after the state is checked",
            replace = "if (stable && checked && !forgedView",
            with = "if (stable && !forgedView")
    @Test
    void aCheckOfWhatTheOthersHaveDiscardedBeginsAnewWithWhatTheyHave() {
        TestCluster cluster = new TestCluster(1, 1, RecoveryTest::settings);
        submit(cluster, 20);
        finish(cluster, 2_000);
        cluster.goneChecks = 1;
        comeToACheckpoint(cluster);
        recover(cluster, 0);
        for (int i = 0; i < 100 && cluster.goneChecks > 0; i++) {
            cluster.run(20);
        }
        assertThat(cluster.goneChecks).as(cluster::toString).isZero();
        assertThat(report(cluster, 0).phase()).as("nothing is right yet").isNotEqualTo(Phase.NONE);
        submit(cluster, 20);
        cluster.run(2 * KEY_MILLIS);
        assertThat(report(cluster, 0).phase()).as(cluster::toString).isEqualTo(Phase.NONE);
        assertThat(cluster.nodes.get(0).application.checkpoints())
                .as("nothing is kept for the check")
                .hasSizeLessThan(4);
        finish(cluster, 2_000);
        allEqual(cluster);
    }

    @Test
    void nothingWithANumberLeavesBeforeTheEstimateAndNothingAboveItBeforeItIsStable() {
        TestCluster cluster = new TestCluster(1, 3, RecoveryTest::settings);
        submit(cluster, 20);
        finish(cluster, 2_000);
        cluster.crash(2);
        List<ReplicaMessage> said = new ArrayList<>();
        boolean[] isCut = {true};
        long[] unstableFrom = {Long.MAX_VALUE};
        cluster.wire = (from, to, message) -> {
            if (from == 2) {
                said.add(message);
            }
            boolean unstable =
                    message instanceof ReplicaMessage.Checkpoint checkpoint && checkpoint.sequence() >= unstableFrom[0];
            boolean cut = isCut[0] && to == 2 && message instanceof ReplicaMessage.ReplyStable;
            return unstable || cut ? List.of() : List.of(message);
        };
        cluster.start(2, StartReason.RECOVERING);
        submit(cluster, 30);
        finish(cluster, 2_000);
        assertThat(report(cluster, 2).phase()).isEqualTo(Phase.ESTIMATING);
        assertThat(said).hasAtLeastOneElementOfType(ReplicaMessage.QueryStable.class);
        assertThat(said)
                .noneMatch(message -> message instanceof ReplicaMessage.Phase
                        || message instanceof ReplicaMessage.Checkpoint
                        || message instanceof ReplicaMessage.ViewChange
                        || message instanceof ReplicaMessage.Executed);
        long executed = cluster.replica(0).executed();
        unstableFrom[0] = executed / 8 * 8 + 16; // H_M
        isCut[0] = false;
        cluster.run(300);
        long estimate = report(cluster, 2).own().estimate();
        assertThat(estimate).isEqualTo(unstableFrom[0]);
        // It catches up while null batches fill the numbers up to H_M. Then the clients send more requests.
        cluster.run(3_000);
        submit(cluster, 6);
        cluster.run(300);
        assertThat(cluster.replica(0).executed()).isGreaterThan(estimate);
        assertThat(numbersOf(said)).isNotEmpty().allMatch(number -> number <= estimate);
        unstableFrom[0] = Long.MAX_VALUE;
        finish(cluster, 5_000);
        cluster.run(2_000);
        submit(cluster, 30);
        finish(cluster, 2_000);
        assertThat(numbersOf(said)).anyMatch(number -> number > estimate);
        assertThat(report(cluster, 2).phase()).as(cluster::toString).isEqualTo(Phase.NONE);
        allEqual(cluster);
    }

    private static List<Long> numbersOf(List<ReplicaMessage> said) {
        List<Long> numbers = new ArrayList<>();
        for (ReplicaMessage message : said) {
            switch (message) {
                case ReplicaMessage.Phase phase -> numbers.add(phase.sequence());
                case ReplicaMessage.Checkpoint checkpoint -> numbers.add(checkpoint.sequence());
                default -> {}
            }
        }
        return numbers;
    }

    @Test
    void aSecondRecoveryWithinHalfAPeriodIsPutOff() {
        TestCluster cluster = new TestCluster(1, 4, RecoveryTest::settings);
        submit(cluster, 5);
        recover(cluster, 1);
        cluster.run(2_000);
        assertThat(report(cluster, 1).phase()).isEqualTo(Phase.NONE);
        recover(cluster, 1);
        cluster.run(2_000);
        assertThat(report(cluster, 1).phase()).isEqualTo(Phase.REFUSED);
        assertThat(cluster.nodes.getFirst().dropped).containsExactly(1);
        submit(cluster, 30);
        finish(cluster, 2_000);
        cluster.run(WATCHDOG_MILLIS / 2);
        submit(cluster, 1);
        cluster.run(3_000);
        assertThat(report(cluster, 1).phase()).as(cluster::toString).isEqualTo(Phase.NONE);
        assertThat(cluster.nodes.getFirst().dropped).containsExactly(1, 1);
        allEqual(cluster);
    }

    @Test
    void aRecoveryThatACrashInterruptsGoesOn() {
        TestCluster cluster = new TestCluster(1, 5, RecoveryTest::settings);
        submit(cluster, 20);
        finish(cluster, 2_000);
        cluster.wire = (from, to, message) ->
                to == 3 && message instanceof ReplicaMessage.Checkpoint ? List.of() : List.of(message);
        recover(cluster, 3);
        cluster.run(1_000);
        assertThat(report(cluster, 3).phase()).isEqualTo(Phase.REACHING);
        cluster.crash(3);
        cluster.wire = (from, to, message) -> List.of(message);
        cluster.start(3);
        cluster.run(100);
        assertThat(report(cluster, 3).phase()).isNotEqualTo(Phase.NONE);
        cluster.run(WATCHDOG_MILLIS);
        submit(cluster, 1);
        cluster.run(3_000);
        assertThat(report(cluster, 3).phase()).as(cluster::toString).isEqualTo(Phase.NONE);
        cluster.crash(3);
        cluster.start(3);
        cluster.run(100);
        assertThat(report(cluster, 3).phase()).isEqualTo(Phase.NONE);
        allEqual(cluster);
    }

    @Test
    void theOthersSeeARecoveryThatTakesTooLong() {
        TestCluster cluster = new TestCluster(1, 6, RecoveryTest::settings);
        submit(cluster, 20);
        finish(cluster, 2_000);
        cluster.wire = (from, to, message) ->
                message instanceof ReplicaMessage.Checkpoint && (to + from) % 2 == 1 ? List.of() : List.of(message);
        recover(cluster, 3);
        cluster.run(SLOW_MILLIS / 2);
        assertThat(peer(cluster, 0, 3).open()).isTrue();
        assertThat(peer(cluster, 0, 3).slow()).isFalse();
        cluster.run(SLOW_MILLIS);
        assertThat(peer(cluster, 0, 3).slow()).isTrue();
        cluster.wire = (from, to, message) -> List.of(message);
        cluster.run(3_000);
        KnownRecovery over = peer(cluster, 0, 3);
        assertThat(over.open()).as(cluster::toString).isFalse();
        assertThat(over.slow()).as("any more").isFalse();
        assertThat(over.openMillis()).isGreaterThan(SLOW_MILLIS);
        cluster.run(1_000);
        assertThat(peer(cluster, 0, 3)).as("it stays what it was").isEqualTo(over);
    }

    @PlantedBug(
            in = ReplicaRecovery.class,
            rule = "nothing below the floor is sent during a recovery",
            replace = "return sequence > log.floor() &&",
            with = "return")
    @Test
    void aReplicaThatHasForgottenSaysNothingUpToItsPointAndThenTakesPart() {
        TestCluster cluster = new TestCluster(1, 7, RecoveryTest::settings);
        submit(cluster, 50);
        finish(cluster, 2_000);
        long stable = cluster.replica(0).lowWaterMark();
        boolean[] isStuck = {true};
        List<ReplicaMessage> said = new ArrayList<>();
        cluster.wire = (from, to, message) -> {
            if (from == 2) {
                said.add(message);
            }
            return isStuck[0]
                            && message instanceof ReplicaMessage.Checkpoint checkpoint
                            && checkpoint.sequence() > stable
                    ? List.of()
                    : List.of(message);
        };
        cluster.crash(2);
        cluster.nodes.get(2).forget();
        cluster.start(2, StartReason.FORGOTTEN);
        submit(cluster, 3);
        cluster.run(2 * KEY_MILLIS + 2_000);
        RecoveryReport report = report(cluster, 2);
        assertThat(report.phase()).as(cluster::toString).isEqualTo(Phase.REACHING);
        assertThat(report.own().point()).isEqualTo(stable + 16);
        assertThat(numbersOf(said)).isEmpty();
        isStuck[0] = false;
        submit(cluster, 50);
        finish(cluster, 5_000);
        cluster.run(2_000);
        assertThat(report(cluster, 2).phase()).as(cluster::toString).isEqualTo(Phase.NONE);
        submit(cluster, 30);
        finish(cluster, 2_000);
        assertThat(numbersOf(said)).isNotEmpty().allMatch(number -> number > stable + 16);
        allEqual(cluster);
    }

    @Test
    void whoeverHasForgottenStaysSoOverACrash() {
        TestCluster cluster = new TestCluster(1, 8, RecoveryTest::settings);
        submit(cluster, 50);
        finish(cluster, 2_000);
        cluster.crash(2);
        cluster.nodes.get(2).forget();
        cluster.start(2, StartReason.FORGOTTEN);
        cluster.run(100);
        cluster.crash(2);
        cluster.start(2);
        assertThat(report(cluster, 2).forgotten()).isTrue();
        cluster.run(WATCHDOG_MILLIS);
        submit(cluster, 1);
        cluster.run(3_000);
        assertThat(report(cluster, 2).phase()).as(cluster::toString).isEqualTo(Phase.NONE);
        allEqual(cluster);
    }

    @Test
    void moreThanFThatHaveForgottenStopTheGroup() {
        TestCluster cluster = new TestCluster(1, 9, RecoveryTest::settings);
        submit(cluster, 20);
        finish(cluster, 2_000);
        for (int replica : List.of(1, 2)) {
            cluster.crash(replica);
            cluster.nodes.get(replica).forget();
            cluster.start(replica, StartReason.FORGOTTEN);
        }
        submit(cluster, 1);
        cluster.run(10_000);
        assertThat(report(cluster, 1).phase()).isEqualTo(Phase.ESTIMATING);
        assertThat(cluster.calls.getLast().done()).isFalse();
    }

    @Test
    void aLogThatNobodyCanHaveIsGivenUp() {
        TestCluster cluster = new TestCluster(1, 10, RecoveryTest::settings);
        submit(cluster, 20);
        finish(cluster, 2_000);
        cluster.crash(2);
        cluster.nodes.get(2).disk.add(new LogRecord.Stable(8_000, Batch.NULL_DIGEST));
        cluster.start(2, StartReason.RECOVERING);
        cluster.run(1_000);
        assertThat(cluster.nodes.get(2).isLogForged).isTrue();
        cluster.crash(2);
        cluster.nodes.get(2).forget();
        cluster.start(2, StartReason.FORGOTTEN);
        cluster.run(2 * KEY_MILLIS + 2_000);
        assertThat(report(cluster, 2).phase()).as(cluster::toString).isEqualTo(Phase.NONE);
        submit(cluster, 20);
        finish(cluster, 2_000);
        allEqual(cluster);
    }

    @Test
    void aForgedStateIsReplaced() {
        TestCluster cluster = new TestCluster(1, 11, RecoveryTest::settings);
        submit(cluster, 20);
        finish(cluster, 2_000);
        cluster.crash(2);
        TestCluster.Node forged = cluster.nodes.get(2);
        forged.isRotten = true;
        forged.application.corrupt();
        forged.application.checkpoint(8_000, Bytes.EMPTY);
        forged.application.makeDurable(8_000);
        cluster.start(2, StartReason.RECOVERING);
        cluster.run(5_000);
        submit(cluster, 20);
        finish(cluster, 2_000);
        cluster.run(5_000);
        assertThat(report(cluster, 2).phase()).as(cluster::toString).isEqualTo(Phase.NONE);
        allEqual(cluster);
    }

    @Test
    void aForgedViewIsGivenUpAfterTwoKeyPeriods() {
        TestCluster cluster = new TestCluster(1, 12, RecoveryTest::settings);
        submit(cluster, 20);
        finish(cluster, 2_000);
        cluster.crash(2);
        cluster.nodes
                .get(2)
                .disk
                .add(new LogRecord.ViewChange(new ReplicaMessage.ViewChange(
                        9, 0, List.of(new Numbered(0, Batch.NULL_DIGEST)), List.of(), List.of())));
        cluster.start(2, StartReason.RECOVERING);
        cluster.run(KEY_MILLIS);
        assertThat(cluster.replica(2).view()).isEqualTo(9);
        cluster.run(2 * KEY_MILLIS + 2_000);
        assertThat(report(cluster, 2).phase()).as(cluster::toString).isEqualTo(Phase.NONE);
        assertThat(cluster.replica(2).view()).isEqualTo(cluster.replica(0).view());
        assertThat(cluster.replica(2).isActive()).isTrue();
        submit(cluster, 20);
        finish(cluster, 2_000);
        allEqual(cluster);
    }
}
