package io.bulwark.protocol.ordering.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.ordering.checkpoint.Checkpoints;
import io.bulwark.protocol.ordering.driver.JournalApplication;
import io.bulwark.protocol.ordering.driver.LogRecord;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.driver.ReplicaConfig.Batches;
import io.bulwark.protocol.ordering.driver.ReplicaEffect;
import io.bulwark.protocol.ordering.driver.StartReason;
import io.bulwark.protocol.ordering.key.Signing;
import io.bulwark.protocol.ordering.log.Outbox;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Commit;
import io.bulwark.protocol.ordering.message.ReplicaMessage.NewView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepare;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Prepare;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RequestEcho;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.normal.Agreement;
import io.bulwark.protocol.ordering.normal.Execution;
import io.bulwark.protocol.ordering.normal.Primary;
import io.bulwark.protocol.ordering.view.ViewChangeExecutor;
import io.bulwark.protocol.ordering.view.ViewDigest;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * Tests which records are on disk before messages and execution, and how many syncs that takes (docs/ordering).
 */
@NullMarked
class DurabilityTest {
    private final JournalApplication application = new JournalApplication();
    private final Request request = new Request(PrincipalId.client(1), 1, false, TestCluster.operation(1));
    private final Batch batch = new Batch(1, List.of(request.id()));
    private long appended;

    private Replica replica(int self) {
        Replica replica = new Replica(ReplicaConfig.of(self, 1), application, List.of());
        drain(replica);
        replica.onDurable(0, appended);
        return replica;
    }

    private List<ReplicaEffect> drain(Replica replica) {
        List<ReplicaEffect> effects = replica.drain(0);
        for (ReplicaEffect effect : effects) {
            switch (effect) {
                case ReplicaEffect.Append append -> appended = append.index();
                case ReplicaEffect.Roll roll -> appended = roll.index();
                default -> {}
            }
        }
        return effects;
    }

    private static List<ReplicaMessage> sent(List<ReplicaEffect> effects) {
        List<ReplicaMessage> sent = new ArrayList<>();
        for (ReplicaEffect effect : effects) {
            if (effect instanceof ReplicaEffect.Send send && !sent.contains(send.message())) {
                sent.add(send.message());
            }
        }
        return sent;
    }

    private static List<LogRecord> written(List<ReplicaEffect> effects) {
        return effects.stream()
                .filter(ReplicaEffect.Append.class::isInstance)
                .map(effect -> ((ReplicaEffect.Append) effect).record())
                .toList();
    }

    @PlantedBug(
            in = Outbox.class,
            rule = "a message is sent only after its promise is durable",
            replace = "if (isDurable(index)) {",
            with = "if (true) {")
    @PlantedBug(
            in = Execution.class,
            rule = "a number is executed only after its decision is durable",
            replace = "|| !outbox.isDurable(slot.decidedIndex)",
            with = "")
    @PlantedBug(
            in = Agreement.class,
            rule = "a PREPARE is stored with its bodies",
            replace = "if (bodies != null) {",
            with = "if (bodies == null) {")
    @Test
    void aBackupSyncsPrepareThenCommitThenExecutes() {
        Replica replica = replica(2);
        Bytes digest = batch.digest();
        replica.onRequest(0, request);
        replica.onMessage(0, 0, new PrePrepare(0, 1, batch));
        List<ReplicaEffect> first = drain(replica);
        assertThat(written(first))
                .containsExactly(new LogRecord.Bodies(batch, List.of(request)), new LogRecord.Prepare(0, 1, digest));
        assertThat(sent(first)).containsExactly(new RequestEcho(batch.requests()));
        replica.onDurable(0, appended);
        assertThat(sent(drain(replica))).containsExactly(new Prepare(0, 1, digest));

        replica.onMessage(0, 0, new Prepare(0, 1, digest));
        replica.onMessage(0, 1, new Prepare(0, 1, digest));
        replica.onMessage(0, 0, new Commit(0, 1, digest));
        replica.onMessage(0, 1, new Commit(0, 1, digest));
        List<ReplicaEffect> second = drain(replica);
        assertThat(written(second)).containsExactly(new LogRecord.Commit(0, 1, digest));
        assertThat(sent(second)).isEmpty();
        assertThat(application.journal()).isEmpty();
        replica.onDurable(0, appended);
        List<ReplicaEffect> third = drain(replica);
        assertThat(sent(third)).containsExactly(new Commit(0, 1, digest));
        assertThat(written(third)).isEmpty();
        assertThat(third).contains(new ReplicaEffect.Reply(request.client(), 1, TestCluster.operation(0)));
    }

