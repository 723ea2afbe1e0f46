package io.bulwark.protocol.ordering.replica;

import static io.bulwark.protocol.ordering.replica.ClusterAssertions.finish;
import static io.bulwark.protocol.ordering.replica.ForgedDisk.KEY_MILLIS;
import static io.bulwark.protocol.ordering.replica.ForgedDisk.L;
import static io.bulwark.protocol.ordering.replica.ForgedDisk.NEVER;
import static io.bulwark.protocol.ordering.replica.ForgedDisk.asking;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.ordering.driver.LogRecord;
import io.bulwark.protocol.ordering.driver.StartReason;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.DigestView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.NewView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepared;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Prepared;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RecoveryReply;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ViewChange;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.Phase;
import io.bulwark.protocol.ordering.view.ViewChangeExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests promises about views that an intruder left on a replica's disk. A recovery ends them (4.4, 4.5), and keeps the
 * promises of a correct life. K = 8, L = 16. Before a recovery at least 20 numbers are executed and the low water mark
 * is 16, so that H_M and the recovery point are 32.
 */
@NullMarked
class ForgedViewChangeTest {
    private static final long HIGH_MARK = 32;

    /** Withholds the others' checkpoints for this long, so that the replica cannot finish its recovery. */
    private static void recoverSlowlyWith(ForgedDisk disk, long millis, LogRecord... left) {
        TestCluster cluster = disk.cluster;
        boolean[] isSlow = {true};
        int last = disk.last();
        cluster.wire = (from, to, message) ->
                isSlow[0] && to == last && message instanceof ReplicaMessage.Checkpoint ? List.of() : List.of(message);
        disk.recoverWith(left);
        cluster.run(millis);
        assertThat(disk.phase()).as(cluster::toString).isNotEqualTo(Phase.NONE);
        isSlow[0] = false;
        cluster.run(4_000);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void withOthersLaterNobodyLooksForACheckpointThatNeverWas(int faulty) {
        ForgedDisk disk = new ForgedDisk(faulty);
        TestCluster cluster = disk.cluster;
        disk.recoverWith(asking(1, 40, List.of(new Numbered(48, NEVER))));
        cluster.run(3_000);
        disk.assertRecovered();
        disk.changeKeys();
        TestCluster.Wire honest = cluster.wire;
        cluster.wire = (from, to, message) -> from >= 2 && from < 2 + faulty && message instanceof ViewChange change
                ? List.of(new ViewChange(change.view(), 40, List.of(new Numbered(48, NEVER)), List.of(), List.of()))
                : honest.carry(from, to, message);
        disk.changeView(faulty == 1 ? Set.of(2) : Set.of(2, 3));
        cluster.wire = honest;
        cluster.nodes.subList(2, 2 + faulty).forEach(liar -> liar.evidence.clear()); // it knows of nothing that it said
        disk.assertAllWorks();
    }

    @PlantedBug(
            in = ViewChangeExecutor.class,
            rule = "a VIEW-CHANGE names no checkpoint above H_M",
            replace = "&& said.checkpoints().stream().allMatch(each -> each.sequence() <= estimate)",
            with = "")
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void nothingThatItSaysNamesWhatIsAboveTheEstimate(int faulty) {
        List<Numbered> low = List.of(new Numbered(16, NEVER));
        Prepared prepared = new Prepared(HIGH_MARK + 1, NEVER, 0);
        PrePrepared prePrepared = new PrePrepared(HIGH_MARK + 1, List.of(new DigestView(NEVER, 0)));
        for (ViewChange forged : List.of(
                new ViewChange(1, 24, List.of(), List.of(), List.of()),
                new ViewChange(1, 16, List.of(new Numbered(HIGH_MARK + 8, NEVER)), List.of(), List.of()),
                new ViewChange(1, 16, low, List.of(prepared), List.of()),
                new ViewChange(1, 16, low, List.of(), List.of(prePrepared)))) {
            ForgedDisk disk = new ForgedDisk(faulty);
            TestCluster cluster = disk.cluster;
            // The recovery never ends, because nobody answers.
            cluster.wire = (from, to, message) -> message instanceof RecoveryReply ? List.of() : List.of(message);
            disk.recoverWith(new LogRecord.ViewChange(forged));
            cluster.run(1_000);
            assertThat(disk.phase()).isEqualTo(Phase.REQUESTING);
            assertThat(disk.said).isNotEmpty().allSatisfy(change -> {
                assertThat(change.view()).isEqualTo(1);
                assertThat(change.stable()).isEqualTo(16);
                assertThat(change.checkpoints()).allMatch(each -> each.sequence() <= HIGH_MARK);
                assertThat(change.prepared()).isEmpty();
                assertThat(change.prePrepared()).isEmpty();
            });
        }
    }

    /** H_M is higher in the next life, so the old entry might pass for a promise. */
    @Test
    void whatWasAboveTheEstimateIsNotSaidInTheNextLifeEither() {
        ForgedDisk disk = new ForgedDisk(1);
        TestCluster cluster = disk.cluster;
        // No recovery request is ordered, so the log stays as it is.
        cluster.wire = (from, to, message) -> message instanceof ReplicaMessage.Recover ? List.of() : List.of(message);
        disk.recoverWith(asking(1, 24, List.of()));
        cluster.run(1_000);
        assertThat(disk.phase()).isEqualTo(Phase.REQUESTING);
        cluster.crash(3);
        disk.submit(20);
        finish(cluster, 2_000);
        cluster.run(100);
        assertThat(cluster.replica(0).lowWaterMark()).isGreaterThanOrEqualTo(HIGH_MARK);
        disk.said.clear();
        cluster.start(3);
        cluster.run(1_000);
        assertThat(disk.said).isNotEmpty().allMatch(change -> change.stable() == 16);
    }

    /** Claims within H_M may have been true, so the replica repeats them until then. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void whatItSaysOnceItHasRecoveredIsTrue(int faulty) {
        ForgedDisk disk = new ForgedDisk(faulty);
        TestCluster cluster = disk.cluster;
        List<Numbered> checkpoints = List.of(new Numbered(24, NEVER), new Numbered(HIGH_MARK, NEVER));
        Prepared prepared = new Prepared(24, NEVER, 0);
        PrePrepared prePrepared = new PrePrepared(24, List.of(new DigestView(NEVER, 0)));
        ViewChange forged = new ViewChange(1, 16, checkpoints, List.of(prepared), List.of(prePrepared));
        disk.recoverWith(new LogRecord.ViewChange(forged));
        while (disk.phase() != Phase.NONE) {
            cluster.run(10);
            assertThat(cluster.nowMillis).as(cluster::toString).isLessThan(10_000);
        }
        disk.said.clear();
        cluster.run(1_000);
        assertThat(disk.said).isNotEmpty().allSatisfy(change -> {
            assertThat(change.view()).isEqualTo(1);
            assertThat(change.stable()).isEqualTo(HIGH_MARK);
            assertThat(change.checkpoints())
                    .isNotEmpty()
                    .noneMatch(each -> each.digest().equals(NEVER));
            assertThat(change.prepared()).isEmpty();
            assertThat(change.prePrepared()).isEmpty();
        });
        // So it is after a crash.
        cluster.crash(disk.last());
        cluster.start(disk.last());
        disk.said.clear();
        cluster.run(1_000);
        assertThat(disk.said).isNotEmpty().allMatch(change -> change.stable() == HIGH_MARK);
        disk.changeKeys();
        disk.changeView();
        disk.assertAllWorks();
    }

    @PlantedBug(
            in = ViewChangeExecutor.class,
            rule = "a NEW-VIEW that begins above H_M is not believed",
            replace = "if (found != null && !isWithin(found, estimate)) {",
            with = "if (found != null && estimate < 0) {")
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void itDoesNotLookForTheStateWhereAForgedNewViewBegins(int faulty) {
        ForgedDisk disk = new ForgedDisk(faulty);
        TestCluster cluster = disk.cluster;
        disk.recoverWith(asking(1, 16, List.of()), disk.begun(1, 80, Batch.NULL_DIGEST));
        for (int i = 0; i < 300; i++) {
            cluster.run(10);
            Numbered wanted = cluster.nodes.getLast().wanted;
            assertThat(wanted == null || wanted.sequence() < 80)
                    .as(cluster::toString)
                    .isTrue();
        }
        disk.assertRecovered();
        disk.changeKeys();
        disk.changeView();
        if (cluster.replica(0).view() == 1) {
            disk.changeView();
        }
        disk.assertAllWorks();
    }

    /**
     * All replicas are in the view of the forged NEW-VIEW; those that were there before hold the true one. The last
     * variant shows nothing false: everything it says lies below the mark at which the recovery ends, so it does no
     * harm.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aForgedNewViewOfTheViewThatAllAreInIsNotBelieved(int faulty) {
        for (int kind = 0; kind < 5; kind++) {
            ForgedDisk disk = new ForgedDisk(faulty);
            TestCluster cluster = disk.cluster;
            disk.changeView();
            long low = cluster.replica(0).lowWaterMark();
            LogRecord forged = switch (kind) {
                case 0 -> disk.begun(1, low + 4 * L, Batch.NULL_DIGEST);
                case 1 -> disk.begun(1, low + 8, NEVER);
                case 2 -> disk.begun(1, low + L, Batch.NULL_DIGEST);
                case 3 -> disk.begun(1, low + 8, NEVER, 0);
                default -> disk.begun(1, low, NEVER, 3);
            };
            disk.recoverWith(forged);
            cluster.run(5_000);
            disk.assertRecovered();
            assertThat(cluster.replica(disk.last()).isFetching()).isFalse();
            assertThat(cluster.nodes.get(disk.last()).disk.contains(forged)).isEqualTo(kind == 4);
            disk.changeKeys();
            disk.changeView();
            disk.assertAllWorks();
        }
    }

    /** The replica looks for that state until the recovery request is ordered, which reveals the forgery. */
    @Test
    void whoLooksForAStateThatNeverWasTakesThatOfTheOthersWithTheSameNumber() {
        ForgedDisk disk = new ForgedDisk(1);
        TestCluster cluster = disk.cluster;
        disk.changeView();
        boolean[] isHeld = {true};
        cluster.wire = (from, to, message) ->
                isHeld[0] && message instanceof ReplicaMessage.Recover ? List.of() : List.of(message);
        long high = cluster.replica(0).lowWaterMark() + L;
        disk.recoverWith(disk.begun(1, high, Batch.NULL_DIGEST));
        cluster.run(1_000);
        assertThat(cluster.replica(3).isFetching()).as(cluster::toString).isTrue();
        isHeld[0] = false;
        cluster.run(5_000);
        disk.assertRecovered();
        assertThat(cluster.replica(3).isFetching()).isFalse();
        assertThat(cluster.replica(0).lowWaterMark()).isEqualTo(high);
    }

    @Test
    void nobodyIsInAViewThatNoOtherIsInByANewViewOfItsDisk() {
        ForgedDisk disk = new ForgedDisk(1);
        TestCluster cluster = disk.cluster;
        disk.recoverWith(asking(1, 16, List.of()), disk.begun(1, 0, Batch.NULL_DIGEST));
        cluster.run(KEY_MILLIS);
        assertThat(cluster.replica(3).isActive()).as(cluster::toString).isFalse();
        cluster.run(KEY_MILLIS);
        assertThat(disk.votes).noneMatch(vote -> vote.view() == 0);
        // The view that comes after is forged, too.
        cluster.run(KEY_MILLIS);
        disk.assertRecovered();
        assertThat(cluster.replica(3).view()).isZero();
    }

    @Test
    void aNewViewForWhichNothingWasAskedIsNone() {
        ForgedDisk disk = new ForgedDisk(1);
        TestCluster cluster = disk.cluster;
        // Nor does it hear which view the others are in.
        cluster.wire = (from, to, message) ->
                to == 3 && (message instanceof NewView || message instanceof ReplicaMessage.Status)
                        ? List.of()
                        : List.of(message);
        disk.recoverWith(disk.begun(1, 0, Batch.NULL_DIGEST));
        cluster.run(500);
        cluster.replica(0).handOver(cluster.nowMillis);
        cluster.run(500);
        assertThat(cluster.replica(3).view()).isEqualTo(1);
        assertThat(cluster.replica(3).isActive()).isFalse();
    }

    /** The replica reaches the view of the others, and later moves with them to the view of the forged NEW-VIEW. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aForgedViewIsGivenUpWithItsNewViewAndItsVotes(int faulty) {
        ForgedDisk disk = new ForgedDisk(faulty);
        TestCluster cluster = disk.cluster;
        disk.changeView();
        long voted = cluster.replica(0).lowWaterMark() + L;
        recoverSlowlyWith(
                disk,
                2 * KEY_MILLIS + 500,
                asking(4, 16, List.of()),
                disk.begun(4, 0, Batch.NULL_DIGEST),
                new LogRecord.Prepare(4, voted, NEVER),
                new LogRecord.Commit(4, voted, NEVER));
        disk.assertRecovered();
        assertThat(cluster.replica(disk.last()).view()).isEqualTo(1);
        assertThat(cluster.replica(disk.last()).isActive()).isTrue();
        assertThat(cluster.nodes.get(disk.last()).disk)
                .noneMatch(record -> record instanceof LogRecord.NewView begun
                        && begun.message().view() > 1);
        disk.changeKeys();
        for (long view = 2; view <= 4; view++) {
            disk.changeView();
        }
        disk.assertAllWorks();
    }

    @Test
    void whatItVotedForInAViewAfterThatOfItsDiskItDidNot() {
        ForgedDisk disk = new ForgedDisk(1);
        TestCluster cluster = disk.cluster;
        disk.recoverWith(new LogRecord.Prepare(7, 30, NEVER), new LogRecord.Commit(7, 30, NEVER));
        cluster.run(200);
        disk.changeView();
        cluster.run(3_000);
        disk.assertRecovered();
        disk.assertAllWorks();
    }

    /** Makes replica 3 alone ask for a view; it promises the content of the returned VIEW-CHANGE. */
    private static ViewChange ahead(ForgedDisk disk) {
        TestCluster cluster = disk.cluster;
        List<ViewChange> asked = new ArrayList<>();
        cluster.wire = (from, to, message) -> {
            if (from == 3 && message instanceof ViewChange change) {
                asked.add(change);
            }
            boolean starves = message instanceof ReplicaMessage.Executed || message instanceof ReplicaMessage.Commit;
            return to == 3 && starves ? List.of() : List.of(message);
        };
        disk.submit(2);
        while (asked.isEmpty()) {
            cluster.run(10);
            assertThat(cluster.nowMillis).isLessThan(20_000);
        }
        cluster.run(100);
        cluster.wire = (from, to, message) -> List.of(message);
        return asked.getFirst();
    }

    @Test
    void aPromiseOfACorrectLifeIsSaidAgainWhileItRecoversAndKeptAfterwards() {
        ForgedDisk disk = new ForgedDisk(1);
        TestCluster cluster = disk.cluster;
        ViewChange promised = ahead(disk);
        assertThat(promised.prepared()).isNotEmpty();
        cluster.wire = (from, to, message) -> message instanceof RecoveryReply ? List.of() : List.of(message);
        disk.recoverWith();
        cluster.run(1_000);
        assertThat(disk.said).isNotEmpty().allMatch(promised::equals);
        cluster.wire = (from, to, message) -> {
            if (from == 3 && message instanceof ReplicaMessage.Phase vote) {
                disk.votes.add(vote);
            }
            return List.of(message);
        };
        cluster.run(10_000);
        disk.assertRecovered();
        assertThat(cluster.replica(3).view()).isEqualTo(1);
        assertThat(disk.votes).noneMatch(vote -> vote.view() == 0);
    }

    /**
     * The replica finishes its recovery during a view change. The others hold its earlier message, and the view begins
     * with that.
     */
    @Test
    void aNewViewMayNameWhatItSaidBeforeItHadRecovered() {
        ForgedDisk disk = new ForgedDisk(1);
        TestCluster cluster = disk.cluster;
        boolean[] isSlow = {true};
        boolean[] isOpen = {true};
        cluster.wire = (from, to, message) -> {
            boolean isLate = isSlow[0] && to == 3 && message instanceof ReplicaMessage.Checkpoint;
            boolean isKept = isOpen[0] && to == 1 && message instanceof ReplicaMessage.ViewChangeAck;
            boolean isLost = from == 2 && to == 1 && message instanceof ViewChange;
            return isLate || isKept || isLost ? List.of() : List.of(message);
        };
        disk.recoverWith();
        cluster.run(500);
        cluster.replica(0).handOver(cluster.nowMillis);
        cluster.run(300);
        assertThat(disk.said).isNotEmpty().allMatch(change -> change.view() == 1);
        assertThat(disk.phase()).isEqualTo(Phase.REACHING);
        isSlow[0] = false;
        cluster.run(700);
        disk.assertRecovered();
        assertThat(cluster.replica(3).isActive()).isFalse();
        isOpen[0] = false;
        cluster.run(700);
        for (TestCluster.Node node : cluster.nodes) {
            assertThat(node.up().view()).as(cluster::toString).isEqualTo(1);
            assertThat(node.up().isActive()).as(cluster::toString).isTrue();
        }
        disk.assertAllWorks();
    }

    /** The view has begun at the others before it restarts. */
    @Test
    void aNewViewMayNameWhatItSaidInAnEarlierLife() {
        ForgedDisk disk = new ForgedDisk(1);
        TestCluster cluster = disk.cluster;
        ViewChange promised = ahead(disk);
        recoverSlowlyWith(disk, 1_000);
        disk.assertRecovered();
        assertThat(disk.said.getLast()).isNotEqualTo(promised);
        boolean[] isCut = {true};
        cluster.wire = (from, to, message) -> isCut[0]
                        && ((from == 2 && to == 1 && message instanceof ViewChange)
                                || (to == 3 && message instanceof NewView))
                ? List.of()
                : List.of(message);
        cluster.replica(0).handOver(cluster.nowMillis);
        cluster.run(500);
        assertThat(cluster.replica(0).isActive()).as(cluster::toString).isTrue();
        assertThat(cluster.replica(3).isActive()).isFalse();
        cluster.crash(3);
        isCut[0] = false;
        cluster.start(3);
        cluster.run(1_000);
        assertThat(cluster.replica(3).view()).isEqualTo(1);
        assertThat(cluster.replica(3).isActive()).as(cluster::toString).isTrue();
        disk.assertAllWorks();
    }

    /**
     * The view begins with that message before the replica forgets. The replica reaches this view in the life after its
     * recovery.
     */
    @Test
    void aNewViewMayNameWhatIsForgotten() {
        ForgedDisk disk = new ForgedDisk(1);
        TestCluster cluster = disk.cluster;
        ahead(disk);
        boolean[] isCut = {true};
        cluster.wire = (from, to, message) -> {
            boolean isLost = from == 2 && to == 1 && message instanceof ViewChange;
            boolean isOfViews = message instanceof ViewChange || message instanceof NewView;
            return isCut[0] && (isLost || (to == 3 && isOfViews)) ? List.of() : List.of(message);
        };
        cluster.replica(0).handOver(cluster.nowMillis);
        cluster.run(500);
        assertThat(cluster.replica(0).isActive()).as(cluster::toString).isTrue();
        cluster.crash(3);
        cluster.nodes.get(3).forget();
        cluster.start(3, StartReason.FORGOTTEN);
        cluster.run(2 * KEY_MILLIS + 2_000);
        disk.assertRecovered();
        assertThat(cluster.replica(3).view()).isZero();
        cluster.crash(3);
        cluster.start(3);
        isCut[0] = false;
        cluster.run(1_000);
        assertThat(cluster.replica(3).view()).isEqualTo(1);
        assertThat(cluster.replica(3).isActive()).as(cluster::toString).isTrue();
        assertThat(cluster.nodes.get(3).evidence).isEmpty();
        disk.assertAllWorks();
    }

    /**
     * Makes replica 3 the primary of view 3 while messages withheld from it delay its recovery. The view begins before
     * the recovery ends only if {@code begins}.
     */
    private static ForgedDisk recoveringPrimary(boolean begins) {
        ForgedDisk disk = new ForgedDisk(1);
        TestCluster cluster = disk.cluster;
        disk.changeView();
        disk.changeView();
        assertThat(cluster.replica(0).view()).isEqualTo(2);
        boolean[] isSlow = {true};
        cluster.wire = (from, to, message) -> {
            boolean isLate = isSlow[0] && to == 3 && message instanceof ReplicaMessage.Checkpoint;
            boolean isKept = !begins && to == 3 && message instanceof ReplicaMessage.ViewChangeAck;
            boolean isLost = isSlow[0] && to == 1 && message instanceof NewView;
            return isLate || isKept || isLost ? List.of() : List.of(message);
        };
        disk.recoverWith();
        cluster.run(500);
        cluster.replica(2).handOver(cluster.nowMillis);
        cluster.run(300);
        assertThat(disk.phase()).isEqualTo(Phase.REACHING);
        assertThat(cluster.replica(3).view()).isEqualTo(3);
        assertThat(cluster.replica(3).isActive()).isEqualTo(begins);
        cluster.crash(1);
        isSlow[0] = false;
        cluster.run(600);
        disk.assertRecovered();
        cluster.start(1);
        cluster.run(700);
        return disk;
    }

    @Test
    void aPrimaryThatHasRecoveredSaysNothingElseOfAViewThatHasBegun() {
        ForgedDisk disk = recoveringPrimary(true);
        TestCluster cluster = disk.cluster;
        assertThat(cluster.replica(1).isActive()).as(cluster::toString).isTrue();
        disk.assertAllWorks();
        assertThat(cluster.replica(0).view()).isEqualTo(3);
    }

    @Test
    void aPrimaryThatHasRecoveredLeavesAViewThatHasNotBegun() {
        ForgedDisk disk = recoveringPrimary(false);
        TestCluster cluster = disk.cluster;
        assertThat(cluster.replica(3).view()).as(cluster::toString).isGreaterThan(3);
        cluster.wire = (from, to, message) -> List.of(message);
        disk.assertAllWorks();
    }
}
