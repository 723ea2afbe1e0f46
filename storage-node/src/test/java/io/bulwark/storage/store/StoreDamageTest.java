package io.bulwark.storage.store;

import static io.bulwark.storage.store.Records.assertFound;
import static io.bulwark.storage.store.Records.bytes;
import static io.bulwark.storage.store.Records.extent;
import static io.bulwark.storage.store.Records.load;
import static io.bulwark.storage.store.Records.put;
import static io.bulwark.storage.store.Records.small;
import static io.bulwark.storage.store.Records.store;
import static io.bulwark.storage.store.Records.text;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.wire.Bytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.DBOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

class StoreDamageTest {
    private final SplittableRandom random = new SplittableRandom(2);

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(ints = {1, 300, 4096, 100_000})
    void everyFlippedBitIsNoticedAndAnotherWriteHeals(int length) throws IOException {
        Mutation.Put put = put(extent(1), "meta", bytes(random, length));
        Mutation.Put other = put(extent(2), "meta", bytes(random, length));
        try (FragmentStore store = FragmentStore.open(small(directory))) {
            store(store, put, other);
        }
        for (long bit : new long[] {0, length * 4L, length * 8L - 1}) {
            try (StoreEditor editor = StoreEditor.open(small(directory))) {
                editor.flip(put.key(), bit);
            }
            try (FragmentStore store = FragmentStore.open(small(directory))) {
                assertThat(load(store, put.key())).isEqualTo(new Loaded.Damaged(put.key(), put.meta()));
                assertThat(store.usage().damaged()).isEqualTo(1);
                assertFound(store, other);
                store(store, put);
                assertFound(store, put);
            }
        }
    }

    @Test
    void theEditorReplacesSoThatTheStoreCannotTell() throws IOException {
        Mutation.Put mine = put(extent(1), "mine", bytes(random, 5000));
        Mutation.Put yours = put(extent(2), "yours", bytes(random, 5000));
        try (FragmentStore store = FragmentStore.open(small(directory))) {
            store(store, mine, yours);
            assertThatThrownBy(() -> StoreEditor.open(small(directory))).isInstanceOf(StoreException.class);
        }
        try (StoreEditor editor = StoreEditor.open(small(directory))) {
            assertThat(editor.list(RecordKind.EXTENT)).containsExactly(mine.key(), yours.key());
            assertThat(editor.list(RecordKind.REGISTER)).isEmpty();
            Loaded.Found found = (Loaded.Found) editor.read(yours.key());
            editor.replace(mine.key(), found.meta(), found.fragment());
            editor.replaceMeta(yours.key(), text("edited"));
            assertThatThrownBy(() -> editor.flip(extent(3), 0)).isInstanceOf(StoreException.class);
            assertThatThrownBy(() -> editor.flip(yours.key(), 40_000)).isInstanceOf(StoreException.class);
        }
        try (FragmentStore store = FragmentStore.open(small(directory))) {
            assertFound(store, new Mutation.Put(mine.key(), yours.meta(), yours.fragment()));
            assertFound(store, new Mutation.Put(yours.key(), text("edited"), yours.fragment()));
        }
        try (StoreEditor editor = StoreEditor.open(small(directory))) {
            editor.delete(mine.key());
            assertThat(editor.read(mine.key())).isEqualTo(new Loaded.Missing(mine.key()));
        }
    }

    @Test
    void recordsThatSwappedPlacesOnTheDiskAreDamaged() throws IOException {
        Mutation.Put first = put(extent(1), "first", bytes(random, 5000));
        Mutation.Put second = put(extent(2), "second", bytes(random, 5000));
        IndexEntry a;
        IndexEntry b;
        try (FragmentStore store = FragmentStore.open(small(directory))) {
            store(store, first);
            store(store, second);
            a = entry(store, first.key());
            b = entry(store, second.key());
        }
        byte[] ofA = readRecord(a);
        writeRecord(a, readRecord(b));
        writeRecord(b, ofA);
        try (FragmentStore store = FragmentStore.open(small(directory))) {
            assertThat(load(store, first.key())).isEqualTo(new Loaded.Damaged(first.key(), first.meta()));
            assertThat(load(store, second.key())).isEqualTo(new Loaded.Damaged(second.key(), second.meta()));
        }
    }

