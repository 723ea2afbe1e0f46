package io.bulwark.simulation.mutation;

import static io.bulwark.protocol.mutation.Detector.protocol;
import static io.bulwark.protocol.mutation.Detector.simulation;
import static io.bulwark.protocol.mutation.PlantedBug.in;

import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;
import java.util.stream.Stream;

/** What can go wrong with the PASIS register: each threshold, and each rule of PROTOCOLS section 3 beyond the paper. */
final class PasisBugs {
    private static final String SERVER = "pasis.PasisServerTest";
    private static final String ROOM = "pasis.PasisRoomTest";
    private static final String OPERATIONS = "pasis.NodeOperationsTest";
    private static final String LEFTOVERS = "pasis.PasisLeftoversTest";
    private static final String SCRUB = "pasis.PasisScrubTest";
    private static final String READ = "pasis.PasisReadTest";
    private static final String WRITE = "pasis.PasisWriteTest";
    private static final String THRESHOLDS = "pasis.ThresholdsPropertyTest";

    private static final List<PlantedBug> COUNTS = List.of(
            in(
                    "fp/Patience",
                    "a node whose connection moves is waited for without end, under PASIS",
                    protocol(READ, "whoseConnectionMovesIsNotWaitedForWithoutEnd"),
                    "Math.min(atMillis, askedMillis + MOVING_FACTOR * times.retryMillis())",
                    "atMillis"),
            in(
                    "pasis/PasisGroup",
                    "N-b-1 answers are enough",
                    protocol(WRITE, "itIsDoneAtNMinusBAnswersAndGoesOnInTheBackground"),
                    "return n() - b();",
                    "return n() - b() - 1;"),
            in(
                    "pasis/PasisGroup",
                    "what N-3b-1 nodes hold is repairable",
                    protocol(THRESHOLDS, "whatIsCompleteShowsInAnyQuorumAndCanBeRead"),
                    "return n() - 3 * b();",
                    "return n() - 3 * b() - 1;"),
            in(
                    "pasis/PasisGroup",
                    "what N-3b nodes hold is not repairable",
                    protocol(READ, "whatIsAtFewerThanNMinusBIsRepairedBeforeItIsReturned"),
                    "return n() - 3 * b();",
                    "return n() - 3 * b() + 1;"),
            in(
                    "pasis/PasisGroup",
                    "a complete version is thought to show at too many",
                    protocol(READ, "nodesThatHaveCollectedMayHideALaterVersion"),
                    "return answered - 2 * b();",
                    "return answered - b();"),
            in(
                    "pasis/PasisGroup",
                    "liars alone can hide a version",
                    protocol(READ, "oneLiarThatHasCollectedHidesNothing"),
                    "return answered - 2 * b();",
                    "return answered - 3 * b();"),
            in(
                    "pasis/PasisGroup",
                    "b verified flags are enough",
                    protocol(READ, "bVerifiedFlagsSpareNoValidation"),
                    "return b() + 1;",
                    "return b();"),
            in(
                    "pasis/PasisGroup",
                    "b notices are enough",
                    simulation(SERVER, "bNoticesAreNotBelievedAndBPlusOneAre"),
                    "return b() + 1;",
                    "return b();"),
            in(
                    "pasis/PasisBlock",
                    "who may only read, or is a node, is taken for a writer",
                    simulation(SERVER, "itIsToldWhichWritesAreOnTheirWay"),
                    "if (node.access().mayWrite(call.from(), block().volume())) {",
                    "if (true) {"),
            in(
                    "pasis/PasisBlock",
                    "a write that has come is still waited for",
                    simulation(SERVER, "itIsToldWhichWritesAreOnTheirWay"),
                    "node.watch().writeCame(call.from(), block());",
                    ""),
            in(
                    "pasis/PasisGroup",
                    "b nodes lead a verification",
                    protocol(THRESHOLDS, "exactlyBPlusOneSlotsLeadABlock"),
                    "Math.floorMod(slot - first, n()) <= b();",
                    "Math.floorMod(slot - first, n()) < b();"),
            in(
                    "pasis/PasisGroup",
                    "a fragment of any hash is accepted",
                    simulation(SERVER, "aFragmentWhoseHashIsAnotherIsRefused"),
                    "&& timestamp.isFragment(slot, fragment);",
                    ";"),
            in(
                    "pasis/PasisGroup",
                    "timestamps are not validated",
                    protocol(READ, "aPoisonousVersionIsPassedOver"),
                    ".equals(timestamp)",
                    ".fragments() == n()"),
            in(
                    "pasis/PasisWrite",
                    "b liars raise the time",
                    protocol(WRITE, "theTimeIsOneAfterTheBPlusFirstGreatestOfNMinusB"),
                    "long greatest = all.get(group.b());",
                    "long greatest = all.get(0);"),
            in(
                    "pasis/PasisWrite",
                    "the time may be that of a complete write",
                    protocol(WRITE, "theTimeIsOneAfterTheBPlusFirstGreatestOfNMinusB"),
                    "long greatest = all.get(group.b());",
                    "long greatest = all.get(group.b() + 1);"),
            in(
                    "pasis/Notices",
                    "the greatest notice decides what is collected",
                    simulation(SERVER, "noticesThatDifferCollectUpToTheBPlusFirst"),
                    ": all.get(group.b());",
                    ": all.get(0);"),
            in(
                    "pasis/Notices",
                    "of a sender's poison only the last eight are believed to the leaders",
                    simulation(LEFTOVERS, "allThatTheLeadersFindPoisonousIsDiscardedAtTheOthers"),
                    "if (isPoisonous && here) {",
                    "if (false) {"),
            in(
                    "pasis/PasisServer",
                    "what came to nothing is verified again in the same way",
                    simulation(LEFTOVERS, "whatIsPoisonousAtTooFewNodesToBeCompleteIsDiscardedByTheSecondVerification"),
                    "Wish.BACKGROUND.withRepair(asked.repair())",
                    "Wish.BACKGROUND"));