    @Test
    void thePrimarysProposalLeavesDuringItsSyncAndItsPrepareAfter() {
        Replica replica = replica(0);
        replica.onClock(0, 1);
        replica.onRequest(0, request);
        replica.onMessage(0, 1, new RequestEcho(batch.requests()));
        replica.onMessage(0, 2, new RequestEcho(batch.requests()));
        List<ReplicaEffect> first = drain(replica);
        assertThat(sent(first)).containsExactly(new RequestEcho(batch.requests()), new PrePrepare(0, 1, batch));
        replica.onDurable(0, appended);
        assertThat(sent(drain(replica))).containsExactly(new Prepare(0, 1, batch.digest()));
    }

    @PlantedBug(
            in = Agreement.class,
            rule = "only the primary proposes",
            replace = "from != view.primary() ||",
            with = "")
    @Test
    void onlyThePrimaryProposes() {
        Replica replica = replica(2);
        replica.onRequest(0, request);
        drain(replica);
        replica.onMessage(0, 1, new PrePrepare(0, 1, batch));
        assertThat(written(drain(replica))).isEmpty();
        replica.onMessage(0, 0, new PrePrepare(0, 1, batch));
        assertThat(written(drain(replica))).isNotEmpty();
    }

    @PlantedBug(
            in = Agreement.class,
            rule = "a learned batch is executed only after it is durable",
            replace = "slot.decidedIndex = outbox.append(new LogRecord.Learned(slot.sequence, digest));",
            with = "")
    @Test
    void commitsWithoutAnOwnOneAreLearned() {
        Replica replica = replica(3);
        for (int from : List.of(0, 1, 2)) {
            replica.onMessage(0, from, new Commit(0, 1, Batch.NULL_DIGEST));
        }
        List<ReplicaEffect> effects = drain(replica);
        assertThat(written(effects)).containsExactly(new LogRecord.Learned(1, Batch.NULL_DIGEST));
        assertThat(replica.executed()).isZero();
        replica.onDurable(0, appended);
        assertThat(sent(drain(replica))).isEmpty();
        assertThat(replica.executed()).isEqualTo(1);
    }

    @Test
    void whatADamagedStateCouldNotExecuteIsExecutedOnceItIsFetched() {
        Replica replica = replica(3);
        replica.onRequest(0, request);
        for (int from : List.of(0, 1, 2)) {
            replica.onMessage(0, from, new Commit(0, 1, batch.digest()));
        }
        replica.onTick(0);
        replica.onMessage(0, 0, new ReplicaMessage.BatchBody(batch));
        drain(replica);
        replica.onDurable(0, appended);
        application.isUnreadable = true;
        assertThatThrownBy(() -> replica.drain(0)).isInstanceOf(IllegalStateException.class);
        replica.onStateDamaged(0);
        assertThat(drain(replica))
                .contains(new ReplicaEffect.FetchState(application.checkpoints().getFirst(), false));
        application.isUnreadable = false;
        application.crash();
        replica.onStateFetched(0, 0, 0);
        drain(replica);
        assertThat(replica.executed()).isEqualTo(1);
        assertThat(application.journal()).hasSize(1);
    }

