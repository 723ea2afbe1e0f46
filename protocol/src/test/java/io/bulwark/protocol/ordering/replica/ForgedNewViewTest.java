package io.bulwark.protocol.ordering.replica;

import static io.bulwark.protocol.ordering.replica.ClusterAssertions.allEqual;
import static io.bulwark.protocol.ordering.replica.ClusterAssertions.finish;
import static io.bulwark.protocol.ordering.replica.ForgedDisk.L;
import static io.bulwark.protocol.ordering.replica.ForgedDisk.NEVER;
import static io.bulwark.protocol.ordering.replica.ForgedDisk.asking;
import static io.bulwark.protocol.ordering.replica.ForgedDisk.assertRecovered;
import static io.bulwark.protocol.ordering.replica.ForgedDisk.begun;
import static io.bulwark.protocol.ordering.replica.ForgedDisk.changeView;
import static io.bulwark.protocol.ordering.replica.ForgedDisk.isIn;
import static io.bulwark.protocol.ordering.replica.ForgedDisk.last;
import static io.bulwark.protocol.ordering.replica.ForgedDisk.phase;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Checkpoint;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Executed;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepare;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RecoveryReply;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Status;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.Phase;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A NEW-VIEW of the disk that does not contradict what becomes of the recovery request: whether its view had begun before that the others
 * say (4.4). K = 8, L = 16; before a recovery 20 numbers or some more are executed and the low water mark is 16.
 */
@NullMarked
class ForgedNewViewTest {
    private static final long KEY_MILLIS = 1_000;
    private int numbers;
    private final List<ReplicaMessage.Phase> votes = new ArrayList<>();

    private TestCluster cluster(int faulty) {
        TestCluster cluster = new TestCluster(
                faulty,
                3,
                config -> config.withLog(8, L).withRecoveries(new ReplicaConfig.Recoveries(20_000, KEY_MILLIS, 5_000)));
        submit(cluster, 20);
        finish(cluster, 2_000);
        cluster.run(100);
        assertThat(cluster.replica(0).lowWaterMark()).isEqualTo(16);
        return cluster;
    }

    private void submit(TestCluster cluster, int count) {
        for (int i = 0; i < count; i++) {
            cluster.submit(i % 3, numbers, TestCluster.operation(numbers++));
            cluster.run(10);
        }
    }

    /** The last replica starts again with this on its disk, and recovers. */
    private static void recoverWith(TestCluster cluster, LogRecord... left) {
        cluster.crash(last(cluster));
        cluster.nodes.get(last(cluster)).disk.addAll(List.of(left));
        cluster.start(last(cluster), Start.RECOVERING);
    }

    private static boolean isBeyond(ReplicaMessage message, long number) {
        return switch (message) {
            case Checkpoint checkpoint -> checkpoint.sequence() > number;
            case Executed executed -> executed.first() + executed.digests().size() - 1 > number;
            default -> false;
        };
    }

    /**
     * The others order the request in the view before, go on there, and answer once they have asked for the view of the forged NEW-VIEW. That view
     * begins at a later checkpoint: below it all is decided, and nobody votes.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aForgedNewViewDoesNotStandForTheOneThatTheOthersAskForMeanwhile(int faulty) {
        TestCluster cluster = cluster(faulty);
        int last = last(cluster);
        boolean[] isHeld = {true};
        boolean[] isBehind = {true};
        cluster.wire = (from, to, message) -> {
            if (from == last && message instanceof ReplicaMessage.Phase vote) {
                votes.add(vote);
            }
            boolean isLate = isHeld[0] && message instanceof RecoveryReply;
            boolean isLost = isBehind[0] && to == last && isBeyond(message, 40);
            return isLate || isLost ? List.of() : List.of(message);
        };
        recoverWith(cluster, asking(1, 16, List.of()), begun(cluster, 1, 16, NEVER, 0));
        cluster.run(500);
        submit(cluster, 40);
        cluster.run(500);
        assertThat(cluster.replica(0).view()).isZero();
        assertThat(cluster.replica(0).lowWaterMark()).isGreaterThanOrEqualTo(56);
        cluster.replica(0).handOver(cluster.nowMillis);
        cluster.run(500);
        assertThat(cluster.replica(0).view()).isEqualTo(1);
        assertThat(cluster.replica(0).isActive()).isTrue();
        isHeld[0] = false;
        cluster.run(2 * KEY_MILLIS);
        votes.clear();
        long number = cluster.replica(last).lowWaterMark() + 3;
        cluster.send(1, last, new PrePrepare(1, number, Batch.NULL));
        cluster.run(100);
        assertThat(votes).noneMatch(vote -> vote.view() == 1 && vote.sequence() == number);
        isBehind[0] = false;
        cluster.run(3 * KEY_MILLIS);
        assertRecovered(cluster);
        finish(cluster, 3_000);
        assertAllWorks(cluster);
    }

    /** The others have begun to ask for it when they are heard. */
    @Test
    void aViewThatTheOthersOnlyAskForHasNotBegun() {
        TestCluster cluster = cluster(1);
        boolean[] isOpen = {true};
        cluster.wire = (from, to, message) ->
                isOpen[0] && message instanceof ReplicaMessage.ViewChangeAck ? List.of() : List.of(message);
        cluster.crash(3);
        LogRecord forged = begun(cluster, 1, 16, NEVER, 0);
        cluster.nodes.get(3).disk.addAll(List.of(asking(1, 16, List.of()), forged));
        cluster.replica(0).handOver(cluster.nowMillis);
        cluster.run(50);
        assertThat(cluster.replica(1).view()).isEqualTo(1);
        assertThat(cluster.replica(1).isActive()).isFalse();
        cluster.start(3, Start.RECOVERING);
        cluster.run(400);
        assertThat(cluster.replica(3).isActive()).as(cluster::toString).isFalse();
        isOpen[0] = false;
        cluster.run(5_000);
        assertRecovered(cluster);
        assertThat(cluster.nodes.get(3).disk).doesNotContain(forged);
        assertAllWorks(cluster);
    }

