package io.bulwark.protocol.ordering.replica;

import static io.bulwark.protocol.ordering.replica.ClusterAssertions.finish;
import static io.bulwark.protocol.ordering.replica.ForgedDisk.KEY_MILLIS;
import static io.bulwark.protocol.ordering.replica.ForgedDisk.NEVER;
import static io.bulwark.protocol.ordering.replica.ForgedDisk.asking;
import static io.bulwark.protocol.ordering.replica.ForgedDisk.isIn;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.ordering.driver.LogRecord;
import io.bulwark.protocol.ordering.driver.StartReason;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Checkpoint;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Executed;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepare;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RecoveryReply;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Status;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.Phase;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests a NEW-VIEW of the disk that does not contradict the result of the recovery request: the others report whether
 * its view had begun before (4.4). K = 8, L = 16; before a recovery at least 20 numbers are executed and the low water
 * mark is 16.
 */
@NullMarked
class ForgedNewViewTest {
    /**
     * The others order the request in the earlier view and continue there. They answer after they have asked for the
     * view of the forged NEW-VIEW. That view begins at a later checkpoint; everything below it is decided, and nobody
     * votes there.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aForgedNewViewDoesNotStandForTheOneThatTheOthersAskForMeanwhile(int faulty) {
        ForgedDisk disk = new ForgedDisk(faulty);
        TestCluster cluster = disk.cluster;
        int last = disk.last();
        boolean[] isHeld = {true};
        boolean[] isBehind = {true};
        cluster.wire = (from, to, message) -> {
            boolean isLate = isHeld[0] && message instanceof RecoveryReply;
            boolean isLost = isBehind[0]
                    && to == last
                    && ((message instanceof Checkpoint checkpoint && checkpoint.sequence() > 40)
                            || (message instanceof Executed executed
                                    && executed.first() + executed.digests().size() > 41));
            return isLate || isLost ? List.of() : List.of(message);
        };
        disk.recoverWith(asking(1, 16, List.of()), disk.begun(1, 16, NEVER, 0));
        cluster.run(500);
        disk.submit(40);
        cluster.run(500);
        assertThat(cluster.replica(0).view()).isZero();
        assertThat(cluster.replica(0).lowWaterMark()).isGreaterThanOrEqualTo(56);
        cluster.replica(0).handOver(cluster.nowMillis);
        cluster.run(500);
        assertThat(cluster.replica(0).view()).isEqualTo(1);
        assertThat(cluster.replica(0).isActive()).isTrue();
        isHeld[0] = false;
        cluster.run(2 * KEY_MILLIS);
        disk.votes.clear();
        long number = cluster.replica(last).lowWaterMark() + 3;
        cluster.send(1, last, new PrePrepare(1, number, Batch.NULL));
        cluster.run(100);
        assertThat(disk.votes).noneMatch(vote -> vote.view() == 1 && vote.sequence() == number);
        isBehind[0] = false;
        cluster.run(3 * KEY_MILLIS);
        disk.assertRecovered();
        finish(cluster, 3_000);
        disk.assertAllWorks();
    }

    /** The others have begun to ask for it when they are heard. */
    @Test
    void aViewThatTheOthersOnlyAskForHasNotBegun() {
        ForgedDisk disk = new ForgedDisk(1);
        TestCluster cluster = disk.cluster;
        boolean[] isOpen = {true};
        cluster.wire = (from, to, message) ->
                isOpen[0] && message instanceof ReplicaMessage.ViewChangeAck ? List.of() : List.of(message);
        cluster.crash(3);
        LogRecord forged = disk.begun(1, 16, NEVER, 0);
        cluster.nodes.get(3).disk.addAll(List.of(asking(1, 16, List.of()), forged));
        cluster.replica(0).handOver(cluster.nowMillis);
        cluster.run(50);
        assertThat(cluster.replica(1).view()).isEqualTo(1);
        assertThat(cluster.replica(1).isActive()).isFalse();
        cluster.start(3, StartReason.RECOVERING);
        cluster.run(400);
        assertThat(cluster.replica(3).isActive()).as(cluster::toString).isFalse();
        isOpen[0] = false;
        cluster.run(5_000);
        disk.assertRecovered();
        assertThat(cluster.nodes.get(3).disk).doesNotContain(forged);
        disk.assertAllWorks();
    }

