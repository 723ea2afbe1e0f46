package io.bulwark.storage.mutation;

import io.bulwark.client.driver.EvidenceLog;
import io.bulwark.protocol.mutation.PlantedBugs;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.storage.store.FragmentStore;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.slf4j.Logger;

/** Those planted in a storage node. */
@Tag("long")
class PlantedStorageBugsTest extends PlantedBugs {
    PlantedStorageBugsTest() {
        super(
                StorageBugs.ALL,
                FragmentStore.class,
                EvidenceLog.class,
                Bytes.class,
                MeterRegistry.class,
                NullMarked.class,
                Logger.class);
    }
}
