package io.bulwark.protocol.ordering.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.ordering.driver.LogRecord;
import io.bulwark.protocol.ordering.driver.ReplicaEffect;
import io.bulwark.protocol.ordering.driver.StartReason;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Commit;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Executed;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepare;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Prepare;
import io.bulwark.protocol.ordering.message.ReplicaMessage.QueryStable;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Recover;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RecoveryReply;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ReplyStable;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RequestEcho;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Status;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ViewChange;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.OwnRecovery;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.Phase;
import io.bulwark.protocol.ordering.recovery.RecoveryRequest;
import io.bulwark.protocol.ordering.recovery.RecoveryRequest.Challenge;
import io.bulwark.protocol.ordering.recovery.ReplicaRecovery;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests the recovery of one replica, step by step (4.4; docs/ordering); {@link RecoveryTest} tests whole groups.
 */
@NullMarked
class ReplicaRecoveryTest {
    private static final LogRecord[] PROMISED = {
        new LogRecord.Prepare(0, 1, Batch.NULL_DIGEST), new LogRecord.Commit(0, 1, Batch.NULL_DIGEST)
    };

    private static Status behind() {
        return new Status(0, true, 0, 0, Bytes.EMPTY, Bytes.EMPTY, 0, false);
    }

    private static boolean vouchesFor(LoneReplica lone, Request request) {
        return lone.said(RequestEcho.class).stream()
                .anyMatch(requestEcho -> requestEcho.requests().contains(request.id()));
    }

    private static List<Integer> challenged(Request request) {
        return RecoveryRequest.of(request).orElseThrow().challenges().stream()
                .map(Challenge::replica)
                .toList();
    }

    // The estimate.

    @PlantedBug(
            in = ReplicaRecovery.class,
            rule = "a recovery begins after the disk says so",
            replace = "|| !outbox.isDurable(beginIndex)",
            with = "")
    @Test
    void nothingIsSaidBeforeTheDiskSaysThatARecoveryIsOpen() {
        LoneReplica lone = new LoneReplica(1, StartReason.RECOVERING);
        lone.replica.onTick(lone.nowMillis);
        assertThat(lone.replica.drain(lone.nowMillis))
                .noneMatch(
                        effect -> effect instanceof ReplicaEffect.Send send && send.message() instanceof QueryStable);
        lone.replica.onDurable(lone.nowMillis, 1);
        lone.pass(LoneReplica.TICK_MILLIS);
        assertThat(lone.said(QueryStable.class)).isNotEmpty();
    }

    @Test
    void itAsksAgainWithEachStatusAndNotMoreOften() {
        LoneReplica lone = new LoneReplica(1, StartReason.RECOVERING);
        lone.pass(1_000);
        assertThat(lone.said(QueryStable.class)).hasSize(3 * 5);
    }

    @PlantedBug(
            in = ReplicaRecovery.class,
            rule = "answers to another question do not count for an estimate",
            replace = "reply.round() != round ||",
            with = "")
    @Test
    void whatAnswersAnotherQuestionIsNoAnswer() {
        LoneReplica lone = new LoneReplica(1, StartReason.RECOVERING);
        // Before it has asked anything at all.
        lone.hear(0, new ReplyStable(0, 0, 0, LoneReplica.nonce(0, 7)));
        lone.pass(LoneReplica.TICK_MILLIS);
        for (int from : List.of(0, 2)) {
            lone.hear(from, new ReplyStable(lone.round() + 1, 0, 0, LoneReplica.nonce(from, 7)));
        }
        assertThat(lone.report().phase()).isEqualTo(Phase.ESTIMATING);
        lone.stands(2, 0, 0);
        lone.stands(3, 0, 0);
        assertThat(lone.report().phase()).isEqualTo(Phase.REQUESTING);
        assertThat(challenged(lone.asked())).containsExactly(2, 3);
    }