    @PlantedBug(
            in = Replica.class,
            rule = "a restarted primary does not propose in its old view",
            replace = "normal.primary().abdicate();",
            with = "{}")
    @Test
    void nothingIsProposedAtRestartInTheViewOfBefore() {
        Replica replica =
                new Replica(ReplicaConfig.of(0, 1), application, List.of(new LogRecord.Stable(0, Batch.NULL_DIGEST)));
        replica.onTick(0);
        List<ReplicaEffect> effects = drain(replica);
        assertThat(written(effects)).anyMatch(LogRecord.ViewChange.class::isInstance);
        assertThat(replica.isActive()).isFalse();
        assertThat(replica.view()).isEqualTo(1);
    }

    /** After a power failure the promise may be there without the body, at all replicas: then nobody may prepare it. */
    @PlantedBug(
            in = Agreement.class,
            rule = "a second proposal for a number is ignored",
            replace = "if (slot.proposed != null) {",
            with = "if (slot.proposed != null && slot.proposed.equals(digest)) {")
    @Test
    void aPrepareWhoseBodyIsLostBindsAndIsNotSaidAgainBeforeTheBodyIsBack() {
        Bytes digest = batch.digest();
        LogRecord.Bodies bodies = new LogRecord.Bodies(batch, List.of(request));
        for (boolean lost : new boolean[] {false, true}) {
            List<LogRecord> disk = new ArrayList<>(lost ? List.of() : List.of(bodies));
            disk.add(new LogRecord.Prepare(0, 1, digest));
            Replica replica = new Replica(ReplicaConfig.of(2, 1), new JournalApplication(), disk);
            drain(replica);
            replica.onDurable(0, appended);
            replica.onMessage(1_000, 0, new ReplicaMessage.Status(0, true, 0, 0, Bytes.EMPTY, Bytes.EMPTY, 0, false));
            assertThat(sent(drain(replica)).contains(new Prepare(0, 1, digest))).isEqualTo(!lost);
            replica.onMessage(1_000, 0, new PrePrepare(0, 1, Batch.NULL));
            assertThat(drain(replica)).anyMatch(ReplicaEffect.Misbehaved.class::isInstance);
            if (lost) {
                replica.onMessage(1_000, 0, new Prepare(0, 1, digest));
                replica.onMessage(1_000, 1, new Prepare(0, 1, digest));
                replica.onTick(1_000);
                replica.onMessage(1_000, 0, new ReplicaMessage.BatchBody(batch));
                replica.onRequest(1_000, request);
                List<ReplicaEffect> effects = drain(replica);
                assertThat(written(effects)).startsWith(bodies, new LogRecord.Prepare(0, 1, digest));
                replica.onDurable(1_000, appended);
                assertThat(sent(drain(replica))).contains(new Prepare(0, 1, digest));
            }
        }
    }

    @Test
    void checkpointsAreTakenAtTheIntervalAndToldOnceDurable() {
        Replica replica =
                new Replica(ReplicaConfig.of(3, 1).withLog(2, 4).withBatches(Batches.DEFAULT), application, List.of());
        drain(replica);
        for (long n = 1; n <= 2; n++) {
            for (int from : List.of(0, 1, 2)) {
                replica.onMessage(0, from, new Commit(0, n, Batch.NULL_DIGEST));
            }
        }
        drain(replica);
        replica.onDurable(0, appended);
        drain(replica);
        assertThat(application.makeDurable(2)).isTrue();
        replica.onCheckpointDurable(2);
        Bytes digest = application.checkpoints().getLast().digest();
        List<ReplicaEffect> effects = drain(replica);
        assertThat(written(effects)).containsExactly(new LogRecord.Checkpoint(2, digest));
        assertThat(sent(effects)).isEmpty();
        replica.onDurable(0, appended);
        assertThat(sent(drain(replica))).containsExactly(new ReplicaMessage.Checkpoint(2, digest));
        replica.onMessage(0, 0, new ReplicaMessage.Checkpoint(2, digest));
        drain(replica);
        assertThat(replica.lowWaterMark()).isZero();
        replica.onMessage(0, 1, new ReplicaMessage.Checkpoint(2, digest));
        List<ReplicaEffect> stable = drain(replica);
        assertThat(replica.lowWaterMark()).isEqualTo(2);
        assertThat(stable).anyMatch(ReplicaEffect.Roll.class::isInstance);
        assertThat(application.checkpoints()).hasSize(2);
        replica.onDurable(0, appended - 1);
        assertThat(application.checkpoints())
                .as("after a crash the log begins at the one before")
                .hasSize(2);
        replica.onDurable(0, appended);
        assertThat(application.checkpoints()).hasSize(1);
    }

