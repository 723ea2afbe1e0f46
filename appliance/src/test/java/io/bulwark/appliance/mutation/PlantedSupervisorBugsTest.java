package io.bulwark.appliance.mutation;

import io.bulwark.appliance.supervisor.Turns;
import io.bulwark.protocol.mutation.PlantedBugs;
import io.bulwark.protocol.wire.Bytes;
import org.jspecify.annotations.NullMarked;

/** Those planted in what a supervisor decides. */
class PlantedSupervisorBugsTest extends PlantedBugs {
    PlantedSupervisorBugsTest() {
        super(SupervisorBugs.ALL, Turns.class, Bytes.class, NullMarked.class);
    }
}
