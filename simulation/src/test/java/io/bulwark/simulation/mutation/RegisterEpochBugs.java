package io.bulwark.simulation.mutation;

import static io.bulwark.protocol.mutation.Detector.protocol;
import static io.bulwark.protocol.mutation.PlantedBug.in;

import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;
import java.util.stream.Stream;

/** What can go wrong when the holders of registers change: docs/decisions/0016, registers; and where new volumes are placed. */
final class RegisterEpochBugs {
    private static final List<PlantedBug> SEEING_TO_BLOCKS = List.of(
            in(
                    "fp/RegisterSettling",
                    "an epoch is confirmed at once",
                    protocol("fp.RegisterEpochsTest", "whatOneNodeAloneHasCommittedIsHeldAndClaimedByAllButF"),
                    """
                    then.settled(true, nowMillis);
                    } else {
                    hold(nowMillis);
                    """,
                    """
                    then.settled(true, nowMillis);
                    } else {
                    then.settled(true, nowMillis);
                    """),
            in(
                    "fp/RegisterSettling",
                    "an epoch is confirmed after a READ",
                    protocol("fp.RegisterEpochsTest", "whatOneNodeAloneHasCommittedIsHeldAndClaimedByAllButF"),
                    """
                    then.settled(true, nowMillis);
                    } else {
                    hold(nowMillis);
                    """,
                    """
                    then.settled(true, nowMillis);
                    } else {
                    register.repair().request(nowMillis, null, false, now -> then.settled(true, now));
                    """),
            in(
                    "fp/RegisterSettling",
                    "an epoch is confirmed after MACs alone",
                    protocol("fp.RegisterEpochsTest", "whatAllButFHoldIsClaimedByThemBeforeItIsSeenTo"),
                    """
                    } else if (register.heldIn(epoch)) {
                    claim();
                    """,
                    """
                    } else if (register.heldIn(epoch)) {
                    then.settled(true, nowMillis);
                    """),
            in(
                    "fp/RegisterSettling",
                    "an epoch is confirmed after claims alone",
                    protocol("fp.RegisterEpochsTest", "whatIsClaimedByAllButFIsHeldByThemToo"),
                    "} else if (register.heldIn(epoch)) {",
                    "} else if (true) {"),
            in(
                    "fp/FpRegister",
                    "what was held in an earlier epoch is held in this one",
                    protocol("fp.RegisterEpochsTest", "whatWasHeldInAnEarlierEpochIsNotForThatReasonHeldInThisOne"),
                    "return heldIn == epoch;",
                    "return heldIn > 0;"),
            in(
                    "fp/ClaimPoll",
                    "2f + 1 claims are enough",
                    protocol("fp.ClaimPollTest", "allButFSlotsClaimItOrALaterOne"),
                    "claiming >= group.policy().writeQuorum()",
                    "claiming >= group.policy().timestampQuorum()"),
            in(
                    "fp/ClaimPoll",
                    "who is behind is not asked for repair",
                    protocol("fp.ClaimPollTest", "whoIsBehindIsAskedForRepairAndCountsThen"),
                    "return first && version.isAfter(latest) ? repair(slot) : Optional.empty();",
                    "return Optional.empty();"),
            in(
                    "fp/RegisterSettling",
                    "an epoch that is over is seen to",
                    protocol("fp.RegisterEpochsTest", "anEpochThatIsOverIsNotSeenTo"),
                    """
                    if (!register.serves(epoch)) {
                    then.settled(false, nowMillis);
                    } else if (begun
                    """,
                    """
                    if (!register.serves(epoch)) {
                    then.settled(true, nowMillis);
                    } else if (begun
                    """),
            in(
                    "fp/FpRepair",
                    "who takes the room for what is proven keeps a node from vouching",
                    protocol("fp.RegisterEpochsTest", "whatIsStagedIsVouchedForAlsoWhereTheRoomForWhatIsProvenIsTaken"),
                    "if (crowded && record == null) {",
                    "if (crowded) {"),
            in(
                    "fp/FpRepair",
                    "what is not staged waits for room",
                    protocol(
                            "fp.RegisterEpochsTest",
                            "whatIsNotStagedIsCommittedAtOnceWhereTheRoomForWhatIsProvenIsTaken"),
                    "gather(version, (now, macs) -> adoptAtOnce(now, version, cut, macs));",
                    "end(nowMillis);"),
            in(
                    "fp/FpRepair",
                    "what is vouched for in a crowded block is on nobody's account",
                    protocol("fp.RegisterEpochsTest", "whatIsVouchedForInACrowdedBlockStaysOnItsWritersAccount"),
                    "next = crowded ? next.provenForItsWriter() : next.repaired();",
                    "next = next.repaired();"),
            in(
                    "fp/Leftovers",
                    "what is vouched for is dropped with its session",
                    protocol("fp.RegisterEpochsTest", "whatIsVouchedForIsNoLeftover"),
                    "if (record.shared() || record.isVouchedFor()) {",
                    "if (record.shared()) {"),
            in(
                    "fp/Leftovers",
                    "what is vouched for stays on a revoked client's account",
                    protocol("fp.FpLurkingRepairTest", "whatIsVouchedForIsOnRepairsAccountOnceItsWriterIsRevoked"),
                    "register.repair().takeOver(record);",
                    ""),
            in(
                    "fp/VersionRecord",
                    "that a version is vouched for on its writer's account is kept in memory only",
                    protocol("fp.RegisterEpochsTest", "whatIsVouchedForIsNoLeftover"),
                    "| (proven ? PROVEN : 0)",
                    ""),
            in(
                    "fp/VersionRecord",
                    "what is vouched for counts as the revoked client's alone",
                    protocol("fp.RegisterEpochsTest", "whatIsVouchedForIsNotTheRevokedClientsAlone"),
                    "return !shared && !proven &&",
                    "return !shared &&"));

