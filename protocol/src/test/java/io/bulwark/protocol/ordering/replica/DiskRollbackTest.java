package io.bulwark.protocol.ordering.replica;

import static io.bulwark.protocol.ordering.replica.ClusterAssertions.finish;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.ordering.driver.LogRecord;
import io.bulwark.protocol.ordering.driver.ReplicaEffect;
import io.bulwark.protocol.ordering.driver.StartReason;
import io.bulwark.protocol.ordering.log.HistoryGuard;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Checkpoint;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Commit;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Executed;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Status;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.Phase;
import io.bulwark.protocol.ordering.recovery.RecoveryRequest;
import io.bulwark.protocol.ordering.recovery.ReplicaRecovery;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Replicas, more than f, whose disks were set back to an older copy: nothing that was acknowledged vanishes without a word. */
@NullMarked
class DiskRollbackTest {
    private static final Bytes OTHER = Hashes.sha256(Bytes.of((byte) 9));

    private final LoneReplica lone = new LoneReplica(3, StartReason.NORMAL);

    private List<ReplicaEffect.Stop> stops() {
        return lone.effects(ReplicaEffect.Stop.class);
    }

    /**
     * Tests that the first f+1 of 3f+1 are set back. All but one of the others have learned the acknowledged result,
     * and that one has voted for it.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void whatFPlusOneDisksKnowComesBack(int faulty) {
        TestCluster cluster = new TestCluster(faulty, 1, config -> config);
        int voter = 2 * faulty;
        cluster.run(500);
        List<List<LogRecord>> copies =
                cluster.nodes.stream().map(node -> List.copyOf(node.disk)).toList();
        cluster.wire = (from, to, message) ->
                to > voter && message instanceof ReplicaMessage.Phase ? List.of() : List.of(message);
        for (int number = 0; number < 5; number++) {
            cluster.submit(1, number, TestCluster.operation(number));
            finish(cluster, 2_000);
        }
        cluster.run(2_000);
        assertThat(cluster.nodes)
                .allSatisfy(node -> assertThat(node.application.journal()).hasSize(5));
        Bytes[] acknowledged = cluster.nodes.getFirst().application.journal().toArray(Bytes[]::new);
        for (TestCluster.Node node : cluster.nodes) {
            cluster.crash(node.self);
        }
        cluster.wire = (from, to, message) -> List.of(message);
        for (int back = 0; back < voter; back++) {
            cluster.nodes.get(back).setBack(copies.get(back));
        }
        for (TestCluster.Node node : cluster.nodes) {
            if (node.self != voter) {
                cluster.start(node.self);
            }
        }
        cluster.run(5_000);
        cluster.start(voter);
        cluster.submit(1, 99, TestCluster.operation(99));
        cluster.run(20_000);
        assertThat(cluster.calls.getLast().done()).as(cluster::toString).isTrue();
        for (TestCluster.Node node : cluster.nodes) {
            assertThat(node.application.journal()).as("replica %d", node.self).startsWith(acknowledged);
            assertThat(node.stopped).isEmpty();
        }
    }

    private void decideFirst() {
        lone.decide(1, 1);
        lone.pass(LoneReplica.TICK_MILLIS);
        assertThat(lone.replica.executed()).isEqualTo(1);
    }

    @Test
    void whatFPlusOneExecutedOtherwiseStopsAndFClaimsDoNot() {
        stopByClaims();
    }

    private void stopByClaims() {
        decideFirst();
        lone.hear(1, new Executed(1, List.of(OTHER)));
        assertThat(stops()).isEmpty();
        lone.hear(2, new Executed(1, List.of(OTHER)));
        assertThat(stops()).isNotEmpty();
        assertThat(stops().getFirst().why())
                .contains(Batch.NULL_DIGEST.toString(), OTHER.toString(), "number 1", "f+1 others");
    }

    /** Else liars of different times add up, though each of them has recovered since. */
    @Test
    void aClaimAgainstADecidedBatchEndsWithItsKey() {
        decideFirst();
        lone.hear(1, new Executed(1, List.of(OTHER)));
        lone.replica.onKeyChange(1);
        lone.hear(2, new Executed(1, List.of(OTHER)));
        assertThat(stops()).isEmpty();
        lone.hear(1, new Executed(1, List.of(OTHER)));
        assertThat(stops()).isNotEmpty();
    }

