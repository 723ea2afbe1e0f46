package io.bulwark.protocol.ordering.replica;

import static io.bulwark.protocol.ordering.replica.ClusterAssertions.allEqual;
import static io.bulwark.protocol.ordering.replica.ClusterAssertions.finish;
import static io.bulwark.protocol.ordering.replica.ForgedDisk.L;
import static io.bulwark.protocol.ordering.replica.ForgedDisk.NEVER;
import static io.bulwark.protocol.ordering.replica.ForgedDisk.asking;
import static io.bulwark.protocol.ordering.replica.ForgedDisk.assertRecovered;
import static io.bulwark.protocol.ordering.replica.ForgedDisk.begun;
import static io.bulwark.protocol.ordering.replica.ForgedDisk.changeKeys;
import static io.bulwark.protocol.ordering.replica.ForgedDisk.changeView;
import static io.bulwark.protocol.ordering.replica.ForgedDisk.last;
import static io.bulwark.protocol.ordering.replica.ForgedDisk.phase;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.NewView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RecoveryReply;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Support;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.Phase;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Views that no correct replica can be in, and other records that none can have written: a recovery ends with each of them
 * (4.4). K = 8, L = 16; before a recovery 20 numbers or some more are executed and the low water mark is 16.
 */
@NullMarked
class ForgedRecordsTest {
    private static final long KEY_MILLIS = 1_000;
    private int numbers;
    private final List<ReplicaMessage> said = new ArrayList<>();

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

    private void assertAllWorks(TestCluster cluster) {
        submit(cluster, 20);
        finish(cluster, 3_000);
        // Who had a forged disk may have accused others.
        cluster.nodes.getLast().evidence.clear();
        allEqual(cluster);
    }

    /** A starved replica asks for a view, alone; the primary of that lies to it. */
    @Test
    void aNewViewThatIsNoneBringsALoneReplicaNoFurther() {
        TestCluster cluster = cluster(1);
        changeView(cluster);
        cluster.wire = (from, to, message) -> {
            boolean starves = message instanceof ReplicaMessage.Executed || message instanceof ReplicaMessage.Commit;
            return to == 0 && (starves || message instanceof NewView) ? List.of() : List.of(message);
        };
        submit(cluster, 1);
        while (cluster.replica(0).view() == 1) {
            cluster.run(10);
            assertThat(cluster.nowMillis).isLessThan(20_000);
        }
        cluster.run(20);
        List<Numbered> chosen = new ArrayList<>();
        for (long number = 17; number <= 32; number++) {
            chosen.add(new Numbered(number, Batch.NULL_DIGEST));
        }
        List<Support> support = List.of(new Support(0, NEVER), new Support(1, NEVER), new Support(2, NEVER));
        cluster.send(2, 0, new NewView(2, support, new Numbered(16, NEVER), chosen));
        cluster.run(200);
        assertThat(cluster.nodes.get(0).evidence).isNotEmpty();
        assertThat(cluster.replica(1).view()).isEqualTo(1);
        assertThat(cluster.replica(0).view()).isEqualTo(2);
        // Once the others ask for it, too, it waits no longer for that primary.
        cluster.wire = (from, to, message) -> to == 0 && message instanceof NewView ? List.of() : List.of(message);
        cluster.replica(1).handOver(cluster.nowMillis);
        cluster.run(50);
        assertThat(cluster.replica(0).view()).as(cluster::toString).isEqualTo(3);
        cluster.nodes.get(0).evidence.clear();
        cluster.wire = (from, to, message) -> List.of(message);
        assertAllWorks(cluster);
    }

