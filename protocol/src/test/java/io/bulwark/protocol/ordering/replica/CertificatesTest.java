package io.bulwark.protocol.ordering.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.ordering.driver.JournalApplication;
import io.bulwark.protocol.ordering.driver.LogRecord;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.driver.ReplicaEffect;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Commit;
import io.bulwark.protocol.ordering.message.ReplicaMessage.DigestView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Executed;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepare;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepared;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Prepare;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Prepared;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ViewChange;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.normal.Agreement;
import io.bulwark.protocol.ordering.retransmission.CommitLearner;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * Tests the certificates of four replicas (proactive recovery paper, 4.2): how many votes make one, and what a restart keeps of it.
 */
@NullMarked
class CertificatesTest {
    private final JournalApplication application = new JournalApplication();
    private final Request request = new Request(PrincipalId.client(1), 1, false, TestCluster.operation(1));
    private final Batch batch = new Batch(1, List.of(request.id()));
    private final Bytes digest = batch.digest();
    private long appended;

    private Replica replica(int self, LogRecord... disk) {
        Replica replica = new Replica(ReplicaConfig.of(self, 1), application, List.of(disk));
        sync(replica);
        return replica;
    }

    /** Returns the records that the replica appends to its log, and makes them durable. */
    private List<LogRecord> sync(Replica replica) {
        List<ReplicaEffect> effects = replica.drain(0);
        for (ReplicaEffect effect : effects) {
            switch (effect) {
                case ReplicaEffect.Append append -> appended = append.index();
                case ReplicaEffect.Roll roll -> appended = roll.index();
                default -> {}
            }
        }
        replica.onDurable(0, appended);
        return effects.stream()
                .filter(ReplicaEffect.Append.class::isInstance)
                .map(effect -> ((ReplicaEffect.Append) effect).record())
                .toList();
    }

    /** A backup that has accepted the batch as number 1. */
    private Replica accepting() {
        Replica backup = replica(2);
        backup.onRequest(0, request);
        backup.onMessage(0, 0, new PrePrepare(0, 1, batch));
        assertThat(sync(backup)).contains(new LogRecord.Prepare(0, 1, digest));
        return backup;
    }

    /** A proposal of a primary that an intruder controlled does not count once the primary has recovered (4.1). */
    @Test
    void aProposalThatIsNotAcceptedEndsWithItsPrimarysKey() {
        Replica backup = replica(2);
        backup.onMessage(0, 0, new PrePrepare(0, 1, batch));
        assertThat(sync(backup)).isEmpty();
        backup.onKeyChange(0);
        backup.onRequest(0, request);
        assertThat(sync(backup)).isEmpty();
        Batch right = new Batch(2, List.of(request.id()));
        backup.onMessage(0, 0, new PrePrepare(0, 1, right));
        assertThat(sync(backup)).contains(new LogRecord.Prepare(0, 1, right.digest()));
    }

    /** Tests a PREPARE on disk whose body is missing. */
    @Test
    void aPromiseOfTheDiskBindsOverANewKeyOfThePrimary() {
        Replica backup = replica(2, new LogRecord.Prepare(0, 1, digest));
        backup.onKeyChange(0);
        backup.onRequest(0, request);
        Batch another = new Batch(2, List.of(request.id()));
        backup.onMessage(0, 0, new PrePrepare(0, 1, another));
        assertThat(sync(backup)).doesNotContain(new LogRecord.Prepare(0, 1, another.digest()));
    }

    private LogRecord[] promises() {
        return new LogRecord[] {
            new LogRecord.Bodies(batch, List.of(request)),
            new LogRecord.Prepare(0, 1, digest),
            new LogRecord.Commit(0, 1, digest)
        };
    }

    /** The VIEW-CHANGE that a primary asks for after a restart. */
    private ViewChange viewChangeOf(LogRecord... disk) {
        Replica primary = new Replica(ReplicaConfig.of(0, 1), application, List.of(disk));
        primary.onTick(0);
        return sync(primary).stream()
                .filter(LogRecord.ViewChange.class::isInstance)
                .map(record -> ((LogRecord.ViewChange) record).message())
                .findFirst()
                .orElseThrow();
    }