    @Test
    void whatAQuorumCommitsOtherwiseStopsAndFewerDoNot() {
        decideFirst();
        LoneReplica again = new LoneReplica(3, StartReason.NORMAL, new LogRecord.Learned(1, Batch.NULL_DIGEST));
        again.hear(0, new Commit(0, 1, OTHER));
        again.hear(1, new Commit(0, 1, OTHER));
        assertThat(again.effects(ReplicaEffect.Stop.class)).isEmpty();
        again.hear(2, new Commit(0, 1, OTHER));
        assertThat(again.effects(ReplicaEffect.Stop.class)).isNotEmpty();
    }

    @Test
    void anotherCheckpointOfFPlusOneStopsAndOneOfFDoesNot() {
        lone.decide(1, 8);
        lone.pass(LoneReplica.TICK_MILLIS);
        lone.hear(1, new Checkpoint(8, OTHER));
        lone.pass(2_000);
        assertThat(stops()).isEmpty();
        lone.hear(2, new Checkpoint(8, OTHER));
        lone.pass(LoneReplica.TICK_MILLIS);
        assertThat(stops()).isNotEmpty();
        assertThat(stops().getFirst().why()).contains("checkpoint 8", OTHER.toString());
        assertThat(lone.effects(ReplicaEffect.FetchState.class)).isEmpty();
    }

    /** At its start, f correct others had the stable checkpoint, so no 2f+1 others can be below it. */
    @Test
    void whoIsAloneWithAStableCheckpointStops() {
        LoneReplica one = new LoneReplica(1, StartReason.NORMAL);
        one.decide(1, 8);
        one.pass(LoneReplica.TICK_MILLIS);
        one.stable(8);
        Bytes digest = one.application.checkpoints().getLast().digest();
        one.replica = one.start(StartReason.NORMAL, new LogRecord.Stable(8, digest));
        one.hear(0, standing(3));
        one.hear(2, standing(5));
        one.hear(3, standing(0));
        assertThat(one.effects(ReplicaEffect.Stop.class))
                .as("one has no state at all")
                .isEmpty();
        one.hear(3, standing(4));
        assertThat(one.effects(ReplicaEffect.Stop.class)).isNotEmpty();
        assertThat(one.effects(ReplicaEffect.Stop.class).getFirst().why())
                .contains("number 8", "3 others have not reached it");
    }

    private static Status standing(long executed) {
        return new Status(0, true, 0, executed, Bytes.EMPTY, Bytes.EMPTY, 0, false);
    }

    /** Its own disk may be forged. */
    @Test
    void whoRecoversComparesNothing() {
        LoneReplica replicaRecovery = new LoneReplica(1, StartReason.RECOVERING);
        replicaRecovery.answer(0);
        replicaRecovery.decide(2, 8);
        replicaRecovery.hear(2, new Checkpoint(8, OTHER));
        replicaRecovery.hear(3, new Checkpoint(8, OTHER));
        replicaRecovery.pass(LoneReplica.TICK_MILLIS);
        assertThat(replicaRecovery.effects(ReplicaEffect.Stop.class)).isEmpty();
        assertThat(replicaRecovery.effects(ReplicaEffect.FetchState.class)).isNotEmpty();
    }

