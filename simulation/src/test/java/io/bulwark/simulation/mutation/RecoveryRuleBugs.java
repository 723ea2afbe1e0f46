package io.bulwark.simulation.mutation;

import static io.bulwark.protocol.mutation.Detector.protocol;
import static io.bulwark.protocol.mutation.PlantedBug.in;

import io.bulwark.protocol.mutation.Detector;
import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;

/** What can go wrong with how recoveries are counted, asked for and watched: proactive recovery paper, 4.4; PROTOCOLS section 7. */
final class RecoveryRuleBugs {
    private static final String ESTIMATION = "ordering/recovery/Estimation";
    private static final String LEDGER = "ordering/recovery/RecoveryLedger";
    private static final String REPLIES = "ordering/recovery/RecoveryReplies";
    private static final String REQUEST = "ordering/recovery/RecoveryRequest";
    private static final String PEERS = "ordering/replica/PeerRecoveries";

    private static Detector estimation(String test) {
        return protocol("ordering.recovery.EstimationPaperTest", test);
    }

    private static Detector ledger(String test) {
        return protocol("ordering.recovery.RecoveryLedgerTest", test);
    }

    private static Detector replies(String test) {
        return protocol("ordering.recovery.RecoveryRepliesPaperTest", test);
    }

    private static Detector request(String test) {
        return protocol("ordering.recovery.RecoveryRequestTest", test);
    }

    private static Detector recovery(String test) {
        return protocol("ordering.replica.RecoveryTest", test);
    }

    private static Detector requests(String test) {
        return protocol("ordering.replica.RecoveryRequestsTest", test);
    }

    private static Detector report(String test) {
        return protocol("ordering.recovery.RecoveryReportTest", test);
    }

    private static Detector status(String test) {
        return protocol("ordering.recovery.RecoveryStatusTest", test);
    }

