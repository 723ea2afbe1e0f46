package io.bulwark.simulation.mutation;

import static io.bulwark.protocol.mutation.Detector.protocol;
import static io.bulwark.protocol.mutation.Detector.simulation;
import static io.bulwark.protocol.mutation.PlantedBug.in;

import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;

/** What can go wrong with extents at a client: PROTOCOLS section 4. */
final class ExtentClientBugs {
    static final List<PlantedBug> ALL = List.of(
            in(
                    "extent/ExtentWrite",
                    "a write is done at m+f-1 OKs",
                    simulation("ExtentRulesTest", "anIdIsNeverCompleteWithTwoContentsEvenThroughCrashes"),
                    "if (stored >= policy.writeQuorum()) {",
                    "if (stored >= policy.writeQuorum() - 1) {"),
            in(
                    "extent/ExtentWrite",
                    "OKs of another epoch count",
                    protocol("extent.ExtentEpochTest", "oksOfAnotherEpochDoNotCount"),
                    "when answer.epoch() == group.epoch() -> {",
                    "when answer.epoch() >= 0 -> {"),
            in(
                    "extent/ExtentWrite",
                    "slow nodes get no help",
                    protocol("extent.LateSlotsTest", "oneThatIsSilentWhileOthersAnswerGetsHelpSoon"),
                    "if (slots[index].helped) {",
                    "if (true) {"),
            in(
                    "extent/ExtentTiming",
                    "a slot whose connection moves is late",
                    protocol("extent.LateSlotsTest", "whileConnectionsMoveNobodyIsLate"),
                    "return stillMillis >= retryMillis",
                    "return silentMillis >= retryMillis"),
            in(
                    "extent/ExtentTiming",
                    "a slot whose connection moves is waited for without end",
                    protocol("extent.LateSlotsTest", "nobodyIsWaitedForWithoutEndBecauseItsConnectionMoves"),
                    "|| silentMillis >= MOVING_FACTOR * retryMillis",
                    ""),
            in(
                    "extent/ExtentTiming",
                    "a liar that keeps its connection moving is waited for",
                    protocol(
                            "extent.LateSlotsTest", "aLiarThatKeepsItsConnectionMovingIsLateOnceTheOthersHaveAnswered"),
                    "(silentMillis >= hedgeMillis && alone)",
                    "(stillMillis >= hedgeMillis && alone)"),
            in(
                    "extent/ExtentWrite",
                    "who refuses again and again is thought to take so long",
                    protocol("extent.LateSlotsTest", "whoRefusesAgainAndAgainIsMeasuredOnce"),
                    "boolean first = slots[index].refusal == null;",
                    "boolean first = true;"),
            in(
                    "extent/ExtentWrite",
                    "a liar that says something else is thought to take so long",
                    protocol("extent.LateSlotsTest", "aLiarThatSaysSomethingElseIsNoMeasureOfTheOthers"),
                    "default -> { return effects; } } if (first) {",
                    "default -> {} } if (first) {"),
            in(
                    "extent/ExtentRead",
                    "who refuses again and again is thought to take so long",
                    protocol("extent.LateSlotsTest", "whoRefusesAReadAgainAndAgainIsMeasuredOnce"),
                    "if (!slot.settled) { slowestAnswerMillis",
                    "if (slot.asked) { slowestAnswerMillis"),
            in(
                    "extent/ExtentWrite",
                    "f full disks end a write",
                    simulation("ExtentRulesTest", "aFullDiskAtFNodesIsMaskedAndAtMoreIsAClearError"),
                    "} else if (refused.size() > f) {",
                    "} else if (refused.size() >= f) {"),
            in(
                    "extent/ExtentWrite",
                    "LIMIT ends a write",
                    simulation("ExtentRulesTest", "unreferencedBytesAreLimitedUntilTheyAreReferencedAlsoAfterARestart"),
                    """
                    StoreRefusal.LIMIT,
                    StoreRefusal.NO_SPACE,
                    """,
                    "StoreRefusal.NO_SPACE,"),
            in(
                    "extent/ExtentWrite",
                    "one node's word is enough for a newer epoch",
                    protocol("extent.ExtentEpochTest", "oneNodesWordIsNotEnoughForANewerEpoch"),
                    "otherEpochs.size() > f && otherEpochs.get(f) > group.epoch()",
                    "!otherEpochs.isEmpty() && otherEpochs.getFirst() > group.epoch()"),
            in(
                    "extent/ExtentWrite",
                    "who has stored is not asked again where the epoch may be over",
                    protocol("extent.ExtentEpochTest", "whoHasStoredIsAskedAgainWhereOneNodeSaysThatTheEpochIsOver"),
                    "(slot.stored && !overtaken)",
                    "slot.stored"),
            in(
                    "extent/ExtentWrite",
                    "a refused fragment is not sent again as a block",
                    protocol("extent.ExtentEpochTest", "aRefusedFragmentIsSentAgainAsABlock"),
                    """
                    slot.wholeBlock = true;
                    slot.refusal = null;
                    ask(nowMillis, index, effects);
                    """,
                    ""),
            in(
                    "extent/ExtentRead",
                    "a node that is behind the epoch is given up",
                    protocol("extent.ExtentEpochTest", "aNodeThatHasNotHeardOfTheEpochYetIsAskedAgain"),
                    "slot.answers > 1 && !behind",
                    "slot.answers > 1"),
            in(
                    "extent/ReadSlot",
                    "an answer that comes twice counts twice",
                    protocol("extent.ExtentEpochTest", "anAnswerThatComesTwiceCountsOnce"),
                    "answers += settled ? 0 : 1;",
                    "answers++;"),
            in(
                    "extent/ExtentRead",
                    "the pin is not compared",
                    simulation("ExtentSimulationTest", "acknowledgedExtentsAreReadableWhateverFNodesDo"),
                    "slot.bad = !found.checksum().pin().equals(pin) ||",
                    "slot.bad ="),
            in(
                    "extent/ExtentRead",
                    "shares are not checked",
                    simulation("ExtentLyingTest", "aLiarAtEachSlotIsNamedByTheReaderAndConfirmedByFPlusOneNodes"),
                    """
                    slot.bad = !found.checksum().pin().equals(pin) || !coding.isShareOf(found.checksum(), index, found.share());
                    """,
                    "slot.bad = !found.checksum().pin().equals(pin);"),
            in(
                    "extent/ExtentRead",
                    "2f holders are enough for incomplete",
                    protocol("extent.ExtentEpochTest", "incompleteTakesMoreThanTwoF"),
                    "neverStored() > 2 * f",
                    "neverStored() >= 2 * f"),
            in(
                    "extent/ExtentRead",
                    "f nodes are enough for freed",
                    simulation("ExtentSimulationTest", "acknowledgedExtentsAreReadableWhateverFNodesDo"),
                    "count(ReadRefusal.FREED) > f",
                    "count(ReadRefusal.FREED) >= f"),
            in(
                    "extent/ExtentRead",
                    "f nodes are enough for not permitted",
                    protocol("extent.ExtentEpochTest", "oneRefusalEndsNoRead"),
                    "count(ReadRefusal.NOT_PERMITTED) > f",
                    "count(ReadRefusal.NOT_PERMITTED) >= f"),
            in(
                    "extent/ExtentRead",
                    "one node's word is enough for a newer epoch",
                    protocol("extent.ExtentEpochTest", "aReaderToldOfANewerEpochByOneNodeGoesOn"),
                    ".skip(policy.f())",
                    ".skip(0)"),
            in(
                    "extent/ExtentRead",
                    "fragments of another epoch count",
                    protocol("extent.ExtentEpochTest", "fragmentsOfAnotherEpochDoNotCount"),
                    "case Found found when answer.epoch() == group.epoch() ->",
                    "case Found found when answer.epoch() >= 0 ->"),
            in(
                    "extent/ExtentRead",
                    "who has no cross-checksum of the writer is accused",
                    simulation("ExtentSimulationTest", "acknowledgedExtentsAreReadableWhateverFNodesDo"),
                    "if (!cleared && !coding.matches(accepted, index, found.share().fragment())) {",
                    "if (!cleared) {"),
            in(
                    "extent/ExtentRead",
                    "another version accuses its holder",
                    protocol("extent.ExtentEpochTest", "anotherVersionAccusesNobody"),
                    "case OTHER_VERSION -> blame(index, Verdict.OTHER_VERSION,",
                    "case OTHER_VERSION -> blame(index, Verdict.CORRUPT,"),
            in(
                    "extent/ExtentRead",
                    "nodes are not told of a suspect",
                    simulation("ExtentLyingTest", "aLiarAtEachSlotIsNamedByTheReaderAndConfirmedByFPlusOneNodes"),
                    "if (!excluded.isEmpty() || slots[index].passedOn) {",
                    "if (true) {"),
            in(
                    "extent/ExtentRead",
                    "a refuted cross-checksum is tried for ever",
                    simulation("ExtentLyingTest", "aLiarAtEachSlotIsNamedByTheReaderAndConfirmedByFPlusOneNodes"),
                    """
                    if (consistent + size >= policy.m()) {
                    refutedGroups.add(cc);
                    }
                    """,
                    ""));

    private ExtentClientBugs() {}
}