    private static final List<PlantedBug> SERVING = List.of(
            in(
                    "fp/FpAccess",
                    "an epoch is served whatever was promised",
                    protocol("fp.RegisterEpochsTest", "anAnnouncedChangeEndsTheEpochForThisNode"),
                    "return volume != null && seals.serves(volume.id(), volume.groupIndex(block), epoch);",
                    "return volume != null;"),
            in(
                    "epoch/Sealing",
                    "what was promised before a restart is not read",
                    protocol("fp.RegisterEpochsTest", "anAnnouncedChangeEndsTheEpochForThisNode"),
                    "if (seals.knows(volume.id())) {",
                    "if (true) {"),
            in(
                    "epoch/Sealing",
                    "a promise is taken for durable before it is",
                    protocol("fp.RegisterEpochsTest", "anEpochIsServedOnceThoseBeforeItAreRefusedForGood"),
                    "if (fresh.isEmpty()) {",
                    "seals.stored(fresh); if (true) {"),
            in(
                    "fp/FpRegister",
                    "what is from before a slot was taken is kept",
                    protocol("fp.RegisterEpochsTest", "whatWasStoredWhenTheSlotWasTakenIsDroppedTooWhenItIsLoaded"),
                    "if (pastRecords.isPast(record.taken())) {",
                    "if (false) {"),
            in(
                    "fp/FpRegister",
                    "what is in memory when a slot is taken stays there",
                    protocol("fp.RegisterEpochsTest", "whatIsFromBeforeTheSlotWasTakenIsDropped"),
                    "pastRecords.onGroup();",
                    ""),
            in(
                    "fp/FpRegister",
                    "what is dropped stays on its writer's account",
                    protocol("fp.RegisterEpochsTest", "whatIsFromBeforeTheSlotWasTakenIsDropped"),
                    """
                    uncharge(record, mutations);
                    }
                    busy = pastRecords
                    """,
                    """
                    }
                    busy = pastRecords
                    """),
            in(
                    "epoch/PastRecords",
                    "what could not be cleared stays until a restart",
                    protocol("fp.RegisterEpochsTest", "whatCouldNotBeClearedIsClearedLater"),
                    "outdated |= left && nowMillis >= againMillis;",
                    ""),
            in(
                    "epoch/Sealing",
                    "that an epoch is refused is promised while what was let in before is being stored",
                    protocol("fp.RegisterEpochsTest", "whatIsBeingStoredWhenItsEpochEndsIsStoredBeforeThatIsPromised"),
                    """
                    left[0]++;
                    block.enqueue(nowMillis, over);
                    """,
                    ""),
            in(
                    "epoch/PastRecords",
                    "a map of before tells that a slot was lost",
                    protocol("fp.RegisterEpochsTest", "aMapOfBeforeTellsNothingOfWhatWasStoredSince"),
                    "return loadedFor == 0 ? epoch.getAsLong() >= then : loadedFor > then;",
                    "return loadedFor == 0 || loadedFor > then;"),
            in(
                    "epoch/PastRecords",
                    "a map of before tells that a slot was taken later",
                    protocol("fp.RegisterEpochsTest", "aMapOfBeforeTellsNothingOfWhatWasStoredSince"),
                    "return loadedFor == 0 ? epoch.getAsLong() >= then : loadedFor > then;",
                    "return loadedFor == 0 ? epoch.getAsLong() >= then : loadedFor != then;"),
            in(
                    "fp/FpPrepare",
                    "what is stored after its epoch has ended is vouched for",
                    protocol("fp.RegisterEpochsTest", "whatIsStoredWhenItsEpochHasEndedIsNotVouchedForInTheNextOne"),
                    "if (!register.serves(request.target().epoch())) {",
                    "if (false) {"),
            in(
                    "epoch/Seals",
                    "who takes a slot has held it from the first",
                    protocol("fp.RegisterEpochsTest", "whatIsFromBeforeTheSlotWasTakenIsDropped"),
                    "floor.taken = Math.max(floor.taken, group.epoch());",
                    ""),
            in(
                    "epoch/Seals",
                    "that a slot was taken is kept in memory only",
                    protocol("fp.RegisterEpochsTest", "aRestartRemembersThatTheSlotWasTaken"),
                    "return taken == 1",
                    "return true"),
            in(
                    "epoch/Seals",
                    "an epoch is served before it is durable that the slot was taken",
                    protocol("fp.RegisterEpochsTest", "anEpochIsServedOnceItIsDurableThatTheSlotWasTaken"),
                    "return durable >= from && takenDurable >= taken;",
                    "return durable >= from;"));

