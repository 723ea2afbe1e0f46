package io.bulwark.simulation.mutation;

import static io.bulwark.protocol.mutation.Detector.protocol;
import static io.bulwark.protocol.mutation.PlantedBug.in;

import io.bulwark.protocol.mutation.Detector;
import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;

/** What can go wrong with recoveries and session keys: proactive recovery paper, 4.1 and 4.4; PROTOCOLS section 7. */
final class RecoveryBugs {
    private static final String ESTIMATION = "ordering/recovery/Estimation";
    private static final String LEDGER = "ordering/recovery/RecoveryLedger";
    private static final String REPLIES = "ordering/recovery/RecoveryReplies";
    private static final String RECOVERING = "ordering/replica/Recovering";
    private static final String FETCH = "state/StateFetch";
    private static final String KEYS = "ordering/key/SessionKeys";

    private static Detector estimation(String test) {
        return protocol("ordering.recovery.EstimationPaperTest", test);
    }

    private static Detector ledger(String test) {
        return protocol("ordering.recovery.RecoveryLedgerTest", test);
    }

    private static Detector replies(String test) {
        return protocol("ordering.recovery.RecoveryRepliesPaperTest", test);
    }

    private static Detector recovery(String test) {
        return protocol("ordering.replica.RecoveryTest", test);
    }

    private static Detector keys(String test) {
        return protocol("ordering.key.SessionKeysTest", test);
    }

    private static Detector fetching(String test) {
        return protocol("state.StateFetchTest", test);
    }

