package io.bulwark.simulation.mutation;

import static io.bulwark.protocol.mutation.Detector.protocol;
import static io.bulwark.protocol.mutation.PlantedBug.in;

import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;
import java.util.stream.Stream;

/** What can go wrong when the holders of a placement group change: PROTOCOLS section 4, epochs. */
final class EpochBugs {
    private static final List<PlantedBug> STATE = List.of(
            in(
                    "metadata/Holders",
                    "the next epoch opens at one seal less",
                    protocol("metadata.EpochTest", "theNextEpochOpensWhenAllButFHoldersHaveSealed"),
                    ">= place.volume.policy().writeQuorum();",
                    ">= place.volume.policy().writeQuorum() - 1;"),
            in(
                    "metadata/Holders",
                    "any number of slots may be unconfirmed",
                    protocol("metadata.EpochTest", "noMoreThanFSlotsAreEverUnconfirmed"),
                    "without.size() <= place.volume.policy().f(),",
                    "without.size() <= 255,"),
            in(
                    "metadata/Holders",
                    "the slot that is to change is not counted",
                    protocol("metadata.EpochTest", "noMoreThanFSlotsAreEverUnconfirmed"),
                    "without.add(slot);",
                    ""),
            in(
                    "metadata/Holders",
                    "a change takes the place of one that is announced",
                    protocol("metadata.EpochTest", "ofTwoOperatorsOneIsTold"),
                    "group.change().isEmpty(),",
                    "true,"),
            in(
                    "metadata/Holders",
                    "whatever epoch is named is the one that is open",
                    protocol("metadata.EpochTest", "ofTwoOperatorsOneIsTold"),
                    "epoch == group.epoch(),",
                    "epoch >= 0,"),
            in(
                    "metadata/Holders",
                    "a node that was put out takes a slot",
                    protocol("metadata.EpochTest", "whatMakesNoSenseIsRefused"),
                    "&& !registry.revoked(PrincipalId.node(change.to()))",
                    ""),
            in(
                    "metadata/Permissions",
                    "anybody speaks for a slot",
                    protocol("metadata.EpochTest", "onlyOperatorsChangeAndOnlyHoldersSpeakForSlots"),
                    "Grants.require(grants.isNode(by), by, \"speak for a slot\");",
                    "{ }"),
            in(
                    "metadata/Permissions",
                    "anybody changes who holds what",
                    protocol("metadata.EpochTest", "onlyOperatorsChangeAndOnlyHoldersSpeakForSlots"),
                    "Grants.require(grants.mayAdminister(by), by, \"change who holds what\");",
                    "{ }"),
            in(
                    "cluster/PlacementGroup",
                    "a new holder counts as whole",
                    protocol("metadata.EpochTest", "theNextEpochOpensWhenAllButFHoldersHaveSealed"),
                    "same ? fresh : with(fresh, change.slot)",
                    "fresh"),
            in(
                    "cluster/PlacementGroup",
                    "an epoch begins confirmed by those who were there before",
                    protocol("metadata.EpochTest", "theNextEpochOpensWhenAllButFHoldersHaveSealed"),
                    "same ? fresh : with(fresh, change.slot), all, null);",
                    "same ? fresh : with(fresh, change.slot), same ? fresh : with(fresh, change.slot), null);"),
            in(
                    "cluster/PlacementGroup",
                    "a change that is given up forgets its seals",
                    protocol("metadata.EpochTest", "anAbandonedChangeOpensTheNextEpochWithTheSameHolders"),
                    "next == null ? List.of() : next.sealed",
                    "List.of()"));