    static final List<PlantedBug> ALL = List.of(
            in(
                    ESTIMATION,
                    "a checkpoint may have any number",
                    estimation("whatNoReplicaCanSayIsNoEstimate"),
                    "&& checkpoint % group.checkpointInterval() == 0",
                    ""),
            in(
                    ESTIMATION,
                    "a checkpoint may have a number beyond all",
                    estimation("whatNoReplicaCanSayIsNoEstimate"),
                    "&& checkpoint <= Long.MAX_VALUE / 2",
                    ""),
            in(
                    ESTIMATION,
                    "a replica takes back what it prepared",
                    estimation("whatAReplicaPreparedItDoesNotTakeBack"),
                    "Math.max(before.prepared, prepared)",
                    "prepared"),
            in(
                    ESTIMATION,
                    "a replica supports itself",
                    estimation("itNeedsTwoFOthersWithNoLaterCheckpoint"),
                    "each != null && other != replica",
                    "each != null"),
            in(
                    ESTIMATION,
                    "it is the greatest that fits",
                    estimation("itIsTheLeastThatFits"),
                    "candidate.checkpoint < least.getAsLong()",
                    "candidate.checkpoint > least.getAsLong()"),
            in(
                    ESTIMATION,
                    "it is a low water mark",
                    estimation("itNeedsTwoFOthersWithNoLaterCheckpoint"),
                    "least.getAsLong() + group.logSize()",
                    "least.getAsLong()"),
            in(
                    ESTIMATION,
                    "any prepared number supports a checkpoint",
                    estimation("aLiarCannotDrawTheRecoveryOut"),
                    "each.prepared >= checkpoint",
                    "each.prepared >= 0"),
            in(
                    ESTIMATION,
                    "others may have later checkpoints",
                    estimation("aCheckpointThatIsStableIsNeverAboveIt"),
                    "each.checkpoint <= checkpoint",
                    "each.checkpoint >= 0"),
            in(
                    LEDGER,
                    "recoveries are a whole period apart",
                    ledger("twoOfOneReplicaAreHalfAPeriodApart"),
                    "watchdogMillis / 2",
                    "watchdogMillis"),
            in(
                    LEDGER,
                    "who is not in the group recovers",
                    ledger("anEstimateThatNobodyCanComeToIsRefused"),
                    "request.replica() < group.replicas() &&",
                    ""),
            in(
                    LEDGER,
                    "an estimate need be no high water mark",
                    ledger("anEstimateThatNobodyCanComeToIsRefused"),
                    "request.estimate() % group.checkpointInterval() == 0 &&",
                    ""),
            in(
                    LEDGER,
                    "an estimate two logs above is not possible",
                    ledger("anEstimateThatNobodyCanComeToIsRefused"),
                    "2L * group.logSize()",
                    "0"),
            in(
                    LEDGER,
                    "a recovery stays open",
                    ledger("itIsOpenUntilItsPointIsStable"),
                    "entry.point() > stable ? entry.point() : 0",
                    "entry.point()"),
            in(
                    LEDGER,
                    "numbers are filled up to the least point",
                    ledger("itIsOpenUntilItsPointIsStable"),
                    "point = Math.max(point, entry.point() > stable",
                    "point = Math.min(point, entry.point() > stable"),
            in(
                    LEDGER,
                    "a replica stands in the state twice",
                    ledger("eachReplicaStandsThereOnce"),
                    "if (replica <= before || replica >= ReplicaMessage.REPLICAS_MAX) {",
                    "if (false) {"),
            in(
                    LEDGER,
                    "H_R is no high water mark",
                    ledger("thePointIsTheGreaterOfBothMarks"),
                    "sequence / group.checkpointInterval() * group.checkpointInterval() + group.logSize()",
                    "sequence + group.logSize()"),
            in(
                    LEDGER,
                    "H_R is a low water mark",
                    ledger("thePointIsTheGreaterOfBothMarks"),
                    "* group.checkpointInterval() + group.logSize()",
                    "* group.checkpointInterval()"),
            in(
                    LEDGER,
                    "states are others without recoveries, too",
                    ledger("itIsPartOfTheState"),
                    "if (!entries.isEmpty()) { out.u8",
                    "if (true) { out.u8"),
            in(
                    LEDGER,
                    "what is not in a state stays",
                    ledger("whatIsReadTakesThePlaceOfWhatWasThere"),
                    "entries.clear();",
                    ""),
            in(
                    REPLIES,
                    "f others keep the own view",
                    replies("elseItIsTheMedian"),
                    "asFar >= group.oneCorrect() ||",
                    "asFar >= group.faulty() ||"),
            in(
                    REPLIES,
                    "f+1 others are not enough for the own view",
                    replies("theOwnViewStaysIfFPlusOneOthersAreAsFar"),
                    "asFar >= group.oneCorrect() ||",
                    "asFar > group.oneCorrect() ||"),
            in(
                    REPLIES,
                    "of two the greater view",
                    replies("elseItIsTheMedian"),
                    "views[(views.length - 1) / 2]",
                    "views[views.length / 2]"),
            in(
                    REPLIES,
                    "its own reply has a view",
                    replies("elseItIsTheMedian"),
                    ".filter(view -> view != NO_VIEW)",
                    ""),
            in(
                    REPLIES,
                    "the latest view of the others is 0",
                    replies("theOwnViewStaysIfFPlusOneOthersAreAsFar"),
                    "views.length == 0 ? 0 : views[views.length - 1]",
                    "0"),
            in(
                    REPLIES,
                    "replies are never cleared",
                    replies("whatWasSaidOfOneRequestIsNoAnswerToTheNext"),
                    "said.clear();",
                    ""),
            in(
                    REPLIES,
                    "the first word of each counts",
                    replies("theLastWordOfEachCounts"),
                    "said.put(from, reply);",
                    "said.putIfAbsent(from, reply);"),
            in(
                    REPLIES,
                    "replies with other numbers count together",
                    replies("twoFPlusOneEqualOnesAreNeededItsOwnAmongThem"),
                    "&& other.sequence() == each.sequence()",
                    ""),
            in(
                    REQUEST,
                    "a signature is good for any call",
                    request("aSignatureIsGoodForOneRequestAndNothingElse"),
                    "new WireWriter().string(PURPOSE).u8(replica).i64(call);",
                    "new WireWriter().string(PURPOSE).u8(replica);"),
            in(
                    REQUEST,
                    "a signature is good for other purposes",
                    request("aSignatureIsGoodForOneRequestAndNothingElse"),
                    "new WireWriter().string(PURPOSE).u8(replica).i64(call);",
                    "new WireWriter().u8(replica).i64(call);"),
            in(
                    REQUEST,
                    "a signature is good for any estimate",
                    request("aSignatureIsGoodForOneRequestAndNothingElse"),
                    "write(estimate, challenges, out); return out.toBytes();",
                    "write(0, challenges, out); return out.toBytes();"),
            in(
                    REQUEST,
                    "a signature is good for any nonces",
                    request("aSignatureIsGoodForOneRequestAndNothingElse"),
                    "write(estimate, challenges, out); return out.toBytes();",
                    "write(estimate, List.of(), out); return out.toBytes();"),
            in(
                    REQUEST,
                    "several nonces of one replica",
                    request("whatIsNotWellFormedIsNone"),
                    "if (replica <= before || replica >= ReplicaMessage.REPLICAS_MAX) {",
                    "if (false) {"),
            in(
                    REQUEST,
                    "a query is a recovery request",
                    request("whatIsNotWellFormedIsNone"),
                    "|| request.query()",
                    ""),
            in(REQUEST, "something may follow", request("whatIsNotWellFormedIsNone"), "in.end();", ""),
            in(
                    PEERS,
                    "who has forgotten says where its log stands",
                    recovery("moreThanFThatHaveForgottenStopTheGroup"),
                    "if (log.floor() == Long.MAX_VALUE) {",
                    "if (false) {"),
            in(
                    PEERS,
                    "each query draws another nonce",
                    requests("aRequestSignsTheReceiversFreshNonce"),
                    "if (nonce == null) {",
                    "if (true) {"),
            in(
                    PEERS,
                    "what is decided without an own COMMIT has not prepared",
                    requests("whatIsDecidedHereHasPrepared"),
                    "last = slot.decided == null ? last : slot.sequence;",
                    ""),
            in(
                    PEERS,
                    "only what is executed has prepared",
                    requests("whatPreparedHereIsSaid"),
                    "Math.max(history.lastPrepared(), execution.executed())",
                    "execution.executed()"),
            in(
                    PEERS,
                    "a replica lets another one recover",
                    requests("aRequestIsSignedByItsReplica"),
                    "asked.replica() != from",
                    "false"),
            in(
                    PEERS,
                    "a refusal is said once",
                    requests("whatWasAnsweredIsAnsweredAgain"),
                    "before != null && before.call == asked.call()",
                    "false"),
            in(
                    PEERS,
                    "what the state has is not answered in the next life",
                    requests("whatWasAnsweredIsAnsweredAgain"),
                    "entry != null && entry.call() == asked.call()",
                    "false"),
            in(
                    PEERS,
                    "the next life answers with another number",
                    requests("whatWasAnsweredIsAnsweredAgain"),
                    "new Answered(entry.call(), entry.sequence(), true)",
                    "new Answered(entry.call(), entry.point(), true)"),
            in(
                    PEERS,
                    "signatures are checked as often as they come",
                    requests("signaturesOfOneReplicaAreCheckedSoOftenAndNoMore"),
                    "nowMillis - checkedMillis[from] < CHECK_MILLIS ||",
                    ""),
            in(
                    PEERS,
                    "one that is refused has the last begin anew",
                    requests("oneThatIsRefusedChangesNothingOfWhatIsKnownOfTheLast"),
                    "if (accepted) {",
                    "if (true) {"),
            in(
                    PEERS,
                    "a reply has no view",
                    recovery("eachReplicaRecoversInTurnWithoutAnyOtherWork"),
                    "answer.sequence, view.number())",
                    "answer.sequence, 0)"),
            in(
                    PEERS,
                    "the others never see the end of a recovery",
                    recovery("eachReplicaRecoversInTurnWithoutAnyOtherWork"),
                    "entry.point() <= log.low()",
                    "false"),
            in(
                    PEERS,
                    "a recovery that is over takes ever longer",
                    recovery("theOthersSeeARecoveryThatTakesTooLong"),
                    "seen.endMillis < 0 && entry.point() <= log.low()",
                    "entry.point() <= log.low()"),
            in(
                    PEERS,
                    "a recovery that was slow stays so",
                    recovery("theOthersSeeARecoveryThatTakesTooLong"),
                    "open && millis > config.recoveries().slowMillis()",
                    "millis > config.recoveries().slowMillis()"),
            in(
                    PEERS,
                    "only a stable checkpoint is said",
                    requests("itSaysItsLastCheckpointThoughItIsNotStable"),
                    "checkpoints.last(), prepared(), nonce",
                    "log.low(), prepared(), nonce"),
            in(
                    "ordering/recovery/RecoveryReport",
                    "the window does not grow while a recovery is overdue",
                    report("itGrowsWhileARecoveryIsOverdue"),
                    "Math.max(untilNext, wallMillis - each.agreedMillis())",
                    "untilNext"),
            in(
                    "ordering/recovery/RecoveryReport",
                    "recoveries take no time",
                    report("theWindowIsTwiceTheOldestKeyAndThePeriodAndTheLongestRecovery"),
                    "longest = Math.max(longest, each.openMillis());",
                    ""),
            in(
                    "ordering/recovery/RecoveryReport",
                    "there is a window before all have recovered",
                    report("thereIsNoneBeforeAllHaveRecovered"),
                    "if (known.size() < replicas) {",
                    "if (false) {"),
            in(
                    "ordering/recovery/RecoveryReport",
                    "a key counts once",
                    report("theWindowIsTwiceTheOldestKeyAndThePeriodAndTheLongestRecovery"),
                    "2 * oldestKeyMillis",
                    "oldestKeyMillis"),
            in(
                    "ordering/recovery/RecoveryStatus",
                    "nothing may be put off",
                    status("aRecoveryIsOverdueAfterAPeriodAndWhatItMayBePutOff"),
                    "watchdogMillis / 4 * 7",
                    "watchdogMillis"),
            in(
                    "ordering/recovery/RecoveryStatus",
                    "a time may be any",
                    status("whatCannotBeIsMalformed"),
                    "if (millis > MILLIS_MAX) {",
                    "if (false) {"),
            in(
                    "ordering/recovery/RecoveryStatus",
                    "a replica is told of twice",
                    status("whatCannotBeIsMalformed"),
                    "if (replica <= last) {",
                    "if (false) {"),
            in(
                    "ordering/replica/Execution",
                    "a recovery that is ordered twice is refused",
                    requests("oneThatIsOrderedTwiceIsExecutedOnce"),
                    "last == null || last.call() != asked.call()",
                    "true"));

    private RecoveryRuleBugs() {}
}