    /** While an intruder had its disk, others may have been reported as behind. */
    @PlantedBug(
            in = HistoryGuard.class,
            rule = "where others stood during a recovery is not compared later",
            replace = "if (!trustsOwn.getAsBoolean()) {",
            with = "if (false) {")
    @Test
    void whereOthersStoodDuringARecoveryIsNotComparedLater() {
        LoneReplica one = new LoneReplica(1, StartReason.NORMAL);
        one.decide(1, 8);
        one.pass(LoneReplica.TICK_MILLIS);
        one.stable(8);
        Bytes digest = one.application.checkpoints().getLast().digest();
        one.replica = one.start(StartReason.RECOVERING, new LogRecord.Stable(8, digest));
        for (int from : List.of(0, 2, 3)) {
            one.hear(from, standing(4));
        }
        one.pass(LoneReplica.TICK_MILLIS);
        one.stands(2, 8, 8);
        one.stands(3, 8, 8);
        one.execute(9, one.asked());
        one.executes(2, true, 9, 0);
        one.executes(3, true, 9, 0);
        one.decide(10, 24);
        one.pass(LoneReplica.TICK_MILLIS);
        one.stable(16);
        one.pass(LoneReplica.TICK_MILLIS);
        one.stable(24);
        one.pass(LoneReplica.TICK_MILLIS);
        assertThat(one.report().phase()).isEqualTo(Phase.NONE);
        one.hear(3, standing(4));
        assertThat(one.effects(ReplicaEffect.Stop.class)).isEmpty();
    }

    private static Request recoveryOf(int replica, long estimate) {
        return new RecoveryRequest(replica, 77, estimate, List.of(), Bytes.of((byte) 1)).request();
    }

    /** It made it in a life that its log does not know. */
    @PlantedBug(
            in = ReplicaRecovery.class,
            rule = "a log that does not know of its replica's last recovery is an older copy",
            replace = "if (accepted && !useless && startedMillis == 0 && sequence > began) {",
            with = "if (accepted && startedMillis == 1 && sequence > began) {")
    @Test
    void whoHasRecoveredSinceItsLogForgetsThatAndVotesNoMore() {
        LoneReplica one = new LoneReplica(1, StartReason.NORMAL);
        one.execute(1, recoveryOf(1, 16));
        assertThat(one.effects(ReplicaEffect.Forget.class))
                .singleElement()
                .satisfies(forget -> assertThat(forget.why()).contains("number 1", "older copy"));
        one.said.clear();
        one.hear(0, new ReplicaMessage.PrePrepare(0, 2, Batch.NULL));
        one.pass(1_000);
        assertThat(one.said).noneMatch(ReplicaMessage.Phase.class::isInstance);
        assertThat(one.effects(ReplicaEffect.Forget.class)).hasSize(1);
    }

    /** Anything else would be a way to have a correct replica forget. */
    @Test
    void recoveriesThatTellNothingOfItsLogAreNoReasonToForget() {
        LoneReplica one = new LoneReplica(1, StartReason.NORMAL);
        one.execute(1, recoveryOf(2, 16));
        one.execute(2, recoveryOf(1, 8 * 1_000));
        one.hear(0, new ReplicaMessage.PrePrepare(0, 3, Batch.NULL));
        one.pass(1_000);
        assertThat(one.replica.executed()).isEqualTo(2);
        assertThat(one.said(ReplicaMessage.Prepare.class)).isNotEmpty();
        assertThat(one.effects(ReplicaEffect.Forget.class)).isEmpty();
    }

    @Test
    void whatIsDecidedByTheOwnCommitIsOnDiskSoonAfter() {
        TestCluster cluster = new TestCluster(1, 1, config -> config);
        cluster.submit(1, 1, TestCluster.operation(1));
        finish(cluster, 2_000);
        cluster.run(200);
        assertThat(cluster.nodes)
                .allSatisfy(node -> assertThat(node.disk).anyMatch(LogRecord.Learned.class::isInstance));
    }

    @Test
    void whoHasStoppedSaysNothingMore() {
        stopByClaims();
        int said = lone.said.size();
        lone.replica.onTick(lone.nowMillis + 1_000);
        assertThat(lone.replica.drain(lone.nowMillis + 1_000)).containsOnly(stops().getFirst());
        assertThat(lone.said(ReplicaMessage.class)).hasSize(said);
    }
}
