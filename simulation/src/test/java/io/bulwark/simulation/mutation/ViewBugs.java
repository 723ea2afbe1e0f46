package io.bulwark.simulation.mutation;

import static io.bulwark.protocol.mutation.Detector.protocol;
import static io.bulwark.protocol.mutation.PlantedBug.in;

import io.bulwark.protocol.mutation.Detector;
import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;

/** What can go wrong with view changes of the ordering engine: proactive recovery paper, section 4.5; PROTOCOLS section 7. */
final class ViewBugs {
    private static final Detector LONE =
            protocol("ordering.replica.FaultsTest", "whoSuspectedThePrimaryAloneVotesAgainAMinuteAfterTheViewBegan");

    private static final Detector HAND_OVER =
            protocol("ordering.replica.HandOverTest", "aHandOverTakesSevenMessageDelaysAndSixSyncsAndNoTick");

    static final List<PlantedBug> ALL = List.of(
            in(
                    "ordering/view/Decision",
                    "a checkpoint that f hold is chosen",
                    protocol("ordering.view.DecisionPaperTest", "aCheckpointNeedsFPlusOneThatHoldIt"),
                    "digest.getValue() >= group.oneCorrect()",
                    "digest.getValue() >= group.faulty()"),
            in(
                    "ordering/view/Decision",
                    "a checkpoint is chosen above which 2f logs begin",
                    protocol("ordering.view.DecisionPaperTest", "aCheckpointNeedsTwoFPlusOneWhoseLogBeginsNoLater"),
                    "count(claim -> claim.stable <= number) < group.quorum()",
                    "count(claim -> claim.stable <= number) < group.quorum() - 1"),
            in(
                    "ordering/view/Decision",
                    "the least checkpoint is chosen",
                    protocol("ordering.view.DecisionPaperTest", "theGreatestCheckpointIsChosen"),
                    "new TreeMap<>(Comparator.reverseOrder())",
                    "new TreeMap<>()"),
            in(
                    "ordering/view/Decision",
                    "a backup does not check the checkpoint",
                    protocol("ordering.view.DecisionPaperTest", "theGreatestCheckpointIsChosen"),
                    "!checkpoint().equals(Optional.of(checkpoint)) || chosen",
                    "chosen"),
            in(
                    "ordering/view/Decision",
                    "A1 is enough with 2f",
                    protocol("ordering.view.DecisionPaperTest", "conditionA1TwoOfOneViewContradictEachOther"),
                    "entry.equals(candidate)); }) >= group.quorum();",
                    "entry.equals(candidate)); }) >= group.quorum() - 1;"),
            in(
                    "ordering/view/Decision",
                    "A1 counts logs that begin above the number",
                    protocol("ordering.view.DecisionPaperTest", "conditionA1CountsOnlyLogsThatReachDownToTheNumber"),
                    "return claim.stable < candidate.sequence() && (entry == null",
                    "return (entry == null"),
            in(
                    "ordering/view/Decision",
                    "A1 counts entries of later views",
                    protocol("ordering.view.DecisionPaperTest", "conditionA1TheLaterViewWins"),
                    "entry.view() < candidate.view() || entry.equals(candidate)",
                    "true"),
            in(
                    "ordering/view/Decision",
                    "A2 is enough with f",
                    protocol("ordering.view.DecisionPaperTest", "conditionA2ALiarCannotInventABatch"),
                    ">= candidate.view()) >= group.oneCorrect();",
                    ">= candidate.view()) >= group.faulty();"),
            in(
                    "ordering/view/Decision",
                    "A2 counts pairs of earlier views",
                    protocol("ordering.view.DecisionPaperTest", "conditionA2ThePairMustBeOfThisViewOrALaterOne"),
                    ">= candidate.view()) >= group.oneCorrect();",
                    ">= 0) >= group.oneCorrect();"),
            in(
                    "ordering/view/Decision",
                    "A3 is left out",
                    protocol("ordering.view.DecisionPaperTest", "conditionA3ThePrimaryFetchesWhatItLacks"),
                    "|| bodies.has(n, candidate.digest())",
                    "|| n > 0"),
            in(
                    "ordering/view/Decision",
                    "B is enough with 2f",
                    protocol("ordering.view.DecisionPaperTest", "conditionBNullNeedsTwoFPlusOneWithoutAnEntry"),
                    "!claim.prepared.containsKey(n)) >= group.quorum();",
                    "!claim.prepared.containsKey(n)) >= group.quorum() - 1;"),
            in(
                    "ordering/view/Decision",
                    "B counts logs that begin above the number",
                    protocol("ordering.view.DecisionPaperTest", "conditionBCountsOnlyLogsThatReachDownToTheNumber"),
                    "claim.stable < n && !claim.prepared",
                    "!claim.prepared"),
            in(
                    "ordering/view/Decision",
                    "a backup does not check what is left free",
                    protocol("ordering.view.DecisionPaperTest", "whatPreparedIsNotLeftFree"),
                    "if (!nothingPrepared(n)) {",
                    "if (n < 0) {"),
            in(
                    "ordering/view/Decision",
                    "backups take the primary's word that numbers are free",
                    protocol("ordering.replica.NewViewLiesTest", "noNumberThatMayHaveCommittedIsTakenForFree"),
                    "while (n < checkpoint.sequence() + group.logSize()) {",
                    "while (n < checkpoint.sequence()) {"),
            in(
                    "ordering/view/Decision",
                    "what only pre-prepared is left free",
                    protocol("ordering.view.DecisionPaperTest", "whatNobodyToldOfIsLeftFree"),
                    "for (long n : claim.prePrepared.keySet()) { last = Math.max(last, n); }",
                    ""),
            in(
                    "ordering/view/Decision",
                    "what one swears prepared is left free",
                    protocol(
                            "ordering.view.DecisionPaperTest", "whatMayHavePreparedIsNotLeftFreeForOneThatSaysNothing"),
                    "for (long n : claim.prepared.keySet()) { last = Math.max(last, n); }",
                    ""),
            in(
                    "ordering/view/Decision",
                    "numbers above the log get choices",
                    protocol("ordering.view.DecisionPaperTest", "noMoreThanTheLogGetsAChoice"),
                    "|| chosen.size() > group.logSize()) {",
                    ") {"),
            in(
                    "ordering/view/ViewChecks",
                    "a NEW-VIEW may have any number of choices",
                    protocol("ordering.view.ViewChangesTest", "malformedMessagesAreTheirSendersMisbehaviour"),
                    "|| message.chosen().size() > group.logSize()",
                    ""),
            in(
                    "ordering/view/ViewChanges",
                    "after a view that brought nothing numbers are left free",
                    protocol("ordering.view.ViewChangesTest", "afterAViewThatBroughtNothingEachNumberGetsAChoice"),
                    "failed > 0 || older != 0",
                    "older != 0"),
            in(
                    "ordering/view/ViewChanges",
                    "numbers are left free for builds that refuse such a NEW-VIEW",
                    protocol("ordering.view.ViewChangesTest", "ifAnotherRunsABuildThatWantsThemEachNumberGetsAChoice"),
                    "failed > 0 || older != 0",
                    "failed > 0"),
            in(
                    "ordering/view/ViewChanges",
                    "a hand-over fills the log with null batches",
                    HAND_OVER,
                    "failed > 0 || older != 0",
                    "true"),
            in(
                    "ordering/replica/Proposing",
                    "more full batches are proposed than a backup keeps that is not in the view yet",
                    protocol("ordering.replica.AttacksTest", "aPrimaryThatBecomesSlowIsReplacedBeforeAnyTimer"),
                    "(full ? Math.max(inFlight, EarlyMessages.FULL_MAX) : inFlight)",
                    "(full ? Long.MAX_VALUE : inFlight)"),
            in(
                    "ordering/replica/Proposing",
                    "a primary stops when the next view has brought nothing yet",
                    protocol("ordering.replica.HandOverTest", "aPrimaryIsLedOnceTheNextViewHasBroughtSomething"),
                    "(executed > last || pool.ready().isEmpty())",
                    "true"),
            in(
                    "ordering/replica/Proposing",
                    "where nothing waits a primary stays",
                    protocol("ordering.replica.HandOverTest", "whereNothingWaitsAPrimaryIsLedOnceTheNextViewIsActive"),
                    "(executed > last || pool.ready().isEmpty())",
                    "executed > last"),
            in(
                    "ordering/view/ViewHistory",
                    "Q keeps f+2 pairs, as the paper has it",
                    protocol("ordering.view.ViewHistoryPaperTest", "noPairIsEvicted"),
                    ".merge(digest, view, Math::max);",
                    ".merge(digest, view, Math::max); while (prePreparedSet.get(sequence).size() > group.faulty() + 2)"
                            + " { prePreparedSet.get(sequence).pollFirstEntry(); }"),
            in(
                    "ordering/view/ViewHistory",
                    "a pair keeps its first view",
                    protocol("ordering.view.ViewHistoryPaperTest", "aPairOfTheSameDigestGetsTheLatestView"),
                    "merge(digest, view, Math::max)",
                    "merge(digest, view, Math::min)"),
            in(
                    "ordering/view/ViewHistory",
                    "P keeps the entry of the first view",
                    protocol("ordering.view.ViewHistoryPaperTest", "theEntryOfThePSetIsOfTheLatestView"),
                    "before.view() > now.view() ? before : now",
                    "before"),
            in(
                    "ordering/view/ViewHistory",
                    "fresh batches for one number are not bounded",
                    protocol(
                            "ordering.view.ViewHistoryPaperTest", "freshBatchesForOneNumberAreBoundedAndChoicesAreNot"),
                    "digests.size() < max",
                    "max > 0"),
            in(
                    "ordering/view/ViewHistory",
                    "P keeps what lies below the low water mark",
                    protocol("ordering.view.ViewHistoryPaperTest", "theLowWaterMarkTrimsBoth"),
                    "preparedSet.headMap(low, true).clear();",
                    ""),
            in(
                    "ordering/view/ViewHistory",
                    "fresh batches above the high water mark are answered",
                    protocol("ordering.view.ViewHistoryPaperTest", "nothingAboveTheHighWaterMark"),
                    "sequence <= low || sequence > low + group.logSize()) { return false;",
                    "sequence <= low) { return false;"),
            in(
                    "ordering/view/ViewChangeSet",
                    "2f-2 acknowledgements are enough for S",
                    protocol("ordering.view.ViewChangesTest", "thePrimaryWaitsForAcknowledgementsOfOthers"),
                    ">= 2 * group.faulty() - 1",
                    ">= 2 * group.faulty() - 2"),
            in(
                    "ordering/view/ViewChangeSet",
                    "a sender acknowledges its own VIEW-CHANGE",
                    protocol("ordering.view.ViewChangesTest", "thePrimaryWaitsForAcknowledgementsOfOthers"),
                    "replica != sender && replica != primary",
                    "replica != primary"),
            in(
                    "ordering/view/ViewChangeSet",
                    "acknowledgements of another digest count",
                    protocol("ordering.view.ViewChangesTest", "thePrimaryWaitsForAcknowledgementsOfOthers"),
                    "ack.equals(acks[sender][replica])",
                    "acks[sender][replica] != null"),
            in(
                    "ordering/view/ViewChangeSet",
                    "the word of the primary counts at a backup",
                    protocol("ordering.view.ViewChangesTest", "aBackupBelievesWhatFOthersAcknowledge"),
                    "replica != sender && replica != primary",
                    "replica != sender"),
            in(
                    "ordering/view/ViewChangeSet",
                    "a backup believes what the primary hands on",
                    protocol("ordering.view.ViewChangesTest", "aBackupBelievesWhatFOthersAcknowledge"),
                    "acknowledged(named.replica(), other, primary) >= group.faulty()",
                    "acknowledged(named.replica(), other, primary) >= 0"),
            in(
                    "ordering/view/ViewChangeSet",
                    "a backup takes any VIEW-CHANGE that is handed on",
                    protocol("ordering.view.ViewChangesTest", "aBackupBelievesWhatFOthersAcknowledge"),
                    "if (newView.support().contains(new Support(replica, held.digest))) {",
                    "if (!newView.support().isEmpty()) {"),
            in(
                    "ordering/view/ViewChangeSet",
                    "a NEW-VIEW may name what this replica never sent",
                    protocol("ordering.view.ViewChangesTest", "aNewViewThatNamesWhatThisReplicaNeverSaidIsRefused"),
                    "&& !held.digest.equals(named.digest());",
                    "&& named.replica() < 0;"),
            in(
                    "ordering/view/ViewChanges",
                    "a primary keeps its view though another replica waits ahead of it for ever",
                    LONE,
                    "return awaited && nowMillis",
                    "return !active() && nowMillis"),
            in(
                    "ordering/view/ViewChanges",
                    "a primary gives its view up to a single replica at once",
                    LONE,
                    "return awaited && nowMillis - activeMillis >= YIELD_TIMEOUTS * timeoutMillis;",
                    "return awaited;"),
            in(
                    "ordering/view/ViewChanges",
                    "any durable VIEW-CHANGE opens the view",
                    protocol("ordering.view.ViewChangesTest", "nothingIsSentBeforeTheOwnViewChangeIsDurable"),
                    "phase != Phase.LEAVING || own.view() != view",
                    "phase != Phase.LEAVING"),
            in(
                    "ordering/view/ViewChecks",
                    "f others are joined",
                    protocol("ordering.view.ViewChangesTest", "aReplicaJoinsTheLowestViewOfFPlusOneOthers"),
                    "views[views.length - group.oneCorrect()]",
                    "views[views.length - group.faulty()]"),
            in(
                    "ordering/view/ViewChanges",
                    "the timer starts at 2f VIEW-CHANGEs",
                    protocol("ordering.view.ViewChangesTest", "theTimerStartsAtTwoFPlusOneViewChangesAndDoubles"),
                    "asking() >= group.quorum()",
                    "asking() >= group.quorum() - 1"),
            in(
                    "ordering/view/ViewChanges",
                    "the timer does not double",
                    protocol("ordering.view.ViewChangesTest", "theTimerStartsAtTwoFPlusOneViewChangesAndDoubles"),
                    "timeoutMillis << Math.max(failed, 0)",
                    "timeoutMillis"),
            in(
                    "ordering/view/ViewChanges",
                    "a NEW-VIEW is not checked",
                    protocol("ordering.view.ViewChangesTest", "whatTheViewChangesDoNotSupportLeadsToTheNextView"),
                    "decision.supports(message.checkpoint(), message.chosen())",
                    "true"),
            in(
                    "ordering/view/ViewChanges",
                    "a NEW-VIEW of a backup counts",
                    protocol("ordering.view.ViewChangesTest", "aBackupAcknowledgesToThePrimaryAndChecksTheNewView"),
                    "from != primary() || newView != null",
                    "newView != null"),
            in(
                    "ordering/view/ViewChanges",
                    "a VIEW-CHANGE under old keys counts",
                    protocol("ordering.view.ViewChangesTest", "newKeysOfAPeerUndoWhatItSaidInAnOpenViewChange"),
                    "messages.forget(peer);",
                    ""),
            in(
                    "ordering/view/ViewChanges",
                    "acknowledgements under old keys count",
                    protocol("ordering.view.ViewChangesTest", "newKeysOfAPeerUndoWhatItSaidInAnOpenViewChange"),
                    "messages.forgetAcks(peer);",
                    ""),
            in(
                    "ordering/view/ViewChanges",
                    "a NEW-VIEW under old keys counts",
                    protocol("ordering.view.ViewChangesTest", "newKeysOfThePrimaryUndoItsNewView"),
                    "if (peer == primary()) {",
                    "if (peer < 0) {"),
            in(
                    "ordering/view/ViewChanges",
                    "the wish for a later view under old keys counts",
                    protocol("ordering.view.ViewChangesTest", "newKeysUndoTheWishForALaterView"),
                    "later[peer] = null; messages",
                    "messages"),
            in(
                    "ordering/view/ViewChanges",
                    "a restart forgets that a view change is open",
                    protocol("ordering.view.ViewChangesTest", "aReplicaThatCrashedInAnOpenViewChangeGoesOnWithIt"),
                    "changes.phase = Phase.OPEN;",
                    ""),
            in(
                    "ordering/view/ViewChecks",
                    "a number may come twice",
                    protocol("ordering.view.ViewChangesTest", "malformedMessagesAreTheirSendersMisbehaviour"),
                    "checkpoint.sequence() <= before",
                    "checkpoint.sequence() < before"),
            in(
                    "ordering/view/ViewChecks",
                    "V may be of 2f replicas",
                    protocol("ordering.view.ViewChangesTest", "malformedMessagesAreTheirSendersMisbehaviour"),
                    "message.support().size() < group.quorum()",
                    "message.support().size() < group.quorum() - 1"));

    private ViewBugs() {}
}
