package io.bulwark.metadata.mutation;

import io.bulwark.client.replicas.KnownReplicas;
import io.bulwark.metadata.pages.RocksPageStore;
import io.bulwark.protocol.mutation.PlantedBugs;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.Transport;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.rocksdb.RocksDB;
import org.slf4j.Logger;

/** Those planted in what a replica does with its disk. */
@Tag("long")
class PlantedDiskBugsTest extends PlantedBugs {
    PlantedDiskBugsTest() {
        super(
                ReplicaDiskBugs.ALL,
                RocksPageStore.class,
                RocksDB.class,
                Bytes.class,
                NullMarked.class,
                Logger.class,
                KnownReplicas.class,
                Transport.class,
                MeterRegistry.class);
    }
}
