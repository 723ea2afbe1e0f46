package io.bulwark.metadata.pages;

import io.bulwark.protocol.state.FetchEffect;
import io.bulwark.protocol.state.FetchSettings;
import io.bulwark.protocol.state.KeyValueState;
import io.bulwark.protocol.state.MemoryPageStore;
import io.bulwark.protocol.state.PageServer;
import io.bulwark.protocol.state.PageStore;
import io.bulwark.protocol.state.StateFetch;
import io.bulwark.protocol.state.StateTree;
import io.bulwark.protocol.state.TreeMapState;
import io.bulwark.protocol.wire.Bytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Benchmark of the tree of pages: operations compared with a plain map. With a state larger than the heap it measures a
 * checkpoint, the transfer to a replica that missed it, and a recovery. On demand: {@code
 * -Dtest='StatePagesBenchmark#smallState'}, and {@code #largeState} with {@code -Dbulwark.bench.mebibytes=1024}.
 */
@NullMarked
class StatePagesBenchmark {
    private static final long CACHE_BYTES = 64 << 20;
    private static final int VALUE_BYTES = 4_000;
    private static final int SMALL_KEYS = 200_000;
    private static final int SMALL_OPERATIONS = 400_000;

    private static final int MEBIBYTES = Integer.getInteger("bulwark.bench.mebibytes", 256);

    @Test
    void largeState(@TempDir Path directory) throws IOException {
        new LargeState(directory, MEBIBYTES).measure();
    }

    @Test
    void smallState() {
        operations("map, warming up", new TreeMapState());
        operations("map", new TreeMapState());
        operations("tree, warming up", StateTree.empty(new MemoryPageStore(), 1 << 30));
        operations("tree", StateTree.empty(new MemoryPageStore(), 1 << 30));
    }

    /** Keys of 20 bytes, values of 200: half puts, half gets, each an operation that could be undone. */
    private static void operations(String name, KeyValueState state) {
        Random random = new Random(2);
        for (int i = 0; i < SMALL_KEYS; i++) {
            state.put(key(i), value(random, 200));
        }
        long start = System.nanoTime();
        long digesting = 0;
        long found = 0;
        for (int i = 1; i <= SMALL_OPERATIONS; i++) {
            Bytes key = key(random.nextInt(SMALL_KEYS));
            if (state instanceof StateTree tree) {
                tree.begin();
            }
            if (i % 2 == 0) {
                found += state.get(key).isPresent() ? 1 : 0;
            } else {
                state.put(key, value(random, 200));
            }
            if (i % 10_000 == 0 && state instanceof StateTree tree) {
                long at = System.nanoTime();
                tree.checkpoint(i);
                tree.stored(i);
                digesting += System.nanoTime() - at;
            }
        }
        long nanos = System.nanoTime() - start;
        System.out.printf(
                Locale.ROOT,
                "%s: %.0f operations/s (%.0f without checkpoints), %d found%n",
                name,
                SMALL_OPERATIONS * 1e9 / nanos,
                SMALL_OPERATIONS * 1e9 / (nanos - digesting),
                found);
    }

    private static Bytes key(int number) {
        return Bytes.of(ByteBuffer.allocate(20).putInt(16, number).array());
    }

    private static Bytes value(Random random, int length) {
        byte[] value = new byte[length];
        random.nextBytes(value);
        return Bytes.of(value);
    }

    private static double seconds(long startNanos) {
        return (System.nanoTime() - startNanos) / 1e9;
    }

    /** A leader and a follower with a state of some size on disk. */
    private static final class LargeState {
        private final Random random = new Random(1);
        private final int keys;
        private final RocksPageStore source;
        private final RocksPageStore behind;
        private final StateTree tree;
        private long number;

        private LargeState(Path directory, int mebibytes) throws IOException {
            keys = (int) (((long) mebibytes << 20) / VALUE_BYTES);
            source = RocksPageStore.open(directory.resolve("source"));
            behind = RocksPageStore.open(directory.resolve("behind"));
            tree = StateTree.open(source, CACHE_BYTES);
        }

        void measure() throws IOException {
            long start = System.nanoTime();
            for (int i = 0; i < keys; i++) {
                // In an order that is not that of the keys.
                tree.put(key((int) (i * 7_919L % keys)), value(random, VALUE_BYTES));
                if (i % 2_500 == 2_499 || i == keys - 1) {
                    checkpoint(false);
                }
            }
            long[] held = held(source);
            System.out.printf(
                    Locale.ROOT,
                    "load: %d values, %d pages, %.1f MiB of pages, %.1f s, heap at most %d MiB%n",
                    keys,
                    held[0],
                    held[1] / 1048576.0,
                    seconds(start),
                    Runtime.getRuntime().maxMemory() >> 20);
            transfer("everything", false);
            change((int) (held[0] / 100), held);
            transfer("after that", false);
            reads();
            transfer("recovery, all right", true);
            source.close();
            behind.close();
        }

        /** Changes so many values, each in a page of its own but for chance. */
        private void change(int changes, long[] held) {
            for (int i = 0; i < changes; i++) {
                tree.put(key(random.nextInt(keys)), value(random, VALUE_BYTES));
            }
            System.out.printf(
                    Locale.ROOT,
                    "%d values changed, %.2f%% of the number of pages%n",
                    changes,
                    100.0 * changes / held[0]);
            checkpoint(true);
        }

        private void checkpoint(boolean show) {
            long start = System.nanoTime();
            StateTree.Checkpoint checkpoint = tree.checkpoint(++number);
            double digested = seconds(start);
            start = System.nanoTime();
            source.write(checkpoint.batch());
            tree.stored(number);
            double written = seconds(start);
            start = System.nanoTime();
            if (number > 1) {
                source.write(tree.discard(number - 1));
            }
            if (show) {
                long bytes = checkpoint.batch().pages().values().stream()
                        .mapToLong(Bytes::length)
                        .sum();
                System.out.printf(
                        Locale.ROOT,
                        "checkpoint: %d pages, %.2f MiB, state stands still %.1f ms, written and synced in %.1f ms,"
                                + " the one before discarded in %.1f ms%n",
                        checkpoint.batch().pages().size(),
                        bytes / 1048576.0,
                        digested * 1e3,
                        written * 1e3,
                        seconds(start) * 1e3);
            }
        }

        private void reads() {
            StateTree cold = StateTree.open(source, CACHE_BYTES);
            int reads = 20_000;
            long start = System.nanoTime();
            long bytes = 0;
            for (int i = 0; i < reads; i++) {
                bytes += cold.get(key(random.nextInt(keys))).orElseThrow().length();
            }
            System.out.printf(
                    Locale.ROOT,
                    "gets at random, cache of %d MiB: %.0f /s, %.1f MiB of values%n",
                    CACHE_BYTES >> 20,
                    reads / seconds(start),
                    bytes / 1048576.0);
        }

        private void transfer(String what, boolean checking) {
            PageServer server = new PageServer(source, 1 << 30);
            StateFetch fetch = new StateFetch(behind, List.of(1, 2, 3), FetchSettings.DEFAULT, checking, number << 32);
            long start = System.nanoTime();
            Deque<FetchEffect> effects = new ArrayDeque<>(fetch.target(
                    0, number, Objects.requireNonNull(tree.checkpoints().get(number))));
            while (true) {
                switch (effects.remove()) {
                    case FetchEffect.Send send ->
                        effects.addAll(fetch.onPages(
                                0,
                                send.replica(),
                                send.token(),
                                server.onFetch(System.nanoTime() / 1_000_000, 0, send.digests())));
                    case FetchEffect.Write write -> behind.write(write.batch());
                    case FetchEffect.ImmediateTick _ -> effects.addAll(fetch.onTick(0));
                    case FetchEffect.Complete complete -> {
                        behind.write(complete.batch());
                        StateFetch.Progress progress = fetch.progress();
                        System.out.printf(
                                Locale.ROOT,
                                "transfer, %s: %d pages, %.2f MiB, %d looked for here, %.2f s%n",
                                what,
                                progress.fetched(),
                                progress.fetchedBytes() / 1048576.0,
                                progress.read(),
                                seconds(start));
                        StateTree opened = StateTree.open(behind, 0);
                        while (opened.checkpoints().size() > 1) {
                            behind.write(opened.discard(opened.checkpoints().firstKey()));
                        }
                        return;
                    }
                    default -> throw new AssertionError("no replica lies here");
                }
            }
        }

        /** The pages of a store, and their bytes. */
        private static long[] held(PageStore store) {
            long[] held = {0, 0};
            store.forEach(digest -> {
                held[0]++;
                held[1] += store.get(digest).orElseThrow().length();
            });
            return held;
        }
    }
}