    private Replica withSmallLog(int self) {
        Replica replica = new Replica(
                ReplicaConfig.of(self, 1).withLog(2, 4).withBatches(new Batches(1, 1 << 20, 16)),
                application,
                List.of());
        replica.onClock(0, 1);
        drain(replica);
        replica.onDurable(0, appended);
        return replica;
    }

    /** It executes null batches up to this number and takes the checkpoints, which are not durable. */
    private void decideUpTo(Replica replica, long last, int... others) {
        for (long n = replica.executed() + 1; n <= last; n++) {
            for (int from : others) {
                replica.onMessage(0, from, new Commit(0, n, Batch.NULL_DIGEST));
            }
        }
        drain(replica);
        replica.onDurable(0, appended);
        drain(replica);
        assertThat(replica.executed()).isEqualTo(last);
    }

    /** A power cut could take the low water mark back, and all others would be asked to vote above the high one. */
    @PlantedBug(
            in = Primary.class,
            rule = "a number is proposed only after the low water mark that admits it is durable",
            replace = "gate = index;",
            with = "{}")
    @Test
    void whatTheHighWaterMarkNewlyCoversIsProposedOnceTheLowOneIsDurable() {
        Replica replica = withSmallLog(0);
        decideUpTo(replica, 4, 1, 2, 3);
        assertThat(application.makeDurable(2)).isTrue();
        replica.onCheckpointDurable(2);
        replica.onRequest(0, request);
        replica.onMessage(0, 1, new RequestEcho(batch.requests()));
        replica.onMessage(0, 2, new RequestEcho(batch.requests()));
        assertThat(sent(drain(replica))).noneMatch(PrePrepare.class::isInstance);
        replica.onDurable(0, appended);
        drain(replica);
        Bytes digest = application.checkpoints().getLast().digest();
        replica.onMessage(0, 1, new ReplicaMessage.Checkpoint(2, digest));
        replica.onMessage(0, 2, new ReplicaMessage.Checkpoint(2, digest));
        assertThat(sent(drain(replica))).noneMatch(PrePrepare.class::isInstance);
        assertThat(replica.lowWaterMark()).isEqualTo(2);
        replica.onDurable(0, appended);
        assertThat(sent(drain(replica))).contains(new PrePrepare(0, 5, batch));
    }

    @PlantedBug(
            in = Checkpoints.class,
            rule = "a VIEW-CHANGE names durable checkpoints only",
            replace = "return held;",
            with = "taken.headMap(upTo, true).forEach((sequence, digest) -> held.add(new "
                    + "Numbered(sequence, digest))); return held;")
    @Test
    void aViewChangeNamesOnlyCheckpointsThatAreDurable() {
        for (boolean durable : new boolean[] {false, true}) {
            Replica replica = withSmallLog(3);
            decideUpTo(replica, 2, 0, 1, 2);
            if (durable) {
                assertThat(application.makeDurable(2)).isTrue();
                replica.onCheckpointDurable(2);
            }
            replica.onMessage(0, 0, new ReplicaMessage.ViewChange(1, 0, List.of(), List.of(), List.of()));
            List<ReplicaMessage.ViewChange> asked = written(drain(replica)).stream()
                    .filter(LogRecord.ViewChange.class::isInstance)
                    .map(record -> ((LogRecord.ViewChange) record).message())
                    .toList();
            assertThat(asked).hasSize(1);
            assertThat(asked.getFirst().checkpoints())
                    .map(ReplicaMessage.Numbered::sequence)
                    .isEqualTo(durable ? List.of(0L, 2L) : List.of(0L));
        }
    }