    private static final List<PlantedBug> NODES = List.of(
            in(
                    "epoch/Seals",
                    "an epoch that is to end is served",
                    protocol("extent.SealedEpochTest", "anAnnouncedChangeEndsTheEpochForThisNode"),
                    "long from = group.change().isPresent() ? group.epoch() + 1 : group.epoch();",
                    "long from = group.epoch();"),
            in(
                    "epoch/Seals",
                    "a seal is kept in memory only",
                    protocol("extent.SealedEpochTest", "whatIsSealedIsDurableBeforeItIsSaid"),
                    "floor.from = Math.max(floor.from, from);",
                    "floor.from = Math.max(floor.from, from); floor.durable = floor.from;"),
            in(
                    "epoch/Seals",
                    "what was sealed before a restart is forgotten",
                    protocol(
                            "extent.SealedEpochTest",
                            "aNodeThatRestartsRefusesWhatItHasSealedWhateverReplicasThatAreBehindSay"),
                    """
                    floor.from = Math.max(floor.from, epoch);
                    floor.durable = Math.max(floor.durable, epoch);
                    """,
                    ""),
            in(
                    "epoch/Seals",
                    "an epoch is served before those before it are refused for good",
                    protocol(
                            "extent.SealedEpochTest",
                            "whoHasMissedTheAnnouncementServesTheNextEpochOnlyOnceItRefusesTheOneBeforeForGood"),
                    "floor.from == epoch && floor.isDurable();",
                    "floor.from == epoch;"),
            in(
                    "extent/ExtentServer",
                    "a sealed epoch is served",
                    protocol("extent.SealedEpochTest", "anAnnouncedChangeEndsTheEpochForThisNode"),
                    "if (request.epoch() != group.epoch() || !seals.serves(volume.id(), index, group.epoch())) {",
                    "if (request.epoch() != group.epoch()) {"),
            in(
                    "extent/Repairs",
                    "a new holder says that it never stored what was stored before it came",
                    protocol("extent.SealedEpochTest", "aNewHolderDoesNotSayThatAnythingWasNeverStored"),
                    "return fresh && absent ? ReadRefusal.NOT_REPAIRED : reason;",
                    "return reason;"),
            in(
                    "extent/Repairs",
                    "what a faulty writer left incomplete keeps a new holder from being done",
                    protocol(
                            "extent.SealedEpochTest",
                            "aNewHolderCountsItselfAndOthersThatAreNewAmongThoseThatNeverStored"),
                    "if (place.fresh()) {",
                    "if (false) {"),
            in(
                    "extent/ExtentRead",
                    "new holders count among those that never stored",
                    protocol("extent.SealedEpochTest", "anotherDoesNotCountNewHolders"),
                    "(countsFresh ? count(ReadRefusal.NOT_REPAIRED) : 0)",
                    "count(ReadRefusal.NOT_REPAIRED)"),
            in(
                    "extent/ExtentRead",
                    "a node that has sealed is given up",
                    protocol("extent.ExtentEpochTest", "aNodeThatRefusesTheEpochThatIsToEndIsAskedAgain"),
                    "slot.refusalEpoch <= group.epoch();",
                    "slot.refusalEpoch < group.epoch();"),
            in(
                    "completion/SlotDuties",
                    "a node says sealed before it refuses",
                    protocol("completion.EpochDutiesTest", "itSaysSealedOnceItsServersRefuseTheEpoch"),
                    "if (seals && refusesBefore(new Place(volume.id(), index), group.epoch() + 1)) {",
                    "if (seals) {"),
            in(
                    "completion/SlotDuties",
                    "a node confirms before it refuses what was before",
                    protocol("completion.EpochDutiesTest", "aPromiseForAnEarlierEpochConfirmsNothing"),
                    "&& refusesBefore(new Place(volume.id(), index), group.epoch())",
                    ""),
            in(
                    "completion/EpochDuties",
                    "a new holder confirms before it has repaired",
                    protocol("completion.EpochDutiesTest", "aNewHolderConfirmsOnceItHasAllThatIsReferenced"),
                    "if (rebuilding.contains(key) && walk.isDone(volume.id())) {",
                    "if (true) {"),
            in(
                    "completion/EpochDuties",
                    "a new holder confirms as one that was there before does",
                    protocol("completion.EpochDutiesTest", "aNewHolderConfirmsBetweenRoundsOnly"),
                    "if (!group.isFresh(node)) {",
                    "if (true) {"),
            in(
                    "completion/NodeCompletion",
                    "the map is asked for between rounds only",
                    protocol("completion.EpochDutiesTest", "itSealsAndConfirmsHoweverLongARoundOfCompletionTakes"),
                    "if (!askingMap && now >= nextMapMillis) {",
                    "if (!askingMap && !inRound && now >= nextMapMillis) {"),
            in(
                    "completion/NodeCompletion",
                    "what is freed is asked for between rounds only",
                    protocol("completion.NodeCompletionTest", "whatIsFreedIsToldHoweverLongARoundTakes"),
                    "if (!learning && nowMillis >= nextChangesMillis) {",
                    "if (!learning && !inRound && nowMillis >= nextChangesMillis) {"),
            in(
                    "completion/TokenBucket",
                    "who has rebuilt more than the rate allows has no debt",
                    protocol("completion.RebuildRateTest", "aDebtIsPaidAndRestIsNotSaved"),
                    "left -= tokens;",
                    "left = Math.max(0, left - tokens);"),
            in(
                    "completion/ExtentChecks",
                    "what is rebuilt is not charged",
                    protocol("completion.RebuildRateTest", "aLostDiskIsRebuiltAtTheRateAndNoSlowerThanThat"),
                    "rebuild.charge(nowMillis, bytes);",
                    "{ }"),
            in(
                    "completion/ExtentChecks",
                    "what is rebuilt is charged, but nothing waits for that",
                    protocol("completion.RebuildRateTest", "whatScrubbingMakesAgainIsMadeWithinTheSameRate"),
                    "&& rebuild.open(now)",
                    ""),
            in(
                    "completion/LayoutWalk",
                    "the last block of an object counts as a whole one",
                    protocol("completion.RebuildRateTest", "smallObjectsTakeNoMoreThanTheirBytes"),
                    "layout.lengthOf(next));",
                    "volume.policy().blockBytes());"),
            in(
                    "completion/RegisterDuties",
                    "registers are seen to as fast as can be",
                    protocol("completion.RegisterDutiesTest", "blocksAreSeenToAtTheRateOfRebuilding"),
                    "&& rebuild.open(nowMillis)",
                    ""),
            in(
                    "completion/CompletionStep",
                    "a list of pins that its writer left incomplete keeps a new holder from being done",
                    protocol("completion.NodeCompletionTest", "whoIsNewCountsThoseThatAreNewWhereAListIsIncomplete"),
                    "return fresh ? read.countingFresh() : read;",
                    "return read;"),
            in(
                    "completion/ExtentChecks",
                    "who is not new counts new holders among those that never stored a list",
                    protocol("completion.NodeCompletionTest", "whoIsNewCountsThoseThatAreNewWhereAListIsIncomplete"),
                    "walk.volume().groups().stream().anyMatch(group -> group.isFresh(node));",
                    "true;"),
            in(
                    "extent/Repairs",
                    "a fragment of a slot that the node had once is called damaged",
                    protocol("extent.SealedEpochTest", "whatIsLeftOfAnotherSlotIsNotServedAndNotDamaged"),
                    "if (rightSlot) {",
                    "if (true) {"),
            in(
                    "extent/Repairs",
                    "a fragment of a slot that the node had once is compared with that of this one",
                    protocol("extent.SealedEpochTest", "whatIsLeftOfAnotherSlotIsNotServedAndNotDamaged"),
                    "&& held.is(pin) && held.slot() == place.slot()) {",
                    "&& held.is(pin)) {"),
            in(
                    "extent/ExtentBlocks",
                    "what takes the place of a fragment of another slot is charged once more",
                    protocol("extent.SealedEpochTest", "whatIsStoredAtAnotherSlotIsChargedOnce"),
                    "if (charged) {",
                    "if (false) {"),
            in(
                    "completion/EpochDuties",
                    "a new holder goes on where its completion was",
                    protocol("completion.EpochDutiesTest", "aNewHolderConfirmsOnceItHasAllThatIsReferenced"),
                    "walk.restart(key.volume());",
                    ""),
            in(
                    "completion/EpochDuties",
                    "who takes a slot once more need not begin again",
                    protocol("completion.EpochDutiesTest", "whoTakesTheSlotOnceMoreBeginsAgain"),
                    "rebuilding.retainAll(fresh);",
                    ""),
            in(
                    "completion/EpochDuties",
                    "who missed the epoch in which another one held the slot need not begin again",
                    protocol(
                            "completion.EpochDutiesTest",
                            "whoTakesTheSlotOnceMoreBeginsAgainAlsoIfItMissedTheEpochBetween"),
                    "if (before != null && group.epoch() > before + 1) {",
                    "if (false) {"));

    static final List<PlantedBug> ALL =
            Stream.of(STATE, NODES).flatMap(List::stream).toList();

    private EpochBugs() {}
}
