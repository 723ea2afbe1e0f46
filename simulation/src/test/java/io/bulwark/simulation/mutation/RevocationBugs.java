package io.bulwark.simulation.mutation;

import static io.bulwark.protocol.mutation.Detector.protocol;
import static io.bulwark.protocol.mutation.Detector.simulation;
import static io.bulwark.protocol.mutation.PlantedBug.in;

import io.bulwark.protocol.mutation.Detector;
import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;

/** What can go wrong when a client is put out of register volumes: thesis 3.3.2 and 3.4.3, PROTOCOLS sections 2 and 3. */
final class RevocationBugs {
    private static final Detector FP_CAMPAIGN =
            simulation("mutation.SearchTest", "fpCampaign").runs(20);
    private static final String PASIS = "pasis.PasisRevocationTest";
    private static final String LURKING = "FpLurkingWriteTest";
    private static final String WISHES = "fp.RepairWishesTest";
    private static final String REPAIRING = "fp.FpLurkingRepairTest";
    private static final String OVERWRITTEN = "fp.FpLurkingOverwrittenTest";

    static final List<PlantedBug> ALL = List.of(
            in(
                    "fp/FpRegister",
                    "who is revoked is served, found by campaigns",
                    FP_CAMPAIGN,
                    "if (!serves || node.access().revoked(call.from())) {",
                    "if (!serves) {"),
            in(
                    "fp/Revocations",
                    "what a revoked client left staged stays, found by campaigns",
                    FP_CAMPAIGN,
                    "node.index().sessionsOf(revoked).forEach(session -> leftovers.onClosed(nowMillis, session));",
                    ""),
            in(
                    "pasis/Revocations",
                    "who has put a client out does not say so, found by campaigns",
                    simulation("mutation.SearchTest", "pasisCampaign").runs(60),
                    "if (effort.told == null || effort.told != left) {",
                    "if (effort.told == null) {"),
            in(
                    "fp/FpRegister",
                    "who is revoked is served",
                    protocol("fp.FpRevocationTest", "nothingOfARevokedClientIsTakenWhateverItHolds"),
                    "if (!serves || node.access().revoked(call.from())) {",
                    "if (!serves) {"),
            in(
                    "fp/FpAccess",
                    "a commit is taken of whom nothing is known",
                    protocol("fp.FpRevocationTest", "aRestartForgetsNoRevocation"),
                    "case FpMessage.Commit _ -> admitCommitter(nowMillis, group, new Question.OfGrant(volume, from));",
                    "case FpMessage.Commit _ -> new Verdict.Admitted(group);"),
            in(
                    "fp/LeftoverPoll",
                    "what a revoked client left is dropped before all nodes refuse it",
                    protocol("fp.FpRevocationTest", "whatNobodyHasCommittedIsDroppedOnceAllNodesRefuseItsWriter"),
                    "&& refused == group.n() - 1 - gone.size();",
                    "&& refused >= group.policy().timestampQuorum() - 1;"),
            in(
                    "fp/LeftoverPoll",
                    "a node that is revoked is waited for",
                    protocol("fp.FpRevocationTest", "whoIsRevokedItselfKeepsNobodyFromDropping"),
                    "&& refused == group.n() - 1 - gone.size();",
                    "&& refused == group.n() - 1;"),
            in(
                    "fp/LeftoverPoll",
                    "more than f revoked nodes are not waited for",
                    protocol("fp.FpRevocationTest", "ofThoseWhoAreRevokedThemselvesFAreNotWaitedFor"),
                    "gone.size() <= group.f() &&",
                    ""),
            in(
                    "fp/LeftoverPoll",
                    "a node that takes its commits drops what a client left",
                    protocol("fp.FpRevocationTest", "allPeersMustHaveAnsweredAndTheOwnNodeMustRefuseTheWriterToo"),
                    "(ownerRevoked && allRefuse())",
                    "allRefuse()"),
            in(
                    "fp/LeftoverAnswers",
                    "what others prepared too counts as the revoked client's alone",
                    protocol("fp.FpRevocationTest", "whatAnotherHasPreparedOfTheSameVersionIsNotDropped"),
                    "&& (record == null || record.isOnlyOf(node.access()::revoked))",
                    ""),
            in(
                    "fp/FpPrepare",
                    "who prepares a version that is there leaves no trace",
                    protocol("fp.FpRevocationTest", "whatAnotherPreparesLaterIsNotDroppedAlsoAfterARestart"),
                    "joins ? next.with(party) : next",
                    "next"),
            in(
                    "fp/Leftovers",
                    "of those who have prepared a version the first one alone is asked for",
                    protocol("fp.FpRevocationTest", "whatTwoHavePreparedIsDroppedOnceBothAreRevoked"),
                    "poll(register, parties.subList(1, parties.size()), record)",
                    "poll(register, List.of(), record)"),
            in(
                    "fp/VersionRecord",
                    "more have joined than are named, and nobody knows",
                    protocol("fp.FpRevocationTest", "whatIsSharedWithPeopleWhoAreNotNamedStays"),
                    "writer, session, proven, nonces, joined, true);",
                    "writer, session, proven, nonces, joined, shared);"),
            in(
                    "fp/Leftovers",
                    "a node drops what it holds for others whom it cannot name",
                    protocol("fp.FpRevocationTest", "whereMoreHaveJoinedThanAreNamedItStays"),
                    "record.shared() || ",
                    ""),
            in(
                    "fp/LeftoverPoll",
                    "who never prepared it counts as refusing its commit",
                    protocol("fp.FpRevocationTest", "whoHasNotHeardOfTheRevocationMayCommitItStill"),
                    "long refused = states.entrySet()",
                    "long refused = count(FpMessage.LeftoverState.NEVER_PREPARED) + states.entrySet()"),
            in(
                    "fp/Revocations",
                    "what a revoked client left staged stays",
                    simulation("FpRevocationClusterTest", "whatColludersHoldBackStaysWithoutEffect"),
                    "node.index().sessionsOf(revoked).forEach(session -> leftovers.onClosed(nowMillis, session));",
                    ""),
            in(
                    "fp/Revocations",
                    "a node says that it is done while a store is under way",
                    protocol("fp.FpRevocationTest", "aNodeSaysThatItRefusesOnceNothingOfItIsUnderWay"),
                    "if (outdated || round.underWay > 0) {",
                    "if (outdated) {"),
            in(
                    "fp/FpRead",
                    "a reader writes back what nonces alone prove",
                    simulation(LURKING, "whatAReaderWasAboutToWriteBackStaysWithoutEffect"),
                    "if (settling == Settling.WRITE_BACK && attempt.committed()) {",
                    "if (settling == Settling.WRITE_BACK) {"),
            in(
                    "fp/FpRead",
                    "what nonces alone prove is not repaired",
                    protocol(REPAIRING, "whatNoncesAloneProveIsNotWrittenBackButRepaired"),
                    "if (settling == Settling.ASK_REPAIR || !attempt.committed()) {",
                    "if (settling == Settling.ASK_REPAIR) {"),
            in(
                    "fp/RepairAsking",
                    "a reader asks for the repair of the greatest again and again",
                    protocol(
                            "fp.ShownToReaderTest", "aLaterOneThatNobodyCanCompleteKeepsNoReaderFromAskingForTheOther"),
                    "if (asked == null || asked.last.isAfter(version)) {",
                    "if (true) {"),
            in(
                    "fp/RepairAsking",
                    "a slot is asked for the next one only once it has answered",
                    protocol("fp.RepairAskingTest", "whatTakesLongIsFollowedByTheNextAndTheFirstComesAgain"),
                    "if (!soon && !asked.patience.retryDue(nowMillis)) {",
                    "if (!soon) {"),
            in(
                    "fp/RepairAsking",
                    "who has answered is asked for the next one only when it is time to ask again",
                    protocol("fp.RepairAskingTest", "whoHasAnsweredIsAskedForTheNextOneSoon"),
                    "if (!soon && !asked.patience.retryDue(nowMillis)) {",
                    "if (!asked.patience.retryDue(nowMillis)) {"),
            in(
                    "fp/RepairAsking",
                    "a slot is asked for more than a node lets one asker have waiting",
                    protocol("fp.RepairAskingTest", "whatTakesLongIsFollowedByTheNextAndTheFirstComesAgain"),
                    "boolean room = asked.unanswered < RepairWishes.NEXT_PER_ASKER_MAX;",
                    "boolean room = true;"),
            in(
                    "fp/ReadAttempt",
                    "what f nodes say that they have committed is written back",
                    simulation(LURKING, "whatAReaderWasAboutToWriteBackStaysWithoutEffect"),
                    "return reporters.size() > group.f();",
                    "return reporters.size() >= group.f();"),
            in(
                    "fp/ReadAttempt",
                    "a node that is asked to repair a version takes what nonces alone prove before it",
                    protocol(WISHES, "whatALiarShowsToOneNodeAloneKeepsNoReaderWaiting"),
                    "|| (!wanted.equals(version) && !committed());",
                    ";"),
            in(
                    "fp/FpRepair",
                    "who wants another version repaired waits for the one that runs",
                    protocol(WISHES, "whoWantsAnotherVersionThanALiarGetsItsMacInTurn"),
                    "if (running && !joins(wanted)) {",
                    "if (false) {"),
            in(
                    "fp/RepairMacs",
                    "who wants another version repaired waits until time is up",
                    protocol("fp.RepairMacsTest", "whereOthersWaitForAnotherVersionItIsTriedForAMomentOnly"),
                    "|| (enough && hurried.getAsBoolean())) {",
                    ") {"),
            in(
                    "fp/RepairWishes",
                    "those who wait for the end of a revocation take the room of those who want a repair",
                    protocol(WISHES, "whoWaitsForTheEndAloneIsToldAndNotCounted"),
                    "untilOver.add(then);",
                    "join(self, false, then);"),
            in(
                    "fp/RepairAnswers",
                    "what is overwritten is repaired for whoever asks for it",
                    protocol(WISHES, "whatIsOverwrittenIsNotRepairedForWhoAsksForIt"),
                    "&& !register.versions().latest().isAfter(request.wanted())",
                    ""),
            in(
                    "fp/RepairWishes",
                    "one asker takes all the room of those who want a repair",
                    protocol(WISHES, "anAskerHasFewWaitingAndTheNodeItselfTheRest"),
                    "counts.getOrDefault(asker, 0) < PER_ASKER_MAX",
                    "true"),
            in(
                    "fp/RepairWishes",
                    "one asker takes all the repairs to come",
                    protocol(WISHES, "anAskerHasFewWaitingAndTheNodeItselfTheRest"),
                    "if (!asker.equals(self) && others >= NEXT_PER_ASKER_MAX) {",
                    "if (false) {"),
            in(
                    "fp/Revocations",
                    "a node says that it is done while a repair is under way",
                    protocol(REPAIRING, "aRepairThatIsUnderWayIsWaitedFor"),
                    "if (block.repair().running()) {",
                    "if (false) {"),
            in(
                    "fp/Revocations",
                    "a node says that it is done while a repair is under way, found with colluders",
                    simulation(LURKING, "whatANodeWasAboutToRepairIsDecidedBeforeRevokingEnds"),
                    "if (block.repair().running()) {",
                    "if (false) {"),
            in(
                    "fp/Revocations",
                    "what repairs have staged is not waited for",
                    simulation(LURKING, "whatOneNodeAloneHasProvenKeepsItWaitingUntilTheBlockIsWritten"),
                    "int left = ofItself + repaired(round, begins);",
                    "int left = ofItself;"),
            in(
                    "fp/Revocations",
                    "what another has prepared too is waited for until he is revoked",
                    protocol(REPAIRING, "whatIsKnownToBeAnothersTooIsNotWaitedFor"),
                    "record.isAlsoOf(node.access()::revoked)",
                    "record.isAlsoOf(_ -> true)"),
            in(
                    "fp/Revocations",
                    "all that repairs have staged is repaired at once",
                    protocol(REPAIRING, "whatRepairsHaveStagedIsSeenToInTurn"),
                    "i < TURNS_PER_TICK &&",
                    ""),
            in(
                    "fp/RepairsLeft",
                    "what another has prepared too is waited for by the round that found it",
                    protocol("fp.RepairsLeftTest", "whatIsRenewedIsLeftToLaterRounds"),
                    "if (numbers != null && numbers.of.computeIfPresent(entry, (_, _) -> ++last) != null) {",
                    "if (false) {"),
            in(
                    "fp/RepairsLeft",
                    "what is staged again is not waited for any more",
                    protocol("fp.RepairsLeftTest", "aRoundWaitsForWhatWasThereBefore"),
                    "numbers.of.computeIfAbsent(entry, _ -> ++last);",
                    "numbers.of.put(entry, ++last);"),
            in(
                    "fp/StagedIndex",
                    "what repairs had staged before a restart is not waited for",
                    protocol(REPAIRING, "whatRepairsHaveStagedKeepsANodeFromBeingDoneAlsoAfterARestart"),
                    "entries.keySet().forEach(repairs::add);",
                    ""),
            in(
                    "fp/Revocations",
                    "what somebody has to write is not named",
                    protocol(REPAIRING, "whatSomebodyHasToWriteIsNamed"),
                    "watch.waitsFor(entry.block(), entry.version().ts());",
                    ""),
            in(
                    "fp/FpRepair",
                    "a node waits again and again for what it waits for",
                    protocol(REPAIRING, "whatTakesLongIsNotWaitedForTwice"),
                    "if (!joins(wanted) && !wishes.waits(node.self(), wanted)) {",
                    "if (true) {"),
            in(
                    "fp/Leftovers",
                    "a node waits again and again for what a client left",
                    protocol(REPAIRING, "whatAClientLeftIsNotWaitedForTwice"),
                    "if (!repairing.add(entry)) {",
                    "if (false) {"),
            in(
                    "fp/RepairWishes",
                    "many clients keep a peer waiting",
                    protocol(WISHES, "manyClientsDoNotKeepAPeerWaiting"),
                    ".filter(wish -> wish.ofNode() != lastOfNode)",
                    ""),
            in(
                    "fp/FpRepair",
                    "what repairs have staged is listed in memory only",
                    protocol(REPAIRING, "whatRepairsHaveStagedKeepsANodeFromBeingDoneAlsoAfterARestart"),
                    "mutations.add(index.put(PrepareTag.REPAIR, 0, entry));",
                    ""),
            in(
                    "fp/VersionRecord",
                    "whose a version was is forgotten where it is repaired",
                    protocol(REPAIRING, "whoseItIsStaysKnownWhereItIsRepaired"),
                    ": with(new Party(writer, session));",
                    ": this;"),
            in(
                    "fp/FpPrepare",
                    "what a device has stored that says that it failed is on no account",
                    protocol(REPAIRING, "whatAStoreLeftThatWasSaidToHaveFailedStaysOnItsWritersAccount"),
                    "node.index().recheck(now, register, record.writer(), version.version());",
                    "node.index().removed(record.writer(), register.entry(version));"),
            in(
                    "fp/Leftovers",
                    "what is on an account and is not there any more is waited for",
                    protocol(REPAIRING, "whatIsOnAnAccountAndIsNotThereGoes"),
                    "node.index().clear(register, session.owner(), entry);",
                    ""),
            in(
                    "fp/StagedIndex",
                    "what stands on an account and is not there goes from memory only",
                    protocol(REPAIRING, "whatIsOnTheAccountOfRepairsAndIsNotThereGoesForGood"),
                    "register.store(List.of(delete(client, entry)), null, _ -> removed(client, entry), _ -> {});",
                    "removed(client, entry);"),
            in(
                    "fp/StagedIndex",
                    "a shard clears away what is another's",
                    protocol("fp.StagedIndexTest", "whatIsAnotherShardsIsLeftToIt"),
                    "if (mine.test(entry.block())) {",
                    "if (true) {"),
            in(
                    "fp/Revocations",
                    "what is overwritten at one node alone counts as settled",
                    protocol(OVERWRITTEN, "aNodeIsDoneOnceOthersHaveWhatOverwroteIt"),
                    "if (!overwritten) {",
                    "if (true) {"),
            in(
                    "fp/Revocations",
                    "what fewer than m + f have overwrites for good",
                    protocol(OVERWRITTEN, "oneOfThemIsNotEnough"),
                    "outcome == ClaimPoll.Outcome.CLAIMED && ",
                    ""),
            in(
                    "fp/Revocations",
                    "what is overwritten stays on the account where nobody is revoked",
                    protocol(OVERWRITTEN, "withoutARevocationItGoesTooOnceOthersHaveIt"),
                    "turns.addAll(node.index().overwritten());",
                    ""),
            in(
                    "fp/Revocations",
                    "what is overwritten of a deleted volume is waited for",
                    protocol(OVERWRITTEN, "itGoesWithItsVolume"),
                    "(lost || deletedSince)",
                    "lost"),
            in(
                    "fp/Revocations",
                    "what is overwritten is waited for without a slot",
                    protocol(OVERWRITTEN, "itGoesWithTheSlot"),
                    "(lost || deletedSince)",
                    "deletedSince"),
            in(
                    "fp/Revocations",
                    "a group of before takes from the account",
                    protocol(OVERWRITTEN, "whatTheNodeKnowsOfAGroupOfBeforeTakesNothing"),
                    ".filter(group -> group.placement().epoch() >= taken)",
                    ""),
            in(
                    "fp/FpRegister",
                    "what is overwritten on its writer's account is on none",
                    protocol(OVERWRITTEN, "whatStandsOnItsWritersAccountIsNoDifferent"),
                    "if (old.isLurking()) {",
                    "if (false) {"),
            in(
                    "fp/FpRegister",
                    "what is overwritten is on no account once that is durable",
                    protocol(OVERWRITTEN, "whatIsWaitedForAlreadyIsWaitedForWhenItIsOverwritten"),
                    "if (!old.chargedTo(PrepareTag.REPAIR)) { uncharged(old);",
                    "{ uncharged(old);"),
            in(
                    "fp/StagedIndex",
                    "a store that failed before takes what is overwritten from the account",
                    protocol(OVERWRITTEN, "aStoreThatFailedBeforeTakesNothingFromTheAccount"),
                    "!charged && !overwritten",
                    "!charged"),
            in(
                    "fp/Revocations",
                    "what could not be overwritten is repaired for ever",
                    protocol(OVERWRITTEN, "whereTheStoreFailedNothingIsRepairedForEver"),
                    "node.index().added(PrepareTag.REPAIR, 0, entry);",
                    ""),
            in(
                    "fp/Revocations",
                    "timestamps have a sign",
                    protocol(OVERWRITTEN, "timestampsHaveNoSign"),
                    "Long.compareUnsigned(latest.ts(), entry.version().ts()) >= 0",
                    "latest.ts() >= entry.version().ts()"),
            in(
                    "fp/StagedIndex",
                    "what is overwritten while the account is read is on none",
                    protocol("fp.StagedIndexTest", "whatIsOverwrittenWhileTheListIsReadStaysOnTheAccount"),
                    "meanwhile.computeIfPresent(client, (_, changes) -> with(changes, entry, session));",
                    ""),
            in(
                    "pasis/PasisAccess",
                    "who is revoked is served",
                    simulation("pasis.PasisServerTest", "nothingOfARevokedClientIsTaken"),
                    """
                    if (revoked.contains(from)) {
                    return new Verdict.Refuse(Refusal.NO_GRANT, epoch);
                    """,
                    """
                    if (false) {
                    return new Verdict.Refuse(Refusal.NO_GRANT, epoch);
                    """),
            in(
                    "pasis/Revocations",
                    "a node says that it is done while a store is under way",
                    simulation(PASIS, "aNodeSaysThatItRefusesOnceNoStoreIsUnderWay"),
                    "if (effort.finishing > 0) {",
                    "if (effort.finishing < 0) {"),
            in(
                    "pasis/Revocations",
                    "what lies at few nodes is not waited for",
                    simulation(PASIS, "whatColludersCouldCompleteLaterKeepsItsHolderFromBeingDone"),
                    "watch.refuses(revoked, left);",
                    "watch.refuses(revoked, 0);"),
            in(
                    "pasis/Revocations",
                    "what lies at few nodes is not waited for, found by campaigns",
                    simulation("mutation.SearchTest", "pasisCampaign").runs(60),
                    "watch.refuses(revoked, left);",
                    "watch.refuses(revoked, 0);"),
            in(
                    "pasis/Revocations",
                    "what a revoked client left is not repaired",
                    simulation(PASIS, "whatEnoughNodesHoldIsCompleteWhenAllAreDone"),
                    "Wish.BACKGROUND.withRepair(true)",
                    "Wish.BACKGROUND"),
            in(
                    "pasis/Revocations",
                    "a node is done before it has read what a former life left",
                    simulation(PASIS, "afterARestartNothingIsSaidBeforeTheDiskWasRead"),
                    "if (!ready.getAsBoolean()) {",
                    "if (ready == null) {"),
            in(
                    "pasis/Revocations",
                    "what is left of a volume that is gone is waited for",
                    simulation(PASIS, "whatIsLeftOfAVolumeThatIsGoneIsNotWaitedFor"),
                    "if (!node.access().gone(block.volume())) {",
                    "if (true) {"));

    private RevocationBugs() {}
}
