package io.bulwark.storage.store;

import static io.bulwark.storage.store.Records.SEGMENT_BYTES;
import static io.bulwark.storage.store.Records.assertFound;
import static io.bulwark.storage.store.Records.bytes;
import static io.bulwark.storage.store.Records.extent;
import static io.bulwark.storage.store.Records.put;
import static io.bulwark.storage.store.Records.small;
import static io.bulwark.storage.store.Records.store;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.Stored;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A device that others use, too, and that is full down to its reserve: deleting makes room, without a restart. */
@Execution(ExecutionMode.CONCURRENT)
class FullDeviceTest {
    private static final int LENGTH = 20_000;
    private static final long RESERVE = 1 << 20;

    private final SplittableRandom random = new SplittableRandom(7);
    /** Free space beyond the reserve while there are no segments. */
    private volatile long roomBytes = SEGMENT_BYTES * 3 / 4;

    @TempDir
    Path directory;

    /** Less than a segment fits: all that is deleted lies in the one that is in use. */
    @ParameterizedTest
    @EnumSource(Durability.class)
    void afterAllIsDeletedWritesAreTakenAgain(Durability durability) throws IOException {
        try (FragmentStore store = open(durability)) {
            List<Mutation.Put> puts = fill(store);
            assertThat(store.usage().refuses()).isTrue();
            assertThat(store.store(puts.stream()
                                    .<Mutation>map(put -> new Mutation.Delete(put.key()))
                                    .toList())
                            .join())
                    .isEqualTo(Stored.DURABLE);
            assertThat(store.usage().refuses()).isFalse();
            assertThat(segmentBytes()).as("nothing is kept to be overwritten").isZero();
            for (int i = 0; i < puts.size(); i++) {
                Mutation.Put again = put(extent(1000 + i), "m", bytes(random, LENGTH));
                store(store, again);
                assertFound(store, again);
            }
        }
    }

    /** Other users fill the device suddenly: the store reclaims dead space before it refuses a write. */
    @Test
    void nothingIsRefusedForWhatIsDead() throws IOException {
        try (FragmentStore store = open(Durability.SYNC)) {
            Mutation.Put[] puts = new Mutation.Put[9];
            for (int round = 0; round < 20; round++) {
                roomBytes = 100L * SEGMENT_BYTES;
                for (int i = 0; i < puts.length; i++) {
                    puts[i] = put(extent(100 * round + i), "m", bytes(random, LENGTH));
                    store(store, puts[i]);
                }
                for (Mutation.Put put : puts) {
                    store(store, new Mutation.Delete(put.key()));
                }
                roomBytes = segmentBytes();
                store(store, put(extent(10_000 + round), "m", bytes(random, LENGTH)));
                store(store, new Mutation.Delete(extent(10_000 + round)));
            }
            assertThat(store.usage().refused()).isZero();
        }
    }

    @Test
    void whatLivesAmongTheDeadMakesRoomForOthers() throws IOException {
        try (FragmentStore store = open(Durability.SYNC)) {
            List<Mutation.Put> puts = fill(store);
            puts.stream().skip(1).forEach(put -> store(store, new Mutation.Delete(put.key())));
            await().until(() -> !store.usage().refuses());
            Mutation.Put again = put(extent(1000), "m", bytes(random, 3 * LENGTH));
            store(store, again);
            assertFound(store, again);
            assertFound(store, puts.getFirst());
        }
    }

    /** Others filled the device after all was deleted here; this node is asked for nothing any more. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void whatIsDeadIsGivenBackToWhoSharesTheDevice(int segments) throws IOException {
        roomBytes = 100L * SEGMENT_BYTES;
        try (FragmentStore store = open(Durability.SYNC)) {
            for (int i = 0; i < segments * SEGMENT_BYTES / LENGTH; i++) {
                store(store, put(extent(i), "m", bytes(random, LENGTH)));
            }
            for (int i = 0; i < segments * SEGMENT_BYTES / LENGTH; i++) {
                store(store, new Mutation.Delete(extent(i)));
            }
            assertThat(segmentBytes()).as("kept, to be overwritten").isPositive();
            roomBytes = 0;
            await().until(() -> segmentBytes() == 0);
        }
    }

    /** Else many who share a device could fill it up by making room at the same time. */
    @Test
    void makingRoomLeavesHalfOfTheReserve() throws IOException {
        try (FragmentStore store = open(Durability.SYNC)) {
            List<Mutation.Put> puts = fill(store);
            roomBytes = segmentBytes() - RESERVE / 2;
            puts.stream().skip(1).forEach(put -> store(store, new Mutation.Delete(put.key())));
            for (int i = 0; i < 100; i++) {
                assertThat(store.flush().join()).isEqualTo(Stored.DURABLE);
            }
            assertThat(store.usage().moved()).isZero();
            roomBytes = segmentBytes();
            await().until(() -> store.usage().moved() > 0);
            assertFound(store, puts.getFirst());
        }
    }

    /** Dead data at the start is free space from the first store on. */
    @Test
    void aRestartFreesWhatIsDead() throws IOException {
        List<Mutation.Put> puts;
        try (FragmentStore store = open(Durability.SYNC)) {
            puts = fill(store);
        }
        try (FragmentStore store = FragmentStore.open(small(directory).withLimits(Long.MAX_VALUE, 0), () -> RESERVE)) {
            puts.forEach(put -> store(store, new Mutation.Delete(put.key())));
        }
        try (FragmentStore store = open(Durability.SYNC)) {
            store(store, put(extent(1000), "m", bytes(random, LENGTH)));
        }
    }

    private FragmentStore open(Durability durability) throws IOException {
        return FragmentStore.open(
                small(directory).withLimits(Long.MAX_VALUE, RESERVE).withDurability(durability),
                () -> RESERVE + roomBytes - segmentBytes());
    }

    private List<Mutation.Put> fill(FragmentStore store) {
        List<Mutation.Put> puts = new ArrayList<>();
        while (true) {
            Mutation.Put put = put(extent(puts.size()), "m", bytes(random, LENGTH));
            Stored stored = store.store(List.of(put)).join();
            if (stored == Stored.NO_SPACE) {
                return puts;
            }
            assertThat(stored).isEqualTo(Stored.DURABLE);
            puts.add(put);
        }
    }

    private long segmentBytes() throws IOException {
        try (Stream<Path> files = Files.list(directory.resolve("segments"))) {
            long bytes = 0;
            for (Path file : (Iterable<Path>) files::iterator) {
                bytes += file.toFile().length(); // 0 if it has gone meanwhile
            }
            return bytes;
        }
    }
}
