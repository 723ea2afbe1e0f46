package io.bulwark.simulation.mutation;

import static io.bulwark.protocol.mutation.Detector.protocol;
import static io.bulwark.protocol.mutation.PlantedBug.in;

import io.bulwark.protocol.mutation.Detector;
import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;

/** What can go wrong when the holders of registers under PASIS change: docs/decisions/0016. */
final class PasisEpochBugs {
    private static Detector epochs(String test) {
        return Detector.simulation("pasis.PasisEpochsTest", test);
    }

    private static Detector repairs(String test) {
        return Detector.simulation("pasis.PasisRepairsTest", test);
    }

    private static Detector operations(String test) {
        return Detector.protocol("pasis.NodeOperationsTest", test);
    }

    private static Detector write(String test) {
        return Detector.protocol("pasis.PasisWriteTest", test);
    }

    private static Detector read(String test) {
        return Detector.protocol("pasis.PasisReadTest", test);
    }

    static final List<PlantedBug> ALL = List.of(
            in(
                    "completion/CompletionStep",
                    "versions under PASIS are looked for among those under FP",
                    protocol(
                            "completion.CompletionStepTest",
                            "aRegisterIsLookedForAndSeenToUnderTheProtocolOfItsVolume"),
                    "? RecordKind.PASIS_VERSION",
                    "? RecordKind.REGISTER_VERSION"),
            in(
                    "pasis/BlockSettling",
                    "an epoch is confirmed at once",
                    epochs("whatCanBeCompleteIsCompleteOnceItIsSeenTo"),
                    """
                    } else {
                    read(nowMillis);
                    """,
                    """
                    } else {
                    then.settled(true, nowMillis);
                    """),
            in(
                    "pasis/BlockSettling",
                    "an epoch is confirmed after a READ",
                    epochs("whatIsKnownToBeCompleteIsCompleteInEachEpoch"),
                    """
                    } else if (block.versions().covers(latest)) {
                    complete(latest);
                    """,
                    """
                    } else if (block.versions().covers(latest)) {
                    then.settled(true, now);
                    """),
            in(
                    "pasis/BlockSettling",
                    "the READ before an epoch is confirmed repairs nothing",
                    epochs("whatCanBeCompleteIsCompleteOnceItIsSeenTo"),
                    "Wish.SCRUB.withRepair(true)",
                    "Wish.SCRUB"),
            in(
                    "pasis/BlockSettling",
                    "an epoch that is over is seen to",
                    epochs("anEpochThatIsOverIsNotSeenTo"),
                    """
                    if (!block.serves(epoch)) {
                    then.settled(false, nowMillis);
                    } else if (block
                    """,
                    """
                    if (!block.serves(epoch)) {
                    then.settled(true, nowMillis);
                    } else if (block
                    """),
            in(
                    "pasis/BlockSettling",
                    "where the others do not answer a block counts as seen to",
                    epochs("withoutTheOthersNothingIsSeenTo"),
                    "found == PasisBackground.Found.UNASKED || !block.serves(epoch)",
                    "!block.serves(epoch)"),
            in(
                    "pasis/BlockSettling",
                    "who has lost its fragment counts as one that holds it",
                    epochs("whoHasABadFragmentOfWhatIsCompleteMakesItAgainFirst"),
                    "} else if (block.versions().covers(latest)) {",
                    "} else if (true) {"),
            in(
                    "pasis/BlockSettling",
                    "a bad fragment is not made again before an epoch is confirmed",
                    epochs("whoHasABadFragmentOfWhatIsCompleteMakesItAgainFirst"),
                    "mend(now, latest);",
                    "then.settled(false, now);"),
            in(
                    "pasis/BlockSettling",
                    "what a READ of a later epoch finds counts in one before",
                    epochs("whatIsReadInALaterEpochCountsForThatOne"),
                    "if (found == PasisBackground.Found.UNASKED || !block.serves(epoch)) {",
                    "if (found == PasisBackground.Found.UNASKED) {"),
            in(
                    "pasis/BlockSettling",
                    "what was held in an epoch that is over meanwhile counts",
                    epochs("whatIsHeldInAnEpochThatIsOverMeanwhileCountsForNothing"),
                    "(Boolean) held && block.serves(epoch)",
                    "(Boolean) held"),
            in(
                    "pasis/BlockWriter",
                    "a liar takes all the room that there is for repairs",
                    repairs("aLiarsRequestsKeepNobodyFromConfirming"),
                    "return call == null || block.group().slotOf(call.from()) < 0 ? PrincipalId.NOBODY : call.from();",
                    "return PrincipalId.NOBODY;"),
            in(
                    "pasis/BlockWriter",
                    "peers may have any number of versions made",
                    repairs("aPeerHasSoManyVersionsMadeInABlock"),
                    "&& node.possible().of(account(call), block.block()) >= node.limits().possiblePerBlock();",
                    "&& false;"),
            in(
                    "pasis/BlockWriter",
                    "a peer may have any number of versions made at once",
                    repairs("aPeerHasSoManyVersionsMadeInABlock"),
                    "if (call != null && full(version, call)) {",
                    "if (false) {"),
            in(
                    "pasis/BlockWriter",
                    "a restart forgets for whom versions were made",
                    repairs("aPeerHasSoManyVersionsMadeInABlock"),
                    "PossibleVersions.put(block.block(), name, account, fragment.length())",
                    "PossibleVersions.put(block.block(), name, record.sender(), fragment.length())"),
            in(
                    "pasis/BlockWriter",
                    "who has no room left cannot have a bad fragment made again",
                    repairs("whatIsHeldIsMadeAgainForWhoeverAsks"),
                    "return versions.get(version) == null",
                    "return !versions.holds(version)"),
            in(
                    "pasis/RepairRequests",
                    "N-b-1 that hold a version make it complete in an epoch",
                    operations("aVersionIsCompleteInAnEpochOnceNMinusBSaySoInIt"),
                    "holders.size() >= group.quorum()",
                    "holders.size() >= group.quorum() - 1"),
            in(
                    "pasis/PasisGroup",
                    "answers of an epoch before make a version complete in this one",
                    operations("aVersionIsCompleteInAnEpochOnceNMinusBSaySoInIt"),
                    "&& target.epoch() == placement.epoch() && target.slot() == slot",
                    "&& target.slot() == slot"),
            in(
                    "pasis/PasisAccess",
                    "an epoch is served whatever was promised",
                    epochs("anAnnouncedChangeEndsTheEpochForThisNode"),
                    "return volume != null && seals.serves(volume.id(), volume.groupIndex(block), epoch);",
                    "return volume != null;"),
            in(
                    "pasis/PasisServer",
                    "what was let in before is not awaited",
                    epochs("whatIsBeingStoredWhenItsEpochEndsIsStoredBeforeThatIsPromised"),
                    ".filter(block -> block.block().volume() == volume.id())",
                    ".filter(block -> block.block().volume() != volume.id())"),
            in(
                    "pasis/BlockWriter",
                    "what is made again when its epoch has ended is kept",
                    epochs("whatIsMadeAgainWhenItsEpochHasEndedIsNotKept"),
                    "if (block.serves(epoch)) {",
                    "if (true) {"),
            in(
                    "pasis/PasisBlock",
                    "what is from before a slot was taken is kept",
                    epochs("whatIsFromBeforeTheSlotWasTakenIsDropped"),
                    "if (pastRecords.isPast(record.taken())) {",
                    "if (false) {"),
            in(
                    "pasis/PasisBlock",
                    "what was collected before a slot was taken is kept",
                    epochs("whatIsCollectedOfBeforeTheSlotWasTakenIsForgotten"),
                    "if (pastRecords.isPast(floor.taken())) {",
                    "if (false) {"),
            in(
                    "pasis/PasisBlock",
                    "what is in memory when a slot is taken stays there",
                    epochs("whatIsFromBeforeTheSlotWasTakenIsDropped"),
                    "pastRecords.onGroup();",
                    ""),
            in(
                    "pasis/PasisBlock",
                    "what is dropped stays on its writer's account",
                    epochs("whatIsFromBeforeTheSlotWasTakenIsDropped"),
                    "past.add(PossibleVersions.delete(block(), name));",
                    ""),
            in(
                    "pasis/PasisBlock",
                    "what is dropped stays on its writer's account until a restart",
                    epochs("whatIsFromBeforeTheSlotWasTakenIsDropped"),
                    "names.add(name);",
                    ""),
            in(
                    "pasis/PasisBlock",
                    "what peers have said is forgotten whenever one of them confirms",
                    epochs("whatPeersHaveSaidCountsWhileOthersConfirm"),
                    "if (opened) {",
                    "if (true) {"),
            in(
                    "pasis/PasisBlock",
                    "what peers have said is forgotten by those alone who have taken their slot",
                    epochs("whatPeersSaidInAnEpochBeforeDoesNotCount"),
                    "if (opened) {",
                    "if (pastRecords.outdated()) {"),
            in(
                    "pasis/VersionRecord",
                    "for which slot what was collected is kept is remembered in memory only",
                    epochs("whatWasCollectedSinceTheSlotWasTakenStays"),
                    "in.i64(), format == FORMAT_WITH_TAKEN ? readTaken(in) : 1);",
                    "in.i64(), format == FORMAT_WITH_TAKEN ? Math.min(1, readTaken(in)) : 1);"),
            in(
                    "pasis/Verifier",
                    "what is collected is kept whoever takes the slot",
                    epochs("whatWasCollectedSinceTheSlotWasTakenStays"),
                    "new VersionRecord.Floor(collected, versions.time(), block.taken())",
                    "new VersionRecord.Floor(collected, versions.time(), Long.MAX_VALUE)"),
            in(
                    "pasis/VersionRecord",
                    "for which slot a version is kept is remembered in memory only",
                    epochs("whatWasStoredSinceTheSlotWasTakenStays"),
                    "int format = taken != 1 ? FORMAT_WITH_TAKEN : session == 0",
                    "int format = session == 0"),
            in(
                    "pasis/PasisWrite",
                    "a write whose epoch ends is begun again under another timestamp",
                    write("whenOneNamesALaterEpochThoseWhoHaveAnsweredAreAskedAgain"),
                    "sent != null && reason == Failure.OTHER_EPOCH",
                    "false"),
            in(
                    "pasis/PasisWrite",
                    "a write that goes on chooses another timestamp",
                    write("whatWasSentInAnEarlierEpochGoesOnAtItsTimestamp"),
                    "group.encode(group.padded(data)), at, Set.of()",
                    "group.encode(group.padded(data)), null, Set.of()"),
            in(
                    "pasis/PasisWrite",
                    "who has answered a write is not asked whether its epoch is over",
                    write("whenOneNamesALaterEpochThoseWhoHaveAnsweredAreAskedAgain"),
                    "effects.addAll(epochs.onTick(nowMillis));",
                    ""),
            in(
                    "pasis/PasisRead",
                    "who has answered a read is not asked whether its epoch is over",
                    read("whenOneNamesALaterEpochThoseWhoHaveAnsweredAreAskedAgain"),
                    "effects.addAll(epochs.onTick(nowMillis));",
                    ""),
            in(
                    "pasis/PasisRead",
                    "a read waits for a writing back whose epoch is over",
                    read("whatCannotBeWrittenBackInItsEpochIsNotReturned"),
                    "outcome = new PasisReadOutcome.Failed(Failure.OTHER_EPOCH);",
                    ""));

    private PasisEpochBugs() {}
}
