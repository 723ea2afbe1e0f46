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
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.wire.Bytes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class FragmentStoreTest {
    private final SplittableRandom random = new SplittableRandom(1);

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4095, 4096, 5000, 200_000, Records.SEGMENT_BYTES - 4096})
    void aRecordComesBackAsItWasWrittenAlsoAfterReopening(int length) throws IOException {
        Mutation.Put put = put(extent(1), "meta", bytes(random, length));
        try (FragmentStore store = FragmentStore.open(small(directory))) {
            store(store, put);
            assertFound(store, put);
        }
        try (FragmentStore store = FragmentStore.open(small(directory))) {
            assertFound(store, put);
            assertThat(store.usage().records()).isEqualTo(1);
            assertThat(store.usage().storedBytes()).isEqualTo(length + 4);
        }
    }

    @ParameterizedTest
    @EnumSource(Durability.class)
    void closingKeepsEverythingWhateverTheDurability(Durability durability) throws IOException {
        List<Mutation.Put> puts = new ArrayList<>();
        try (FragmentStore store = FragmentStore.open(small(directory).withDurability(durability))) {
            for (int i = 0; i < 20; i++) {
                puts.add(put(extent(i), "meta" + i, bytes(random, i * 1000)));
                store(store, puts.get(i));
            }
        }
        try (FragmentStore store = FragmentStore.open(small(directory).withDurability(durability))) {
            puts.forEach(put -> assertFound(store, put));
        }
    }

    @Test
    void metaDataChangesWithoutItsFragment() throws IOException {
        try (FragmentStore store = FragmentStore.open(small(directory))) {
            for (int length : new int[] {100, 10_000}) {
                Mutation.Put put = put(extent(length), "before", bytes(random, length));
                store(store, put);
                IndexEntry before = Objects.requireNonNull(store.entry(put.key()));
                store(store, new Mutation.UpdateMeta(put.key(), text("after")));
                assertFound(store, new Mutation.Put(put.key(), text("after"), put.fragment()));
                IndexEntry after = Objects.requireNonNull(store.entry(put.key()));
                assertThat(after).isEqualTo(before.withMeta(text("after")).changed(after.change()));
                assertThat(after.change()).isGreaterThan(before.change());
            }
            store(store, new Mutation.UpdateMeta(extent(1), text("nobody")));
            assertThat(load(store, extent(1))).isEqualTo(new Loaded.Missing(extent(1)));
        }
    }

    @Test
    void whatIsReadSeesAllEarlierStores() throws IOException {
        try (FragmentStore store = FragmentStore.open(small(directory))) {
            List<CompletableFuture<Loaded>> loads = new ArrayList<>();
            List<Mutation.Put> puts = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                Mutation.Put put = put(extent(i % 3), "version " + i, bytes(random, 6000));
                puts.add(put);
                var _ = store.store(List.of(put));
                if (i % 3 == 2) {
                    loads.add(store.load(put.key()));
                }
            }
            // A later store may overtake the reading, but nothing older may be read.
            for (int i = 0; i < loads.size(); i++) {
                Loaded.Found found = (Loaded.Found) loads.get(i).join();
                int version = Integer.parseInt(new String(
                        found.meta().toByteArray(),
                        "version ".length(),
                        found.meta().length() - 8,
                        US_ASCII));
                assertThat(version).isGreaterThanOrEqualTo(i * 3 + 2);
                assertThat(found.fragment()).isEqualTo(puts.get(version).fragment());
            }
        }
    }

    @Test
    void mutationsOfOneStoreApplyInOrderAndTogether() throws IOException {
        try (FragmentStore store = FragmentStore.open(small(directory))) {
            Mutation.Put first = put(extent(1), "a", bytes(random, 9000));
            Mutation.Put second = put(extent(1), "b", bytes(random, 90));
            Mutation.Put other = put(extent(2), "c", bytes(random, 9000));
            store(
                    store,
                    first,
                    second,
                    new Mutation.UpdateMeta(extent(1), text("d")),
                    other,
                    new Mutation.Delete(extent(2)));
            assertFound(store, new Mutation.Put(extent(1), text("d"), second.fragment()));
            assertThat(load(store, extent(2))).isInstanceOf(Loaded.Missing.class);
            assertThat(store.usage().records()).isEqualTo(1);
            assertThat(store.usage().liveSegmentBytes()).isZero();
            store(store, new Mutation.Delete(extent(1)), first);
            assertFound(store, first);
        }
    }

    @Test
    void metasAndScansComeInTheOrderOfTheirKeys() throws IOException {
        try (FragmentStore store = FragmentStore.open(small(directory))) {
            List<Loaded.Meta> versions = new ArrayList<>();
            for (int i : new int[] {9, 3, 200}) {
                RecordKey key = new RecordKey(RecordKind.REGISTER_VERSION, Records.block(5), Bytes.of((byte) i));
                store(store, put(key, "v" + i, bytes(random, i * 40)));
                versions.add(new Loaded.Meta(key, text("v" + i)));
            }
            versions = List.of(versions.get(1), versions.get(0), versions.get(2));
            store(store, put(extent(5), "e5", Bytes.EMPTY), put(extent(4), "e4", Bytes.EMPTY));
            store(store, put(extent(6), "e6", Bytes.EMPTY));
            assertThat(store.loadMetas(RecordKind.REGISTER_VERSION, Records.block(5))
                            .join())
                    .isEqualTo(new Loaded.Metas(RecordKind.REGISTER_VERSION, versions));
            assertThat(store.loadMetas(RecordKind.REGISTER_VERSION, Records.block(4))
                            .join()
                            .records())
                    .isEmpty();
            assertThat(store.scan(RecordKind.EXTENT, Records.block(0), Records.block(99), 2, each -> true)
                            .join()
                            .records())
                    .extracting(Loaded.Meta::key)
                    .containsExactly(extent(4), extent(5));
            assertThat(store.scan(RecordKind.EXTENT, Records.block(5), Records.block(5), 9, each -> true)
                            .join()
                            .records())
                    .containsExactly(new Loaded.Meta(extent(5), text("e5")));
        }
    }

    @Test
    void manyStoresShareFewSyncs() throws IOException {
        try (FragmentStore store = FragmentStore.open(small(directory))) {
            List<CompletableFuture<Stored>> stores = new ArrayList<>();
            for (int i = 0; i < 2000; i++) {
                stores.add(store.store(List.of(put(extent(i), "meta", bytes(random, 100)))));
            }
            stores.forEach(each -> assertThat(each.join()).isEqualTo(Stored.DURABLE));
            StoreUsage usage = store.usage();
            assertThat(usage.stores()).isEqualTo(2000);
            assertThat(usage.batches()).isLessThan(1000);
            assertThat(usage.syncs()).isEqualTo(usage.batches());
        }
    }

    @Test
    void aSecondOpeningIsRefusedWithAClearMessage() throws IOException {
        try (FragmentStore store = FragmentStore.open(small(directory))) {
            assertThatThrownBy(() -> FragmentStore.open(small(directory)))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("in use");
            store(store, put(extent(1), "still", Bytes.EMPTY));
        }
    }

    @Test
    void aClosedStoreFailsInsteadOfCrashing() throws IOException {
        FragmentStore store = FragmentStore.open(small(directory));
        store.close();
        store.close();
        assertThat(store.store(List.of(put(extent(1), "late", Bytes.EMPTY))).join())
                .isEqualTo(Stored.FAILED);
        assertThatThrownBy(() -> store.load(extent(1)).join()).hasCauseInstanceOf(StoreException.class);
    }

    @Test
    void oversizedRecordsAreRefused() throws IOException {
        try (FragmentStore store = FragmentStore.open(small(directory))) {
            assertThatThrownBy(() ->
                            store.store(List.of(put(extent(1), "m", bytes(random, Records.SEGMENT_BYTES - 4095)))))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> store.store(List.of(
                            new Mutation.Put(extent(1), bytes(random, Mutation.META_BYTES_MAX + 1), Bytes.EMPTY))))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
