package io.bulwark.storage.store;

import static io.bulwark.storage.store.Records.assertFound;
import static io.bulwark.storage.store.Records.extent;
import static io.bulwark.storage.store.Records.put;
import static io.bulwark.storage.store.Records.small;
import static io.bulwark.storage.store.Records.store;
import static io.bulwark.storage.store.Records.text;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.effect.Mutation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.DBOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/** A store that another build has left. */
class StoreFormatTest {
    @TempDir
    Path directory;

    @Test
    void aLaterFormatIsRefusedByNameAndLeftAsItIs() throws IOException, RocksDBException {
        Mutation.Put put = put(extent(1), "meta", text("fragment"));
        try (FragmentStore store = FragmentStore.open(small(directory))) {
            store(store, put);
        }
        format("2");
        assertThatThrownBy(() -> FragmentStore.open(small(directory)))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("format 2; this build reads 1");
        format("1");
        try (FragmentStore store = FragmentStore.open(small(directory))) {
            assertFound(store, put);
        }
    }

    private void format(String version) throws RocksDBException {
        List<ColumnFamilyDescriptor> families = Stream.of("default", "metas", "fragments", "places")
                .map(name -> new ColumnFamilyDescriptor(name.getBytes(US_ASCII)))
                .toList();
        List<ColumnFamilyHandle> handles = new ArrayList<>();
        try (DBOptions options = new DBOptions();
                RocksDB db = RocksDB.open(options, directory.resolve("index").toString(), families, handles)) {
            db.put("format".getBytes(US_ASCII), version.getBytes(US_ASCII));
            handles.forEach(ColumnFamilyHandle::close);
        }
    }
}
