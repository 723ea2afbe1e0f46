package io.bulwark.appliance.mutation;

import io.bulwark.appliance.supervisor.Turns;
import io.bulwark.client.Bulwark;
import io.bulwark.metadata.bft.ReplicaLives;
import io.bulwark.protocol.mutation.PlantedBugs;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.TlsCredentials;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.slf4j.Logger;

/** Those planted in what a supervisor decides, and in when slots move. */
@Tag("long")
class PlantedSupervisorBugsTest extends PlantedBugs {
    PlantedSupervisorBugsTest() {
        super(
                SupervisorBugs.ALL,
                Turns.class,
                Bytes.class,
                NullMarked.class,
                MeterRegistry.class,
                Logger.class,
                ReplicaLives.class,
                Bulwark.class,
                TlsCredentials.class);
    }
}