    private static ReplicaMessage.ViewChange asksFor(long view) {
        Numbered genesis = new JournalApplication().checkpoints().getFirst();
        return new ReplicaMessage.ViewChange(view, 0, List.of(genesis), List.of(), List.of());
    }

    /**
     * Other replicas rely on this: a replica must not vote after it has asked for the next view, and a primary must not
     * begin it twice.
     */
    @PlantedBug(
            in = ViewChangeExecutor.class,
            rule = "a view is asked for only after that is durable",
            replace = "if (promised || !outbox.isDurable(promiseIndex)) {",
            with = "if (promised) {")
    @Test
    void aViewIsAskedForAndBegunOnceThatIsDurable() {
        Replica primary = replica(1);
        primary.onMessage(0, 0, asksFor(1));
        List<ReplicaEffect> asking = drain(primary);
        assertThat(written(asking)).containsExactly(new LogRecord.ViewChange(asksFor(1)));
        assertThat(sent(asking)).noneMatch(ReplicaMessage.ViewChange.class::isInstance);
        primary.onDurable(0, appended);
        assertThat(sent(drain(primary))).containsExactly(asksFor(1));

        primary.onMessage(0, 2, asksFor(1));
        primary.onMessage(0, 2, new ReplicaMessage.ViewChangeAck(1, 0, ViewDigest.of(asksFor(1))));
        primary.onMessage(0, 0, new ReplicaMessage.ViewChangeAck(1, 2, ViewDigest.of(asksFor(1))));
        List<ReplicaEffect> beginning = drain(primary);
        assertThat(written(beginning)).singleElement().isInstanceOf(LogRecord.NewView.class);
        assertThat(sent(beginning)).noneMatch(NewView.class::isInstance);
        assertThat(primary.isActive()).isFalse();
        primary.onDurable(0, appended);
        assertThat(sent(drain(primary))).anyMatch(NewView.class::isInstance);
        assertThat(primary.isActive()).isTrue();
    }

    @Test
    void anotherBatchForANumberThatNewViewChoseIsEvidence() {
        NewView newView = new NewView(
                1,
                List.of(),
                asksFor(1).checkpoints().getFirst(),
                List.of(new Numbered(1, Batch.NULL_DIGEST), new Numbered(2, Batch.NULL_DIGEST)));
        List<LogRecord> disk = List.of(new LogRecord.ViewChange(asksFor(1)), new LogRecord.NewView(newView));
        Replica replica = new Replica(ReplicaConfig.of(2, 1), application, disk);
        replica.onRequest(0, request);
        drain(replica);
        replica.onMessage(0, 1, new PrePrepare(1, 2, batch));
        List<ReplicaEffect> effects = drain(replica);
        assertThat(effects).anyMatch(ReplicaEffect.Misbehaved.class::isInstance);
        assertThat(written(effects)).isEmpty();
        replica.onMessage(0, 1, new PrePrepare(1, 3, batch));
        assertThat(written(drain(replica))).contains(new LogRecord.Prepare(1, 3, batch.digest()));
    }

    @Test
    void aCheckpointIsNotStableHereWithoutTheOwnOne() {
        Replica replica = withSmallLog(3);
        decideUpTo(replica, 2, 0, 1, 2);
        Bytes digest = application.checkpointAt(2);
        for (int from : List.of(0, 1, 2)) {
            replica.onMessage(0, from, new ReplicaMessage.Checkpoint(2, digest));
        }
        drain(replica);
        assertThat(replica.lowWaterMark()).isZero();
        assertThat(application.makeDurable(2)).isTrue();
        replica.onCheckpointDurable(2);
        drain(replica);
        assertThat(replica.lowWaterMark()).isEqualTo(2);
    }

