package io.bulwark.simulation.mutation;

import static io.bulwark.protocol.mutation.Detector.simulation;
import static io.bulwark.protocol.mutation.PlantedBug.in;

import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;

/** What can go wrong with what nobody asks for any more: volumes that were deleted, and versions that verification cannot conclude. */
final class LeftoverBugs {
    private static final String ROOM = "pasis.PasisRoomTest";
    private static final String LEFTOVERS = "pasis.PasisLeftoversTest";

    static final List<PlantedBug> ALL = List.of(
            in(
                    "pasis/DeletedVolumes",
                    "deleted volumes stay charged",
                    simulation(ROOM, "whatIsLeftOfADeletedVolumeIsDeletedAndChargedToNobody"),
                    "node.possible().release(possible);",
                    ""),
            in(
                    "pasis/DeletedVolumes",
                    "a node that runs asks for no volume that it holds",
                    simulation(ROOM, "whatIsLeftOfADeletedVolumeIsDeletedAndChargedToNobody"),
                    "} else if (nextVolume < 0 && nowMillis >= roundMillis) {",
                    "} else if (nextVolume > 0) {"),
            in(
                    "pasis/DeletedVolumes",
                    "only a page of a deleted volume goes",
                    simulation(ROOM, "aRestartAsksForVolumesBeforeItKeepsChargingForThem"),
                    "if (pending == mine && stored == Stored.DURABLE) {",
                    "if (pending < 0) {"),
            in(
                    "pasis/DeletedVolumes",
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
