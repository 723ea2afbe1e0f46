package io.bulwark.simulation.mutation;

import static io.bulwark.protocol.mutation.Detector.protocol;
import static io.bulwark.protocol.mutation.PlantedBug.in;

import io.bulwark.protocol.mutation.Detector;
import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;

/** What can go wrong within a replica that recovers: proactive recovery paper, 4.4; PROTOCOLS section 7. */
final class RecoveringBugs {
    private static final String RECOVERING = "ordering/replica/Recovering";
    private static final String REPLICA = "ordering/replica/Replica";

    private static Detector recovering(String test) {
        return protocol("ordering.replica.RecoveringTest", test);
    }

    private static Detector state(String test) {
        return protocol("ordering.replica.RecoveringStateTest", test);
    }

    private static Detector recovery(String test) {
        return protocol("ordering.replica.RecoveryTest", test);
    }

    static final List<PlantedBug> ALL = List.of(
            in(
                    RECOVERING,
                    "who has forgotten has a ceiling, too",
                    recovering("whoHasForgottenVotesOnNothingForTwoKeyPeriodsThoughAllElseIsDone"),
                    "if (found.open() && !forgotten) {",
                    "if (found.open()) {"),
            in(
                    RECOVERING,
                    "a crash ends a recovery",
                    recovery("aRecoveryThatACrashInterruptsGoesOn"),
                    "boolean open = phase != Phase.NONE;",
                    "boolean open = false;"),
            in(
                    RECOVERING,
                    "the log does not say that it was forgotten",
                    recovery("whoeverHasForgottenStaysSoOverACrash"),
                    "open && forgotten, log.floor()",
                    "false, log.floor()"),
            in(
                    RECOVERING,
                    "checkpoints leave at any time",
                    recovery("aReplicaThatHasForgottenSaysNothingUpToItsPointAndThenTakesPart"),
                    "case ReplicaMessage.Checkpoint said -> isWithin(said.sequence());",
                    "case ReplicaMessage.Checkpoint said -> true;"),
            in(
                    RECOVERING,
                    "what is executed is said at any time",
                    recovering("soIsWhatItHasExecuted"),
                    "isWithin(said.first()) && said.first() + said.digests().size() - 1 <= log.ceiling();",
                    "true;"),
            in(
                    RECOVERING,
                    "who has forgotten asks for a view with any log",
                    recovering("whoHasForgottenAsksForNoViewWithALogThatBeginsBelowItsPoint"),
                    "!isMute() && said.stable() >= log.floor() && isBelowCeiling(said);",
                    "!isMute() && isBelowCeiling(said);"),
            in(
                    RECOVERING,
                    "a VIEW-CHANGE leaves before the estimate",
                    recovering("whoHasNoEstimateLeavesNoViewByItselfAndSaysSoToNobody"),
                    "!isMute() && said.stable() >= log.floor() && isBelowCeiling(said);",
                    "said.stable() >= log.floor() && isBelowCeiling(said);"),
            in(
                    RECOVERING,
                    "votes of the disk leave at any time",
                    recovering("whatTheDiskHasPromisedIsSaidAgainOnceTheEstimateIsThere"),
                    "case ReplicaMessage.Phase said -> !forgedView && isWithin(said.sequence());",
                    "case ReplicaMessage.Phase said -> true;"),
            in(
                    RECOVERING,
                    "there is no floor for what leaves",
                    recovery("aReplicaThatHasForgottenSaysNothingUpToItsPointAndThenTakesPart"),
                    "return sequence > log.floor() &&",
                    "return"),
            in(
                    RECOVERING,
                    "there is no ceiling for what leaves",
                    recovering("whatTheDiskHasPromisedIsSaidAgainOnceTheEstimateIsThere"),
                    "&& sequence <= log.ceiling()",
                    ""),
            in(
                    RECOVERING,
                    "who has forgotten leaves views",
                    recovering("whoHasNoEstimateLeavesNoViewByItselfAndSaysSoToNobody"),
                    "log.floor() == Long.MAX_VALUE || (phase != Phase.NONE && !forgotten && estimate < 0);",
                    "(phase != Phase.NONE && !forgotten && estimate < 0);"),
            in(
                    RECOVERING,
                    "who has no estimate leaves views",
                    recovering("whoHasNoEstimateLeavesNoViewByItselfAndSaysSoToNobody"),
                    "|| (phase != Phase.NONE && !forgotten && estimate < 0);",
                    ";"),
            in(
                    RECOVERING,
                    "pages are trusted while it recovers",
                    state("untilItsStateIsCheckedNoPageIsTrusted"),
                    "return phase != Phase.NONE && !checked;",
                    "return false;"),
            in(
                    RECOVERING,
                    "no page is trusted though all were checked",
                    state("untilItsStateIsCheckedNoPageIsTrusted"),
                    "return phase != Phase.NONE && !checked;",
                    "return phase != Phase.NONE;"),
            in(
                    RECOVERING,
                    "what is being checked is discarded",
                    state("theStateIsCheckedOnceAndStaysMeanwhile"),
                    "return checking != null;",
                    "return false;"),
            in(
                    RECOVERING,
                    "who has given its log up asks on",
                    recovering("aLogThatNobodyCanHaveIsGivenUpOnceAndNothingIsAskedAnyMore"),
                    "|| useless || !outbox.isDurable(beginIndex)",
                    "|| !outbox.isDurable(beginIndex)"),
            in(
                    RECOVERING,
                    "a recovery begins before the disk says so",
                    recovering("nothingIsSaidBeforeTheDiskSaysThatARecoveryIsOpen"),
                    "|| !outbox.isDurable(beginIndex)",
                    ""),
            in(
                    RECOVERING,
                    "what who has forgotten has counts for its estimate",
                    recovery("moreThanFThatHaveForgottenStopTheGroup"),
                    "if (!forgotten) { estimation.onReply",
                    "if (true) { estimation.onReply"),
            in(
                    RECOVERING,
                    "what it has itself does not count for its estimate",
                    recovery("withFOthersDeadARecoveryEnds"),
                    "if (!forgotten) { estimation.onReply",
                    "if (false) { estimation.onReply"),
            in(
                    RECOVERING,
                    "it asks with each tick",
                    recovering("itAsksAgainWithEachStatusAndNotMoreOften"),
                    "private void ask(long nowMillis) { nextMillis = nowMillis + config.timers().statusMillis();",
                    "private void ask(long nowMillis) { nextMillis = nowMillis;"),
            in(
                    RECOVERING,
                    "a request is sent once",
                    recovery("whatWasAnsweredUnderOldKeysIsNoAnswer"),
                    "case REQUESTING -> repeat(nowMillis);",
                    "case REQUESTING -> {}"),
            in(
                    RECOVERING,
                    "a request is never signed anew",
                    recovering("aRequestThatDoesNotHelpIsSignedAnewOverFreshNonces"),
                    "nowMillis - sentMillis < 4 * config.timers().requestMillis()",
                    "true"),
            in(
                    RECOVERING,
                    "who signs anew keeps the old request",
                    recovering("aRequestThatDoesNotHelpIsSignedAnewOverFreshNonces"),
                    "if (current != null) { withdraw(); }",
                    ""),
            in(
                    RECOVERING,
                    "a request signs old nonces, too",
                    recovering("aRequestThatDoesNotHelpIsSignedAnewOverFreshNonces"),
                    "request = null; nonces.clear(); round = random.nextLong();",
                    "request = null; round = random.nextLong();"),
            in(
                    RECOVERING,
                    "old answers bring nonces, too",
                    recovering("aRequestThatDoesNotHelpIsSignedAnewOverFreshNonces"),
                    "nonces.clear(); round = random.nextLong();",
                    "nonces.clear();"),
            in(
                    RECOVERING,
                    "it vouches for what it has executed",
                    recovering("itVouchesForItsOwnRequestUntilItHasExecutedIt"),
                    "if (!executedHere) { pool",
                    "if (true) { pool"),
            in(
                    RECOVERING,
                    "it does not vouch for its own request",
                    recovering("itVouchesForItsOwnRequestUntilItHasExecutedIt"),
                    "if (!executedHere) { pool",
                    "if (false) { pool"),
            in(
                    RECOVERING,
                    "answers to another question count",
                    recovering("whatAnswersAnotherQuestionIsNoAnswer"),
                    "reply.round() != round ||",
                    ""),
            in(
                    RECOVERING,
                    "late answers have the request made again",
                    recovering("whatAnswersAnotherRequestIsNoAnswer"),
                    "boolean wanted = phase == Phase.ESTIMATING || (phase == Phase.REQUESTING && request == null);",
                    "boolean wanted = true;"),
            in(
                    RECOVERING,
                    "answers count before the question",
                    recovering("whatAnswersAnotherQuestionIsNoAnswer"),
                    "|| startedMillis == 0 || useless",
                    "|| useless"),
            in(
                    RECOVERING,
                    "who has given its log up takes answers",
                    recovering("aLogThatNobodyCanHaveIsGivenUpOnceAndNothingIsAskedAnyMore"),
                    "|| startedMillis == 0 || useless",
                    "|| startedMillis == 0"),
            in(
                    RECOVERING,
                    "2f-1 nonces are enough",
                    recovering("aRequestThatDoesNotHelpIsSignedAnewOverFreshNonces"),
                    "nonces.size() < 2 * config.faulty()",
                    "nonces.size() < 2 * config.faulty() - 1"),
            in(
                    RECOVERING,
                    "2f+1 nonces are needed",
                    recovery("withFOthersDeadARecoveryEnds"),
                    "nonces.size() < 2 * config.faulty()",
                    "nonces.size() < 2 * config.faulty() + 1"),
            in(
                    RECOVERING,
                    "a forged log is kept",
                    recovery("aLogThatNobodyCanHaveIsGivenUp"),
                    "if (began > highMark - config.logSize()) {",
                    "if (false) {"),
            in(
                    RECOVERING,
                    "a log that goes on before the estimate is given up",
                    recovering("aLogThatGoesOnBeforeTheEstimateIsNotForged"),
                    "if (began > highMark",
                    "if (log.low() > highMark"),
            in(
                    RECOVERING,
                    "the disk keeps what lies above the estimate",
                    protocol(
                            "ordering.replica.ForgedPromisesTest",
                            "whatWasAboveTheEstimateIsNotSaidInTheNextLifeEither"),
                    "transfer.lose(); // a state that nobody can have come to } host.onLogChanged(nowMillis);",
                    "transfer.lose(); }"),
            in(
                    RECOVERING,
                    "the floor goes with the recovery",
                    protocol("ordering.replica.ForgedPromisesTest", "aNewViewMayNameWhatIsForgotten"),
                    "log.floor() == Long.MAX_VALUE ? 0 : log.floor()",
                    "0"),
            in(
                    RECOVERING,
                    "a state is checked while another one is fetched",
                    state("whileAStateIsFetchedNoneIsChecked"),
                    "&& !transfer.isFetching()",
                    ""),
            in(
                    RECOVERING,
                    "who has given its log up recovers with it",
                    recovery("aLogThatNobodyCanHaveIsGivenUp"),
                    "if (!useless && views.judgeFound(nowMillis)) {",
                    "if (views.judgeFound(nowMillis)) {"),
            in(
                    RECOVERING,
                    "answers to another request count",
                    recovering("whatAnswersAnotherRequestIsNoAnswer"),
                    "|| reply.call() != call",
                    ""),
            in(
                    RECOVERING,
                    "late answers move the recovery back",
                    recovering("whatIsAnsweredOnceItHasRecoveredDoesNotOpenTheRecoveryAgain"),
                    "phase != Phase.REQUESTING || reply.call() != call",
                    "reply.call() != call"),
            in(
                    RECOVERING,
                    "a refused request is made again as it was",
                    recovery("aSecondRecoveryWithinHalfAPeriodIsPutOff"),
                    "phase = Phase.REFUSED; withdraw();",
                    "phase = Phase.REFUSED;"),
            in(
                    RECOVERING,
                    "refusals count for the next request, too",
                    recovering("oneThatIsRefusedIsMadeAgainAndTheRefusalsAreThoseOfTheFirst"),
                    "replies.clear(); call",
                    "call"),
            in(
                    RECOVERING,
                    "the next request has the call of the refused one",
                    recovery("aSecondRecoveryWithinHalfAPeriodIsPutOff"),
                    "call = random.nextLong(); executedHere",
                    "executedHere"),
            in(
                    RECOVERING,
                    "the next request counts as executed",
                    recovering("oneThatIsRefusedIsMadeAgainAndTheRefusalsAreThoseOfTheFirst"),
                    "executedHere = false;",
                    ""),
            in(
                    RECOVERING,
                    "who was refused asks at once again",
                    recovery("aSecondRecoveryWithinHalfAPeriodIsPutOff"),
                    "nextMillis = nowMillis + config.recoveries().watchdogMillis() / 16;",
                    "nextMillis = nowMillis;"),
            in(
                    RECOVERING,
                    "it does not see its own execution",
                    recovering("itVouchesForItsOwnRequestUntilItHasExecutedIt"),
                    "executedHere |= executedCall == call;",
                    ""),
            in(
                    RECOVERING,
                    "its own view is one of the others'",
                    recovering("itsOwnWordIsNoWordOfTheOthersViews"),
                    "sequence, RecoveryReplies.NO_VIEW));",
                    "sequence, view.number()));"),
            in(
                    RECOVERING,
                    "the point is H_M",
                    recovering("thePointIsTheGreaterOfTheEstimateAndTheMarkOfTheRequest"),
                    "Math.max(estimate, RecoveryLedger.markAt(config.group(), sequence))",
                    "estimate"),
            in(
                    RECOVERING,
                    "the point is H_R",
                    recovering("thePointIsTheGreaterOfTheEstimateAndTheMarkOfTheRequest"),
                    "Math.max(estimate, RecoveryLedger.markAt(config.group(), sequence))",
                    "RecoveryLedger.markAt(config.group(), sequence)"),
            in(
                    RECOVERING,
                    "a check that has come to nothing begins again at once",
                    state("aCheckThatHasComeToNothingWaitsForAnotherCheckpointOrAKeyPeriod"),
                    "&& !hopeless",
                    ""),
            in(
                    RECOVERING,
                    "a check that has come to nothing never begins again with its checkpoint",
                    state("aCheckThatHasComeToNothingWaitsForAnotherCheckpointOrAKeyPeriod"),
                    "&& nowMillis - last.sinceMillis() < config.recoveries().keyMillis();",
                    ";"),
            in(
                    RECOVERING,
                    "the state is checked again and again",
                    state("theStateIsCheckedOnceAndStaysMeanwhile"),
                    "!checked && checking == null",
                    "checking == null"),
            in(
                    RECOVERING,
                    "who has forgotten votes once it has its point",
                    recovering("whoHasForgottenVotesOnNothingForTwoKeyPeriodsThoughAllElseIsDone"),
                    "if (forgotten && log.floor() == Long.MAX_VALUE && past) {",
                    "if (forgotten && log.floor() == Long.MAX_VALUE) {"),
            in(
                    RECOVERING,
                    "one key period is enough",
                    recovering("whoHasForgottenVotesOnNothingForTwoKeyPeriodsThoughAllElseIsDone"),
                    "nowMillis - startedMillis >= 2 * config.recoveries().keyMillis()",
                    "nowMillis - startedMillis >= config.recoveries().keyMillis()"),
            in(
                    RECOVERING,
                    "a forged view is given up at once",
                    recovery("aForgedViewIsGivenUpAfterTwoKeyPeriods"),
                    "&& stable && nowMillis - answeredMillis >= 2 * config.recoveries().keyMillis()) {",
                    "&& stable) {"),
            in(
                    RECOVERING,
                    "any stable checkpoint is the point",
                    recovery("aReplicaThatHasForgottenSaysNothingUpToItsPointAndThenTakesPart"),
                    "checkpoints.stableHere() != null && log.low() >= point",
                    "checkpoints.stableHere() != null"),
            in(
                    RECOVERING,
                    "a recovery ends before the state is checked",
                    recovery("aCheckOfWhatTheOthersHaveDiscardedBeginsAnewWithWhatTheyHave"),
                    "if (stable && checked && !forgedView",
                    "if (stable && !forgedView"),
            in(
                    RECOVERING,
                    "a recovery ends in a forged view",
                    recovery("aForgedViewIsGivenUpAfterTwoKeyPeriods"),
                    "&& !forgedView && log.floor()",
                    "&& log.floor()"),
            in(
                    RECOVERING,
                    "a recovery ends before who has forgotten may vote",
                    recovering("whoHasForgottenVotesOnNothingForTwoKeyPeriodsThoughAllElseIsDone"),
                    "&& log.floor() != Long.MAX_VALUE) { views.onRecovered(nowMillis);",
                    ") { views.onRecovered(nowMillis);"),
            in(
                    RECOVERING,
                    "the disk does not say that a recovery is over",
                    recovery("aRecoveryThatACrashInterruptsGoesOn"),
                    "recoveredMillis = nowMillis; host.onLogChanged(nowMillis);",
                    "recoveredMillis = nowMillis;"),
            in(
                    RECOVERING,
                    "a stable checkpoint ends the silence before the estimate",
                    recovering("thoughACheckpointIsStableNothingLeavesBeforeTheEstimate"),
                    "estimate >= 0 && sequence >= estimate",
                    "sequence >= estimate"),
            in(
                    RECOVERING,
                    "any stable checkpoint lifts the ceiling",
                    recovery("nothingWithANumberLeavesBeforeTheEstimateAndNothingAboveItBeforeItIsStable"),
                    "estimate >= 0 && sequence >= estimate",
                    "estimate >= 0"),
            in(
                    RECOVERING,
                    "the estimate counts what was said under old keys",
                    recovering("whatAPeerSaidUnderOldKeysIsNotCounted"),
                    "estimation.forget(peer);",
                    ""),
            in(
                    RECOVERING,
                    "nonces of old keys are signed",
                    recovering("whatAPeerSaidUnderOldKeysIsNotCounted"),
                    "nonces.remove(peer);",
                    ""),
            in(
                    RECOVERING,
                    "a recovery ends unanswered",
                    recovery("whatWasAnsweredUnderOldKeysIsNoAnswer"),
                    "if (phase == Phase.REACHING) { checkState",
                    "if (phase != Phase.NONE) { checkState"),
            in(
                    REPLICA,
                    "whoever cannot ask for a view leaves it",
                    recovering("whoHasNoEstimateLeavesNoViewByItselfAndSaysSoToNobody"),
                    "suspects && !recovering.isMute()",
                    "suspects"),
            in(
                    REPLICA,
                    "a state is fetched before the estimate",
                    state("untilItsStateIsCheckedNoPageIsTrusted"),
                    "if (!recovering.isBlind() || recovering.isForgotten()) {",
                    "if (true) {"),
            in(
                    REPLICA,
                    "who has forgotten fetches no state before its estimate",
                    state("whoHasForgottenFetchesAStateBeforeItsEstimate"),
                    "if (!recovering.isBlind() || recovering.isForgotten()) {",
                    "if (!recovering.isBlind()) {"),
            in(
                    REPLICA,
                    "a state that is fetched is not checked",
                    state("untilItsStateIsCheckedNoPageIsTrusted"),
                    "stateTransfer.setDistrust(recovering::distrustsState);",
                    ""),
            in(
                    REPLICA,
                    "a primary that recovers goes on",
                    recovering("aPrimaryThatRecoversProposesNothingInItsView"),
                    "|| recovering.isOpen() || execution",
                    "|| execution"),
            in(
                    REPLICA,
                    "a recovery does not see checkpoints",
                    recovery("eachReplicaRecoversInTurnWithoutAnyOtherWork"),
                    "recovering.onStable(stable.sequence());",
                    ""),
            in(
                    REPLICA,
                    "a checkpoint goes though it is being checked",
                    state("theStateIsCheckedOnceAndStaysMeanwhile"),
                    "&& !recovering.isChecking()",
                    ""),
            in(
                    REPLICA,
                    "a state that was fetched is checked once more",
                    state("aStateThatWasFetchedMeanwhileIsChecked"),
                    "if (stateTransfer.onFetched(nowMillis)) { pool.clear(); recovering.onStateChecked(nowMillis,"
                            + " pages, damaged);",
                    "if (stateTransfer.onFetched(nowMillis)) { pool.clear();"),
            in(
                    "ordering/replica/Memory",
                    "another recovery makes an end of having forgotten",
                    recovering("whoRecoversAgainWhileItHasForgottenHasForgottenStill"),
                    "start == Start.FORGOTTEN || (recovery.open() && recovery.forgotten())",
                    "start == Start.FORGOTTEN"),
            in(
                    "ordering/replica/Memory",
                    "who has forgotten begins with its first checkpoint",
                    recovering("whereALogBeganThatIsLostIsForgottenToo"),
                    "low = recorded;",
                    ""));

    private RecoveringBugs() {}
}