    private static final List<PlantedBug> DUTIES = List.of(
            in(
                    "epoch/EpochWatch",
                    "who has answered a read or a write before is not asked whether its epoch is over",
                    protocol("fp.FpReadTest", "whenOneNamesALaterEpochThoseWhoHaveAnsweredAreAskedAgain"),
                    "if (later.isEmpty() || over()",
                    "if (true || over()"),
            in(
                    "epoch/EpochWatch",
                    "f nodes end an epoch",
                    protocol("fp.FpWriteTest", "whenOneNamesALaterEpochThoseWhoHaveAnsweredAreAskedAgain"),
                    "return later.size() > f;",
                    "return later.size() >= f;"),
            in(
                    "completion/RegisterDuties",
                    "registers are seen to before what was before is refused",
                    protocol("completion.RegisterDutiesTest", "itConfirmsOnceEachBlockOfTheGroupIsSeenTo"),
                    "slots.refusesBefore(turn.getKey(), turn.getValue().epoch()) &&",
                    ""),
            in(
                    "completion/RegisterWork",
                    "an epoch is confirmed while blocks are being seen to",
                    protocol("completion.RegisterDutiesTest", "itConfirmsOnceEachBlockOfTheGroupIsSeenTo"),
                    "&& again.isEmpty() && underWay == 0;",
                    "&& again.isEmpty();"),
            in(
                    "completion/RegisterWork",
                    "what could not be done is forgotten",
                    protocol("completion.RegisterDutiesTest", "whatCannotBeDoneYetIsTriedAgain"),
                    "again.add(block);",
                    ""),
            in(
                    "completion/RegisterDuties",
                    "a group that is never done keeps its turn",
                    protocol("completion.RegisterDutiesTest", "aGroupThatIsNeverDoneDoesNotKeepAnotherFromItsTurn"),
                    "works.putLast(turn.getKey(), turn.getValue());",
                    ""),
            in(
                    "completion/RegisterWork",
                    "what failed is tried again at once",
                    protocol("completion.RegisterDutiesTest", "whatFailedLateIsNotTriedAgainAtOnce"),
                    "againMillis = clock.getAsLong() + retryMillis;",
                    "againMillis = clock.getAsLong();"),
            in(
                    "completion/RegisterWork",
                    "blocks are seen to in an epoch that is to end",
                    protocol("completion.RegisterDutiesTest", "nothingIsSeenToInAnEpochThatIsToEnd"),
                    "if (changes || nowMillis < againMillis) {",
                    "if (nowMillis < againMillis) {"),
            in(
                    "completion/RegisterWork",
                    "where a node cannot read what it keeps it keeps nothing",
                    protocol("completion.RegisterDutiesTest", "onlyBlocksOfWhichSomethingIsKeptAreSeenTo"),
                    """
                    () -> {
                    finding = false;
                    rest();
                    """,
                    """
                    () -> {
                    finding = false;
                    from = volume.blocks();
                    """),
            in(
                    "completion/RegisterDuties",
                    "what was done in an earlier epoch counts",
                    protocol("completion.RegisterDutiesTest", "whatWasDoneInAnEarlierEpochCountsForNothing"),
                    "if (known == null || known.epoch() < group.epoch()) {",
                    "if (known == null) {"),
            in(
                    "completion/RegisterDuties",
                    "a confirmation that was lost is not said again",
                    protocol("completion.RegisterDutiesTest", "itConfirmsOnceEachBlockOfTheGroupIsSeenTo"),
                    """
                    // What was said before may have been lost.
                    slots.confirm(volume, place.group());
                    """,
                    ""),
            in(
                    "metadata/Holders",
                    "registers that nobody verifies change their holders",
                    protocol("metadata.EpochTest", "registersUnderPasisKeepTheirHoldersOnlyIfNobodyVerifiesThem"),
                    "!place.volume.keepsHolders(),",
                    "true,"),
            in(
                    "metadata/Volumes",
                    "new volumes are placed on spare nodes",
                    protocol("metadata.NodesTest", "newVolumesAreNotPlacedOnSpareNodesUnlessThereAreTooFewOthers"),
                    """
                    if (staying.size() >= needed) {
                    return staying;
                    }
                    return serving.size() >= needed ? serving : all;
                    """,
                    "return all;"),
            in(
                    "metadata/Volumes",
                    "new volumes are placed on nodes that are to lose a slot",
                    protocol("metadata.NodesTest", "whoIsToLoseASlotIsNoPlaceForNewVolumesUnlessThereAreTooFewOthers"),
                    "if (staying.size() >= needed) {",
                    "if (false) {"),
            in(
                    "metadata/Volumes",
                    "who is to take a slot is no place for new volumes",
                    protocol("metadata.NodesTest", "whoIsToTakeASlotIsInService"),
                    "holders.addAll(group.change().isPresent() ? group.opened().holders() : group.holders());",
                    "holders.addAll(group.holders());"),
            in(
                    "metadata/Holders",
                    "new volumes are placed on nodes that were put out",
                    protocol("metadata.NodesTest", "newVolumesAreNotPlacedOnNodesThatWerePutOut"),
                    "return !registry.revoked(PrincipalId.node(node));",
                    "return true;"));

    static final List<PlantedBug> ALL =
            Stream.of(SEEING_TO_BLOCKS, SERVING, DUTIES).flatMap(List::stream).toList();

    private RegisterEpochBugs() {}
}