    @PlantedBug(
            in = Agreement.class,
            rule = "2f + 1 PREPAREs make a batch prepared",
            replace = "Slot.count(slot.prepares, digest) < config.quorum()",
            with = "Slot.count(slot.prepares, digest) < config.quorum() - 1")
    @Test
    void threePreparesMakeABatchPreparedAndTwoDoNot() {
        Replica backup = accepting();
        backup.onMessage(0, 0, new Prepare(0, 1, digest));
        assertThat(sync(backup)).isEmpty();
        backup.onMessage(0, 3, new Prepare(0, 1, digest));
        assertThat(sync(backup)).containsExactly(new LogRecord.Commit(0, 1, digest));
    }

    @PlantedBug(
            in = Agreement.class,
            rule = "2f + 1 COMMITs decide a batch",
            replace = "Slot.count(slot.commits, digest) >= config.quorum()",
            with = "Slot.count(slot.commits, digest) >= config.quorum() - 1")
    @Test
    void threeCommitsDecideABatchAndTwoDoNot() {
        Replica backup = accepting();
        backup.onMessage(0, 0, new Prepare(0, 1, digest));
        backup.onMessage(0, 3, new Prepare(0, 1, digest));
        sync(backup);
        backup.onMessage(0, 0, new Commit(0, 1, digest));
        sync(backup);
        sync(backup);
        assertThat(application.journal()).isEmpty();
        backup.onMessage(0, 3, new Commit(0, 1, digest));
        sync(backup);
        sync(backup);
        assertThat(application.journal()).hasSize(1);
    }

    @PlantedBug(
            in = CommitLearner.class,
            rule = "f + 1 replicas must have executed a batch before another learns it",
            replace = "Slot.count(slot.claims, digest) < config.weakQuorum()",
            with = "Slot.count(slot.claims, digest) < config.weakQuorum() - 1")
    @Test
    void twoThatHaveExecutedABatchAreBelievedAndOneIsNot() {
        Replica backup = replica(3);
        backup.onMessage(0, 0, new Executed(1, List.of(Batch.NULL_DIGEST)));
        assertThat(sync(backup)).isEmpty();
        backup.onMessage(0, 1, new Executed(1, List.of(Batch.NULL_DIGEST)));
        assertThat(sync(backup)).containsExactly(new LogRecord.Learned(1, Batch.NULL_DIGEST));
    }

    @PlantedBug(
            in = RecoveredLog.class,
            rule = "what prepared outlives a restart",
            replace = "history.prepared(commit.sequence(), commit.digest(), commit.view());",
            with = "{}")
    @Test
    void aViewChangeAfterARestartNamesWhatPrepared() {
        ViewChange change = viewChangeOf(promises());
        assertThat(change.prepared()).containsExactly(new Prepared(1, digest, 0));
    }

    @PlantedBug(
            in = RecoveredLog.class,
            rule = "what pre-prepared outlives a restart",
            replace = "history.prePrepared(prepare.sequence(), prepare.digest(), prepare.view());",
            with = "{}")
    @Test
    void aViewChangeAfterARestartNamesWhatPrePrepared() {
        LogRecord[] promises = promises();
        ViewChange change = viewChangeOf(promises[0], promises[1]);
        assertThat(change.prepared()).isEmpty();
        assertThat(change.prePrepared()).containsExactly(new PrePrepared(1, List.of(new DigestView(digest, 0))));
    }

    @PlantedBug(
            in = RecoveredLog.class,
            rule = "the view that a replica asked for outlives a restart",
            replace = "viewChange = change.message();",
            with = "viewChange = null;")
    @Test
    void theViewThatWasAskedForOutlivesARestart() {
        ViewChange change = viewChangeOf(new LogRecord.Stable(0, Batch.NULL_DIGEST));
        Replica restarted = replica(2, new LogRecord.ViewChange(change));
        assertThat(restarted.view()).isEqualTo(change.view()).isPositive();
        assertThat(restarted.isActive()).isFalse();
    }

    @PlantedBug(
            in = Replica.class,
            rule = "a restarted replica answers no query before it has executed its promises",
            replace = "Math.max(promised, low.sequence())",
            with = "low.sequence()")
    @Test
    void nothingIsReadBeforeWhatWasPromisedIsExecuted() {
        Replica backup = replica(2, promises());
        backup.onQuery(request.client(), 2, Bytes.EMPTY);
        assertThat(backup.drain(0)).noneMatch(ReplicaEffect.Reply.class::isInstance);
        backup.onMessage(0, 0, new Commit(0, 1, digest));
        backup.onMessage(0, 3, new Commit(0, 1, digest));
        sync(backup);
        sync(backup);
        backup.onQuery(request.client(), 3, Bytes.EMPTY);
        assertThat(backup.drain(0)).anyMatch(ReplicaEffect.Reply.class::isInstance);
    }
}