    /** A liar that knew the old keys in its name would move the estimate, and its nonce is worth nothing. */
    @PlantedBug(
            in = ReplicaRecovery.class,
            rule = "an estimate counts nothing said under old keys",
            replace = "estimation.forget(peer);",
            with = "")
    @Test
    void whatAPeerSaidUnderOldKeysIsNotCounted() {
        LoneReplica lone = new LoneReplica(1, StartReason.RECOVERING);
        lone.pass(LoneReplica.TICK_MILLIS);
        lone.stands(0, 16, 100);
        lone.replica.onKeyChange(0);
        lone.stands(2, 8, 0);
        assertThat(lone.said(Recover.class)).as("one nonce").isEmpty();
        lone.stands(3, 8, 0);
        assertThat(lone.report().phase()).as("nobody has prepared as much as 8").isEqualTo(Phase.ESTIMATING);
        lone.stands(2, 8, 8);
        assertThat(lone.report().own().estimate()).isEqualTo(8 + 16);
        assertThat(challenged(lone.asked())).containsExactly(2, 3);
    }

    @PlantedBug(
            in = ReplicaRecovery.class,
            rule = "votes of the disk are not sent before the estimate",
            replace = "case ReplicaMessage.Phase said -> !forgedView && isWithin(said.sequence());",
            with = "case ReplicaMessage.Phase said -> true;")
    @PlantedBug(
            in = ReplicaRecovery.class,
            rule = "nothing above the ceiling is sent during a recovery",
            replace = "&& sequence <= log.ceiling()",
            with = "")
    @Test
    void whatTheDiskHasPromisedIsSaidAgainOnceTheEstimateIsThere() {
        LoneReplica lone = new LoneReplica(1, StartReason.RECOVERING, PROMISED);
        lone.pass(LoneReplica.TICK_MILLIS);
        lone.hear(2, behind());
        assertThat(lone.said).noneMatch(ReplicaMessage.Phase.class::isInstance);
        lone.estimate();
        lone.pass(200);
        lone.hear(2, behind());
        assertThat(lone.said).contains(new Prepare(0, 1, Batch.NULL_DIGEST), new Commit(0, 1, Batch.NULL_DIGEST));
    }

    @Test
    void soIsWhatItHasExecuted() {
        LoneReplica lone = new LoneReplica(1, StartReason.RECOVERING, new LogRecord.Learned(1, Batch.NULL_DIGEST));
        for (int times = 0; times < 3; times++) {
            lone.pass(200);
            lone.hear(2, behind());
        }
        assertThat(lone.replica.executed()).isEqualTo(1);
        assertThat(lone.said(Executed.class)).isEmpty();
        lone.estimate();
        lone.pass(200);
        lone.hear(2, behind());
        assertThat(lone.said(Executed.class)).isNotEmpty();
    }

    /**
     * The marks may move before the estimate is known: a checkpoint of the disk, for which the others' certificate
     * arrives.
     */
    @Test
    void thoughACheckpointIsStableNothingLeavesBeforeTheEstimate() {
        LoneReplica lone = new LoneReplica(1, StartReason.NORMAL);
        lone.decide(1, 8);
        lone.start(StartReason.RECOVERING);
        lone.pass(LoneReplica.TICK_MILLIS);
        lone.said.clear();
        lone.stable(8);
        assertThat(lone.replica.lowWaterMark()).isEqualTo(8);
        lone.hear(0, new PrePrepare(0, 9, Batch.NULL));
        lone.pass(100);
        assertThat(lone.said).noneMatch(ReplicaMessage.Phase.class::isInstance);
        lone.pass(200);
        lone.stands(2, 8, 8);
        lone.stands(3, 8, 8);
        lone.hear(0, new PrePrepare(0, 9, Batch.NULL));
        assertThat(lone.said).contains(new Prepare(0, 9, Batch.NULL_DIGEST));
    }

    /** It could not ask for the next view, and would vote in none. */
    @ParameterizedTest
    @EnumSource(
            value = StartReason.class,
            names = {"RECOVERING", "FORGOTTEN"})
    void whoHasNoEstimateLeavesNoViewByItselfAndSaysSoToNobody(StartReason start) {
        LoneReplica lone = new LoneReplica(1, start);
        Request request = new Request(PrincipalId.client(1), 1, false, TestCluster.operation(1));
        lone.replica.onRequest(lone.nowMillis, request);
        for (int times = 0; times < 20; times++) {
            for (int from : List.of(0, 2, 3)) {
                lone.hear(from, new RequestEcho(List.of(request.id())));
            }
            lone.pass(300);
        }
        assertThat(lone.replica.view()).isZero();
        ViewChange next =
                new ViewChange(1, 0, List.of(lone.application.checkpoints().getFirst()), List.of(), List.of());
        lone.hear(2, next);
        lone.hear(3, next);
        lone.pass(500);
        assertThat(lone.replica.view()).as("it goes with f+1 others").isEqualTo(1);
        assertThat(lone.said(ViewChange.class)).isEmpty();
    }