    static final List<PlantedBug> ALL = List.of(
            in(
                    FETCH,
                    "all is read again for each checkpoint",
                    fetching("aFetchAndACheckComeToTheirEndThoughEachCheckpointIsDiscardedSoon"),
                    "whole.addAll(reached, open);",
                    ""),
            in(
                    FETCH,
                    "what is above a page that is still to come counts as whole",
                    fetching("aFetchAndACheckComeToTheirEndThoughEachCheckpointIsDiscardedSoon"),
                    "visits.forEach(visit -> open(visit, open));",
                    ""),
            in(
                    FETCH,
                    "what was found for an earlier checkpoint is thrown away at the end",
                    fetching("aFetchAndACheckComeToTheirEndThoughEachCheckpointIsDiscardedSoon"),
                    "} else if (!gathered.isEmpty()) {",
                    "} else if (false) {"),
            in(
                    FETCH,
                    "a checkpoint that is all here is given up for the next",
                    fetching("aCheckpointThatIsAllHereIsNotGivenUpForTheNext"),
                    "if (!done && needsNobody()) {",
                    "if (false) {"),
            in(
                    FETCH,
                    "a checkpoint of which a page was lost is waited for though the others have discarded it",
                    fetching("aPageThatIsLostBeforeTheEndIsFetchedForTheNextCheckpoint"),
                    "if (later != null && !needsNobody()) {",
                    "if (false) {"),
            in(
                    FETCH,
                    "what is not of a fetched state is found in one step",
                    fetching("whatIsNotTheTargetsIsFoundInSteps"),
                    "store.digests(listed, STEP_PAGES);",
                    "store.digests(listed, Integer.MAX_VALUE);"),
            in(
                    "state/PageRequests",
                    "who has discarded a checkpoint is left alone for the next one, too",
                    fetching("whoHasDiscardedACheckpointIsAskedForTheNextOneAtOnce"),
                    "peer.lacking ? Long.MIN_VALUE : peer.quietUntilMillis",
                    "peer.quietUntilMillis"),
            in(
                    "state/PageRequests",
                    "whoever is slow holds a page up until its time is over",
                    fetching("aSlowLiarDoesNotKeepAFetchFromItsEnd"),
                    "!request.late && tookMillis >= patienceMillis",
                    "!request.late && tookMillis >= settings.timeoutMillis()"),
            in(
                    "state/PageRequests",
                    "who was late is asked as early as the others",
                    protocol("state.PageRequestsTest", "whoWasLateIsAskedOnlyForWhatTheOthersHaveNoRoomFor"),
                    "request.peer.late = true;",
                    ""),
            in(
                    "state/PageRepair",
                    "a single page that the others have discarded is wanted for ever",
                    fetching("aSinglePageThatTheOthersHaveDiscardedIsNotWantedForEver"),
                    "requests.forget(gone.digest());",
                    ""),
            in(
                    ESTIMATION,
                    "2f-1 others without a later checkpoint are enough",
                    estimation("itNeedsTwoFOthersWithNoLaterCheckpoint"),
                    "noLater >= 2 * group.faulty()",
                    "noLater >= 2 * group.faulty() - 1"),
            in(
                    ESTIMATION,
                    "nobody needs to have prepared as much",
                    estimation("aLiarCannotDrawTheRecoveryOut"),
                    "&& prepared >= group.faulty()",
                    ""),
            in(
                    ESTIMATION,
                    "a liar may take back what it prepared",
                    estimation("theLeastCheckpointAndTheGreatestPreparedNumberOfEachCount"),
                    "Math.min(before.checkpoint, checkpoint)",
                    "checkpoint"),
            in(
                    ESTIMATION,
                    "replies under old keys count",
                    estimation("newKeysUndoAReply"),
                    "said[replica] = null;",
                    ""),
            in(
                    LEDGER,
                    "recoveries may follow each other at once",
                    ledger("twoOfOneReplicaAreHalfAPeriodApart"),
                    "agreedMillis - last.agreedMillis() < watchdogMillis / 2",
                    "agreedMillis < last.agreedMillis()"),
            in(LEDGER, "a replay is accepted", ledger("aReplayIsRefused"), "tooSoon || replayed ||", "tooSoon ||"),
            in(
                    LEDGER,
                    "any estimate is taken",
                    ledger("anEstimateThatNobodyCanComeToIsRefused"),
                    "&& request.estimate() <= mark + 2L * group.logSize()",
                    ""),
            in(
                    LEDGER,
                    "the recovery point is H_M",
                    ledger("thePointIsTheGreaterOfBothMarks"),
                    "Math.max(mark, request.estimate())",
                    "request.estimate()"),
            in(
                    REPLIES,
                    "2f replies are enough",
                    replies("twoFPlusOneEqualOnesAreNeededItsOwnAmongThem"),
                    "sequence(true, group.quorum())",
                    "sequence(true, group.quorum() - 1)"),
            in(
                    REPLIES,
                    "a liar alone refuses a recovery",
                    replies("aLiarAloneRefusesNothing"),
                    "sequence(false, group.oneCorrect())",
                    "sequence(false, group.faulty())"),
            in(
                    REPLIES,
                    "the view is a liar's",
                    replies("elseItIsTheMedian"),
                    "views[(views.length - 1) / 2]",
                    "views[views.length - 1]"),
            in(
                    RECOVERING,
                    "what has a number leaves before the estimate",
                    recovery("nothingWithANumberLeavesBeforeTheEstimateAndNothingAboveItBeforeItIsStable"),
                    "log.setCeiling(log.low());",
                    ""),
            in(
                    RECOVERING,
                    "what lies above the estimate leaves",
                    recovery("nothingWithANumberLeavesBeforeTheEstimateAndNothingAboveItBeforeItIsStable"),
                    "log.setCeiling(estimate);",
                    "log.setCeiling(Long.MAX_VALUE);"),
            in(
                    RECOVERING,
                    "who has forgotten votes below its point",
                    recovery("aReplicaThatHasForgottenSaysNothingUpToItsPointAndThenTakesPart"),
                    "log.setFloor(point);",
                    "log.setFloor(0);"),
            in(RECOVERING, "a forged state is kept", recovery("aForgedStateIsReplaced"), "transfer.lose();", ""),
            in(
                    RECOVERING,
                    "a forged view is kept",
                    recovery("aForgedViewIsGivenUpAfterTwoKeyPeriods"),
                    "if (forgedView && stable",
                    "if (forgedView && nowMillis < 0"),
            in(
                    "ordering/replica/Memory",
                    "a crash makes an end of having forgotten",
                    recovery("whoeverHasForgottenStaysSoOverACrash"),
                    "case LogRecord.Recovery found -> recovery = found;",
                    ""),
            in(
                    "ordering/replica/Proposing",
                    "nobody fills the numbers that a recovery waits for",
                    recovery("eachReplicaRecoversInTurnWithoutAnyOtherWork"),
                    "next.isEmpty() && last < fillUpTo",
                    "next.isEmpty() && last < 0"),
            in(
                    "ordering/replica/PeerRecoveries",
                    "a request that signs another nonce is let in",
                    protocol("ordering.replica.RecoveryRequestsTest", "aRequestSignsTheReceiversFreshNonce"),
                    "|| nonce == null || !asked.nonceOf(config.self()).equals(nonce)",
                    ""),
            in(
                    "ordering/replica/PeerRecoveries",
                    "signatures are not checked",
                    protocol("ordering.replica.RecoveryRequestsTest", "aRequestIsSignedByItsReplica"),
                    "return signing.verify(from, asked.content(), asked.signature());",
                    "return true;"),
            in(
                    "ordering/replica/PeerRecoveries",
                    "a nonce is used twice",
                    protocol("ordering.replica.RecoveryRequestsTest", "aNonceIsGoodForOneRequest"),
                    "nonces[replica] = null;",
                    ""),
            in(
                    RECOVERING,
                    "a check that has come to nothing is waited for",
                    recovery("aCheckOfWhatTheOthersHaveDiscardedBeginsAnewWithWhatTheyHave"),
                    "new Gone(given, nowMillis); checking = null;",
                    "new Gone(given, nowMillis);"),
            in(
                    KEYS,
                    "an old key stays for ever",
                    keys("noKeyIsTakenForLongerThanItMay"),
                    "peer.previous = null; effects.add(new KeyEffect.Changed(replica));",
                    ""),
            in(
                    KEYS,
                    "the old key counts beside the new one that is used",
                    keys("theOldKeyStaysUntilTheNewOneIsUsedOrItIsTooOld"),
                    "peer.announces = false; peer.previous = null;",
                    "peer.announces = false;"),
            in(
                    KEYS,
                    "who recovers is heard under an old key",
                    keys("whoRecoversIsNotHeardUnderAnOldKey"),
                    "peer.previous = null; choose(nowMillis, peer);",
                    "peer.previous = peer.current; choose(nowMillis, peer);"),
            in(
                    KEYS,
                    "a NEW-KEY may be replayed",
                    keys("aReplayedNewKeyChangesNothing"),
                    "if (!message.nonce().equals(nonceFor(peer))) {",
                    "if (message.nonce().isEmpty()) {"),
            in(
                    KEYS,
                    "a NEW-KEY needs no signature",
                    keys("aNewKeyOfSomebodyElseOrForAnotherNonceIsRefused"),
                    "if (!signing.verify(",
                    "if (nowMillis < 0 && !signing.verify("),
            in(
                    KEYS,
                    "who has another watchdog period gets keys",
                    keys("whoHasAnotherPeriodGetsNoNonce"),
                    "if (ask.watchdogMillis() == settings.watchdogMillis()) {",
                    "if (ask.watchdogMillis() > 0) {"));

    private RecoveryBugs() {}
}
