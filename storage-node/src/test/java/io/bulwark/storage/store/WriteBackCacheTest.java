package io.bulwark.storage.store;

import static io.bulwark.storage.store.Records.block;
import static io.bulwark.storage.store.Records.bytes;
import static io.bulwark.storage.store.Records.put;
import static io.bulwark.storage.store.Records.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@NullMarked
class WriteBackCacheTest {
    private static final long MILLI = 1_000_000;
    private static final int KIB = 1 << 10;
    private static final WriteBack CONFIG = new WriteBack(100, 64 * KIB, Set.of(RecordKind.REGISTER_VERSION));

    private final SplittableRandom random = new SplittableRandom(1);
    private final List<List<Mutation>> written = new ArrayList<>();
    private final List<CompletableFuture<Stored>> writing = new ArrayList<>();
    private long room = 1 << 30;
    private final WriteBackCache cache = new WriteBackCache(
            CONFIG,
            100,
            mutations -> {
                written.add(mutations);
                writing.add(new CompletableFuture<>());
                return writing.getLast();
            },
            () -> room);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    @Test
    void whatIsPutAndDeletedBeforeItsTimeNeverBringsItsFragmentToTheDisk() {
        Mutation.Put first = version(1, 1, 8 * KIB);
        Mutation.Put second = version(1, 2, 8 * KIB);
        assertThat(take(0, first)).isTrue();
        assertThat(take(10, second, new Mutation.Delete(first.key()))).isTrue();
        assertThat(cache.find(first.key())).contains(new Loaded.Missing(first.key()));
        assertThat(cache.find(second.key())).contains(new Loaded.Found(second.key(), second.meta(), second.fragment()));
        assertThat(cache.discardedCount()).isEqualTo(1);
        cache.tick(99 * MILLI);
        assertThat(written).isEmpty();
        cache.tick(100 * MILLI);
        assertThat(written).containsExactly(List.of(second, new Mutation.Delete(first.key())));
        assertThat(cache.find(second.key())).as("the disk has it").isEmpty();
        assertThat(cache.heldBytes()).isZero();
    }

    @Test
    void metaDataOfAHeldRecordChangesInPlaceAndThatOfAnotherGoesToTheDiskBeforeItIsRead() {
        Mutation.Put held = version(1, 1, KIB);
        RecordKey elsewhere = key(1, 9);
        take(0, held, new Mutation.UpdateMeta(held.key(), text("new")));
        assertThat(cache.find(held.key())).contains(new Loaded.Found(held.key(), text("new"), held.fragment()));
        take(0, new Mutation.Delete(held.key()), new Mutation.UpdateMeta(held.key(), text("late")));
        assertThat(cache.find(held.key())).contains(new Loaded.Missing(held.key()));
        take(0, new Mutation.UpdateMeta(elsewhere, text("other")));
        assertThat(cache.find(elsewhere)).isEmpty();
        assertThat(written)
                .containsExactly(
                        List.of(new Mutation.Delete(held.key()), new Mutation.UpdateMeta(elsewhere, text("other"))));
    }

    @Test
    void otherKindsAndSeveralBlocksGoToTheDiskBehindWhatIsHeldOfTheirBlocks() {
        Mutation.Put held = version(1, 1, KIB);
        take(0, held);
        assertThat(take(0, put(RecordKey.of(RecordKind.SESSION, block(1)), "m", Bytes.EMPTY)))
                .isFalse();
        assertThat(written).containsExactly(List.of(held));
        take(0, version(2, 1, KIB));
        take(0, version(3, 1, KIB));
        assertThat(take(0, version(2, 2, KIB), version(3, 2, KIB))).isFalse();
        assertThat(written).hasSize(3);
    }

    @PlantedBug(
            in = WriteBackCache.class,
            rule = "the bytes in the write-back cache are limited",
            replace = "heldBytes > bytesMax &&",
            with = "heldBytes > 100 * bytesMax &&")
    @Test
    void theOldestGoesWhereTooMuchIsHeldAndNothingIsHeldWhileTheDiskDoesNotKeepUp() {
        for (int i = 0; i < 20; i++) {
            take(i, version(i, 1, 8 * KIB));
        }
        assertThat(cache.heldBytes()).isLessThanOrEqualTo(64 * KIB);
        assertThat(written)
                .isNotEmpty()
                .first()
                .isEqualTo(List.of(written.getFirst().getFirst()));
        assertThat(written.getFirst().getFirst().key()).isEqualTo(key(0, 1));
        assertThat(take(0, version(50, 1, 8 * KIB)))
                .as("twice as much is under way")
                .isFalse();
        writing.forEach(each -> each.complete(Stored.DURABLE));
        assertThat(take(0, version(51, 1, 8 * KIB))).isTrue();
        assertThat(cache.lost()).isZero();
    }