    /** Keys change every T_k, and with them goes what the others have answered. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aForgedViewIsGivenUpThoughTheKeysChangeMeanwhile(int faulty) {
        TestCluster cluster = cluster(faulty);
        recoverWith(cluster, asking(1_000_000, 16, List.of()));
        cluster.run(KEY_MILLIS);
        changeKeys(cluster);
        cluster.run(KEY_MILLIS + 1_500);
        assertRecovered(cluster);
        assertThat(cluster.replica(last(cluster)).view()).isZero();
        assertAllWorks(cluster);
    }

    /** Else the others keep it longer than it takes to return to their view. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void nothingIsSaidOfAForgedView(int faulty) {
        TestCluster cluster = cluster(faulty);
        changeView(cluster);
        int last = last(cluster);
        long low = cluster.replica(0).lowWaterMark();
        recoverWith(cluster, asking(4, low, List.of()), begun(cluster, 4, low + L, Batch.NULL_DIGEST));
        while (phase(cluster) != Phase.REACHING) {
            cluster.run(1);
            assertThat(cluster.nowMillis).isLessThan(20_000);
        }
        cluster.wire = (from, to, message) -> {
            if (from == last
                    && (message instanceof ReplicaMessage.ViewChange
                            || message instanceof ReplicaMessage.Phase
                            || message instanceof NewView)) {
                said.add(message);
            }
            return List.of(message);
        };
        cluster.run(2 * KEY_MILLIS - 500);
        assertThat(phase(cluster)).isEqualTo(Phase.REACHING);
        assertThat(said).isEmpty();
        cluster.run(1_500);
        assertRecovered(cluster);
        assertThat(cluster.replica(last).view()).isEqualTo(1);
        assertAllWorks(cluster);
        assertThat(said).isNotEmpty().allMatch(message -> viewOf(message) == 1);
    }

    private static long viewOf(ReplicaMessage message) {
        return switch (message) {
            case ReplicaMessage.Phase vote -> vote.view();
            case ReplicaMessage.ViewChange change -> change.view();
            default -> ((NewView) message).view();
        };
    }

    /** What it has promised is in numbers up to there. */
    @Test
    void aForgedViewIsKeptUntilThePointIsStable() {
        TestCluster cluster = cluster(1);
        boolean[] isSlow = {true};
        cluster.wire = (from, to, message) ->
                isSlow[0] && to == 3 && message instanceof ReplicaMessage.Checkpoint ? List.of() : List.of(message);
        recoverWith(cluster, asking(9, 16, List.of()));
        cluster.run(2 * KEY_MILLIS + 1_000);
        assertThat(cluster.replica(3).view()).isEqualTo(9);
        isSlow[0] = false;
        cluster.run(2_000);
        assertRecovered(cluster);
        assertThat(cluster.replica(3).view()).isZero();
        assertAllWorks(cluster);
    }

    /** 2f others are behind, f of them may lie, and f that are not behind are slow. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aViewIsNotForgedBefore2fPlus1OthersAreBehind(int faulty) {
        TestCluster cluster = cluster(faulty);
        boolean[] isSlow = {true};
        cluster.wire = (from, to, message) ->
                isSlow[0] && from < faulty && message instanceof RecoveryReply ? List.of() : List.of(message);
        recoverWith(cluster, asking(9, 16, List.of()));
        cluster.run(2 * KEY_MILLIS + 1_000);
        assertThat(phase(cluster)).isEqualTo(Phase.REQUESTING);
        isSlow[0] = false;
        cluster.run(2 * KEY_MILLIS + 2_000);
        assertRecovered(cluster);
        assertThat(cluster.replica(last(cluster)).view()).isZero();
    }

    /** What the others have answered before is no longer so. */
    @Test
    void whoHasComeToALaterViewWithOthersInThisLifeStays() {
        TestCluster cluster = cluster(1);
        boolean[] isSlow = {true};
        cluster.wire = (from, to, message) -> {
            if (message instanceof RecoveryReply reply) {
                return isSlow[0]
                        ? List.of()
                        : List.of(new RecoveryReply(reply.call(), reply.accepted(), reply.sequence(), 0));
            }
            return List.of(message);
        };
        recoverWith(cluster, asking(2, 16, List.of()));
        cluster.run(200);
        for (int primary = 0; primary < 3; primary++) {
            cluster.replica(primary).handOver(cluster.nowMillis);
            cluster.run(500);
        }
        assertThat(cluster.replica(3).view()).as(cluster::toString).isEqualTo(3);
        assertThat(phase(cluster)).isEqualTo(Phase.REQUESTING);
        isSlow[0] = false;
        for (int i = 0; i < 500; i++) {
            cluster.run(10);
            assertThat(cluster.replica(3).view()).isGreaterThanOrEqualTo(3);
        }
        assertRecovered(cluster);
        assertAllWorks(cluster);
    }

