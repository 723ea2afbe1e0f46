package io.bulwark.simulation.mutation;

import static io.bulwark.protocol.mutation.Detector.protocol;
import static io.bulwark.protocol.mutation.PlantedBug.in;

import io.bulwark.protocol.mutation.Detector;
import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;

/** What can go wrong with views and other records of a disk that no correct replica can have: proactive recovery paper, 4.4 and 4.5. */
final class ForgedRecordsBugs {
    private static final String VIEWS = "ordering/view/ViewChanges";
    private static final String REPLIES = "ordering/recovery/RecoveryReplies";
    private static final String RECOVERING = "ordering/replica/Recovering";
    private static final String MEMORY = "ordering/replica/Memory";
    private static final String CHANGING = "ordering/replica/ViewChanging";

    private static Detector paper(String test) {
        return protocol("ordering.recovery.RecoveryRepliesPaperTest", test);
    }

    private static Detector views(String test) {
        return protocol("ordering.view.ViewChangesTest", test);
    }

    private static Detector records(String test) {
        return protocol("ordering.replica.ForgedRecordsTest", test);
    }

    private static Detector forged(String test) {
        return protocol("ordering.replica.ForgedPromisesTest", test);
    }

    static final List<PlantedBug> ALL = List.of(
            in(
                    VIEWS,
                    "a single replica goes on on the word of a liar",
                    views("whoAsksAloneStaysThoughTheNewViewIsWrongAndTakesNoOther"),
                    "steps.addAll(giveUp(nowMillis));",
                    "steps.addAll(leaveTo(view + 1));"),
            in(
                    VIEWS,
                    "who has refused a NEW-VIEW goes on with it",
                    views("whoAsksAloneStaysThoughTheNewViewIsWrongAndTakesNoOther"),
                    "if (hopeless) { steps",
                    "if (hopeless && asked) { steps"),
            in(
                    VIEWS,
                    "a view that nothing comes of is left by its time",
                    views("whatTheViewChangesDoNotSupportLeadsToTheNextView"),
                    "asked ? leaveTo(view + 1) : List.of()",
                    "List.of()"),
            in(
                    VIEWS,
                    "after a view that nothing came of nothing comes of the next",
                    views("whoHasLeftAViewThatNothingCameOfLeadsTheNext"),
                    "hopeless = false;",
                    ""),
            in(
                    VIEWS,
                    "a primary begins a view that it has given up",
                    views("aPrimaryGivesUpAViewWhoseNewViewIsNotDurableYet"),
                    "phase = phase == Phase.INSTALLING ? Phase.OPEN : phase;",
                    ""),
            in(
                    VIEWS,
                    "a NEW-VIEW may name what was said of a forged view",
                    views("whoHasReturnedTakesNoPartInAViewThatNamesWhatItSaidBefore"),
                    "lost = earlier;",
                    "lost = Math.max(3, earlier);"),
            in(
                    REPLIES,
                    "one view ahead is forged",
                    paper("aViewIsForgedIf2fPlus1OthersAreBehindByMoreThanOne"),
                    "filter(view -> view < own - 1)",
                    "filter(view -> view < own)"),
            in(
                    REPLIES,
                    "a view is forged if 2f others are behind",
                    paper("aViewIsForgedIf2fPlus1OthersAreBehindByMoreThanOne"),
                    "< own - 1).count() >= group.quorum();",
                    "< own - 1).count() >= group.quorum() - 1;"),
            in(
                    REPLIES,
                    "who is not behind does not count until all are",
                    paper("aViewIsForgedIf2fPlus1OthersAreBehindByMoreThanOne"),
                    ">= own - 1).count() >= group.faulty();",
                    ">= own - 1).count() >= group.quorum();"),
            in(
                    REPLIES,
                    "a view is never known to be forged",
                    records("aForgedViewIsGivenUpThoughTheKeysChangeMeanwhile"),
                    "return isForged(own) ||",
                    "return"),
            in(
                    RECOVERING,
                    "2f answers are enough to keep a view",
                    records("aViewIsNotForgedBefore2fPlus1OthersAreBehind"),
                    "if (replies.isJudged(views.alone())) {",
                    "if (replies.isJudged(0)) {"),
            in(
                    RECOVERING,
                    "who has gone on with others goes back",
                    records("whoHasComeToALaterViewWithOthersInThisLifeStays"),
                    "&& view.number() == views.alone() && !views.hasBegun();",
                    ";"),
            in(
                    RECOVERING,
                    "votes of a forged view are said",
                    records("nothingIsSaidOfAForgedView"),
                    "!forgedView && isWithin(said.sequence());",
                    "isWithin(said.sequence());"),
            in(
                    RECOVERING,
                    "a forged view is asked for",
                    records("nothingIsSaidOfAForgedView"),
                    "return forgedView || isBlind();",
                    "return isBlind();"),
            in(
                    RECOVERING,
                    "the others' view is forgotten with their keys",
                    records("aForgedViewIsGivenUpThoughTheKeysChangeMeanwhile"),
                    "views.returnTo(nowMillis, othersView);",
                    "views.returnTo(nowMillis, replies.validView(view.number()));"),
            in(
                    RECOVERING,
                    "who returns may have promised what is not decided",
                    records("aForgedViewIsKeptUntilThePointIsStable"),
                    "if (forgedView && stable &&",
                    "if (forgedView &&"),
            in(
                    RECOVERING,
                    "a floor above the log is kept",
                    records("aFloorAboveTheLogIsNone"),
                    "Math.min(found.floor(), log.low())",
                    "found.floor()"),
            in(
                    RECOVERING,
                    "any number is that of a checkpoint",
                    records("aWaterMarkThatIsNoCheckpointMakesAForgedLog"),
                    "began % config.checkpointInterval() != 0 ||",
                    ""),
            in(
                    RECOVERING,
                    "a log begins where numbers end",
                    records("aWaterMarkThatIsNoCheckpointMakesAForgedLog"),
                    "|| began > Long.MAX_VALUE / 2)",
                    ")"),
            in(
                    RECOVERING,
                    "a log that is forgotten may begin anywhere",
                    records("aWaterMarkThatNobodyHasComeToMakesAForgedLogThoughTheDiskSaysThatItIsForgotten"),
                    "if (began > highMark",
                    "if (!forgotten && began > highMark"),
            in(
                    CHANGING,
                    "who returns to the first view keeps the proposals of a later one",
                    records("whoReturnsToTheFirstViewHasNoProposalsOfTheForgedOne"),
                    "log.all().forEach(Slot::leaveView); own = null;",
                    "own = null;"),
            in(
                    CHANGING,
                    "a view that follows a forged one is not compared",
                    forged("itDoesNotLookForTheStateWhereAForgedNewViewBegins"),
                    "alone++;",
                    ""),
            in(
                    MEMORY,
                    "records above the high water mark count",
                    records("recordsAboveTheHighWaterMarkAreNone"),
                    "return recovery.open() && sequence > end;",
                    "return false;"),
            in(
                    MEMORY,
                    "what a COMMIT above the high water mark promises is waited for",
                    records("recordsAboveTheHighWaterMarkAreNone"),
                    "isBeyond(commit.sequence(), log.end()) ? promised :",
                    ""),
            in(
                    MEMORY,
                    "what is learned above the high water mark is waited for",
                    records("recordsAboveTheHighWaterMarkAreNone"),
                    "isBeyond(learned.sequence(), log.end()) ? promised :",
                    ""),
            in(
                    MEMORY,
                    "a VIEW-CHANGE asks for the first view",
                    records("noViewChangeAsksForTheFirstView"),
                    "case LogRecord.ViewChange change when change.message().view() < 1 -> {}",
                    ""));

    private ForgedRecordsBugs() {}
}
