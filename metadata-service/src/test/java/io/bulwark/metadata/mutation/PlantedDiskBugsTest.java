package io.bulwark.metadata.mutation;

import io.bulwark.metadata.pages.RocksPageStore;
import io.bulwark.protocol.mutation.PlantedBugs;
import io.bulwark.protocol.wire.Bytes;
import org.jspecify.annotations.NullMarked;
import org.rocksdb.RocksDB;
import org.slf4j.Logger;

/** Those planted in what a replica does with its disk. */
class PlantedDiskBugsTest extends PlantedBugs {
    PlantedDiskBugsTest() {
        super(ReplicaDiskBugs.ALL, RocksPageStore.class, RocksDB.class, Bytes.class, NullMarked.class, Logger.class);
    }
}