    @Test
    void aLogThatNobodyCanHaveIsGivenUpOnceAndNothingIsAskedAnyMore() {
        LoneReplica lone = new LoneReplica(1, StartReason.RECOVERING, new LogRecord.Stable(8_000, Batch.NULL_DIGEST));
        lone.pass(LoneReplica.TICK_MILLIS);
        lone.stands(0, 0, 0);
        lone.stands(2, 0, 0);
        lone.stands(3, 0, 0);
        assertThat(lone.effects(ReplicaEffect.Forget.class)).hasSize(1);
        lone.stands(0, 0, 0);
        lone.said.clear();
        lone.pass(1_000);
        assertThat(lone.effects(ReplicaEffect.Forget.class)).hasSize(1);
        assertThat(lone.said(QueryStable.class)).isEmpty();
    }

    /** A certificate of this life has moved its low water mark; the others have answered before that. */
    @ParameterizedTest
    @EnumSource(
            value = StartReason.class,
            names = {"RECOVERING", "FORGOTTEN"})
    void aLogThatGoesOnBeforeTheEstimateIsNotForged(StartReason start) {
        LoneReplica lone = new LoneReplica(1, StartReason.NORMAL);
        lone.decide(1, 8);
        lone.start(start);
        lone.pass(LoneReplica.TICK_MILLIS);
        lone.stands(2, 0, 0);
        lone.stands(3, 0, 0);
        lone.stable(8);
        assertThat(lone.replica.lowWaterMark()).isEqualTo(8);
        lone.stands(0, 0, 0);
        assertThat(lone.effects(ReplicaEffect.Forget.class)).isEmpty();
        assertThat(lone.report().own().estimate()).isEqualTo(16);
    }

    // The request.

    @Test
    void itVouchesForItsOwnRequestUntilItHasExecutedIt() {
        LoneReplica lone = new LoneReplica(1, StartReason.RECOVERING);
        lone.estimate();
        assertThat(vouchesFor(lone, lone.asked())).isTrue();
        lone.execute(1, lone.asked());
        lone.said.clear();
        lone.pass(1_000);
        assertThat(lone.said(Recover.class)).as("nobody has answered").isNotEmpty();
        assertThat(vouchesFor(lone, lone.asked())).isFalse();
    }

    /** The earlier nonces may be forgotten at their origin. */
    @PlantedBug(
            in = ReplicaRecovery.class,
            rule = "a recovery request is over 2f nonces",
            replace = "nonces.size() < 2 * config.faulty()",
            with = "nonces.size() < 2 * config.faulty() - 1")
    @Test
    void aRequestThatDoesNotHelpIsSignedAnewOverFreshNonces() {
        LoneReplica lone = new LoneReplica(1, StartReason.RECOVERING);
        lone.estimate();
        Request first = lone.asked();
        long round = lone.round();
        lone.pass(7_800);
        assertThat(lone.round()).as("in time").isEqualTo(round);
        lone.pass(500);
        assertThat(lone.round()).isNotEqualTo(round);
        lone.said.removeIf(Recover.class::isInstance);
        lone.hear(0, new ReplyStable(lone.round(), 0, 0, LoneReplica.nonce(0, 1)));
        assertThat(lone.said(Recover.class))
                .as("f correct ones at least let it in")
                .isEmpty();
        lone.hear(3, new ReplyStable(lone.round(), 0, 0, LoneReplica.nonce(3, 1)));
        assertThat(lone.asked().id()).isNotEqualTo(first.id());
        RecoveryRequest signed = RecoveryRequest.of(lone.asked()).orElseThrow();
        assertThat(challenged(lone.asked())).containsExactly(0, 3);
        assertThat(signed.nonceOf(3)).isEqualTo(LoneReplica.nonce(3, 1));
    }