    private static final List<PlantedBug> CLIENT = List.of(
            in(
                    "pasis/PasisWrite",
                    "a time is taken though nodes are far apart",
                    protocol(WRITE, "whereNodesAreFarApartTheBlockIsReadFirst"),
                    "if (near >= group.quorum()) {",
                    "if (near >= 0) {"),
            in(
                    "pasis/PasisWrite",
                    "times wrap round",
                    protocol(WRITE, "timesThatAreUsedUpAreNotWrappedRound"),
                    "if (last == -1) {",
                    "if (last == -2) {"),
            in(
                    "pasis/PasisWrite",
                    "a version that b+1 nodes call FAR is repaired for ever",
                    protocol(READ, "aVersionThatBPlusOneNodesCallFarIsPassedOver"),
                    "return repairs && refusals.count(Refusal.FAR) >= group.oneCorrect();",
                    "return false;"),
            in(
                    "pasis/PasisRead",
                    "what nodes have collected hides nothing",
                    protocol(READ, "nothingIsReadAsNeverWrittenWhileNodesHaveCollected"),
                    "boolean hides = hidden >= group.shownAt(answered);",
                    "boolean hides = false;"),
            in(
                    "pasis/PasisRead",
                    "what is repairable is returned as it is",
                    protocol(READ, "whatIsAtFewerThanNMinusBIsRepairedBeforeItIsReturned"),
                    "boolean complete = proven || claims >= group.quorum();",
                    "boolean complete = proven || claims >= group.repairable();"),
            in(
                    "pasis/PasisRead",
                    "a verification takes what is repairable",
                    protocol(READ, "aVerificationStopsAtTheFirstCompleteVersionAndRepairsNothing"),
                    "SlotView.Stand.CLAIMS) < group.quorum()) {",
                    "SlotView.Stand.CLAIMS) < group.repairable()) {"),
            in(
                    "pasis/RepairRequests",
                    "N-3b repaired fragments are enough",
                    protocol(READ, "aReaderThatMayNotWriteHasNodesRepair"),
                    "return holders.size() >= group.quorum();",
                    "return holders.size() > group.repairable();"),
            in(
                    "pasis/Gathering",
                    "fragments that do not match count",
                    protocol(READ, "onlyFragmentsThatMatchTheCrossChecksumCount"),
                    "if (group.accepts(version, slot, fragment)) {",
                    "if (fragment.length() > 0) {"),
            in(
                    "pasis/Gathering",
                    "who claims a version and does not send its fragment is waited for",
                    protocol(READ, "whoClaimsAVersionAndSendsNoFragmentHidesNothing"),
                    "return fully >= group.quorum() && claims - pending + hidden < group.shownAt(fully);",
                    "return false;"),
            in(
                    "pasis/PasisRead",
                    "repairs that come to no end are waited for",
                    protocol(READ, "aRepairThatComesToNoEndIsGivenUpForALaterVersion"),
                    "boolean stuck = repairs != null && nowMillis - settledMillis",
                    "boolean stuck = repairs != null && settledMillis - nowMillis"),
            in(
                    "pasis/SlotView",
                    "what a node claimed before it collected something later hides nothing",
                    protocol(READ, "whatNodesClaimedBeforeTheyCollectedSomethingLaterIsNotTakenForTheLatest"),
                    "if (collected.isAfter(version)) {",
                    "if (!claims.containsKey(version) && collected.isAfter(version)) {"));

