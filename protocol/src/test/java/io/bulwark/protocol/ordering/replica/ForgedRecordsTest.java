package io.bulwark.protocol.ordering.replica;

import static io.bulwark.protocol.ordering.replica.ClusterAssertions.allEqual;
import static io.bulwark.protocol.ordering.replica.ClusterAssertions.finish;
import static io.bulwark.protocol.ordering.replica.ForgedDisk.KEY_MILLIS;
import static io.bulwark.protocol.ordering.replica.ForgedDisk.L;
import static io.bulwark.protocol.ordering.replica.ForgedDisk.NEVER;
import static io.bulwark.protocol.ordering.replica.ForgedDisk.asking;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.ordering.driver.LogRecord;
import io.bulwark.protocol.ordering.driver.ReplicaEffect;
import io.bulwark.protocol.ordering.driver.StartReason;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.NewView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RecoveryReply;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Support;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.Phase;
import io.bulwark.protocol.ordering.recovery.ReplicaRecovery;
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
    private final List<ReplicaMessage> said = new ArrayList<>();

    /** A starved replica asks for a view, alone; the primary of that lies to it. */
    @Test
    void aNewViewThatIsNoneBringsALoneReplicaNoFurther() {
        ForgedDisk disk = new ForgedDisk(1);
        TestCluster cluster = disk.cluster;
        disk.changeView();
        cluster.wire = (from, to, message) -> {
            boolean starves = message instanceof ReplicaMessage.Executed || message instanceof ReplicaMessage.Commit;
            return to == 0 && (starves || message instanceof NewView) ? List.of() : List.of(message);
        };
        disk.submit(1);
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
        disk.assertAllWorks();
    }

    /** The keys change every T_k, which invalidates the answers of the others. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aForgedViewIsGivenUpThoughTheKeysChangeMeanwhile(int faulty) {
        ForgedDisk disk = new ForgedDisk(faulty);
        TestCluster cluster = disk.cluster;
        disk.recoverWith(asking(1_000_000, 16, List.of()));
        cluster.run(KEY_MILLIS);
        disk.changeKeys();
        cluster.run(KEY_MILLIS + 1_500);
        disk.assertRecovered();
        assertThat(cluster.replica(disk.last()).view()).isZero();
        disk.assertAllWorks();
    }

    /** Otherwise the others would remember the view for longer than the return to their view takes. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void nothingIsSaidOfAForgedView(int faulty) {
        ForgedDisk disk = new ForgedDisk(faulty);
        TestCluster cluster = disk.cluster;
        disk.changeView();
        int last = disk.last();
        long low = cluster.replica(0).lowWaterMark();
        disk.believe(4);
        disk.recoverWith(asking(4, low, List.of()), disk.begun(4, low + L, Batch.NULL_DIGEST));
        while (disk.phase() != Phase.REACHING) {
            cluster.run(1);
            assertThat(cluster.nowMillis).isLessThan(20_000);
        }
        TestCluster.Wire lying = cluster.wire;
        cluster.wire = (from, to, message) -> {
            if (from == last
                    && (message instanceof ReplicaMessage.ViewChange
                            || message instanceof ReplicaMessage.Phase
                            || message instanceof NewView)) {
                said.add(message);
            }
            return lying.carry(from, to, message);
        };
        cluster.run(2 * KEY_MILLIS - 500);
        assertThat(disk.phase()).isEqualTo(Phase.REACHING);
        assertThat(cluster.replica(last).view()).isEqualTo(4);
        assertThat(cluster.replica(last).isActive()).isTrue();
        assertThat(said).isEmpty();
        cluster.run(1_500);
        disk.assertRecovered();
        assertThat(cluster.replica(last).view()).isEqualTo(1);
        disk.assertAllWorks();
        assertThat(said).isNotEmpty().allMatch(message -> viewOf(message) == 1);
    }

    private static long viewOf(ReplicaMessage message) {
        return switch (message) {
            case ReplicaMessage.Phase vote -> vote.view();
            case ReplicaMessage.ViewChange change -> change.view();
            default -> ((NewView) message).view();
        };
    }

    /** Its promises concern numbers up to there. */
    @Test
    void aForgedViewIsKeptUntilThePointIsStable() {
        ForgedDisk disk = new ForgedDisk(1);
        TestCluster cluster = disk.cluster;
        boolean[] isSlow = {true};
        cluster.wire = (from, to, message) ->
                isSlow[0] && to == 3 && message instanceof ReplicaMessage.Checkpoint ? List.of() : List.of(message);
        disk.recoverWith(asking(9, 16, List.of()));
        cluster.run(2 * KEY_MILLIS + 1_000);
        assertThat(cluster.replica(3).view()).isEqualTo(9);
        isSlow[0] = false;
        cluster.run(2_000);
        disk.assertRecovered();
        assertThat(cluster.replica(3).view()).isZero();
        disk.assertAllWorks();
    }

    /** Its NEW-VIEW chooses numbers above the point, too. */
    @Test
    void whoReturnsToTheFirstViewHasNoProposalsOfTheForgedOne() {
        ForgedDisk disk = new ForgedDisk(1);
        TestCluster cluster = disk.cluster;
        disk.believe(4);
        disk.recoverWith(asking(4, 16, List.of()), disk.begun(4, 0, Batch.NULL_DIGEST, 3 * L));
        cluster.run(KEY_MILLIS);
        assertThat(cluster.replica(3).view()).isEqualTo(4);
        assertThat(cluster.replica(3).isActive()).isTrue();
        cluster.run(KEY_MILLIS + 3_000);
        disk.assertRecovered();
        assertThat(cluster.replica(3).view()).isZero();
        disk.submit(20);
        finish(cluster, 3_000);
        allEqual(cluster);
    }

    @Test
    void aViewThatNoneComesAfterIsGivenUp() {
        ForgedDisk disk = new ForgedDisk(1);
        TestCluster cluster = disk.cluster;
        disk.recoverWith(asking(Long.MAX_VALUE, 16, List.of()), disk.begun(Long.MAX_VALUE, 80, Batch.NULL_DIGEST));
        cluster.run(2 * KEY_MILLIS + 3_000);
        disk.assertRecovered();
        assertThat(cluster.replica(3).view()).isZero();
        disk.assertAllWorks();
    }

    /** 2f others are behind, f of them may lie, and f that are not behind are slow. */
    @PlantedBug(
            in = ReplicaRecovery.class,
            rule = "2f + 1 answers are needed to keep a view",
            replace = "if (replies.isJudged(views.unilateralView())) {",
            with = "if (replies.isJudged(0)) {")
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aViewIsNotForgedBefore2fPlus1OthersAreBehind(int faulty) {
        ForgedDisk disk = new ForgedDisk(faulty);
        TestCluster cluster = disk.cluster;
        boolean[] isSlow = {true};
        cluster.wire = (from, to, message) ->
                isSlow[0] && from < faulty && message instanceof RecoveryReply ? List.of() : List.of(message);
        disk.recoverWith(asking(9, 16, List.of()));
        cluster.run(2 * KEY_MILLIS + 1_000);
        assertThat(disk.phase()).isEqualTo(Phase.REQUESTING);
        isSlow[0] = false;
        cluster.run(2 * KEY_MILLIS + 2_000);
        disk.assertRecovered();
        assertThat(cluster.replica(disk.last()).view()).isZero();
    }

    /** The earlier answers of the others are outdated. */
    @Test
    void whoHasComeToALaterViewWithOthersInThisLifeStays() {
        ForgedDisk disk = new ForgedDisk(1);
        TestCluster cluster = disk.cluster;
        boolean[] isSlow = {true};
        cluster.wire = (from, to, message) -> {
            if (message instanceof RecoveryReply reply) {
                return isSlow[0]
                        ? List.of()
                        : List.of(new RecoveryReply(reply.call(), reply.accepted(), reply.sequence(), 0));
            }
            return List.of(message);
        };
        disk.recoverWith(asking(2, 16, List.of()));
        cluster.run(200);
        for (int primary = 0; primary < 3; primary++) {
            cluster.replica(primary).handOver(cluster.nowMillis);
            cluster.run(500);
        }
        assertThat(cluster.replica(3).view()).as(cluster::toString).isEqualTo(3);
        assertThat(disk.phase()).isEqualTo(Phase.REQUESTING);
        isSlow[0] = false;
        for (int i = 0; i < 500; i++) {
            cluster.run(10);
            assertThat(cluster.replica(3).view()).isGreaterThanOrEqualTo(3);
        }
        disk.assertRecovered();
        disk.assertAllWorks();
    }

    /** With its own disk f are faulty. */
    @Test
    void aLiarDoesNotMakeAForgedViewOneOfTheOthers() {
        ForgedDisk disk = new ForgedDisk(2);
        TestCluster cluster = disk.cluster;
        cluster.wire = (from, to, message) -> from == 2 && message instanceof RecoveryReply reply
                ? List.of(new RecoveryReply(reply.call(), reply.accepted(), reply.sequence(), 999_999))
                : List.of(message);
        disk.recoverWith(asking(1_000_000, 16, List.of()));
        cluster.run(2 * KEY_MILLIS + 2_000);
        disk.assertRecovered();
        assertThat(cluster.replica(6).view()).isZero();
        disk.assertAllWorks();
    }

    @Test
    void votesInAViewThatTheDiskHasNotComeToAreNoneBeforeTheEstimateEither() {
        ForgedDisk disk = new ForgedDisk(1);
        TestCluster cluster = disk.cluster;
        cluster.wire =
                (from, to, message) -> message instanceof ReplicaMessage.ReplyStable ? List.of() : List.of(message);
        disk.recoverWith(new LogRecord.Prepare(7, 30, NEVER), new LogRecord.Commit(7, 30, NEVER));
        cluster.run(50);
        cluster.replica(0).handOver(cluster.nowMillis);
        cluster.run(1_000);
        cluster.wire = (from, to, message) -> List.of(message);
        cluster.run(3_000);
        disk.assertRecovered();
        disk.assertAllWorks();
    }

    /** Nor does it wait with queries for what is not to be had. */
    @Test
    void recordsAboveTheHighWaterMarkAreNone() {
        for (LogRecord far : List.of(
                new LogRecord.Prepare(0, 1_000, NEVER),
                new LogRecord.Commit(0, 1_000, NEVER),
                new LogRecord.Learned(1_000, NEVER))) {
            ForgedDisk disk = new ForgedDisk(1);
            TestCluster cluster = disk.cluster;
            disk.recoverWith(far);
            cluster.run(3_000);
            disk.assertRecovered();
            cluster.replica(3).onQuery(PrincipalId.client(9), 1, Bytes.EMPTY);
            assertThat(cluster.replica(3).drain(cluster.nowMillis)).noneMatch(ReplicaEffect.Refuse.class::isInstance);
            disk.assertAllWorks();
        }
    }

    @Test
    void aWaterMarkThatIsNoCheckpointMakesAForgedLog() {
        for (long mark : List.of(17L, Long.MAX_VALUE - 7, Long.MAX_VALUE)) {
            ForgedDisk disk = new ForgedDisk(1);
            TestCluster cluster = disk.cluster;
            disk.recoverWith(new LogRecord.Stable(mark, NEVER));
            cluster.run(1);
            assertThat(cluster.nodes.get(3).isLogForged).isTrue();
            cluster.crash(3);
            cluster.nodes.get(3).forget();
            cluster.start(3, StartReason.FORGOTTEN);
            cluster.run(2 * KEY_MILLIS + 2_000);
            disk.assertRecovered();
            disk.assertAllWorks();
        }
    }

    /** Otherwise it would wait until the others reach that mark. */
    @Test
    void aWaterMarkThatNobodyHasComeToMakesAForgedLogThoughTheDiskSaysThatItIsForgotten() {
        ForgedDisk disk = new ForgedDisk(1);
        TestCluster cluster = disk.cluster;
        disk.recoverWith(new LogRecord.Stable(8_000, NEVER), new LogRecord.Recovery(true, true, 0));
        cluster.run(500);
        assertThat(cluster.nodes.get(3).isLogForged).as(cluster::toString).isTrue();
        cluster.crash(3);
        cluster.nodes.get(3).forget();
        cluster.start(3, StartReason.FORGOTTEN);
        cluster.run(2 * KEY_MILLIS + 2_000);
        disk.assertRecovered();
        disk.assertAllWorks();
    }

    /** Otherwise it would not vote below that floor, in this life or any later one. */
    @Test
    void aFloorAboveTheLogIsNone() {
        ForgedDisk disk = new ForgedDisk(1);
        TestCluster cluster = disk.cluster;
        disk.recoverWith(new LogRecord.Recovery(false, false, 1_000_000));
        cluster.run(3_000);
        disk.assertRecovered();
        cluster.crash(2);
        disk.submit(3);
        finish(cluster, 5_000);
    }

    @Test
    void noViewChangeAsksForTheFirstView() {
        for (long view : List.of(0L, -5L)) {
            ForgedDisk disk = new ForgedDisk(1);
            TestCluster cluster = disk.cluster;
            disk.recoverWith(asking(view, 16, List.of()));
            cluster.run(3_000);
            disk.assertRecovered();
            assertThat(cluster.replica(3).isActive()).isTrue();
            disk.assertAllWorks();
        }
    }
}