    @Test
    void whatAnswersAnotherRequestIsNoAnswer() {
        LoneReplica lone = new LoneReplica(1, StartReason.RECOVERING);
        lone.estimate();
        lone.execute(1, lone.asked());
        lone.hear(2, new RecoveryReply(lone.asked().call() + 1, true, 1, 0));
        lone.hear(3, new RecoveryReply(lone.asked().call() + 1, true, 1, 0));
        assertThat(lone.report().phase()).isEqualTo(Phase.REQUESTING);
        lone.executes(2, true, 1, 0);
        lone.executes(3, true, 1, 0);
        assertThat(lone.report().phase()).isEqualTo(Phase.REACHING);
        lone.stands(0, 0, 0);
        assertThat(lone.report().phase()).as("what comes late changes nothing").isEqualTo(Phase.REACHING);
    }

    /** 2f+1 are enough; the others may be slow. */
    @Test
    void whatIsAnsweredOnceItHasRecoveredDoesNotOpenTheRecoveryAgain() {
        LoneReplica lone = inView(4, 3);
        OwnRecovery recovered = lone.report().own();
        assertThat(lone.report().phase()).isEqualTo(Phase.NONE);
        lone.executes(0, true, 1, 3);
        assertThat(lone.report().phase()).isEqualTo(Phase.NONE);
        assertThat(lone.report().own()).isEqualTo(recovered);
    }

    @Test
    void oneThatIsRefusedIsMadeAgainAndTheRefusalsAreThoseOfTheFirst() {
        LoneReplica lone = new LoneReplica(1, StartReason.RECOVERING);
        List<Challenge> none = List.of();
        Bytes signature = new TestSigning(1).sign(RecoveryRequest.content(1, 99, 16, none));
        lone.estimate();
        lone.execute(1, new RecoveryRequest(1, 99, 16, none, signature).request());
        Request first = lone.asked();
        lone.execute(2, first);
        lone.executes(2, false, 2, 0);
        assertThat(lone.report().phase()).isEqualTo(Phase.REFUSED);
        lone.pass(LoneReplica.WATCHDOG_MILLIS / 16 + 300);
        lone.stands(2, 0, 0);
        lone.stands(3, 0, 0);
        assertThat(lone.asked().call()).isNotEqualTo(first.call());
        assertThat(vouchesFor(lone, lone.asked())).isTrue();
        lone.executes(3, false, 2, 0);
        assertThat(lone.report().phase()).as("a liar alone").isEqualTo(Phase.REQUESTING);
    }

    @Test
    void thePointIsTheGreaterOfTheEstimateAndTheMarkOfTheRequest() {
        LoneReplica late = new LoneReplica(1, StartReason.RECOVERING);
        late.estimate();
        late.decide(1, 8);
        late.execute(9, late.asked());
        late.executes(2, true, 9, 0);
        late.executes(3, true, 9, 0);
        assertThat(late.report().own().estimate()).isEqualTo(16);
        assertThat(late.report().own().point()).isEqualTo(8 + 16);
        LoneReplica early = new LoneReplica(1, StartReason.RECOVERING);
        early.pass(LoneReplica.TICK_MILLIS);
        early.stands(2, 8, 8);
        early.stands(3, 8, 8);
        early.execute(1, early.asked());
        early.executes(2, true, 1, 0);
        early.executes(3, true, 1, 0);
        assertThat(early.report().own().point()).isEqualTo(8 + 16);
    }

    // Views.

    /** As an own VIEW-CHANGE of the disk has it, which no other is as far as; replica 1 is the primary of neither view. */
    private static LoneReplica inView(long view, long others) {
        LoneReplica lone = new LoneReplica(1, StartReason.NORMAL);
        Numbered genesis = lone.application.checkpoints().getFirst();
        lone.start(
                StartReason.RECOVERING,
                new LogRecord.ViewChange(new ViewChange(view, 0, List.of(genesis), List.of(), List.of())));
        lone.estimate();
        for (int number = 1; number <= 16; number++) {
            Bytes digest = number == 1 ? new Batch(1_000, List.of(lone.asked().id())).digest() : Batch.NULL_DIGEST;
            lone.hear(2, new Executed(number, List.of(digest)));
            lone.hear(3, new Executed(number, List.of(digest)));
            if (number == 1) {
                lone.execute(1, lone.asked());
            }
        }
        lone.executes(2, true, 1, others);
        lone.executes(3, true, 1, others);
        lone.executes(0, true, 1, others);
        lone.stable(8);
        lone.stable(16);
        lone.pass(2 * LoneReplica.KEY_MILLIS + 500);
        return lone;
    }