    private static final List<PlantedBug> NODE = List.of(
            in(
                    "pasis/BlockWriter",
                    "at the bound of repairs no room is made",
                    simulation(SERVER, "atTheBoundOfRepairsTheNodeMakesRoomToo"),
                    "makeRoom(nowMillis, call, Refusal.BLOCK_LIMIT);",
                    "block.refuse(call, Refusal.BLOCK_LIMIT);"),
            in(
                    "pasis/BlockWriter",
                    "peers have no room of their own for repairs",
                    simulation(SERVER, "nodesAtTheBoundOfRepairsDoNotWaitForEachOther"),
                    "return call == null || block.group().slotOf(call.from()) < 0 ? PrincipalId.NOBODY : call.from();",
                    "return PrincipalId.NOBODY;"),
            in(
                    "pasis/BlockWriter",
                    "any time is accepted",
                    simulation(SERVER, "aTimeFarAboveAllOthersIsRefusedAfterTheOthersWereAsked"),
                    "far(nowMillis, call);",
                    "keep(call, request);"),
            in(
                    "pasis/BlockWriter",
                    "a time is FAR by this node's own word",
                    simulation(SERVER, "aNodeThatMissedMuchLearnsThatATimeIsNotFar"),
                    "far(nowMillis, call);",
                    "block.refuse(call, Refusal.FAR);"),
            in(
                    "pasis/BlockWriter",
                    "possible versions of a block are not bounded",
                    simulation(SERVER, "aStutteringClientIsRefusedAndOthersAreNot"),
                    "if (possible.of(sender, block.block()) >= node.limits().possiblePerBlock()) {",
                    "if (possible.of(sender, block.block()) < 0) {"),
            in(
                    "pasis/BlockWriter",
                    "one client may fill the pool",
                    simulation(SERVER, "oneClientsShareOfThePoolIsItsOwn"),
                    "boolean crowded = possible.bytesOf(sender) + charge > node.clientBytes(charge);",
                    "boolean crowded = false;"),
            in(
                    "pasis/PasisNode",
                    "a client's share does not depend on how many there are",
                    simulation(SERVER, "withMoreClientsEachHasLessOfThePool"),
                    "long share = limits.poolBytes() / Math.max(1, clients.getAsInt());",
                    "long share = limits.poolBytes();"),
            in(
                    "pasis/PasisNode",
                    "where there are many clients none has room for a version",
                    simulation(SERVER, "howeverManyClientsThereAreEachHasRoomForSomeVersions"),
                    "Math.max(share, PasisLimits.CLIENT_VERSIONS_MIN * charge)",
                    "share"),
            in(
                    "pasis/BlockWriter",
                    "nobody is told that the pool is too small for the clients",
                    simulation(SERVER, "howeverManyClientsThereAreEachHasRoomForSomeVersions"),
                    "node.watch().poolIsShort(block.block().volume(), node.poolNeeded(charge));",
                    ""),
            in(
                    "pasis/Verifier",
                    "of several writers of a block peers wait for one's version",
                    simulation("pasis.PasisWriteTimeTest", "atWriteTimePeersWaitForTheVersionOfEachWriterOfABlock"),
                    "awaited.equals(version);",
                    "true;"),
            in(
                    "pasis/Verifier",
                    "while a block is repaired its writers are answered",
                    simulation("pasis.PasisWriteTimeTest", "atWriteTimePeersWaitForTheVersionOfEachWriterOfABlock"),
                    "version == null || !wish.repair()",
                    "true"),
            in(
                    "pasis/BlockWriter",
                    "possible versions of a client in all blocks are not counted",
                    simulation(ROOM, "aClientHasSoManyPossibleVersionsInAllBlocks"),
                    "if (crowded || possible.of(sender) >= node.limits().possiblePerClient()) {",
                    "if (crowded) {"),
            in(
                    "pasis/BlockWriter",
                    "the pool is not bounded",
                    simulation(SERVER, "aFullPoolRefusesWithItsReason"),
                    "return node.poolRefuses(charge) ? Refusal.POOL : null;",
                    "return null;"),
            in(
                    "pasis/BlockWriter",
                    "at a bound nothing is repaired",
                    simulation(SERVER, "atABoundWhatIsRepairableIsRepairedWhenNothingElseHelps"),
                    "boolean repair = call.collected() == 1;",
                    "boolean repair = call.collected() == 3;"),
            in(
                    "pasis/BlockWriter",
                    "a poisonous version is accepted again",
                    simulation(SERVER, "poisonousVersionsAreDiscardedAndTheirSenderIsAccusedWhateverTheTimestampSays"),
                    "} else if (versions.isPoisonous(version.name())) {",
                    "} else if (version.isNone()) {"),
            in(
                    "pasis/BlockWriter",
                    "at write time nodes answer before they verify",
                    simulation(SERVER, "atWriteTimeNodesVerifyBeforeTheyAnswer"),
                    "block.group().verification() == Verification.WRITE_TIME",
                    "block.group().verification() == Verification.NONE"),
            in(
                    "pasis/Verifier",
                    "the client that a timestamp names is accused",
                    simulation(SERVER, "poisonousVersionsAreDiscardedAndTheirSenderIsAccusedWhateverTheTimestampSays"),
                    ".poisonous( record.sender(),",
                    ".poisonous( record.timestamp().client(),"),
            in(
                    "pasis/Verifier",
                    "what is before a verified version is kept",
                    simulation(SERVER, "everyVersionIsKeptUntilALaterOneIsVerified"),
                    "? new ArrayList<>(versions.before(conclusion.collectable))",
                    "? new ArrayList<VersionRecord>()"),
            in(
                    "pasis/PossibleVersions",
                    "what was left unverified is forgotten at a restart",
                    simulation(SERVER, "whatWasLeftUnverifiedIsListedAfterARestart"),
                    "records.forEach(this::restore);",
                    ""),
            in(
                    "pasis/PasisBlock",
                    "a node does not say what it has collected",
                    simulation("mutation.SearchTest", "pasisCampaign").runs(60),
                    "ValidatingTimestamp collected = versions.collected();",
                    "ValidatingTimestamp collected = ValidatingTimestamp.NONE;"),
            in(
                    "pasis/BlockWriter",
                    "a version is acknowledged before it is stored",
                    simulation(SERVER, "whatIsNotStoredIsNotAcknowledged"),
                    "store(record, record.sender(), request.fragment(), call, stored, _ -> {});",
                    "written.accept(0); store(record, record.sender(), request.fragment(), call, stored, _ -> {});"));