    /** Two have it after each other; f at most have it at any time, and with the disk f are faulty. */
    @Test
    void whatWasSaidOfTheViewUnderOldKeysDoesNotCount() {
        ForgedDisk disk = new ForgedDisk(2);
        TestCluster cluster = disk.cluster;
        int[] liar = {1};
        boolean[] isSlow = {true};
        cluster.wire = (from, to, message) -> {
            if (to == 6 && message instanceof Status status && isSlow[0]) {
                return from == liar[0] ? List.of(isIn(1, status)) : List.of();
            }
            return List.of(message);
        };
        LogRecord forged = disk.begun(1, 16, NEVER, 0);
        disk.recoverWith(asking(1, 16, List.of()), forged);
        cluster.run(900);
        cluster.replica(6).onKeyChange(1);
        liar[0] = 2;
        cluster.run(900);
        assertThat(disk.phase()).isEqualTo(Phase.ESTIMATING);
        isSlow[0] = false;
        cluster.run(5_000);
        disk.assertRecovered();
        assertThat(cluster.nodes.get(6).disk).doesNotContain(forged);
        disk.assertAllWorks();
    }

    /** The view that it asks for is forged, too, and it returns to that of the others. */
    @Test
    void whoReturnsToTheViewOfAForgedNewViewDoesNotEnterItByThat() {
        ForgedDisk disk = new ForgedDisk(1);
        TestCluster cluster = disk.cluster;
        disk.changeView();
        LogRecord forged = disk.begun(1, 16, NEVER, 0);
        disk.recoverWith(asking(4, 16, List.of()), forged);
        cluster.run(KEY_MILLIS);
        assertThat(cluster.nodes.get(3).disk).contains(forged);
        cluster.run(KEY_MILLIS + 2_000);
        disk.assertRecovered();
        assertThat(cluster.replica(3).view()).isEqualTo(1);
        assertThat(cluster.replica(3).isActive()).isTrue();
        assertThat(cluster.nodes.get(3).disk).doesNotContain(forged);
        disk.assertAllWorks();
    }

    /** With f others dead. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void whoFindsATrueNewViewKeepsItOnceFOthersHaveSaidThatItsViewHasBegun(int faulty) {
        ForgedDisk disk = new ForgedDisk(faulty);
        TestCluster cluster = disk.cluster;
        disk.changeView();
        for (int dead = 2; dead < 2 + faulty; dead++) {
            cluster.crash(dead);
        }
        disk.recoverWith();
        cluster.run(5_000);
        disk.assertRecovered();
        assertThat(cluster.replica(disk.last()).view()).isEqualTo(1);
        assertThat(cluster.replica(disk.last()).isActive()).isTrue();
        disk.submit(20);
        finish(cluster, 5_000);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aCorrectReplicaGoesOnInItsViewThoughFOthersSayThatTheyAreBehind(int faulty) {
        ForgedDisk disk = new ForgedDisk(faulty);
        TestCluster cluster = disk.cluster;
        disk.changeView();
        cluster.wire = (from, to, message) -> from < 2 || from >= 2 + faulty
                ? List.of(message)
                : switch (message) {
                    case RecoveryReply reply ->
                        List.of(new RecoveryReply(reply.call(), reply.accepted(), reply.sequence(), 0));
                    case ReplicaMessage.Status status -> List.of(isIn(0, status));
                    default -> List.of(message);
                };
        disk.recoverWith();
        cluster.run(5_000);
        disk.assertRecovered();
        disk.assertAllWorks();
        for (TestCluster.Node node : cluster.nodes) {
            assertThat(node.up().view()).isEqualTo(1);
            assertThat(node.up().isActive()).isTrue();
        }
    }
}
