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
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What who had a replica left on its disk of views: a recovery ends it (4.4, 4.5), and keeps what a correct life has promised. K = 8,
 * L = 16; before a recovery 20 numbers or some more are executed and the low water mark is 16, so that H_M and the recovery point
 * are 32.
 */
@NullMarked
class ForgedPromisesTest {
    private static final long KEY_MILLIS = 1_000;
    private static final long HIGH_MARK = 32;
    private int numbers;

    /** What the last replica says after it has begun to recover. */
    private final List<ViewChange> said = new ArrayList<>();

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
        assertThat(cluster.replica(0).executed()).isLessThan(24);
        return cluster;
    }

    private void submit(TestCluster cluster, int count) {
        for (int i = 0; i < count; i++) {
            cluster.submit(i % 3, numbers, TestCluster.operation(numbers++));
            cluster.run(10);
        }
    }

    /** The last replica starts again with this on its disk, and recovers. */
    private void recoverWith(TestCluster cluster, LogRecord... left) {
        int last = last(cluster);
        cluster.crash(last);
        cluster.nodes.get(last).disk.addAll(List.of(left));
        TestCluster.Wire wire = cluster.wire;
        cluster.wire = (from, to, message) -> {
            if (from == last) {
                switch (message) {
                    case ViewChange change -> said.add(change);
                    case ReplicaMessage.Phase vote -> votes.add(vote);
                    default -> {}
                }
            }
            return wire.carry(from, to, message);
        };
        cluster.start(last, Start.RECOVERING);
    }

    /** For so long the others' checkpoints do not come, so that it has not recovered. */
    private void recoverSlowlyWith(TestCluster cluster, long millis, LogRecord... left) {
        boolean[] isSlow = {true};
        int last = last(cluster);
        cluster.wire = (from, to, message) ->
                isSlow[0] && to == last && message instanceof ReplicaMessage.Checkpoint ? List.of() : List.of(message);
        recoverWith(cluster, left);
        cluster.run(millis);
        assertThat(phase(cluster)).as(cluster::toString).isNotEqualTo(Phase.NONE);
        isSlow[0] = false;
        cluster.run(4_000);
    }

    private void assertAllWorks(TestCluster cluster) {
        submit(cluster, 20);
        finish(cluster, 3_000);
        // Who had a forged disk may have accused others.
        cluster.nodes.getLast().evidence.clear();
        allEqual(cluster);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void withOthersLaterNobodyLooksForACheckpointThatNeverWas(int faulty) {
        TestCluster cluster = cluster(faulty);
        recoverWith(cluster, asking(1, 40, List.of(new Numbered(48, NEVER))));
        cluster.run(3_000);
        assertRecovered(cluster);
        changeKeys(cluster);
        TestCluster.Wire honest = cluster.wire;
        cluster.wire = (from, to, message) -> from >= 2 && from < 2 + faulty && message instanceof ViewChange change
                ? List.of(new ViewChange(change.view(), 40, List.of(new Numbered(48, NEVER)), List.of(), List.of()))
                : honest.carry(from, to, message);
        changeView(cluster);
        cluster.wire = honest;
        assertAllWorks(cluster);
    }

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
            said.clear();
            TestCluster cluster = cluster(faulty);
            // It never comes to the end: nobody answers.
            cluster.wire = (from, to, message) -> message instanceof RecoveryReply ? List.of() : List.of(message);
            recoverWith(cluster, new LogRecord.ViewChange(forged));
            cluster.run(1_000);
            assertThat(phase(cluster)).isEqualTo(Phase.REQUESTING);
            assertThat(said).isNotEmpty().allSatisfy(change -> {
                assertThat(change.view()).isEqualTo(1);
                assertThat(change.stable()).isEqualTo(16);
                assertThat(change.checkpoints()).allMatch(each -> each.sequence() <= HIGH_MARK);
                assertThat(change.prepared()).isEmpty();
                assertThat(change.prePrepared()).isEmpty();
            });
        }
    }

    /** What was within H_M may have been true, so it is said until then. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void whatItSaysOnceItHasRecoveredIsTrue(int faulty) {
        TestCluster cluster = cluster(faulty);
        List<Numbered> checkpoints = List.of(new Numbered(24, NEVER), new Numbered(HIGH_MARK, NEVER));
        Prepared prepared = new Prepared(24, NEVER, 0);
        PrePrepared prePrepared = new PrePrepared(24, List.of(new DigestView(NEVER, 0)));
        ViewChange forged = new ViewChange(1, 16, checkpoints, List.of(prepared), List.of(prePrepared));
        recoverWith(cluster, new LogRecord.ViewChange(forged));
        while (phase(cluster) != Phase.NONE) {
            cluster.run(10);
            assertThat(cluster.nowMillis).as(cluster::toString).isLessThan(10_000);
        }
        said.clear();
        cluster.run(1_000);
        assertThat(said).isNotEmpty().allSatisfy(change -> {
            assertThat(change.view()).isEqualTo(1);
            assertThat(change.stable()).isEqualTo(HIGH_MARK);
            assertThat(change.checkpoints())
                    .isNotEmpty()
                    .noneMatch(each -> each.digest().equals(NEVER));
            assertThat(change.prepared()).isEmpty();
            assertThat(change.prePrepared()).isEmpty();
        });
        // So it is after a crash.
        cluster.crash(last(cluster));
        cluster.start(last(cluster));
        said.clear();
        cluster.run(1_000);
        assertThat(said).isNotEmpty().allMatch(change -> change.stable() == HIGH_MARK);
        changeKeys(cluster);
        changeView(cluster);
        assertAllWorks(cluster);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void itDoesNotLookForTheStateWhereAForgedNewViewBegins(int faulty) {
        TestCluster cluster = cluster(faulty);
        recoverWith(cluster, asking(1, 16, List.of()), begun(cluster, 1, 80, Batch.NULL_DIGEST));
        for (int i = 0; i < 300; i++) {
            cluster.run(10);
            Numbered wanted = cluster.nodes.getLast().wanted;
            assertThat(wanted == null || wanted.sequence() < 80)
                    .as(cluster::toString)
                    .isTrue();
        }
        assertRecovered(cluster);
        changeKeys(cluster);
        changeView(cluster);
        if (cluster.replica(0).view() == 1) {
            changeView(cluster);
        }
        assertAllWorks(cluster);
    }

    /**
     * All are in the view that it is for; those who were there before begin with what is true. The last one shows nothing that is not true: all
     * that it says lies below the mark with which the recovery ends, and does no harm.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aForgedNewViewOfTheViewThatAllAreInIsNotBelieved(int faulty) {
        for (int kind = 0; kind < 5; kind++) {
            TestCluster cluster = cluster(faulty);
            changeView(cluster);
            long low = cluster.replica(0).lowWaterMark();
            LogRecord forged = switch (kind) {
                case 0 -> begun(cluster, 1, low + 4 * L, Batch.NULL_DIGEST);
                case 1 -> begun(cluster, 1, low + 8, NEVER);
                case 2 -> begun(cluster, 1, low + L, Batch.NULL_DIGEST);
                case 3 -> begun(cluster, 1, low + 8, NEVER, 0);
                default -> begun(cluster, 1, low, NEVER, 3);
            };
            recoverWith(cluster, forged);
            cluster.run(5_000);
            assertRecovered(cluster);
            assertThat(cluster.replica(last(cluster)).isFetching()).isFalse();
            assertThat(cluster.nodes.get(last(cluster)).disk.contains(forged)).isEqualTo(kind == 4);
            changeKeys(cluster);
            changeView(cluster);
            assertAllWorks(cluster);
        }
    }

    /** Before what is wrong with it is known, the recovery request being ordered, it looks for that state. */
    @Test
    void whoLooksForAStateThatNeverWasTakesThatOfTheOthersWithTheSameNumber() {
        TestCluster cluster = cluster(1);
        changeView(cluster);
        boolean[] isHeld = {true};
        cluster.wire = (from, to, message) ->
                isHeld[0] && message instanceof ReplicaMessage.Recover ? List.of() : List.of(message);
        long high = cluster.replica(0).lowWaterMark() + L;
        recoverWith(cluster, begun(cluster, 1, high, Batch.NULL_DIGEST));
        cluster.run(1_000);
        assertThat(cluster.replica(3).isFetching()).as(cluster::toString).isTrue();
        isHeld[0] = false;
        cluster.run(5_000);
        assertRecovered(cluster);
        assertThat(cluster.replica(3).isFetching()).isFalse();
        assertThat(cluster.replica(0).lowWaterMark()).isEqualTo(high);
    }

    @Test
    void nobodyIsInAViewThatNoOtherIsInByANewViewOfItsDisk() {
        TestCluster cluster = cluster(1);
        recoverWith(cluster, asking(1, 16, List.of()), begun(cluster, 1, 0, Batch.NULL_DIGEST));
        cluster.run(KEY_MILLIS);
        assertThat(cluster.replica(3).isActive()).as(cluster::toString).isFalse();
        cluster.run(KEY_MILLIS);
        assertThat(votes).noneMatch(vote -> vote.view() == 0);
        // The view that comes after is forged, too.
        cluster.run(KEY_MILLIS);
        assertRecovered(cluster);
        assertThat(cluster.replica(3).view()).isZero();
    }

    @Test
    void aNewViewForWhichNothingWasAskedIsNone() {
        TestCluster cluster = cluster(1);
        // Nor does it hear which view the others are in.
        cluster.wire = (from, to, message) ->
                to == 3 && (message instanceof NewView || message instanceof ReplicaMessage.Status)
                        ? List.of()
                        : List.of(message);
        recoverWith(cluster, begun(cluster, 1, 0, Batch.NULL_DIGEST));
        cluster.run(500);
        cluster.replica(0).handOver(cluster.nowMillis);
        cluster.run(500);
        assertThat(cluster.replica(3).view()).isEqualTo(1);
        assertThat(cluster.replica(3).isActive()).isFalse();
    }

    /** It comes to the view of the others, and later with them to the view of the forged NEW-VIEW. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aForgedViewIsGivenUpWithItsNewViewAndItsVotes(int faulty) {
        TestCluster cluster = cluster(faulty);
        changeView(cluster);
        long voted = cluster.replica(0).lowWaterMark() + L;
        recoverSlowlyWith(
                cluster,
                2 * KEY_MILLIS + 500,
                asking(4, 16, List.of()),
                begun(cluster, 4, 0, Batch.NULL_DIGEST),
                new LogRecord.Prepare(4, voted, NEVER),
                new LogRecord.Commit(4, voted, NEVER));
        assertRecovered(cluster);
        assertThat(cluster.replica(last(cluster)).view()).isEqualTo(1);
        assertThat(cluster.replica(last(cluster)).isActive()).isTrue();
        assertThat(cluster.nodes.get(last(cluster)).disk)
                .noneMatch(record -> record instanceof LogRecord.NewView begun
                        && begun.message().view() > 1);
        changeKeys(cluster);
        for (long view = 2; view <= 4; view++) {
            changeView(cluster);
        }
        assertAllWorks(cluster);
    }

    @Test
    void aViewThatNoneComesAfterIsGivenUp() {
        TestCluster cluster = cluster(1);
        recoverWith(
                cluster, asking(Long.MAX_VALUE, 16, List.of()), begun(cluster, Long.MAX_VALUE, 80, Batch.NULL_DIGEST));
        cluster.run(2 * KEY_MILLIS + 3_000);
        assertRecovered(cluster);
        assertThat(cluster.replica(3).view()).isZero();
        assertAllWorks(cluster);
    }

    @Test
    void whatItVotedForInAViewAfterThatOfItsDiskItDidNot() {
        TestCluster cluster = cluster(1);
        recoverWith(cluster, new LogRecord.Prepare(7, 30, NEVER), new LogRecord.Commit(7, 30, NEVER));
        cluster.run(200);
        changeView(cluster);
        cluster.run(3_000);
        assertRecovered(cluster);
        assertAllWorks(cluster);
    }

    /** A replica that asks for a view alone, and recovers: it has promised what its VIEW-CHANGE says. */
    private ViewChange ahead(TestCluster cluster) {
        List<ViewChange> asked = new ArrayList<>();
        cluster.wire = (from, to, message) -> {
            if (from == 3 && message instanceof ViewChange change) {
                asked.add(change);
            }
            boolean starves = message instanceof ReplicaMessage.Executed || message instanceof ReplicaMessage.Commit;
            return to == 3 && starves ? List.of() : List.of(message);
        };
        submit(cluster, 2);
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
        TestCluster cluster = cluster(1);
        ViewChange promised = ahead(cluster);
        assertThat(promised.prepared()).isNotEmpty();
        cluster.wire = (from, to, message) -> message instanceof RecoveryReply ? List.of() : List.of(message);
        recoverWith(cluster);
        cluster.run(1_000);
        assertThat(said).isNotEmpty().allMatch(promised::equals);
        cluster.wire = (from, to, message) -> {
            if (from == 3 && message instanceof ReplicaMessage.Phase vote) {
                votes.add(vote);
            }
            return List.of(message);
        };
        cluster.run(10_000);
        assertRecovered(cluster);
        assertThat(cluster.replica(3).view()).isEqualTo(1);
        assertThat(votes).noneMatch(vote -> vote.view() == 0);
    }

    /** It has recovered while a view change is open; the others have what it said before, and the view begins with that. */
    @Test
    void aNewViewMayNameWhatItSaidBeforeItHadRecovered() {
        TestCluster cluster = cluster(1);
        boolean[] isSlow = {true};
        boolean[] isOpen = {true};
        cluster.wire = (from, to, message) -> {
            boolean isLate = isSlow[0] && to == 3 && message instanceof ReplicaMessage.Checkpoint;
            boolean isKept = isOpen[0] && to == 1 && message instanceof ReplicaMessage.ViewChangeAck;
            boolean isLost = from == 2 && to == 1 && message instanceof ViewChange;
            return isLate || isKept || isLost ? List.of() : List.of(message);
        };
        recoverWith(cluster);
        cluster.run(500);
        cluster.replica(0).handOver(cluster.nowMillis);
        cluster.run(300);
        assertThat(said).isNotEmpty().allMatch(change -> change.view() == 1);
        assertThat(phase(cluster)).isEqualTo(Phase.REACHING);
        isSlow[0] = false;
        cluster.run(700);
        assertRecovered(cluster);
        assertThat(cluster.replica(3).isActive()).isFalse();
        isOpen[0] = false;
        cluster.run(700);
        for (TestCluster.Node node : cluster.nodes) {
            assertThat(node.up().view()).as(cluster::toString).isEqualTo(1);
            assertThat(node.up().isActive()).as(cluster::toString).isTrue();
        }
        assertAllWorks(cluster);
    }

    /** The view has begun at the others before it restarts. */
    @Test
    void aNewViewMayNameWhatItSaidInAnEarlierLife() {
        TestCluster cluster = cluster(1);
        ViewChange promised = ahead(cluster);
        recoverSlowlyWith(cluster, 1_000);
        assertRecovered(cluster);
        assertThat(said.getLast()).isNotEqualTo(promised);
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
        assertAllWorks(cluster);
    }

    /** Replica 3 comes to be the primary while it recovers; until then, and as long as is said, what comes to it is held. */
    private TestCluster recoveringPrimary(boolean begins) {
        TestCluster cluster = cluster(1);
        changeView(cluster);
        changeView(cluster);
        assertThat(cluster.replica(0).view()).isEqualTo(2);
        boolean[] isSlow = {true};
        cluster.wire = (from, to, message) -> {
            boolean isLate = isSlow[0] && to == 3 && message instanceof ReplicaMessage.Checkpoint;
            boolean isKept = !begins && to == 3 && message instanceof ReplicaMessage.ViewChangeAck;
            boolean isLost = isSlow[0] && to == 1 && message instanceof NewView;
            return isLate || isKept || isLost ? List.of() : List.of(message);
        };
        recoverWith(cluster);
        cluster.run(500);
        cluster.replica(2).handOver(cluster.nowMillis);
        cluster.run(300);
        assertThat(phase(cluster)).isEqualTo(Phase.REACHING);
        assertThat(cluster.replica(3).view()).isEqualTo(3);
        assertThat(cluster.replica(3).isActive()).isEqualTo(begins);
        cluster.crash(1);
        isSlow[0] = false;
        cluster.run(600);
        assertRecovered(cluster);
        cluster.start(1);
        cluster.run(700);
        return cluster;
    }

    @Test
    void aPrimaryThatHasRecoveredSaysNothingElseOfAViewThatHasBegun() {
        TestCluster cluster = recoveringPrimary(true);
        assertThat(cluster.replica(1).isActive()).as(cluster::toString).isTrue();
        assertAllWorks(cluster);
        assertThat(cluster.replica(0).view()).isEqualTo(3);
    }

    @Test
    void aPrimaryThatHasRecoveredLeavesAViewThatHasNotBegun() {
        TestCluster cluster = recoveringPrimary(false);
        assertThat(cluster.replica(3).view()).as(cluster::toString).isGreaterThan(3);
        cluster.wire = (from, to, message) -> List.of(message);
        assertAllWorks(cluster);
    }
}
