package io.bulwark.storage.store;

import static io.bulwark.storage.store.Records.assertFound;
import static io.bulwark.storage.store.Records.bytes;
import static io.bulwark.storage.store.Records.extent;
import static io.bulwark.storage.store.Records.load;
import static io.bulwark.storage.store.Records.put;
import static io.bulwark.storage.store.Records.small;
import static io.bulwark.storage.store.Records.store;
import static io.bulwark.storage.store.Records.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.wire.Bytes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class StoreSpaceTest {
    private final SplittableRandom random = new SplittableRandom(3);

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(ints = {1000, 20_000})
    void aFullStoreRefusesFragmentsReadsAndDeletesAndRecovers(int length) throws IOException {
        StoreConfig config = small(directory).withLimits(10L * (length + 1), 0);
        List<Mutation.Put> puts = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            puts.add(put(extent(i), "m", bytes(random, length)));
        }
        try (FragmentStore store = FragmentStore.open(config)) {
            puts.subList(0, 10).forEach(put -> store(store, put));
            assertThat(store.store(List.of(puts.get(10))).join()).isEqualTo(Stored.NO_SPACE);
            // Together or not at all: the deletion of a refused store does not happen either.
            assertThat(store.store(List.of(new Mutation.Delete(extent(1)), puts.get(10), puts.get(11)))
                            .join())
                    .isEqualTo(Stored.NO_SPACE);
            puts.subList(0, 10).forEach(put -> assertFound(store, put));
            assertThat(load(store, extent(10))).isInstanceOf(Loaded.Missing.class);
            assertThat(store.usage().refused()).isEqualTo(2);
            assertThat(store.usage().failed()).isFalse();
        }
        try (FragmentStore store = FragmentStore.open(config)) {
            assertThat(store.store(List.of(puts.get(10))).join()).isEqualTo(Stored.NO_SPACE);
            store(store, put(extent(100), "tombstone", Bytes.EMPTY), new Mutation.UpdateMeta(extent(3), text("n")));
            store(store, new Mutation.Delete(extent(0)), new Mutation.Delete(extent(100)));
            store(store, puts.get(10));
            assertFound(store, puts.get(10));
        }
    }

    /** Such a device has no space left either, but no deletion makes room there. */
    @Test
    void aDirectoryThatIsTakenAwayIsAFailedStoreAndNoFullOne() throws IOException {
        try (FragmentStore store = FragmentStore.open(small(directory.resolve("node")))) {
            store(store, put(extent(1), "m", bytes(random, 10_000)));
            try (Stream<Path> all = Files.walk(directory.resolve("node"))) {
                for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(each);
                }
            }
            StoreUsage usage = store.usage();
            assertThat(usage.failed()).isTrue();
            assertThat(usage.refuses()).isFalse();
            assertThat(usage.roomBytes()).as("as the status of a node tells it").isPositive();
            Files.createDirectories(directory.resolve("node/segments"));
            assertThat(store.store(List.of(put(extent(2), "m", bytes(random, 10_000))))
                            .join())
                    .as("what it has open is not what stands there now")
                    .isEqualTo(Stored.FAILED);
        }
    }

    @Test
    void theReserveOfTheFileSystemIsForDeleting() throws IOException {
        Mutation.Put put = put(extent(1), "m", bytes(random, 10_000));
        try (FragmentStore store = FragmentStore.open(small(directory))) {
            store(store, put);
        }
        try (FragmentStore store =
                FragmentStore.open(small(directory).withLimits(Long.MAX_VALUE, Long.MAX_VALUE / 2))) {
            assertThat(store.store(List.of(put(extent(2), "m", bytes(random, 10))))
                            .join())
                    .isEqualTo(Stored.NO_SPACE);
            assertFound(store, put);
            store(store, new Mutation.Delete(put.key()));
            assertThat(load(store, put.key())).isInstanceOf(Loaded.Missing.class);
        }
    }

    @Test
    void aFailedDeviceRefusesWritesUntilReopenedAndStillReads() throws IOException {
        Mutation.Put small = put(extent(1), "m", bytes(random, 10));
        try (FragmentStore store = FragmentStore.open(small(directory))) {
            store(store, small, put(extent(4), "m", bytes(random, 10_000)));
            store.segments().close();
            assertThat(store.store(List.of(put(extent(2), "m", bytes(random, 10_000))))
                            .join())
                    .isEqualTo(Stored.FAILED);
            assertThat(store.store(List.of(put(extent(3), "m", bytes(random, 10))))
                            .join())
                    .isEqualTo(Stored.FAILED);
            assertThat(store.usage().failed()).isTrue();
            assertFound(store, small);
        }
        try (FragmentStore store = FragmentStore.open(small(directory))) {
            store(store, put(extent(3), "m", bytes(random, 10_000)));
            assertFound(store, small);
        }
    }

    @ParameterizedTest
    @EnumSource(Durability.class)
    void deletedSpaceIsUsedAgain(Durability durability) throws IOException {
        try (FragmentStore store = FragmentStore.open(small(directory).withDurability(durability))) {
            for (int round = 0; round < 40; round++) {
                Mutation.Put put = put(extent(round % 4), "round " + round, bytes(random, 100_000));
                store(store, put);
                assertFound(store, put);
            }
            assertThat(store.usage().segments()).isLessThan(10);
        }
    }

    @Test
    void sparseSegmentsAreCompactedWhileWritesGoOn() throws IOException {
        Map<Long, Mutation.Put> model = new HashMap<>();
        try (FragmentStore store = FragmentStore.open(small(directory))) {
            for (long i = 0; i < 200; i++) {
                write(store, model, i);
            }
            assertThat(store.flush().join()).isEqualTo(Stored.DURABLE);
            int full = store.usage().segments();
            List<CompletableFuture<Stored>> stores = new ArrayList<>();
            for (long i = 0; i < 200; i++) {
                if (i % 8 != 0) {
                    model.remove(i);
                    stores.add(store.store(List.of(new Mutation.Delete(extent(i)))));
                } else if (i % 16 == 0) {
                    stores.add(store.store(List.of(update(model, i))));
                }
            }
            for (long i = 1000; i < 1040; i++) {
                write(store, model, i);
                write(store, model, 8 * (i % 10));
            }
            stores.forEach(each -> assertThat(each.join()).isEqualTo(Stored.DURABLE));
            await().until(() -> store.usage().moved() > 0
                    && store.usage().segments() - store.usage().spareSegments() <= full / 2 + 1);
            model.values().forEach(put -> assertFound(store, put));
            assertThat(store.usage().records()).isEqualTo(model.size());
        }
        try (FragmentStore store = FragmentStore.open(small(directory))) {
            model.values().forEach(put -> assertFound(store, put));
            assertThat(store.usage().records()).isEqualTo(model.size());
        }
    }

    @Test
    void compactionKeepsTheMetaDataOfDamagedRecords() throws IOException {
        try (FragmentStore store = FragmentStore.open(small(directory))) {
            for (int i = 0; i < 40; i++) {
                store(store, put(extent(i), "meta " + i, bytes(random, 20_000)));
            }
        }
        try (StoreEditor editor = StoreEditor.open(small(directory))) {
            editor.flip(extent(0), 77);
        }
        try (FragmentStore store = FragmentStore.open(small(directory))) {
            IndexEntry before = store.entry(extent(0));
            for (int i = 1; i < 40; i++) {
                store(store, new Mutation.Delete(extent(i)));
            }
            await().until(() -> !String.valueOf(store.entry(extent(0))).equals(String.valueOf(before)));
            assertThat(load(store, extent(0))).isEqualTo(new Loaded.Damaged(extent(0), text("meta 0")));
        }
    }

    private void write(FragmentStore store, Map<Long, Mutation.Put> model, long i) {
        Mutation.Put put = put(extent(i), "meta " + i, bytes(random, 15_000 + (int) i));
        model.put(i, put);
        var _ = store.store(List.of(put));
    }

    private static Mutation update(Map<Long, Mutation.Put> model, long i) {
        Bytes fragment = Objects.requireNonNull(model.get(i)).fragment();
        model.put(i, put(extent(i), "updated", fragment));
        return new Mutation.UpdateMeta(extent(i), text("updated"));
    }
}
