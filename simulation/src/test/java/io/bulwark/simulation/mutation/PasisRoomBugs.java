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
                    "pasis/BlockWriter",
                    "what others left in the pool is held against a client within its share",
                    simulation(ROOM, "aClientsShareIsItsOwnWhateverAnotherHoldsFromWhenItWasAlone"),
                    "return full && node.poolIsShort(fragment.length()) ? Refusal.POOL : null;",
                    "return full ? Refusal.POOL : null;"),
            in(
                    "pasis/BlockWriter",
                    "where the pool is too small for all it bounds nobody",
                    simulation(ROOM, "whereThePoolIsTooSmallForAFewVersionsOfEachItIsThePoolThatBoundsThem"),
                    "boolean full = possible.bytes() + fragment.length() > node.limits().poolBytes();",
                    "boolean full = false;"),
            in(
                    "pasis/RoomMaker",
                    "room for a client is looked for in what others lead",
                    simulation(ROOM, "roomForAClientIsLookedForFirstInBlocksThatThisNodeLeads"),
                    "if (mine.test(next.block())) {",
                    "if (effort.key.sender().isPresent() || mine.test(next.block())) {"));

    private PasisRoomBugs() {}
}
