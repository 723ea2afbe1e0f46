package io.bulwark.protocol.ordering.replica;

import static io.bulwark.protocol.ordering.replica.ClusterAssertions.allEqual;
import static io.bulwark.protocol.ordering.replica.ClusterAssertions.finish;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.ordering.CallRefusal;
import io.bulwark.protocol.ordering.driver.JournalApplication;
import io.bulwark.protocol.ordering.driver.LogRecord;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.driver.ReplicaEffect;
import io.bulwark.protocol.ordering.log.Slot;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Crashes, restarts, cuts and loss (4.5, 4.6; docs/ordering). */
@NullMarked
class FaultsTest {
    private int numbers;

    private static ReplicaConfig small(ReplicaConfig config) {
        return config.withLog(8, 16);
    }

    private void submit(TestCluster cluster, int count) {
        for (int i = 0; i < count; i++) {
            cluster.submit(i % 3, numbers, TestCluster.operation(numbers++));
            cluster.run(10);
        }
    }

    private static void cut(TestCluster cluster, int replica) {
        cluster.wire = (from, to, message) -> from == replica || to == replica ? List.of() : List.of(message);
    }

    private static void heal(TestCluster cluster) {
        cluster.wire = (from, to, message) -> List.of(message);
    }

    @Test
    void lostMessagesAreSentAgain() {
        TestCluster cluster = new TestCluster(1, 3, FaultsTest::small);
        cluster.loss = 0.2;
        submit(cluster, 40);
        finish(cluster, 60_000);
        cluster.loss = 0;
        allEqual(cluster);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void withFReplicasDeadTheOthersGoOn(int faulty) {
        TestCluster cluster = new TestCluster(faulty, 4, FaultsTest::small);
        for (int i = 0; i < faulty; i++) {
            cluster.crash(3 * faulty - i);
        }
        submit(cluster, 40);
        finish(cluster, 2_000);
        assertThat(cluster.replica(0).view()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aDeadPrimaryIsReplaced(int faulty) {
        TestCluster cluster = new TestCluster(faulty, 5, FaultsTest::small);
        submit(cluster, 10);
        finish(cluster, 1_000);
        for (int i = 0; i < faulty; i++) {
            cluster.crash(i);
        }
        submit(cluster, 40);
        finish(cluster, 30_000);
        assertThat(cluster.replica(faulty).view()).isEqualTo(faulty);
        for (int i = 0; i < faulty; i++) {
            cluster.start(i);
        }
        submit(cluster, 20);
        finish(cluster, 10_000);
        allEqual(cluster);
    }

    /** A slow primary delays nobody either: it proposes without a sync, and the others' votes suffice. */
    @ParameterizedTest
    @ValueSource(ints = {0, 3})
    void aSlowDiskDelaysNobodyElse(int slow) {
        TestCluster cluster = new TestCluster(1, 17, FaultsTest::small);
        cluster.nodes.get(slow).syncMillis = 1_500;
        for (int i = 0; i < 10; i++) {
            submit(cluster, 6);
            finish(cluster, slow == 0 ? 5_000 : 100);
        }
        cluster.nodes.get(slow).syncMillis = 0;
        cluster.run(3_000);
        cluster.crash(slow == 0 ? 3 : 0);
        submit(cluster, 5);
        finish(cluster, 30_000);
    }

    @Test
    void aBackupThatRestartsGoesOnFromItsDisk() {
        TestCluster cluster = new TestCluster(1, 6, FaultsTest::small);
        submit(cluster, 20);
        finish(cluster, 1_000);
        cluster.crash(2);
        submit(cluster, 3);
        cluster.start(2);
        submit(cluster, 20);
        finish(cluster, 5_000);
        allEqual(cluster);
        assertThat(cluster.replica(2).view()).isZero();
    }

    @Test
    void aBackupThatStoodStillBlamesNobodyForIt() {
        TestCluster cluster = new TestCluster(1, 8, FaultsTest::small);
        submit(cluster, 20);
        finish(cluster, 1_000);
        TestCluster.Node sleeper = cluster.nodes.get(3);
        // It has accepted what it will find unfinished when it wakes up.
        cluster.wire = (from, to, message) ->
                to == 3 && message instanceof ReplicaMessage.Commit ? List.of() : List.of(message);
        submit(cluster, 1);
        cluster.run(100);
        sleeper.isPaused = true;
        heal(cluster);
        submit(cluster, 3);
        finish(cluster, 1_000);
        cluster.run(60_000);
        sleeper.isPaused = false;
        allEqual(cluster);
        for (TestCluster.Node node : cluster.nodes) {
            assertThat(node.up().view()).isZero();
            assertThat(node.up().isActive()).isTrue();
        }
    }

    /** The replica promised with its VIEW-CHANGE to vote no more in the others' view, so these move to its view. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void whoSuspectedThePrimaryAloneVotesAgainAMinuteAfterTheViewBegan(int faulty) {
        TestCluster cluster = new TestCluster(faulty, 15, FaultsTest::small);
        int lone = 3 * faulty;
        for (int round = 0; round < 2; round++) {
            long beganMillis = cluster.nowMillis;
            submit(cluster, 3);
            finish(cluster, 1_000);
            cluster.wire = (from, to, message) -> to == lone
                            && !(message instanceof ReplicaMessage.PrePrepare
                                    || message instanceof ReplicaMessage.RequestEcho)
                    ? List.of()
                    : List.of(message);
            submit(cluster, 1);
            cluster.run(5_000);
            heal(cluster);
            submit(cluster, 3);
            finish(cluster, 1_000);
            cluster.run(beganMillis + 55_000 - cluster.nowMillis);
            assertThat(cluster.replica(lone).view()).isEqualTo(round + 1);
            assertThat(cluster.replica(lone).isActive()).isFalse();
            assertThat(cluster.replica(0).view())
                    .as("a liar could ask all the time")
                    .isEqualTo(round);
            cluster.run(7_000);
            for (TestCluster.Node node : cluster.nodes) {
                assertThat(node.up().view()).as(cluster::toString).isEqualTo(round + 1);
                assertThat(node.up().isActive()).isTrue();
            }
        }
        allEqual(cluster);
    }

    @Test
    void aPrimaryThatRestartsAsksForTheNextView() {
        TestCluster cluster = new TestCluster(1, 7, FaultsTest::small);
        submit(cluster, 20);
        finish(cluster, 1_000);
        cluster.crash(0);
        cluster.start(0);
        submit(cluster, 20);
        finish(cluster, 30_000);
        assertThat(cluster.replica(1).view()).isEqualTo(1);
        allEqual(cluster);
    }

    @Test
    void bodiesThatADiskHasLostComeFromTheOthers() {
        TestCluster cluster = new TestCluster(1, 14, config -> config.withLog(64, 128));
        submit(cluster, 20);
        finish(cluster, 1_000);
        for (int i = 0; i < 4; i++) {
            cluster.crash(i);
        }
        cluster.nodes.get(1).loseBodies();
        cluster.nodes.get(3).loseBodies();
        for (int i = 0; i < 4; i++) {
            cluster.start(i);
        }
        submit(cluster, 5);
        finish(cluster, 10_000);
        allEqual(cluster);
    }

    /**
     * Replica 2 alone prepared a request as number 1, and sent COMMIT to all; the next view is based on the others and
     * begins without it.
     */
    @PlantedBug(
            in = Slot.class,
            rule = "COMMITs of earlier views do not count",
            replace = "commits.clear();",
            with = "")
    @Test
    void aCommitOfTheViewBeforeIsNothingInTheNextOne() {
        TestCluster cluster = new TestCluster(1, 18, FaultsTest::small);
        List<ReplicaMessage.NewView> begun = new ArrayList<>();
        List<Bytes> committed = new ArrayList<>();
        cluster.wire = (from, to, message) -> {
            boolean isLost = false;
            switch (message) {
                case ReplicaMessage.Prepare prepare -> isLost = prepare.view() == 0 && to != 2;
                case ReplicaMessage.ViewChange _, ReplicaMessage.ForwardedViewChange _ ->
                    isLost = from == 2 && begun.isEmpty();
                case ReplicaMessage.NewView newView -> begun.add(newView);
                case ReplicaMessage.Commit commit when commit.view() == 0 -> committed.add(commit.digest());
                default -> {}
            }
            return isLost ? List.of() : List.of(message);
        };
        submit(cluster, 1);
        cluster.run(50);
        cluster.replica(0).handOver(cluster.nowMillis);
        cluster.run(1_000);
        assertThat(committed).hasSize(3).doesNotContain(Batch.NULL_DIGEST);
        assertThat(begun.getFirst().chosen().getFirst())
                .as(cluster::toString)
                .isEqualTo(new ReplicaMessage.Numbered(1, Batch.NULL_DIGEST));
        submit(cluster, 3);
        finish(cluster, 2_000);
        allEqual(cluster);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aPrimaryThatHandsOverIsFollowedAtOnce(int faulty) {
        TestCluster cluster = new TestCluster(faulty, 13, FaultsTest::small);
        submit(cluster, 20);
        finish(cluster, 1_000);
        cluster.replica(0).handOver(cluster.nowMillis);
        cluster.run(200);
        assertThat(cluster.nodes).allSatisfy(node -> {
            assertThat(node.up().view()).isEqualTo(1);
            assertThat(node.up().isActive()).isTrue();
        });
        submit(cluster, 20);
        finish(cluster, 200);
        allEqual(cluster);
    }

    @Test
    void nothingIsReadBeforeWhatTheDiskPromisesIsExecuted() {
        Request request = new Request(PrincipalId.client(1), 1, false, TestCluster.operation(1));
        Batch batch = new Batch(1, List.of(request.id()));
        List<LogRecord> disk = List.of(
                new LogRecord.Bodies(batch, List.of(request)),
                new LogRecord.Prepare(0, 1, batch.digest()),
                new LogRecord.Commit(0, 1, batch.digest()));
        JournalApplication application = new JournalApplication();
        Replica replica = new Replica(ReplicaConfig.of(2, 1), application, disk);
        replica.onQuery(request.client(), 5, Bytes.EMPTY);
        assertThat(replica.drain(0))
                .contains(new ReplicaEffect.Refuse(request.client(), 5, CallRefusal.NOT_READY))
                .noneMatch(ReplicaEffect.Reply.class::isInstance);
        for (int from : List.of(0, 1)) {
            replica.onMessage(0, from, new ReplicaMessage.Commit(0, 1, batch.digest()));
        }
        replica.onQuery(request.client(), 6, Bytes.EMPTY);
        assertThat(replica.drain(0)).contains(new ReplicaEffect.Refuse(request.client(), 6, CallRefusal.NOT_READY));
        replica.onQuery(request.client(), 7, Bytes.EMPTY);
        assertThat(replica.drain(0))
                .contains(new ReplicaEffect.Reply(
                        request.client(),
                        7,
                        TestCluster.operation(application.journal().size())));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void allReplicasKilledAtOnceComeBack(int faulty) {
        TestCluster cluster = new TestCluster(faulty, 8, FaultsTest::small);
        for (int round = 0; round < 5; round++) {
            submit(cluster, 13);
            for (int i = 0; i <= 3 * faulty; i++) {
                cluster.crash(i);
            }
            for (int i = 0; i <= 3 * faulty; i++) {
                cluster.start(i);
            }
        }
        finish(cluster, 60_000);
        allEqual(cluster);
    }

    @Test
    void aReplicaThatWasCutOffForLongFetchesTheState() {
        TestCluster cluster = new TestCluster(1, 9, FaultsTest::small);
        cut(cluster, 3);
        submit(cluster, 60);
        finish(cluster, 3_000);
        heal(cluster);
        cluster.run(5_000);
        assertThat(cluster.replica(3).executed()).as(cluster::toString).isGreaterThan(50);
        submit(cluster, 5);
        finish(cluster, 3_000);
        allEqual(cluster);
    }

    @Test
    void aReplicaWhoseLearningIsAllThatIsLeftExecutes() {
        TestCluster cluster = new TestCluster(1, 10, FaultsTest::small);
        cluster.wire = (from, to, message) ->
                to == 3 && (message instanceof ReplicaMessage.Phase) ? List.of() : List.of(message);
        submit(cluster, 5);
        finish(cluster, 2_000);
        cluster.run(2_000);
        assertThat(cluster.replica(3).executed()).isEqualTo(cluster.replica(0).executed());
        allEqual(cluster);
    }

    /** Its pages are all as they were written: whoever is right, they or it, an operator has to find out. */
    @Test
    void aReplicaWithAnotherStateThanTheOthersStopsAlone() {
        TestCluster cluster = new TestCluster(1, 11, FaultsTest::small);
        submit(cluster, 10);
        finish(cluster, 1_000);
        cluster.nodes.get(2).application.corrupt();
        cluster.nodes.get(2).isRotten = true;
        submit(cluster, 40);
        finish(cluster, 5_000);
        cluster.run(3_000);
        assertThat(cluster.nodes.get(2).stopped).contains("another state at checkpoint", "f+1 others have");
        submit(cluster, 5);
        finish(cluster, 5_000);
        assertThat(cluster.nodes).filteredOn(node -> node.stopped.isEmpty()).hasSize(3);
    }

    @Test
    void aKeyChangeInTheMiddleCostsOnlyTime() {
        TestCluster cluster = new TestCluster(1, 12, FaultsTest::small);
        for (int i = 0; i < 30; i++) {
            submit(cluster, 1);
            for (int replica = 0; replica < 4; replica++) {
                cluster.replica(replica).onKeyChange((replica + 1 + i % 3) % 4);
            }
        }
        finish(cluster, 20_000);
        allEqual(cluster);
    }
}
