package io.bulwark.simulation.mutation;

import static io.bulwark.protocol.mutation.Detector.protocol;
import static io.bulwark.protocol.mutation.Detector.simulation;
import static io.bulwark.protocol.mutation.PlantedBug.in;

import io.bulwark.protocol.mutation.Detector;
import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;

/** What can go wrong with what a replica promises, what it holds others to, and what it keeps over a restart (PROTOCOLS section 7). */
final class PromiseBugs {
    private static final Detector GROUP = simulation("ordering.OrderingSimulationTest", "noInvariantIsViolated")
            .runs(48);

    private static Detector engine(String testClass, String test) {
        return protocol("ordering.replica." + testClass, test);
    }

    static final List<PlantedBug> ALL = List.of(
            in(
                    "ordering/replica/Proposing",
                    "what only the new high water mark covers is proposed before the low one is durable",
                    engine("DurabilityTest", "whatTheHighWaterMarkNewlyCoversIsProposedOnceTheLowOneIsDurable"),
                    "gate = index;",
                    "{}"),
            in(
                    "ordering/replica/Execution",
                    "agreed time is what was proposed",
                    engine("DurabilityTest", "agreedTimeDoesNotGoBack"),
                    "agreedMillis = Math.max(agreedMillis, batch.millis());",
                    "agreedMillis = batch.millis();"),
            in(
                    "ordering/replica/Suspicion",
                    "backups do not time the numbers that a recovery waits for",
                    engine("RecoveryTest", "aPrimaryThatFillsNoNumbersThatARecoveryWaitsForIsReplaced"),
                    "since = Math.min(since, execution.progressMillis());",
                    "{}"),
            in(
                    "ordering/replica/Suspicion",
                    "an accepted number is not timed",
                    engine("FaultsTest", "whoSuspectedThePrimaryAloneVotesAgainAMinuteAfterTheViewBegan"),
                    "since = Math.min(since, slot.acceptedMillis);",
                    "{}"),
            in(
                    "ordering/replica/Suspicion",
                    "the share that a primary must reach does not relax",
                    engine("SuspicionTest", "aGroupThatCannotDoBetterThanATwentiethComesToRest"),
                    "slowRelaxed = Math.min(slowRelaxed + 1, RELAXED_MAX);",
                    "{}"),
            in(
                    "ordering/replica/Suspicion",
                    "a primary is slow while what NEW-VIEW chose is not executed",
                    engine("SuspicionTest", "nothingWaitsForThePrimaryWhileWhatItsNewViewChoseIsNotExecuted"),
                    "execution.executed() < lastChosen || ",
                    ""),
            in(
                    "ordering/replica/Suspicion",
                    "how often a request may be passed over does not relax",
                    engine("SuspicionTest", "whoIsPassedOverInEachViewWaitsTwiceAsLongInTheNext"),
                    "unfairRelaxed = Math.min(unfairRelaxed + 1, RELAXED_MAX);",
                    "{}"),
            in(
                    "ordering/replica/Checkpoints",
                    "C names checkpoints that are not durable",
                    engine("DurabilityTest", "aViewChangeNamesOnlyCheckpointsThatAreDurable"),
                    "return held;",
                    "taken.headMap(upTo, true).forEach((sequence, digest) -> held.add(new Numbered(sequence,"
                            + " digest))); return held;"),
            in(
                    "ordering/replica/Checkpoints",
                    "a checkpoint is stable that this replica could not serve",
                    engine("DurabilityTest", "aCheckpointIsNotStableHereWithoutTheOwnOne"),
                    "taken.put(sequence, application.checkpoint(sequence, engineState));",
                    """
                    taken.put(sequence, application.checkpoint(sequence, engineState));
                    durable.put(sequence, new Own(taken.get(sequence), 0));
                    """),
            in(
                    "ordering/replica/Replica",
                    "pages go before the low water mark that needs them no more is durable",
                    engine("DurabilityTest", "checkpointsAreTakenAtTheIntervalAndToldOnceDurable"),
                    "&& outbox.isDurable(discards.peek().index())",
                    ""),
            in(
                    "ordering/replica/Replica",
                    "a restarted primary proposes in its old view",
                    engine("DurabilityTest", "nothingIsProposedAtRestartInTheViewOfBefore"),
                    "proposing.abdicate();",
                    "{}"),
            in(
                    "ordering/replica/Replica",
                    "who executes another's recovery, or fetches it, drops no keys",
                    engine("RecoveryTest", "eachReplicaRecoversInTurnWithoutAnyOtherWork"),
                    "outbox.add(new ReplicaEffect.DropKeys(replica));",
                    "{}"),
            in(
                    "ordering/replica/Execution",
                    "who fetches a state that reflects another's recovery drops no keys",
                    engine("RecoveryTest", "whoFetchesAStateThatReflectsARecoveryDropsTheKeys"),
                    "listener.onRecovery(nowMillis, replica, entry.call(), entry.sequence(), true);",
                    "{}"),
            in(
                    "ordering/replica/Recovering",
                    "answers to a recovery request count under old keys",
                    engine("RecoveryTest", "whatWasAnsweredUnderOldKeysIsNoAnswer"),
                    "replies.forget(peer);",
                    "{}"),
            in(
                    "ordering/recovery/RecoveryReplies",
                    "what is forgotten still counts",
                    protocol(
                            "ordering.recovery.RecoveryRepliesPaperTest",
                            "twoFPlusOneEqualOnesAreNeededItsOwnAmongThem"),
                    "said.remove(replica);",
                    "{}"),
            in(
                    "ordering/replica/ViewChanging",
                    "a view is asked for and begun before that is durable",
                    engine("DurabilityTest", "aViewIsAskedForAndBegunOnceThatIsDurable"),
                    "if (promised || !outbox.isDurable(promiseIndex)) {",
                    "if (promised) {"),
            in(
                    "ordering/view/ViewChecks",
                    "the highest view that another asks for is joined",
                    protocol("ordering.view.ViewChangesTest", "aReplicaJoinsTheLowestViewOfFPlusOneOthers"),
                    "return views[views.length - group.oneCorrect()];",
                    "return views[views.length - group.oneCorrect()] == 0 ? 0 : views[views.length - 1];"),
            in(
                    "ordering/replica/Slot",
                    "COMMITs of earlier views count",
                    engine("FaultsTest", "aCommitOfTheViewBeforeIsNothingInTheNextOne"),
                    "commits.clear();",
                    ""),
            in(
                    "ordering/replica/Agreement",
                    "a replica votes against what is decided",
                    engine("DurabilityTest", "againstWhatIsDecidedItVotesNoMore"),
                    "if (slot.decided != null && !slot.decided.equals(digest)) {",
                    "if (false) {"),
            in(
                    "ordering/replica/Agreement",
                    "a second proposal takes the place of the first",
                    engine("DurabilityTest", "aPrepareWhoseBodyIsLostBindsAndIsNotSaidAgainBeforeTheBodyIsBack"),
                    "if (slot.proposed != null) {",
                    "if (slot.proposed != null && slot.proposed.equals(digest)) {"),
            in(
                    "ordering/replica/Agreement",
                    "what NEW-VIEW chose is proposed anew",
                    engine("DurabilityTest", "anotherBatchForANumberThatNewViewChoseIsEvidence"),
                    "if (slot.proposed != null) {",
                    "if (slot.proposed != null && !slot.chosen) {"),
            in(
                    "ordering/replica/Agreement",
                    "what NEW-VIEW chose is checked like a fresh proposal",
                    GROUP,
                    "boolean unchecked = !isBacked(slot);",
                    "boolean unchecked = Slot.count(slot.prepares, digest) < config.oneCorrect();"),
            in(
                    "ordering/replica/Memory",
                    "Q is not restored from disk",
                    GROUP,
                    "history.prePrepared(prepare.sequence(), prepare.digest(), prepare.view());",
                    "{}"),
            in(
                    "ordering/replica/Memory",
                    "what was learned is not restored from disk",
                    engine("DurabilityTest", "whatWasLearnedIsExecutedAfterARestartWithoutAWordFromAnybody"),
                    "log.slot(learned.sequence()).decided = learned.digest();",
                    "{}"),
            in(
                    "ordering/replica/Memory",
                    "what was learned is lost with the segment of the log",
                    engine("DurabilityTest", "whatWasLearnedIsExecutedAfterARestartWithoutAWordFromAnybody"),
                    "summary.add(new LogRecord.Learned(slot.sequence, slot.decided));",
                    "{}"));

    private PromiseBugs() {}
}
