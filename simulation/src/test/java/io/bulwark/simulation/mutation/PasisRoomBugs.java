package io.bulwark.simulation.mutation;

import static io.bulwark.protocol.mutation.Detector.simulation;
import static io.bulwark.protocol.mutation.PlantedBug.in;

import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;

/** What can go wrong with clients' shares of the history pool, and where room is looked for: PROTOCOLS section 3. */
final class PasisRoomBugs {
    private static final String ROOM = "pasis.PasisRoomTest";

    static final List<PlantedBug> ALL = List.of(
            in(
                    "pasis/PasisNode",
                    "what others left in the pool is held against a client within its share",
                    simulation(ROOM, "aClientsShareIsItsOwnWhateverAnotherHoldsFromWhenItWasAlone"),
                    "> (shares ? limits.poolBytes() : 0);",
                    "> 0;"),
            in(
                    "pasis/PasisNode",
                    "what clients left that were revoked is bounded by nothing",
                    simulation(ROOM, "clientsThatAreRevokedInTurnLeaveNoMoreThanTwiceThePool"),
                    "> (shares ? limits.poolBytes() : 0);",
                    "> (shares ? Long.MAX_VALUE : 0);"),
            in(
                    "pasis/PasisNode",
                    "while nobody knows how many clients there are each has a share",
                    simulation(ROOM, "whileNobodyKnowsHowManyClientsThereAreThePoolBoundsThemAll"),
                    "boolean shares = clients.getAsInt() > 0 && !poolIsShort(charge);",
                    "boolean shares = !poolIsShort(charge);"),
            in(
                    "pasis/PasisNode",
                    "where the pool is too small for all it bounds nobody",
                    simulation(ROOM, "whereThePoolIsTooSmallForAFewVersionsOfEachItIsThePoolThatBoundsThem"),
                    "boolean shares = clients.getAsInt() > 0 && !poolIsShort(charge);",
                    "boolean shares = clients.getAsInt() > 0;"),
            in(
                    "pasis/PasisLimits",
                    "versions of small blocks count for next to nothing",
                    simulation(ROOM, "whatAVersionTakesInMemoryCounts"),
                    "return fragmentBytes + (long) VERSION_BYTES;",
                    "return fragmentBytes;"),
            in(
                    "pasis/RoomMaker",
                    "what others had is room for a client",
                    simulation(ROOM, "whatOthersHadIsNoRoomForAClient"),
                    "effort.key.sender().isEmpty() ? freed > 0 : ofSender(effort.key) < effort.before;",
                    "freed > 0;"),
            in(
                    "pasis/RoomMaker",
                    "room for a client is looked for in what others lead",
                    simulation(ROOM, "roomForAClientIsLookedForFirstInBlocksThatThisNodeLeads"),
                    "if (mine.test(next.block())) {",
                    "if (effort.key.sender().isPresent() || mine.test(next.block())) {"));

    private PasisRoomBugs() {}
}