    @Test
    void anOlderWriteOfTheSameRecordInItsPlaceIsDamaged() throws IOException {
        Mutation.Put old = put(extent(1), "old", bytes(random, 5000));
        Mutation.Put young = put(extent(1), "young", bytes(random, 5000));
        IndexEntry before;
        IndexEntry after;
        try (FragmentStore store = FragmentStore.open(small(directory))) {
            store(store, old);
            before = entry(store, old.key());
            store(store, young);
            after = entry(store, old.key());
        }
        writeRecord(after, readRecord(before));
        try (FragmentStore store = FragmentStore.open(small(directory))) {
            assertThat(load(store, old.key())).isEqualTo(new Loaded.Damaged(old.key(), young.meta()));
        }
    }

    @Test
    void lostSegmentsDamageTheirRecordsOnly() throws IOException {
        List<Mutation.Put> puts = new ArrayList<>();
        try (FragmentStore store = FragmentStore.open(small(directory))) {
            for (int i = 0; i < 9; i++) {
                puts.add(put(extent(i), "meta" + i, bytes(random, 100_000)));
                store(store, puts.get(i));
            }
        }
        Files.delete(directory.resolve("segments/00000000.seg"));
        try (FileChannel cut = FileChannel.open(directory.resolve("segments/00000001.seg"), StandardOpenOption.WRITE)) {
            var _ = cut.truncate(150_000);
        }
        try (FragmentStore store = FragmentStore.open(small(directory))) {
            List<Boolean> damaged = puts.stream()
                    .map(put -> load(store, put.key()) instanceof Loaded.Damaged)
                    .toList();
            assertThat(damaged).containsExactly(true, true, false, true, false, false, false, false, false);
            puts.forEach(put -> store(store, put));
            puts.forEach(put -> assertFound(store, put));
        }
    }

    @Test
    void unreadableMetaDataIsDamageNotAbsenceAndHeals() throws IOException, RocksDBException {
        Mutation.Put large = put(extent(1), "large", bytes(random, 9000));
        Mutation.Put small = put(extent(2), "small", bytes(random, 90));
        try (FragmentStore store = FragmentStore.open(small(directory))) {
            store(store, large, small);
        }
        garbleMeta(large.key());
        garbleMeta(small.key());
        try (FragmentStore store = FragmentStore.open(small(directory))) {
            for (Mutation.Put put : List.of(large, small)) {
                assertThat(load(store, put.key())).isEqualTo(new Loaded.Damaged(put.key(), Bytes.EMPTY));
            }
            assertThat(store.scan(RecordKind.EXTENT, Records.block(0), Records.block(9), 9, each -> true)
                            .join()
                            .records())
                    .containsExactly(
                            new Loaded.Meta(large.key(), Bytes.EMPTY), new Loaded.Meta(small.key(), Bytes.EMPTY));
            assertThat(store.usage().damaged()).isEqualTo(4);
            store(store, large, small);
            assertFound(store, large);
            assertFound(store, small);
        }
    }

    private static IndexEntry entry(FragmentStore store, RecordKey key) throws StoreException {
        return Objects.requireNonNull(store.entry(key));
    }

    private byte[] readRecord(IndexEntry entry) throws IOException {
        ByteBuffer record = ByteBuffer.allocate(RecordHeader.footprint(entry.length()));
        try (FileChannel file = FileChannel.open(segment(entry), StandardOpenOption.READ)) {
            assertThat(file.read(record, entry.offset())).isEqualTo(record.capacity());
        }
        return record.array();
    }

    private void writeRecord(IndexEntry entry, byte[] record) throws IOException {
        try (FileChannel file = FileChannel.open(segment(entry), StandardOpenOption.WRITE)) {
            assertThat(file.write(ByteBuffer.wrap(record), entry.offset())).isEqualTo(record.length);
        }
    }

    private Path segment(IndexEntry entry) {
        return directory.resolve("segments/%08x.seg".formatted(entry.segment()));
    }

    private void garbleMeta(RecordKey key) throws RocksDBException {
        List<ColumnFamilyDescriptor> families = List.of("default", "metas", "fragments", "places").stream()
                .map(name -> new ColumnFamilyDescriptor(name.getBytes(US_ASCII)))
                .toList();
        List<ColumnFamilyHandle> handles = new ArrayList<>();
        try (DBOptions options = new DBOptions();
                RocksDB db = RocksDB.open(options, directory.resolve("index").toString(), families, handles)) {
            byte[] encoded = key.encoded().toByteArray();
            byte[] value = Objects.requireNonNull(db.get(handles.get(1), encoded));
            value[value.length - 6] ^= 1;
            db.put(handles.get(1), encoded, value);
            handles.forEach(ColumnFamilyHandle::close);
        }
    }
}
