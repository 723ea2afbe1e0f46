package io.bulwark.simulation.mutation;

import static io.bulwark.protocol.mutation.Detector.protocol;
import static io.bulwark.protocol.mutation.PlantedBug.in;

import io.bulwark.protocol.mutation.Detector;
import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;

/**
 * What can go wrong within one replica of the ordering engine: counts, keys, water marks, room, and what is on disk before something is
 * said (PROTOCOLS section 7).
 */
final class ReplicaBugs {
    private static Detector engine(String testClass, String test) {
        return protocol("ordering.replica." + testClass, test);
    }

    static final List<PlantedBug> ALL = List.of(
            in(
                    "ordering/replica/RequestPool",
                    "what lost its room is good in no batch",
                    engine("ClientBoundTest", "thoughVouchesAreForgottenItIsSo").runs(1),
                    "return displaced.contains(id) || isVouchedFor(id);",
                    "return isVouchedFor(id);"),
            in(
                    "ordering/replica/Wants",
                    "a body that lost its room is not fetched",
                    engine("ClientBoundTest", "thoughVouchesAreForgottenItIsSo").runs(1),
                    "names -= wantDisplaced(nowMillis, slot.proposed);",
                    ""),
            in(
                    "ordering/replica/RequestRoom",
                    "only who holds most gives way",
                    engine("RequestPoolTest", "ifWhoHoldsMostHasNothingToLoseTheNextOneGivesWay"),
                    ".limit(LARGEST_TRIED)",
                    ".limit(1)"),
            in(
                    "ordering/replica/RequestRoom",
                    "others take even the room that is a client's own",
                    engine("RequestPoolTest", "whateverOthersHoldWhoHoldsNextToNothingHasRoom"),
                    "(isSmall ? 4 : entry.isReadyWithOwn()",
                    "(entry.isReadyWithOwn()"),
            in(
                    "ordering/replica/RequestRoom",
                    "what is ready has no more room than what others vouch for",
                    engine("RequestPoolTest", "whatIsReadyDisplacesWhatIsNotOnceAllRoomIsFull"),
                    "entry.isReadyWithOwn() ? 3 : 2",
                    "2"),
            in(
                    "ordering/replica/Pending",
                    "what lacks the own vouch only has no more of the room of all",
                    engine("RequestPoolTest", "whatIsReadyHasRoomThoughThatOfWhatOthersVouchForIsFull"),
                    "others() + 1 >= config.quorum()",
                    "others() >= config.quorum()"),
            in(
                    "ordering/replica/RequestRoom",
                    "what lacks the own vouch only has no more of its client's room",
                    engine("FullRoomTest", "thoughLiarsFillAClientsRoomAtThePrimaryItHasRoomForWhatBackupsWaitFor"),
                    "if (!entry.isReadyWithOwn()) { return false; } if (factor == 1) {",
                    "if (true) { return false; } if (factor == 1) {"),
            in(
                    "ordering/replica/RequestRoom",
                    "a client has twice its room for what f+1 others vouch for",
                    engine("RequestPoolTest", "whatLacksTheOwnVouchOnlyMayTakeTwiceAClientsRoom"),
                    "if (!entry.isReadyWithOwn()) { return false; } if (factor == 1) {",
                    "if (factor == 1) {"),
            in(
                    "ordering/replica/RequestRoom",
                    "what is ready does not displace what is not in its client's room",
                    engine("RequestPoolTest", "whatLacksTheOwnVouchOnlyMayTakeTwiceAClientsRoom"),
                    "} else if (!displaceOne(usage, Pending::isReadyWithOwn, drop)) {",
                    "} else if (true) {"),
            in(
                    "ordering/replica/RequestRoom",
                    "what is ready does not displace what is not in the room of all",
                    engine("RequestPoolTest", "whatIsReadyDisplacesWhatIsNotOnceAllRoomIsFull"),
                    "if (!entry.isReadyWithOwn() || !displaceOneOfTheLargest(share, Pending::isReadyWithOwn, drop)) {",
                    "if (true) {"),
            in(
                    "ordering/replica/RequestRoom",
                    "what lacks the own vouch only takes more room while others could give way",
                    engine("RequestPoolTest", "whatOthersVouchForDisplacesWhatTheyDoNot"),
                    "int factor = entry.readyMillis >= 0 ? 2 : 1;",
                    "int factor = entry.isReadyWithOwn() ? 2 : 1;"),
            in(
                    "ordering/replica/RequestPool",
                    "who has yet to execute what was executed here wants it again",
                    engine("RequestPoolTest", "whoHasNotExecutedYetWhatWasExecutedHereDoesNotWantItAgain"),
                    "if (results.sequence(id) > executedThere[from]) {",
                    "if (false) {"),
            in(
                    "ordering/replica/RequestPool",
                    "nobody wants again what was executed here",
                    engine("RequestPoolTest", "whatOthersHaveExecutedAndForgottenIsARequestLikeAnyOther"),
                    "if (results.sequence(id) > executedThere[from]) {",
                    "if (results.sequence(id) >= 0) {"),
            in(
                    "ordering/replica/Execution",
                    "who fetches a state keeps results of the time before",
                    engine("RepetitionsTest", "whoFetchesAStateHasNoResultsOfTheTimeBefore"),
                    "results.clear();",
                    ""),
            in(
                    "ordering/replica/StatusExchange",
                    "nobody notes how far others have come",
                    engine("FullRoomTest", "whatARestartedReplicaForgotIsExecutedOnceMore"),
                    "pool.onStatus(from, status.executed());",
                    ""),
            in(
                    "ordering/replica/Suspicion",
                    "a primary is blamed for what it may have no room for",
                    engine("FullRoomTest", "aPrimaryIsNotBlamedForWhatItMayHaveNoRoomFor")
                            .runs(1),
                    "&& !pool.isCrowded(entry)",
                    ""),
            in(
                    "ordering/replica/RequestRoom",
                    "who asks for little is passed over while others ask for much",
                    engine("RequestPoolTest", "whoHoldsNextToNothingIsNeverCrowdedOut"),
                    "/ 4 && !isSmall);",
                    "/ 4);"),
            in(
                    "ordering/replica/RequestRoom",
                    "a full room has more for who holds more than its share",
                    engine("RequestPoolTest", "whatIsAboutToBeExecutedLeavesAsMuchRoomAgain"),
                    "if (own.bytes + bytes > share && !isSmall && !entry.isBacked()) {",
                    "if (false) {"),
            in(
                    "ordering/replica/RequestPool",
                    "what lost its room passes nobody over",
                    engine("RequestPoolTest", "whatLostItsRoomPassesOverOthersToo"),
                    "counts |= entry != null || results.get(id) == null;",
                    "counts |= entry != null;"),
            in(
                    "ordering/replica/RequestPool",
                    "a late proposal of what is executed passes others over",
                    engine("RequestPoolTest", "whatLostItsRoomPassesOverOthersToo"),
                    "counts |= entry != null || results.get(id) == null;",
                    "counts = true;"),
            in(
                    "ordering/replica/RequestPool",
                    "what lost its room is good in a batch for ever",
                    engine("RequestPoolTest", "whatLostItsRoomIsGoodInABatchForAWhileOnly"),
                    "displaced.expire(nowMillis - EXPIRY_MILLIS);",
                    ""),
            in(
                    "ordering/replica/Fetching",
                    "a replica is asked for more bodies before it answers",
                    engine("FetchingTest", "aReplicaIsAskedForNothingMoreBeforeItAnswersOrTheTimeIsUp"),
                    "boolean isOpen = nowMillis - openMillis[peer] < config.timers().fetchMillis();",
                    "boolean isOpen = false;"),
            in(
                    "ordering/replica/Fetching",
                    "what did not fit into an answer waits for the timer",
                    engine("FetchingTest", "whatDidNotFitIntoAnAnswerIsAskedForAtOnce"),
                    "want.nextMillis = Math.min(want.nextMillis, nowMillis);",
                    ""),
            in(
                    "ordering/replica/Fetching",
                    "bodies are asked for in the order in which they were first wanted",
                    engine("FetchingTest", "whatIsSaidFirstIsAskedForFirst"),
                    "if (known == null || known.odd != odd) {",
                    "if (known == null) {"),
            in(
                    "ordering/replica/Fetching",
                    "who answered in vain is asked again before the others",
                    engine("FetchingTest", "whoAnsweredInVainIsNotAskedAgainBeforeTheOthers"),
                    "sources & ~want.tried & free",
                    "sources & free"),
            in(
                    "ordering/replica/Fetching",
                    "who is silent is asked again before the others",
                    engine("FetchingTest", "whoIsSilentIsNotAskedAgainBeforeTheOthers"),
                    "tried |= 1L << of;",
                    ""),
            in(
                    "ordering/replica/Fetching",
                    "an answer to no question counts",
                    engine("FetchingTest", "anAnswerToNoQuestionChangesNothing"),
                    "if (openMillis[from] == NEVER) {",
                    "if (false) {"),
            in(
                    "ordering/replica/Fetching",
                    "what came is asked for again",
                    engine("FetchingTest", "whatCameIsNotAskedForAgainAfterTheNextAnswer"),
                    "want.askedOf = NOBODY;",
                    ""),
            in(
                    "ordering/replica/Fetching",
                    "who gave something was asked for the rest in vain",
                    engine("FetchingTest", "whoGaveSomethingIsAskedForTheRestWhileOthersAreBusy"),
                    "inVain = 0;",
                    ""),
            in(
                    "ordering/replica/Fetching",
                    "what is too much for one question waits",
                    engine("FetchingTest", "whatIsTooMuchForOneQuestionAnotherReplicaIsAskedFor"),
                    "free &= ids.size() < REQUESTS_MAX ? -1 : ~(1L << of);",
                    ""),
            in(
                    "ordering/replica/RequestPool",
                    "bodies are fetched in the order in which they were heard of",
                    engine("ReadyPoolTest", "whatIsReadyOnceItsBodyIsHereIsFetchedFirst"),
                    "(entry.isReadyWithOwn() ? missing : later)",
                    "missing"),
            in(
                    "ordering/replica/Serving",
                    "an answer with bodies may be longer than a batch",
                    engine("FetchingTest", "anAnswerHasNoMoreThanABatch"),
                    "if (!bodies.isEmpty() && bytes > bytesMax()) {",
                    "if (!bodies.isEmpty() && bytes > ReplicaMessage.BODIES_BYTES_MAX) {"),
            in(
                    "ordering/replica/Wants",
                    "of a batch of unknown bodies all are looked at",
                    engine("RoomAttacksTest", "nothingIsFetchedForABatchThatNamesUnknownBodies"),
                    "} else if (!parts.pool().isVouchedFor(id)) { return names; }",
                    "}"),
            in(
                    "ordering/replica/Wants",
                    "all proposals of a primary are looked at with each tick",
                    engine("RoomAttacksTest", "ofAPrimarysProposalsSomeAreLookedAtWithEachTick"),
                    "} else if (names > 0) {",
                    "} else {"),
            in(
                    "ordering/replica/Outbox",
                    "a message leaves before what it promises is on disk",
                    engine("DurabilityTest", "aBackupSyncsPrepareThenCommitThenExecutes"),
                    "if (isDurable(index)) {",
                    "if (true) {"),
            in(
                    "ordering/replica/Execution",
                    "a number is executed before it is on disk that it is decided",
                    engine("DurabilityTest", "aBackupSyncsPrepareThenCommitThenExecutes"),
                    "|| !outbox.isDurable(slot.decidedIndex)",
                    ""),
            in(
                    "ordering/replica/Agreement",
                    "what was only learned is executed before it is on disk",
                    engine("DurabilityTest", "commitsWithoutAnOwnOneAreLearned"),
                    ": outbox.append(new LogRecord.Learned(slot.sequence, digest));",
                    ": slot.decidedIndex;"),
            in(
                    "ordering/replica/Agreement",
                    "a PREPARE is on disk without its bodies",
                    engine("DurabilityTest", "aBackupSyncsPrepareThenCommitThenExecutes"),
                    "if (bodies != null) {",
                    "if (bodies == null) {"),
            in(
                    "ordering/replica/Agreement",
                    "who is not the primary proposes",
                    engine("DurabilityTest", "onlyThePrimaryProposes"),
                    "from != view.primary() || ",
                    ""),
            in(
                    "ordering/replica/Agreement",
                    "a batch from another time is accepted",
                    engine("AttacksTest", "aProposalFromAnotherTimeIsNotTaken"),
                    "!isTimely(nowMillis, batch)",
                    "false"),
            in(
                    "ordering/replica/Checkpoints",
                    "2f CHECKPOINTs make a checkpoint stable",
                    engine("CheckpointsTest", "twoFPlusOneMakeACheckpointStableTheOwnAmongThem"),
                    "+ 1 >= config.quorum()",
                    "+ 2 >= config.quorum()"),
            in(
                    "ordering/replica/Checkpoints",
                    "what f have is fetched",
                    engine("CheckpointsTest", "fPlusOneHaveWhatIsMissingHere"),
                    ">= config.oneCorrect()) {",
                    ">= config.oneCorrect() - 1) {"),
            in(
                    "ordering/replica/Checkpoints",
                    "a checkpoint that differs from the own is not missed",
                    engine("CheckpointsTest", "fPlusOneHaveWhatIsMissingHere"),
                    "sequence > executed || !claim",
                    "sequence > executed; //"),
            in(
                    "ordering/replica/Checkpoints",
                    "what a peer said under an old key counts",
                    engine("CheckpointsTest", "aNewKeyUndoesWhatAPeerSaid"),
                    "claims.get(peer).clear();",
                    ""),
            in(
                    "ordering/replica/Checkpoints",
                    "any number is one of a checkpoint",
                    engine("CheckpointsTest", "onlyNumbersOfCheckpointsAreTakenAndOnlySoManyOfAPeer"),
                    "&& message.sequence() % config.checkpointInterval() == 0",
                    ""),
            in(
                    "ordering/replica/Checkpoints",
                    "a peer may name any number of checkpoints",
                    engine("CheckpointsTest", "onlyNumbersOfCheckpointsAreTakenAndOnlySoManyOfAPeer"),
                    "if (said.size() > 2 * config.logSize() / config.checkpointInterval() + 2) {",
                    "if (false) {"),
            in(
                    "ordering/replica/Checkpoints",
                    "a checkpoint is told before it is on disk",
                    engine("DurabilityTest", "checkpointsAreTakenAtTheIntervalAndToldOnceDurable"),
                    "outbox.multicastAfter(index, new Checkpoint",
                    "outbox.multicast(new Checkpoint"),
            in(
                    "ordering/replica/SlotLog",
                    "a number above the high water mark is taken",
                    engine("SlotLogTest", "numbersBetweenTheWaterMarksAreTaken"),
                    "sequence > low && sequence <= high()",
                    "sequence > low"),
            in(
                    "ordering/replica/SlotLog",
                    "a number at the low water mark is taken",
                    engine("SlotLogTest", "numbersBetweenTheWaterMarksAreTaken"),
                    "sequence > low && sequence <= high()",
                    "sequence >= low && sequence <= high()"),
            in(
                    "ordering/replica/SlotLog",
                    "a recovery takes what lies above its estimate",
                    engine("SlotLogTest", "numbersBetweenTheWaterMarksAreTaken"),
                    "Math.min(ceiling, end())",
                    "end()"),
            in(
                    "ordering/replica/Slot",
                    "PREPAREs under an old key count",
                    engine("SlotLogTest", "aNewKeyUndoesWhatIsNoPartOfACompleteCertificate"),
                    "prepares.remove(peer);",
                    "{}"),
            in(
                    "ordering/replica/Slot",
                    "COMMITs under an old key count",
                    engine("SlotLogTest", "aNewKeyUndoesWhatIsNoPartOfACompleteCertificate"),
                    "commits.remove(peer);",
                    ""),
            in(
                    "ordering/replica/Slot",
                    "claims under an old key count",
                    engine("SlotLogTest", "aNewKeyUndoesWhatIsNoPartOfACompleteCertificate"),
                    "claims.remove(peer);",
                    ""),
            in(
                    "ordering/replica/Slot",
                    "a new key undoes complete certificates",
                    engine("SlotLogTest", "aNewKeyUndoesWhatIsNoPartOfACompleteCertificate"),
                    "if (!prepared) {",
                    "if (true) {"),
            in(
                    "ordering/replica/EarlyMessages",
                    "what came early under an old key counts",
                    engine("EarlyMessagesTest", "onlyTheLatestOfAPeerAreKeptAndNoneOfWhatItSaidUnderAnOldKey"),
                    "ofPeers.get(peer).clear();",
                    ""),
            in(
                    "ordering/replica/EarlyMessages",
                    "any number of early messages is kept",
                    engine("EarlyMessagesTest", "onlyTheLatestOfAPeerAreKeptAndNoneOfWhatItSaidUnderAnOldKey"),
                    "while (said.messages.size() > perPeerMax ||",
                    "while (false ||"),
            in(
                    "ordering/replica/EarlyMessages",
                    "anybody proposes early",
                    engine("EarlyMessagesTest", "onlyProposalsThatCanCountAreKept"),
                    "from == config.primary(message.view()) &&",
                    ""),
            in(
                    "ordering/replica/PeerVouches",
                    "a peer may vouch for any number",
                    engine("RequestPoolTest", "aPeersVouchesAreBoundedTheOldestOfTheBusiestClientGo"),
                    "if (saidMillis.size() <= max) {",
                    "if (true) {"),
            in(
                    "ordering/replica/PeerVouches",
                    "whose vouches go is not who has most",
                    engine("RequestPoolTest", "aPeersVouchesAreBoundedTheOldestOfTheBusiestClientGo"),
                    "byCount.sequencedValues().getLast().getFirst()",
                    "byCount.sequencedValues().getFirst().getFirst()"),
            in(
                    "ordering/replica/PeerVouches",
                    "vouches that are not repeated count for ever",
                    engine("RequestPoolTest", "vouchesThatAreNotRepeatedDoNotCount"),
                    "oldest == null || oldest.getValue() >= beforeMillis",
                    "true"),
            in(
                    "ordering/replica/Pending",
                    "2f vouches make a request ready",
                    engine("RequestPoolTest", "twoFPlusOneVouchesMakeARequestReady"),
                    "return Long.bitCount(vouchers) >= config.quorum();",
                    "return Long.bitCount(vouchers) >= config.quorum() - 1;"),
            in(
                    "ordering/replica/RequestPool",
                    "vouches under an old key count",
                    engine("RequestPoolTest", "vouchesDieWithTheirKey"),
                    "ofPeers.get(peer).clear().forEach(id -> retract(peer, id));",
                    ""),
            in(
                    "ordering/replica/RequestPool",
                    "of one call any number of bodies is vouched for",
                    engine("RequestPoolTest", "ofOneCallOnlyTheFirstDigestIsVouchedForUnlessOthersDo"),
                    "if (other != null && !other.equals(id)) {",
                    "if (false) {"),
            in(
                    "ordering/replica/RequestRoom",
                    "a client's requests have no bound",
                    engine("RequestPoolTest", "oneClientsRoomIsBoundedAndNobodyElses"),
                    "while (usage.entries.size() >= factor * config.room().requestsPerClient()",
                    "while (usage.entries.size() < 0"),
            in(
                    "ordering/replica/RequestRoom",
                    "the room of all has no bound",
                    engine("RequestPoolTest", "whenTheRoomOfAllIsFullTheClientThatHoldsMostGivesWay"),
                    "while (heldBytes + bytes > all) {",
                    "while (heldBytes < 0) {"),
            in(
                    "ordering/replica/RequestPool",
                    "a body is kept that f others vouch for",
                    engine("RequestPoolTest", "aBodyThatFewerThanFPlusOneVouchForTakesNoRoom"),
                    "if (entry != null && entry.isBacked() && take(nowMillis, entry, request)) {",
                    "if (entry != null && take(nowMillis, entry, request)) {"),
            in(
                    "ordering/replica/RequestPool",
                    "a backup takes what the primary alone names",
                    engine("RequestPoolTest", "aBackupAcceptsWhatItVerifiedOrFPlusOneOthersVouchFor"),
                    "return entry != null && (entry.isVouchedHere() || entry.isBacked());",
                    "return true;"),
            in(
                    "ordering/replica/RequestPool",
                    "vouches that come again restart the timer",
                    engine("RequestPoolTest", "vouchesThatComeAgainRestartNoTimer"),
                    "entry.sinceMillis < 0 ? nowMillis : entry.sinceMillis",
                    "nowMillis"),
            in(
                    "ordering/replica/RequestPool",
                    "nobody counts what a primary passes over",
                    engine("AttacksTest", "aPrimaryThatLeavesOutOneClientIsReplacedBeforeAnyTimer"),
                    "entry.passedOver += entry.proposed ? 0 : 1;",
                    "entry.passedOver += 0;"),
            in(
                    "ordering/replica/Suspicion",
                    "an unfair primary stays",
                    engine("AttacksTest", "aPrimaryThatLeavesOutOneClientIsReplacedBeforeAnyTimer"),
                    "if (isUnfair(nowMillis)) {",
                    "if (false) {"),
            in(
                    "ordering/replica/Suspicion",
                    "a slow primary stays",
                    engine("AttacksTest", "aPrimaryThatBecomesSlowIsReplacedBeforeAnyTimer"),
                    "boolean slow = isSlow(nowMillis);",
                    "boolean slow = false && isSlow(nowMillis);"));

    private ReplicaBugs() {}
}