    @PlantedBug(
            in = WriteBackCache.class,
            rule = "the write-back cache promises no more than the device can take",
            replace = "|| taken + added > roomBytes",
            with = "")
    @Test
    void nothingIsPromisedThatTheDeviceHasNoRoomFor() {
        room = 4 * KIB;
        cache.tick(0);
        assertThat(take(0, version(1, 1, 8 * KIB))).isFalse();
        assertThat(take(0, version(1, 1, KIB))).isTrue();
        cache.tick(200 * MILLI);
        writing.getFirst().complete(Stored.NO_SPACE);
        assertThat(cache.lost()).as("said, not hidden").isEqualTo(1);
    }

    @PlantedBug(
            in = WriteBack.class,
            rule = "a store under sync is durable before it is acknowledged",
            replace = "case SYNC -> 0;",
            with = "case SYNC -> millis;")
    @ParameterizedTest
    @EnumSource(Durability.class)
    void aStoreHoldsNothingUnderSyncAndGivesAllBackUnderAnyDurability(Durability durability) throws IOException {
        StoreConfig config = Records.small(directory)
                .withDurability(durability)
                .withWriteBack(new WriteBack(60_000, 1 << 20, Set.of(RecordKind.REGISTER_VERSION)));
        Mutation.Put dies = version(1, 1, 8 * KIB);
        Mutation.Put stays = version(1, 2, 8 * KIB);
        try (FragmentStore store = FragmentStore.open(config)) {
            Records.store(store, dies);
            assertThat(store.holdsUnwritten(block(1))).isEqualTo(durability != Durability.SYNC);
            Records.store(store, stays, new Mutation.Delete(dies.key()));
            Records.assertFound(store, stays);
            assertThat(Records.load(store, dies.key())).isInstanceOf(Loaded.Missing.class);
            if (durability == Durability.NONE) {
                assertThat(store.usage().diedHeld()).isEqualTo(1);
                assertThat(store.usage().stores()).isZero();
            }
            assertThat(store.loadMetas(RecordKind.REGISTER_VERSION, block(1))
                            .join()
                            .records())
                    .containsExactly(new Loaded.Meta(stays.key(), stays.meta()));
            Records.assertFound(store, stays);
            Records.store(store, version(2, 1, 8 * KIB));
            assertThat(store.flush().join()).isEqualTo(Stored.DURABLE);
            assertThat(store.holdsUnwritten(block(2))).isFalse();
            Records.store(store, version(3, 1, 8 * KIB));
        }
        try (FragmentStore store = FragmentStore.open(config)) {
            Records.assertFound(store, stays);
            assertThat(store.usage().records()).isEqualTo(3);
        }
    }

    @Test
    void whoListsWhatIsNeverHeldLeavesWhatIsHeldInMemory() throws IOException {
        StoreConfig config = Records.small(directory)
                .withDurability(Durability.NONE)
                .withWriteBack(new WriteBack(60_000, 1 << 20, Set.of(RecordKind.REGISTER_VERSION)));
        try (FragmentStore store = FragmentStore.open(config)) {
            Mutation.Put held = version(1, 1, 8 * KIB);
            Records.store(store, held);
            store.loadMetas(RecordKind.SESSION, block(1)).join();
            store.scan(RecordKind.SESSION, block(0), block(9), 10, _ -> true).join();
            assertThat(store.holdsUnwritten(block(1))).isTrue();
            assertThat(store.scan(RecordKind.REGISTER_VERSION, block(0), block(9), 10, _ -> true)
                            .join()
                            .records())
                    .containsExactly(new Loaded.Meta(held.key(), held.meta()));
        }
    }

    @Test
    void underIntervalNothingIsHeldLongerThanTheInterval() throws IOException {
        StoreConfig config = Records.small(directory)
                .withDurability(Durability.INTERVAL)
                .withWriteBack(new WriteBack(60_000, 1 << 20, Set.of(RecordKind.REGISTER_VERSION)));
        try (FragmentStore store = FragmentStore.open(config)) {
            Records.store(store, version(1, 1, 8 * KIB));
            Awaitility.await().until(() -> !store.holdsUnwritten(block(1)));
        }
    }

    private boolean take(long nowMillis, Mutation... mutations) {
        return cache.take(nowMillis * MILLI, List.of(mutations));
    }

    private static RecordKey key(long block, int version) {
        return new RecordKey(RecordKind.REGISTER_VERSION, block(block), Bytes.of((byte) version));
    }

    private Mutation.Put version(long block, int version, int length) {
        return put(key(block, version), "meta", bytes(random, length));
    }
}