    @Test
    void aCorrectReplicaMayHaveAskedForTheNextViewAlone() {
        LoneReplica lone = inView(4, 3);
        assertThat(lone.report().phase()).isEqualTo(Phase.NONE);
        assertThat(lone.replica.view()).isEqualTo(4);
    }

    @Test
    void itsOwnWordIsNoWordOfTheOthersViews() {
        LoneReplica lone = inView(10, 0);
        assertThat(lone.report().phase()).isEqualTo(Phase.NONE);
        assertThat(lone.replica.view()).isZero();
    }

    /** Though its disk has nothing: who had it before may have proposed anything. */
    @Test
    void aPrimaryThatRecoversProposesNothingInItsView() {
        LoneReplica lone = new LoneReplica(0, StartReason.RECOVERING);
        Request request = new Request(PrincipalId.client(1), 1, false, TestCluster.operation(1));
        lone.replica.onRequest(lone.nowMillis, request);
        lone.estimate();
        for (int from = 1; from < 4; from++) {
            lone.hear(from, new RequestEcho(List.of(request.id())));
        }
        lone.pass(100);
        assertThat(lone.said(PrePrepare.class)).isEmpty();
        assertThat(lone.replica.view()).isEqualTo(1);
    }

    // Tests of a replica that has forgotten its promises.

    @PlantedBug(
            in = ReplicaRecovery.class,
            rule = "a replica that has forgotten votes only after two key periods",
            replace = "if (forgotten && log.floor() == Long.MAX_VALUE && past) {",
            with = "if (forgotten && log.floor() == Long.MAX_VALUE) {")
    @Test
    void whoHasForgottenVotesOnNothingForTwoKeyPeriodsThoughAllElseIsDone() {
        LoneReplica lone = new LoneReplica(1, StartReason.FORGOTTEN);
        lone.answer(0);
        lone.decide(2, 16);
        lone.stable(8);
        lone.stable(16);
        lone.pass(100);
        assertThat(lone.replica.lowWaterMark()).isEqualTo(lone.report().own().point());
        lone.hear(0, new PrePrepare(0, 17, Batch.NULL));
        lone.pass(2 * LoneReplica.KEY_MILLIS - 300);
        assertThat(lone.said(Prepare.class)).isEmpty();
        assertThat(lone.report().phase()).isEqualTo(Phase.REACHING);
        lone.pass(300);
        assertThat(lone.report().phase()).isEqualTo(Phase.NONE);
        assertThat(lone.said(Prepare.class)).isNotEmpty().allMatch(said -> said.sequence() == 17);
    }

    /** It lacks what it promised between where its log begins and the point. */
    @Test
    void whoHasForgottenAsksForNoViewWithALogThatBeginsBelowItsPoint() {
        LoneReplica lone = new LoneReplica(1, StartReason.FORGOTTEN);
        lone.answer(0);
        lone.decide(2, 8);
        lone.stable(8);
        lone.pass(2 * LoneReplica.KEY_MILLIS + 100);
        ViewChange next =
                new ViewChange(1, 8, List.of(lone.application.checkpoints().getLast()), List.of(), List.of());
        lone.hear(2, next);
        lone.hear(3, next);
        lone.pass(500);
        assertThat(lone.replica.view()).isEqualTo(1);
        assertThat(lone.said(ViewChange.class)).isEmpty();
    }

    @Test
    void whoRecoversAgainWhileItHasForgottenHasForgottenStill() {
        LoneReplica lone = new LoneReplica(1, StartReason.RECOVERING, new LogRecord.Recovery(true, true, 0));
        assertThat(lone.report().forgotten()).isTrue();
    }

    @Test
    void whereALogBeganThatIsLostIsForgottenToo() {
        LoneReplica lone = new LoneReplica(1, StartReason.NORMAL);
        lone.decide(1, 8);
        lone.stable(8);
        lone.start(StartReason.FORGOTTEN);
        assertThat(lone.application.checkpoints().getFirst().sequence()).isEqualTo(8);
        assertThat(lone.replica.lowWaterMark()).isZero();
    }
}
