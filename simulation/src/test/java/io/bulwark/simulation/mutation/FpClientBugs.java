package io.bulwark.simulation.mutation;

import static io.bulwark.protocol.mutation.Detector.protocol;
import static io.bulwark.protocol.mutation.Detector.simulation;
import static io.bulwark.protocol.mutation.PlantedBug.in;

import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;

/** What can go wrong at the clients of the FP register: thesis chapter 4 and PROTOCOLS section 2. */
final class FpClientBugs {
    static final List<PlantedBug> ALL = List.of(
            in(
                    "fp/FpWrite",
                    "f liars that keep their connections moving are waited for",
                    protocol("fp.MovingConnectionsTest", "aLiarThatMovesIsReplacedInAWriteOnceTheOthersHaveAnswered"),
                    "silent > group.f() ? atMillis : Math.min(atMillis, until)",
                    "atMillis"),
            in(
                    "fp/FpWrite",
                    "the last node has no longer than one that was silent from the beginning",
                    protocol("fp.MovingConnectionsTest", "theLastOfAWriteMayTakeAFewTimesAsLongAsTheOthers"),
                    "silent > group.f() ? atMillis : Math.min(atMillis, until)",
                    "silent > group.f() ? atMillis : 0"),
            in(
                    "fp/FpWrite",
                    "a liar that says something else is thought to take so long",
                    protocol("fp.MovingConnectionsTest", "whatALiarSaysOfSomethingElseIsNoMeasureOfTheOthers"),
                    "boolean waiting = member.patience.waiting();",
                    "boolean waiting = member.patience.waiting(); if (waiting) { slowestAnswerMillis ="
                            + " Math.max(slowestAnswerMillis, nowMillis - member.patience.askedMillis()); }"),
            in(
                    "fp/Patience",
                    "a node whose connection moves is waited for without end",
                    protocol("fp.MovingConnectionsTest", "nobodyIsWaitedForWithoutEnd"),
                    "Math.min(atMillis, askedMillis + MOVING_FACTOR * times.retryMillis())",
                    "atMillis"),
            in(
                    "fp/FpRead",
                    "no version is waited for while connections move",
                    protocol("fp.MovingConnectionsTest", "aVersionIsWaitedForWhileItMovesAndNotWithoutEnd"),
                    "attempts.values().forEach(attempt -> attempt.patience.moving(atMillis));",
                    ""),
            in(
                    "fp/FpRead",
                    "f liars that keep their connections moving hold a read up",
                    protocol(
                            "fp.MovingConnectionsTest", "aReadWaitsWhileWhatItAskedMovesAndNotForFThatMoveTheirsAlone"),
                    "if (slot >= 0 && ReadAttempt.awaited(finding, attempts.values()) > group.f()) {",
                    "if (slot >= 0) {"),
            in(
                    "fp/FpWrite",
                    "the timestamp is chosen of 2f answers",
                    protocol("fp.FpWriteTest", "theGreatestTsIsChosenAndTheOthersAreAskedAgain"),
                    """
                    if (answers.size() < group.policy().timestampQuorum()) {
                        return;
                    }
                    answers.sort(Long::compareUnsigned);
                    long choice = answers.get(group.policy().timestampQuorum() - 1);
                    """,
                    """
                    if (answers.size() < group.policy().timestampQuorum() - 1) {
                        return;
                    }
                    answers.sort(Long::compareUnsigned);
                    long choice = answers.get(group.policy().timestampQuorum() - 2);
                    """),
            in(
                    "fp/FpWrite",
                    "all slots decide on the timestamp",
                    protocol("fp.FpWriteTest", "onlyTheFirst3fPlus1SlotsDecideOnTheTimestamp"),
                    "members.subList(0, group.policy().timestampSlots())",
                    "members"),
            in(
                    "fp/FpWrite",
                    "a greatest timestamp that 2f+1 are below is not left out",
                    protocol("fp.FpWriteTest", "aTsThatIsTooGreatIsLeftOutAndNeverCommitted"),
                    "answers.get(group.policy().timestampQuorum() - 1)",
                    "answers.getLast()"),
            in(
                    "fp/FpWrite",
                    "a timestamp that nodes have staged is left out",
                    protocol("fp.FpWriteTest", "aTsThatAtMostFNodesCallFarIsKept"),
                    "if (fixed || (chosen != 0 && refusing(Refusal.FAR) <= group.f())) {",
                    "if (fixed) {"),
            in(
                    "fp/FpWrite",
                    "a node at its limit has no say on the timestamp",
                    protocol("fp.FpWriteTest", "aNodeAtItsLimitIsAskedAtTheChosenTs"),
                    "member.said = refused.ts();",
                    "member.said = 0;"),
            in(
                    "fp/FpWrite",
                    "COMMIT is sent with m+f-1 prepares",
                    protocol("fp.FpWriteTest", "eachNodeGetsOnlyTheMacsMeantForItAndOnlyNoncesOfTheChosenTs"),
                    "chosen == 0 || prepared.size() < group.policy().writeQuorum()",
                    "chosen == 0 || prepared.size() < group.policy().writeQuorum() - 1"),
            in(
                    "fp/FpWrite",
                    "a write is done at m+f-1 OKs",
                    protocol("fp.FpRulesTest", "aWriteIsDoneAtMPlusFOksAndNotBefore"),
                    "committed >= group.policy().writeQuorum()",
                    "committed >= group.policy().writeQuorum() - 1"),
            in(
                    "fp/FpWrite",
                    "late prepares are not forwarded",
                    protocol("fp.FpWriteTest", "aSlowNodeIsReplacedAndItsLatePrepareIsStillForwarded"),
                    "prepared.size() > member.commitWith ||",
                    ""),
            in(
                    "fp/FpWrite",
                    "MACs that were made again wait for the next retry",
                    protocol("fp.FpWriteTest", "macsThatWereMadeAgainGoOutAtOnceAndOnce"),
                    "|| member.renewed",
                    ""),
            in(
                    "fp/FpWrite",
                    "a liar has commits sent again by other MACs, as often as it likes",
                    protocol("fp.FpWriteTest", "macsThatWereMadeAgainGoOutAtOnceAndOnce"),
                    "if (!member.renewing || before == null) {",
                    "if (before == null) {"),
            in(
                    "fp/FpWrite",
                    "nonces of another timestamp are sent",
                    simulation("FpFaultsTest", "historiesAreLinearizableAndNothingAcknowledgedIsLost"),
                    "member.atChosen = first != null && first.version().ts() == choice ? first : null;",
                    "member.atChosen = first;"),
            in(
                    "fp/FpWrite",
                    "every node gets the MACs of the first",
                    simulation("FpFaultsTest", "historiesAreLinearizableAndNothingAcknowledgedIsLost"),
                    "prepared.macs().get(member.slot)",
                    "prepared.macs().get(0)"),
            in(
                    "fp/FpWrite",
                    "slow nodes are not replaced",
                    simulation("FpClusterTest", "anAcknowledgedWriteSurvivesAnyFNodes"),
                    "!member.engaged && (decides || hopeful < group.policy().writeQuorum())",
                    "!member.engaged && decides"),
            in(
                    "fp/FpWrite",
                    "LIMIT at more than f nodes ends a write",
                    protocol("fp.FpWriteTest", "moreThanFNodesAtTheirLimitAreWaitedForAndAskedAgain"),
                    "case LIMIT, BLOCK_LIMIT, POOL, TIMED_OUT -> {}",
                    "case LIMIT, BLOCK_LIMIT, POOL, TIMED_OUT -> fail(reason);"),
            in(
                    "fp/FpWrite",
                    "who refused is not asked again",
                    protocol("fp.FpWriteTest", "moreThanFNodesAtTheirLimitAreWaitedForAndAskedAgain"),
                    "if (!member.patience.waiting() && member.refusal == null) {",
                    "if (!member.patience.waiting()) {"),
            in(
                    "fp/FpWrite",
                    "a refused fragment is not sent again as a block",
                    protocol("fp.FpWriteTest", "aRefusedFragmentIsSentAgainAsABlock"),
                    """
                    member.wholeBlock = true;
                    prepare(nowMillis, member, effects);
                    return;
                    """,
                    ""),
            in(
                    "fp/FpWrite",
                    "prepares are not made again where a key was renewed",
                    protocol("fp.FpWriteTest", "refusedPreparesAreMadeAgainAtTheSameTs"),
                    """
                    if (member.refusal == Refusal.PREPARES) {
                    renewPrepares(nowMillis, effects);
                    }
                    """,
                    ""),
            in(
                    "fp/FpWrite",
                    "a commit changes its timestamp",
                    protocol("fp.FpWriteTest", "afterACommitTheTimestampStays"),
                    """
                    fixed = true;
                    commitSent = true;
                    """,
                    "commitSent = true;"),
            in(
                    "fp/FpGroup",
                    "answers of another epoch count",
                    protocol("fp.FpWriteTest", "answersForOtherBlocksEpochsAndSlotsDoNotCount"),
                    "target.block().equals(block) && target.epoch() == placement.epoch() && target.slot() == slot",
                    "target.block().equals(block) && target.slot() == slot"),
            in(
                    "fp/FpGroup",
                    "a node answers for any slot",
                    protocol("fp.FpRulesTest", "aNodeAnswersForItsOwnSlotOnly"),
                    "target.epoch() == placement.epoch() && target.slot() == slot ? slot : -1",
                    "target.epoch() == placement.epoch() && slot >= 0 ? target.slot() : -1"),
            in(
                    "fp/Reports",
                    "a timestamp qualifies by 2f reports",
                    protocol("fp.FpReadTest", "oneRoundIsEnoughWhereNothingIsWrong"),
                    """
                    count(first, report -> !report.isAfter(candidate))
                    >= group.policy().timestampQuorum()
                    """,
                    "count(first, report -> !report.isAfter(candidate)) >= group.policy().timestampQuorum() - 1"),
            in(
                    "fp/Reports",
                    "2f claims are enough to leave out the write-back",
                    protocol("fp.FpRulesTest", "whatTwoOfThreeClaimIsWrittenBack"),
                    """
                    count(greatest, report -> !version.isAfter(report))
                    >= group.policy().timestampQuorum()
                    """,
                    "count(greatest, report -> !version.isAfter(report)) >= group.policy().timestampQuorum() - 1"),
            in(
                    "fp/Reports",
                    "2f say never written",
                    protocol("fp.FpRulesTest", "twoReportsOfNothingAreNotEnough"),
                    "count(first, Timestamp::isNone) >= group.policy().timestampQuorum()",
                    "count(first, Timestamp::isNone) >= group.policy().timestampQuorum() - 1"),
            in(
                    "fp/Reports",
                    "reports of all slots count",
                    protocol("fp.FpReadTest", "onlyTheFirst3fPlus1SlotsCount"),
                    """
                    slot < group.policy().timestampSlots(); slot++) {
                    Timestamp report = reports[slot];
                    """,
                    "slot < reports.length; slot++) { Timestamp report = reports[slot];"),
            in(
                    "fp/FpRead",
                    "no write-back",
                    simulation("FpFaultsTest", "readersInTurnNeverGoBack"),
                    "settling == Settling.NONE || done || reports.settled(attempt.version)",
                    "true || done"),
            in(
                    "fp/FpRead",
                    "a reader without the write grant waits for nobody",
                    simulation("FpFaultsTest", "readersInTurnNeverGoBack"),
                    "settling == Settling.NONE || done || reports.settled(attempt.version)",
                    "settling != Settling.WRITE_BACK || done || reports.settled(attempt.version)"),
            in(
                    "fp/FpRead",
                    "a write-back that is under way is enough",
                    protocol("fp.FpRulesTest", "aWriteBackThatIsUnderWayIsNotEnough"),
                    "back.outcome().orElse(null) instanceof FpWriteOutcome.Written",
                    "true"),
            in(
                    "fp/FpRead",
                    "redirects are not followed",
                    protocol("fp.FpReadTest", "aRedirectIsFollowed"),
                    """
                    private void onRead(int slot, FpMessage.ReadAnswer read, List<Effect> effects) {
                        report(slot, read.latest(), effects);
                    """,
                    "private void onRead(int slot, FpMessage.ReadAnswer read, List<Effect> effects) {"),
            in(
                    "fp/FpRead",
                    "a version is taken although a greater one may be complete",
                    protocol("fp.FpRulesTest", "aTimestampQualifiesByThreeReports"),
                    "if (reports.qualifies(attempt.version)) {",
                    "if (true) {"),
            in(
                    "fp/FpRead",
                    "timestamps of another shape are taken",
                    protocol("fp.FpReadTest", "aReporterOfAnotherShapeIsNotCounted"),
                    """
                    private boolean report(int slot, Timestamp latest, List<Effect> effects) {
                    if (!group.fits(latest)) {
                    """,
                    """
                    private boolean report(int slot, Timestamp latest, List<Effect> effects) {
                    if (false) {
                    """),
            in(
                    "fp/FpRead",
                    "one liar's timestamps push out all others",
                    protocol("fp.FpRulesTest", "aLiarsTimestampsPushOutOnlyItsOwn"),
                    "if (attempt.introducers.isEmpty() && !version.equals(wanted) && attempt != writtenBack) {",
                    "if (true) {"),
            in(
                    "fp/ReadAttempt",
                    "READ without proof",
                    simulation("FpForgeryTest", "whatFNodesAloneClaimToHaveCommittedIsNeverReadNorCompleted"),
                    "return committed() || preimages().size() > group.f();",
                    "return true;"),
            in(
                    "fp/ReadAttempt",
                    "f reports are a proof",
                    simulation("FpForgeryTest", "whatFNodesAloneClaimToHaveCommittedIsNeverReadNorCompleted"),
                    "return committed() ||",
                    "return reporters.size() >= group.f() ||"),
            in(
                    "fp/ReadAttempt",
                    "f nonces are a proof",
                    simulation("FpForgeryTest", "whatFNodesAloneClaimToHaveCommittedIsNeverReadNorCompleted"),
                    "preimages().size() > group.f()",
                    "preimages().size() >= group.f()"),
            in(
                    "fp/ReadAttempt",
                    "nonces are not checked",
                    simulation("FpForgeryTest", "whatFNodesAloneClaimToHaveCommittedIsNeverReadNorCompleted"),
                    "&& Hashes.sha256(nonce.nonce()).equals(hash)",
                    ""),
            in(
                    "fp/ReadAttempt",
                    "a nonce counts as often as it is told",
                    simulation("FpForgeryTest", "whatFNodesAloneClaimToHaveCommittedIsNeverReadNorCompleted"),
                    """
                    private Set<Integer> preimages() {
                    Set<Integer> slots = new TreeSet<>();
                    """,
                    """
                    private java.util.Collection<Integer> preimages() {
                        java.util.List<Integer> slots = new java.util.ArrayList<>() {
                            private static final long serialVersionUID = 1L;

                            @Override
                            public boolean contains(Object o) {
                                return false;
                            }
                        };
                    """),
            in(
                    "fp/ReadAttempt",
                    "a correct node with a cross-checksum of its own is accused",
                    simulation("FpFaultsTest", "historiesAreLinearizableAndNothingAcknowledgedIsLost"),
                    ": group.code().matches(accepted, slot, share.fragment());",
                    ": group.code().isShareOf(version.written(), slot, new Share(share.fragment(), null));"));

    private FpClientBugs() {}
}