    private static final List<PlantedBug> CHANGES = List.of(
            in(
                    "pasis/BlockWriter",
                    "a write that waited while its session was closed is let in",
                    simulation(SERVER, "aWriteThatWaitedWhileItsSessionWasClosedIsRefused"),
                    "if (node.access().closed(call.from(), block.block(), request.session())) {",
                    "if (version.isNone()) {"),
            in(
                    "pasis/PasisAccess",
                    "a later epoch that somebody names is not asked for",
                    simulation(SERVER, "aLaterEpochIsServedOnceTheReplicasTellOfItAndTheEarlierOneNoMore"),
                    "if ((target.epoch() > epoch || sealed) && !lately) {",
                    "if (target.epoch() < 0) {"),
            in(
                    "pasis/PasisBlock",
                    "notices of two epochs count together",
                    simulation(SERVER, "aLaterEpochIsServedOnceTheReplicasTellOfItAndTheEarlierOneNoMore"),
                    "if (opened) { verifier.forget(); }",
                    "group = later;"),
            in(
                    "pasis/PasisBlock",
                    "a fragment is served whatever it is",
                    simulation(SCRUB, "aFragmentThatIsNotWhatItsHashSaysIsMadeAgain"),
                    "boolean right = read != null && (slot() < 0 || group.accepts(version, slot(), read));",
                    "boolean right = read != null;"),
            in(
                    "pasis/HistoryPoll",
                    "what few nodes claim is looked for",
                    simulation(SCRUB, "whatFewNodesHoldIsNotLookedFor"),
                    "if (shown + unread < group.shownAt(answered)) {",
                    "if (shown + unread < 1) {"),
            in(
                    "pasis/BlockLook",
                    "what b silent nodes and this one keep from N-b stays lost",
                    simulation(SCRUB, "aLostFragmentComesBackThoughAnotherNodeIsSilent"),
                    "if (!here(missed) && !repair && found != PasisBackground.Found.UNASKED) {",
                    "if (completed && !completed) {"),
            in(
                    "pasis/Verifier",
                    "scrubbing verifies only what this node holds",
                    simulation(SCRUB, "aNodeThatLostItsDiskGetsItsFragmentsBack"),
                    "if (current.isEmpty() || (!wish.missing() && node.possible().of(block.block()) == 0)) {",
                    "if (current.isEmpty() || node.possible().of(block.block()) == 0) {"));