    @PlantedBug(
            in = RecoveredLog.class,
            rule = "a learned batch outlives a restart",
            replace = "log.slot(learned.sequence()).decided = learned.digest();",
            with = "{}")
    @Test
    void whatWasLearnedIsExecutedAfterARestartWithoutAWordFromAnybody() {
        List<LogRecord> disk = new ArrayList<>();
        disk.add(new LogRecord.Bodies(batch, List.of(request)));
        disk.add(new LogRecord.Learned(1, batch.digest()));
        for (int life = 0; life < 2; life++) {
            JournalApplication journal = new JournalApplication();
            Replica replica = new Replica(ReplicaConfig.of(2, 1), journal, disk);
            for (ReplicaEffect effect : drain(replica)) {
                if (effect instanceof ReplicaEffect.Roll roll) {
                    disk = new ArrayList<>(roll.summary()); // for the next life
                }
            }
            assertThat(journal.journal()).as("life %d", life).containsExactly(TestCluster.operation(1));
        }
    }

    @PlantedBug(
            in = Agreement.class,
            rule = "a replica does not vote against what is decided",
            replace = "if (slot.decided != null && !slot.decided.equals(digest)) {",
            with = "if (false) {")
    @Test
    void againstWhatIsDecidedItVotesNoMore() {
        Replica replica = replica(3);
        replica.onRequest(0, request);
        for (int from : List.of(0, 1, 2)) {
            replica.onMessage(0, from, new Commit(0, 1, Batch.NULL_DIGEST));
        }
        replica.onMessage(0, 0, new PrePrepare(0, 1, batch));
        assertThat(written(drain(replica))).containsExactly(new LogRecord.Learned(1, Batch.NULL_DIGEST));
    }

    /** The clocks of two primaries differ, and one that lies may say anything within the bound. */
    @Test
    void agreedTimeDoesNotGoBack() {
        Replica replica = replica(3);
        List<Batch> batches = List.of(batch(1, 9_000), batch(2, 3_000), batch(3, 9_500));
        List<Long> times = new ArrayList<>();
        for (int i = 0; i < batches.size(); i++) {
            replica.onRequest(0, request(i + 1));
            replica.onMessage(0, 0, new PrePrepare(0, i + 1, batches.get(i)));
            for (int from : List.of(0, 1, 2)) {
                replica.onMessage(0, from, new Commit(0, i + 1, batches.get(i).digest()));
            }
            drain(replica);
            replica.onDurable(0, appended);
            drain(replica);
            times.add(application.agreedMillis());
        }
        assertThat(times).containsExactly(9_000L, 9_000L, 9_500L);
    }

    private static Request request(int call) {
        return new Request(PrincipalId.client(1), call, false, TestCluster.operation(call));
    }

    private static Batch batch(int call, long millis) {
        return new Batch(millis, List.of(request(call).id()));
    }

    @Test
    void aStateThatIsGivenUpWhileItIsFetchedIsNotTaken() {
        Replica replica = new Replica(
                ReplicaConfig.of(3, 1),
                application,
                List.of(),
                StartReason.FORGOTTEN,
                Signing.NONE,
                new SplittableRandom(0));
        replica.onStateDamaged(0);
        replica.onStateFetched(0, 0, 0);
        drain(replica);
        for (int from : List.of(0, 1)) {
            replica.onMessage(0, from, new ReplicaMessage.Checkpoint(128, batch.digest()));
        }
        replica.onTick(0);
        assertThat(drain(replica))
                .contains(new ReplicaEffect.FetchState(new ReplicaMessage.Numbered(128, batch.digest()), true));
    }
}