    /** With its own disk f are faulty. */
    @Test
    void aLiarDoesNotMakeAForgedViewOneOfTheOthers() {
        TestCluster cluster = cluster(2);
        cluster.wire = (from, to, message) -> from == 2 && message instanceof RecoveryReply reply
                ? List.of(new RecoveryReply(reply.call(), reply.accepted(), reply.sequence(), 999_999))
                : List.of(message);
        recoverWith(cluster, asking(1_000_000, 16, List.of()));
        cluster.run(2 * KEY_MILLIS + 2_000);
        assertRecovered(cluster);
        assertThat(cluster.replica(6).view()).isZero();
        assertAllWorks(cluster);
    }

    @Test
    void votesInAViewThatTheDiskHasNotComeToAreNoneBeforeTheEstimateEither() {
        TestCluster cluster = cluster(1);
        cluster.wire =
                (from, to, message) -> message instanceof ReplicaMessage.ReplyStable ? List.of() : List.of(message);
        recoverWith(cluster, new LogRecord.Prepare(7, 30, NEVER), new LogRecord.Commit(7, 30, NEVER));
        cluster.run(50);
        cluster.replica(0).handOver(cluster.nowMillis);
        cluster.run(1_000);
        cluster.wire = (from, to, message) -> List.of(message);
        cluster.run(3_000);
        assertRecovered(cluster);
        assertAllWorks(cluster);
    }

    /** Nor does it wait with queries for what is not to be had. */
    @Test
    void recordsAboveTheHighWaterMarkAreNone() {
        for (LogRecord far : List.of(
                new LogRecord.Prepare(0, 1_000, NEVER),
                new LogRecord.Commit(0, 1_000, NEVER),
                new LogRecord.Learned(1_000, NEVER))) {
            TestCluster cluster = cluster(1);
            recoverWith(cluster, far);
            cluster.run(3_000);
            assertRecovered(cluster);
            cluster.replica(3).onQuery(PrincipalId.client(9), 1, Bytes.EMPTY);
            assertThat(cluster.replica(3).drain(cluster.nowMillis)).noneMatch(ReplicaEffect.Refuse.class::isInstance);
            assertAllWorks(cluster);
        }
    }

    @Test
    void aWaterMarkThatIsNoCheckpointMakesAForgedLog() {
        for (long mark : List.of(17L, Long.MAX_VALUE - 7, Long.MAX_VALUE)) {
            TestCluster cluster = cluster(1);
            recoverWith(cluster, new LogRecord.Stable(mark, NEVER));
            cluster.run(1);
            assertThat(cluster.nodes.get(3).isLogForged).isTrue();
            cluster.crash(3);
            cluster.nodes.get(3).forget();
            cluster.start(3, Start.FORGOTTEN);
            cluster.run(2 * KEY_MILLIS + 2_000);
            assertRecovered(cluster);
            assertAllWorks(cluster);
        }
    }

    /** Else it votes on nothing below that, in this life and all others. */
    @Test
    void aFloorAboveTheLogIsNone() {
        TestCluster cluster = cluster(1);
        recoverWith(cluster, new LogRecord.Recovery(false, false, 1_000_000));
        cluster.run(3_000);
        assertRecovered(cluster);
        cluster.crash(2);
        submit(cluster, 3);
        finish(cluster, 5_000);
    }

    @Test
    void noViewChangeAsksForTheFirstView() {
        for (long view : List.of(0L, -5L)) {
            TestCluster cluster = cluster(1);
            recoverWith(cluster, asking(view, 16, List.of()));
            cluster.run(3_000);
            assertRecovered(cluster);
            assertThat(cluster.replica(3).isActive()).isTrue();
            assertAllWorks(cluster);
        }
    }
}