    private static final List<PlantedBug> LEFT = List.of(
            in(
                    "pasis/RoomMaker",
                    "to make room all blocks are tried",
                    simulation(ROOM, "oneEffortToMakeRoomIsBoundedAndTheNextGoesOnWhereItEnded"),
                    "if (effort.tried.size() >= TRIES_MAX) {",
                    "if (effort.tried.size() < 0) {"),
            in(
                    "pasis/RoomMaker",
                    "room is looked for in the same blocks each time",
                    simulation(ROOM, "oneEffortToMakeRoomIsBoundedAndTheNextGoesOnWhereItEnded"),
                    "new Fruitless(nowMillis + pause, pause, effort.last)",
                    "new Fruitless(nowMillis + pause, pause, null)"),
            in(
                    "pasis/RoomMaker",
                    "what came to nothing is tried again at once",
                    simulation(ROOM, "whereNothingCanBeFreedItIsTriedLessAndLessOften"),
                    "if (before != null && nowMillis < before.untilMillis()) {",
                    "if (before != null && nowMillis < 0) {"),
            in(
                    "pasis/RoomMaker",
                    "any number of writes waits for room",
                    simulation(ROOM, "onlySoManyWritesWaitForRoom"),
                    "} else if (effort.waiting.size() >= limits.waitingMax()) {",
                    "} else if (effort.waiting.size() < 0) {"),
            in(
                    "pasis/Verifier",
                    "what notices have collected is taken again after a restart",
                    simulation(ROOM, "whatWasCollectedIsNotTakenAgainAfterARestart"),
                    "if (!bad.isEmpty() || (more && !told)) {",
                    "if (!bad.isEmpty()) {"),
            in(
                    "pasis/Verifier",
                    "a liar has as much noted of it as it likes",
                    simulation(ROOM, "aPeersNonsenseIsNotedAtItsRateOnly"),
                    "if (node.rate().allow(nowMillis, sender)) {",
                    "if (nowMillis >= 0) {"),
            in(
                    "pasis/Offers",
                    "what a restart found is told all at once",
                    simulation(ROOM, "whatARestartFoundIsToldInStepsAndNothingOfItIsRead"),
                    "static final int STEP_BLOCKS = 1_024;",
                    "static final int STEP_BLOCKS = 1 << 20;"),
            in(
                    "pasis/Offers",
                    "only the first of what a restart found is told",
                    simulation(ROOM, "whatARestartFoundIsToldInStepsAndNothingOfItIsRead"),
                    "next = some.size() > STEP_BLOCKS ? some.getLast() : null;",
                    "next = null;"),
            in(
                    "pasis/WaitingRoom",
                    "one sender may hold all",
                    protocol("pasis.WaitingRoomTest", "nobodyHoldsMoreThanWhatIsLeft"),
                    "|| share.bytes() > bytesMax - all) {",
                    "|| all > bytesMax) {"),
            in(
                    "pasis/WaitingRoom",
                    "what waited is counted for ever",
                    protocol("pasis.WaitingRoomTest", "whatLeavesMakesRoom"),
                    "bytes -= call.bytes();",
                    ""),
            in(
                    "pasis/Refusals",
                    "nodes at different bounds do not count together",
                    protocol(WRITE, "oneNodeAtEachBoundIsEnoughToSayThatItIsOne"),
                    "counts.put(named, all);",
                    "counts.put(named, all - 1);"),
            in(
                    "pasis/FragmentFetch",
                    "a fragment is made of m",
                    protocol(OPERATIONS, "aFragmentIsMadeOfNMinus3bValidOnes"),
                    "if (valid.size() >= group.repairable()) {",
                    "if (valid.size() >= group.m()) {"),
            in(
                    "pasis/FragmentFetch",
                    "b nodes make a version obsolete",
                    protocol(OPERATIONS, "bPlusOneThatHaveCollectedALaterVersionMakeItObsolete"),
                    "} else if (collected.size() >= group.oneCorrect()) {",
                    "} else if (collected.size() >= group.b()) {"),
            in(
                    "pasis/FragmentFetch",
                    "a version is not found before N-b have answered",
                    protocol(OPERATIONS, "itIsNotFoundIfFewerThanRMinus2bOfRHaveOrHide"),
                    "} else if (answered >= group.quorum() && valid",
                    "} else if (valid"),
            in(
                    "pasis/FragmentFetch",
                    "who has collected something later hides nothing",
                    protocol(OPERATIONS, "whoHasCollectedALaterVersionMayHideIt"),
                    "valid.size() + collected.size() < group.shownAt(answered)",
                    "valid.size() < group.shownAt(answered)"),
            in(
                    "pasis/TimePoll",
                    "one liar makes any time near",
                    protocol(OPERATIONS, "theTimeOfOthersIsTheBPlusFirstGreatestWhateverALiarSays"),
                    "outcome = all.get(group.b());",
                    "outcome = all.get(0);"),
            in(
                    "pasis/RepairRequests",
                    "b nodes refute a version",
                    protocol(OPERATIONS, "oneNodeThatFindsTooFewRefutesNothing"),
                    "return denied.size() >= group.oneCorrect();",
                    "return denied.size() >= group.b();"));

    static final List<PlantedBug> ALL =
            Stream.of(COUNTS, CLIENT, NODE, CHANGES, LEFT).flatMap(List::stream).toList();

    private PasisBugs() {}
}