    /** Two have it after each other; f at most have it at any time, and with the disk f are faulty. */
    @Test
    void whatWasSaidOfTheViewUnderOldKeysDoesNotCount() {
        TestCluster cluster = cluster(2);
        int[] liar = {1};
        boolean[] isSlow = {true};
        cluster.wire = (from, to, message) -> {
            if (to == 6 && message instanceof Status status && isSlow[0]) {
                return from == liar[0] ? List.of(isIn(1, status)) : List.of();
            }
            return List.of(message);
        };
        LogRecord forged = begun(cluster, 1, 16, NEVER, 0);
        recoverWith(cluster, asking(1, 16, List.of()), forged);
        cluster.run(900);
        cluster.replica(6).onKeyChange(1);
        liar[0] = 2;
        cluster.run(900);
        assertThat(phase(cluster)).isEqualTo(Phase.ESTIMATING);
        isSlow[0] = false;
        cluster.run(5_000);
        assertRecovered(cluster);
        assertThat(cluster.nodes.get(6).disk).doesNotContain(forged);
        assertAllWorks(cluster);
    }

    /** The view that it asks for is forged, too, and it returns to that of the others. */
    @Test
    void whoReturnsToTheViewOfAForgedNewViewDoesNotEnterItByThat() {
        TestCluster cluster = cluster(1);
        changeView(cluster);
        LogRecord forged = begun(cluster, 1, 16, NEVER, 0);
        recoverWith(cluster, asking(4, 16, List.of()), forged);
        cluster.run(KEY_MILLIS);
        assertThat(cluster.nodes.get(3).disk).contains(forged);
        cluster.run(KEY_MILLIS + 2_000);
        assertRecovered(cluster);
        assertThat(cluster.replica(3).view()).isEqualTo(1);
        assertThat(cluster.replica(3).isActive()).isTrue();
        assertThat(cluster.nodes.get(3).disk).doesNotContain(forged);
        assertAllWorks(cluster);
    }

    /** With f others dead. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void whoFindsATrueNewViewKeepsItOnceFOthersHaveSaidThatItsViewHasBegun(int faulty) {
        TestCluster cluster = cluster(faulty);
        changeView(cluster);
        for (int dead = 2; dead < 2 + faulty; dead++) {
            cluster.crash(dead);
        }
        recoverWith(cluster);
        cluster.run(5_000);
        assertRecovered(cluster);
        assertThat(cluster.replica(last(cluster)).view()).isEqualTo(1);
        assertThat(cluster.replica(last(cluster)).isActive()).isTrue();
        submit(cluster, 20);
        finish(cluster, 5_000);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aCorrectReplicaGoesOnInItsViewThoughFOthersSayThatTheyAreBehind(int faulty) {
        TestCluster cluster = cluster(faulty);
        changeView(cluster);
        cluster.wire = (from, to, message) -> from < 2 || from >= 2 + faulty
                ? List.of(message)
                : switch (message) {
                    case RecoveryReply reply ->
                        List.of(new RecoveryReply(reply.call(), reply.accepted(), reply.sequence(), 0));
                    case ReplicaMessage.Status status -> List.of(isIn(0, status));
                    default -> List.of(message);
                };
        recoverWith(cluster);
        cluster.run(5_000);
        assertRecovered(cluster);
        assertAllWorks(cluster);
        for (TestCluster.Node node : cluster.nodes) {
            assertThat(node.up().view()).isEqualTo(1);
            assertThat(node.up().isActive()).isTrue();
        }
    }

    private void assertAllWorks(TestCluster cluster) {
        submit(cluster, 20);
        finish(cluster, 3_000);
        // Who had a forged disk may have accused others.
        cluster.nodes.getLast().evidence.clear();
        allEqual(cluster);
    }
}
