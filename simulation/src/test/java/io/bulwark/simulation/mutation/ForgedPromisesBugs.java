package io.bulwark.simulation.mutation;

import static io.bulwark.protocol.mutation.Detector.protocol;
import static io.bulwark.protocol.mutation.PlantedBug.in;

import io.bulwark.protocol.mutation.Detector;
import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;

/** What can go wrong with what a disk says of views, when its replica recovers: proactive recovery paper, 4.4 and 4.5. */
final class ForgedPromisesBugs {
    private static final String CHANGING = "ordering/replica/ViewChanging";

    private static Detector forged(String test) {
        return protocol("ordering.replica.ForgedPromisesTest", test);
    }

    private static Detector newView(String test) {
        return protocol("ordering.replica.ForgedNewViewTest", test);
    }

    private static Detector begun(String test) {
        return protocol("ordering.recovery.BegunViewTest", test);
    }

    static final List<PlantedBug> ALL = List.of(
            in(
                    CHANGING,
                    "a low water mark that nobody can have come to is said",
                    forged("nothingThatItSaysNamesWhatIsAboveTheEstimate"),
                    "return said.stable() <= estimate - config.logSize()",
                    "return said.stable() <= estimate"),
            in(
                    CHANGING,
                    "a checkpoint above H_M is named",
                    forged("nothingThatItSaysNamesWhatIsAboveTheEstimate"),
                    "&& said.checkpoints().stream().allMatch(each -> each.sequence() <= estimate)",
                    ""),
            in(
                    CHANGING,
                    "what prepared above H_M is said",
                    forged("nothingThatItSaysNamesWhatIsAboveTheEstimate"),
                    "&& said.prepared().stream().allMatch(entry -> entry.sequence() <= estimate)",
                    ""),
            in(
                    CHANGING,
                    "what pre-prepared above H_M is said",
                    forged("nothingThatItSaysNamesWhatIsAboveTheEstimate"),
                    "&& said.prePrepared().stream().allMatch(entry -> entry.sequence() <= estimate)",
                    ""),
            in(
                    CHANGING,
                    "a VIEW-CHANGE of the disk outlives the recovery",
                    forged("withOthersLaterNobodyLooksForACheckpointThatNeverWas"),
                    "own = new ViewChange(said.view(), log.low(), held, prepared, prePrepared);",
                    "own = said;"),
            in(
                    CHANGING,
                    "what was within H_M is said after the recovery",
                    forged("whatItSaysOnceItHasRecoveredIsTrue"),
                    "void onRecovered(long nowMillis) { ViewChange said = own;",
                    "void onRecovered(long nowMillis) { ViewChange said = null;"),
            in(
                    CHANGING,
                    "the primary of a view says something else of it than before",
                    forged("aPrimaryThatHasRecoveredSaysNothingElseOfAViewThatHasBegun"),
                    "if (said != null && view.isPrimary()) {",
                    "if (said != null && nowMillis < 0) {"),
            in(
                    CHANGING,
                    "a primary begins a view with what it said before it had recovered",
                    forged("aPrimaryThatHasRecoveredLeavesAViewThatHasNotBegun"),
                    "if (!view.isActive()) { carryOut(nowMillis, changes.giveUp(nowMillis)); }",
                    ""),
            in(
                    CHANGING,
                    "each VIEW-CHANGE of the disk is dropped",
                    forged("aPromiseOfACorrectLifeIsSaidAgainWhileItRecoversAndKeptAfterwards"),
                    "if (said != null && !isWithin(said, estimate)) {",
                    "if (said != null) {"),
            in(
                    CHANGING,
                    "a NEW-VIEW that begins above H_M is believed",
                    forged("itDoesNotLookForTheStateWhereAForgedNewViewBegins"),
                    "if (found != null && !isWithin(found, estimate)) {",
                    "if (found != null && estimate < 0) {"),
            in(
                    CHANGING,
                    "where a NEW-VIEW begins is not compared with H_M",
                    forged("itDoesNotLookForTheStateWhereAForgedNewViewBegins"),
                    "return begun.checkpoint().sequence() <= estimate",
                    "return begun.checkpoint().sequence() >= 0"),
            in(
                    CHANGING,
                    "a NEW-VIEW that chose what is proposed later is kept",
                    forged("aForgedNewViewOfTheViewThatAllAreInIsNotBelieved"),
                    "&& sequence <= found.checkpoint().sequence() + found.chosen().size()) {",
                    "&& sequence < 0) {"),
            in(
                    CHANGING,
                    "a NEW-VIEW that left the number of the recovery free is not believed",
                    newView("aCorrectReplicaGoesOnInItsViewThoughFOthersSayThatTheyAreBehind"),
                    "found.chosen().size())",
                    "config.logSize())"),
            in(
                    CHANGING,
                    "a NEW-VIEW of a view that the others are not in is kept",
                    forged("nobodyIsInAViewThatNoOtherIsInByANewViewOfItsDisk"),
                    "if (forged) { giveUpFound(nowMillis); }",
                    ""),
            in(
                    CHANGING,
                    "what was said under old keys of the view of a NEW-VIEW counts",
                    newView("whatWasSaidOfTheViewUnderOldKeysDoesNotCount"),
                    "begun.forget(peer);",
                    ""),
            in(
                    "ordering/replica/Recovering",
                    "the recovery request is made before it is known whether the view had begun",
                    newView("aForgedNewViewDoesNotStandForTheOneThatTheOthersAskForMeanwhile"),
                    "if (!useless && views.judgeFound(nowMillis)) {",
                    "if (!useless) {"),
            in(
                    "ordering/recovery/BegunView",
                    "f-1 others are believed that the view had begun",
                    begun("fOthersAreBelievedThatItHasBegunAndNoFewer"),
                    "return count(true) >= group.faulty();",
                    "return count(true) >= group.faulty() - 1;"),
            in(
                    "ordering/recovery/BegunView",
                    "more than f others must say that the view had begun",
                    newView("whoFindsATrueNewViewKeepsItOnceFOthersHaveSaidThatItsViewHasBegun"),
                    "return count(true) >= group.faulty();",
                    "return count(true) >= group.quorum();"),
            in(
                    "ordering/recovery/BegunView",
                    "2f others are believed that the view had not begun",
                    begun("twoFPlusOneOthersAreBelievedThatItHasNotAndNoFewer"),
                    "return count(false) >= group.quorum();",
                    "return count(false) >= 2 * group.faulty();"),
            in(
                    "ordering/recovery/BegunView",
                    "a view that the others ask for had begun",
                    newView("aViewThatTheOthersOnlyAskForHasNotBegun"),
                    "(status.view() == view && status.inView())",
                    "status.view() == view"),
            in(
                    "ordering/recovery/BegunView",
                    "who has left the view does not say that it had begun",
                    begun("whoAsksForItHasNotBegunItAndWhoAsksForALaterOneHas"),
                    "status.view() > view || (",
                    "("),
            in(
                    CHANGING,
                    "who returns to the others' view enters it by the NEW-VIEW of the disk",
                    newView("whoReturnsToTheViewOfAForgedNewViewDoesNotEnterItByThat"),
                    "void returnTo(long nowMillis, long others) { installed = null;",
                    "void returnTo(long nowMillis, long others) {"),
            in(
                    CHANGING,
                    "who returns to the others' view keeps its votes of later ones",
                    protocol("ordering.replica.ForgedRecordsTest", "nothingIsSaidOfAForgedView"),
                    "history.discardFrom(others + 1);",
                    ""),
            in(
                    "ordering/replica/Memory",
                    "votes in views that the disk has not come to are said",
                    forged("whatItVotedForInAViewAfterThatOfItsDiskItDidNot"),
                    "return view <= view() &&",
                    "return"),
            in(
                    "ordering/replica/Memory",
                    "a NEW-VIEW counts though no VIEW-CHANGE asked for its view",
                    forged("aNewViewForWhichNothingWasAskedIsNone"),
                    "if (newView != null && newView.view() > view()) {",
                    "if (newView != null && newView.view() < 0) {"),
            in(
                    "ordering/replica/StateTransfer",
                    "who looks for a state that never was does not take that of the others with its number",
                    forged("whoLooksForAStateThatNeverWasTakesThatOfTheOthersWithTheSameNumber"),
                    "missing.sequence() >= target.sequence() && !missing.equals(target)",
                    "missing.sequence() > target.sequence()"),
            in(
                    "ordering/view/ViewChanges",
                    "a NEW-VIEW may not name what was said before the recovery",
                    forged("aNewViewMayNameWhatItSaidBeforeItHadRecovered"),
                    "lost = Math.max(lost, own.view());",
                    ""),
            in(
                    "ordering/view/ViewChanges",
                    "a NEW-VIEW may not name what an earlier life said",
                    forged("aNewViewMayNameWhatItSaidInAnEarlierLife"),
                    "changes.lost = own.view();",
                    ""),
            in(
                    "ordering/view/ViewChanges",
                    "after the last view comes another one",
                    protocol("ordering.replica.ForgedRecordsTest", "aViewThatNoneComesAfterIsGivenUp"),
                    "if (next < 0) {",
                    "if (next == -1) {"));

    private ForgedPromisesBugs() {}
}
