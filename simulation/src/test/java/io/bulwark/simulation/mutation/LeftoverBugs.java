package io.bulwark.simulation.mutation;

import static io.bulwark.protocol.mutation.Detector.protocol;
import static io.bulwark.protocol.mutation.Detector.simulation;
import static io.bulwark.protocol.mutation.PlantedBug.in;

import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;

/** What can go wrong with what nobody asks for any more: volumes that were deleted, and versions that verification cannot conclude. */
final class LeftoverBugs {
    private static final String DELETED = "fp.DeletedVolumesTest";
    private static final String ROOM = "pasis.PasisRoomTest";
    private static final String LEFTOVERS = "pasis.PasisLeftoversTest";

    static final List<PlantedBug> ALL = List.of(
            in(
                    "fp/DeletedVolumes",
                    "deleted volumes stay charged",
                    simulation(ROOM, "whatIsLeftOfADeletedVolumeIsDeletedAndChargedToNobody"),
                    "records.forEach(record -> left.deleted(now, record));",
                    ""),
            in(
                    "fp/DeletedVolumes",
                    "a node asks for no volume that it holds",
                    simulation(ROOM, "whatIsLeftOfADeletedVolumeIsDeletedAndChargedToNobody"),
                    "} else if (nextVolume < 0 && nowMillis >= roundMillis) {",
                    "} else if (nextVolume > 0) {"),
            in(
                    "fp/DeletedVolumes",
                    "only a page of a deleted volume goes",
                    simulation(ROOM, "aRestartAsksForVolumesBeforeItKeepsChargingForThem"),
                    "if (pending == mine && stored == Stored.DURABLE) {",
                    "if (pending < 0) {"),
            in(
                    "fp/DeletedVolumes",
                    "two answers of the same moment delete a volume",
                    simulation(ROOM, "answersThatAreOlderThanTheVolumeDeleteNothing"),
                    "} else if (askedMillis - absentMillis >= CONFIRM_MILLIS) {",
                    "} else {"),
            in(
                    "pasis/PasisServer",
                    "what a restart found is charged for ever",
                    simulation(ROOM, "aRestartAsksForVolumesBeforeItKeepsChargingForThem"),
                    "deleted.found(node.possible().volumes());",
                    ""),
            in(
                    "fp/FpServer",
                    "what is left of deleted volumes stays on the disk",
                    protocol(DELETED, "aRestartFindsWhatIsLeft"),
                    "deleted.onTick(nowMillis);",
                    ""),
            in(
                    "fp/FpServer",
                    "what a deleted volume left on a client's account stays there",
                    protocol(DELETED, "allThatIsLeftIsDeletedAndNothingIsServed"),
                    "List.of(itself, node.index().delete(staged.writer(), entry(record, staged)))",
                    "List.of(itself)"),
            in(
                    "fp/FpServer",
                    "closed sessions of deleted volumes are remembered for ever",
                    protocol(DELETED, "allThatIsLeftIsDeletedAndNothingIsServed"),
                    "List.of(RecordKind.SESSION, RecordKind.REGISTER_VERSION);",
                    "List.of(RecordKind.REGISTER_VERSION);"),
            in(
                    "fp/FpServer",
                    "what extents remember of sessions goes with what the register remembers",
                    protocol(DELETED, "closedSessionsOfVolumesUnderOtherProtocolsAreForgottenAndExtentsKeepTheirs"),
                    "return record.key().kind() != RecordKind.SESSION || record.key().suffix().isEmpty();",
                    "return true;"),
            in(
                    "fp/FpServer",
                    "closed sessions of volumes under other protocols are remembered for ever",
                    protocol(DELETED, "closedSessionsOfVolumesUnderOtherProtocolsAreForgottenAndExtentsKeepTheirs"),
                    "told.known().filter(FpGroup::isUnder).isPresent()",
                    "told.known().isPresent()"),
            in(
                    "fp/FpAccess",
                    "sessions of volumes under other protocols are remembered again and again",
                    protocol(DELETED, "closedSessionsOfVolumesUnderOtherProtocolsAreForgottenAndExtentsKeepTheirs"),
                    "|| (volume != null && !FpGroup.isUnder(volume))",
                    ""),
            in(
                    "fp/FpAccess",
                    "sessions of deleted volumes are remembered",
                    protocol(DELETED, "aClosedSessionThatLeftNothingElseIsForgottenWithItsVolume"),
                    "gone(key.volume()) || (volume != null",
                    "(volume != null"),
            in(
                    "fp/DeletedVolumes",
                    "a volume is found by closed sessions alone",
                    protocol(DELETED, "aRestartFindsWhatIsLeft"),
                    "findNext(now, kind + 1, next);",
                    "found(now, next);"),
            in(
                    "fp/DeletedVolumes",
                    "who looks for volumes has all written that is held in memory",
                    protocol(DELETED, "whoLooksForVolumesLeavesInMemoryWhatIsHeldThere"),
                    "last(Integer.MAX_VALUE), 1, true)",
                    "last(Integer.MAX_VALUE), 1)"),
            in(
                    "fp/DeletedVolumes",
                    "a sweep ends where it meets what is others'",
                    protocol(DELETED, "closedSessionsOfVolumesUnderOtherProtocolsAreForgottenAndExtentsKeepTheirs"),
                    "page.isEmpty() || (page.size() < PAGE && some.isEmpty())",
                    "page.isEmpty() || some.isEmpty()"),
            in(
                    "fp/FpRegister",
                    "what waited while its volume was deleted is served",
                    protocol(DELETED, "whatWasUnderWayIsRefusedOrGoesInTheNextRound"),
                    "if (isGone()) {",
                    "if (false) {"),
            in(
                    "fp/Revocations",
                    "one answer that may be older than a volume ends the waiting for it",
                    protocol(DELETED, "aRevocationDoesNotWaitForADeletedVolumeAlsoAfterARestart"),
                    "return !node.access().gone(volume);",
                    "return !node.access().unknown(volume);"),
            in(
                    "fp/Revocations",
                    "what a restart found of a deleted volume is not asked for",
                    protocol(DELETED, "aRevocationDoesNotWaitForADeletedVolumeAlsoAfterARestart"),
                    "deleted.suspect(volume);",
                    ""),
            in(
                    "fp/Revocations",
                    "a deleted volume that is still known is not asked for",
                    protocol(DELETED, "aRevocationDoesNotWaitForADeletedVolumeAlsoAfterARestart"),
                    "if (begins || node.access().unknown(volume)) {",
                    "if (node.access().unknown(volume)) {"),
            in(
                    "pasis/Verifier",
                    "what was written while nothing came of a verification is not verified before a read",
                    simulation(LEFTOVERS, "whatIsWrittenDuringAVerificationIsVerifiedBeforeTheNextRead"),
                    "if (fruitful || outdated) {",
                    "if (fruitful) {"),
            in(
                    "pasis/Wish",
                    "who asks last for a verification says whether it repairs",
                    simulation(LEFTOVERS, "whereSeveralWaitForOneVerificationItRepairsIfAnyOfThemWantsThat"),
                    "missing || other.missing, repair || other.repair);",
                    "missing || other.missing, other.repair);"),
            in(
                    "pasis/Verifier",
                    "one version that is verified ends the waiting for others",
                    simulation(LEFTOVERS, "aVersionThatIsVerifiedAlreadyKeepsNoOtherFromBeingVerifiedAtWriteTime"),
                    "current.remove(asker); asker.then().then(nowMillis, PasisBackground.Found.IDLE, 0);",
                    "finish(nowMillis, PasisBackground.Found.IDLE, 0); return;"),
            in(
                    "pasis/Verifier",
                    "what came to nothing is verified again before each read",
                    simulation(LEFTOVERS, "whatCannotBeVerifiedIsVerifiedForReadersLessAndLessOften"),
                    "return nowMillis >= pausedUntilMillis;",
                    "return nowMillis > Long.MIN_VALUE;"),
            in(
                    "pasis/Verifier",
                    "what was written since is not verified before a read",
                    simulation(LEFTOVERS, "whatCannotBeVerifiedIsVerifiedForReadersLessAndLessOften"),
                    "void arrived(long nowMillis, ValidatingTimestamp version) { promising();",
                    "void arrived(long nowMillis, ValidatingTimestamp version) {"));

    private LeftoverBugs() {}
}
