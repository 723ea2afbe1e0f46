package io.bulwark.storage.store;

import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.wire.Bytes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bytes that reach the device per byte of fragment, and what a group commit takes; run on demand. Arguments: directory,
 * mebibytes, how many stores are outstanding.
 */
final class StoreWriteBenchmark {
    private static final int[] FRAGMENT_BYTES = {1 << 10, 4 << 10, 64 << 10, 256 << 10, 512 << 10, 1 << 20};
    private static final int META_BYTES = 300;

    private StoreWriteBenchmark() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path directory = Path.of(arguments[0]);
        long bytes = Long.parseLong(arguments[1]) << 20;
        int outstanding = Integer.parseInt(arguments[2]);
        System.out.printf(
                "%10s %8s %12s %10s %10s %12s %12s%n",
                "fragment", "MB/s", "stores/s", "written/B", "syncs/st", "stores/batch", "round");
        for (int length : FRAGMENT_BYTES) {
            Path store = Files.createTempDirectory(directory, "store-");
            int count = (int) Math.min(bytes / length, 20_000);
            StoreConfig config = StoreConfig.standard(store);
            // The second round overwrites the recycled segments of the first.
            for (String round : List.of("fresh", "recycled")) {
                round(config, round, length, count, outstanding);
            }
        }
    }

    private static void round(StoreConfig config, String round, int length, int count, int outstanding)
            throws IOException, InterruptedException {
        SplittableRandom random = new SplittableRandom(length);
        Bytes meta = Records.bytes(random, META_BYTES);
        Bytes fragment = Records.bytes(random, length);
        try (FragmentStore store = FragmentStore.open(config)) {
            Semaphore window = new Semaphore(outstanding);
            AtomicLong failures = new AtomicLong();
            long writtenBefore = writtenBytes();
            long begin = System.nanoTime();
            for (int i = 0; i < count; i++) {
                window.acquire();
                var _ = store.store(List.of(new Mutation.Put(Records.extent(i), meta, fragment)))
                        .thenAccept(stored -> {
                            failures.addAndGet(stored == Stored.DURABLE ? 0 : 1);
                            window.release();
                        });
            }
            window.acquire(outstanding);
            double seconds = (System.nanoTime() - begin) / 1e9;
            StoreUsage usage = store.usage();
            System.out.printf(
                    "%10d %8.1f %12.0f %10.3f %10.2f %12.1f %12s%s%n",
                    length,
                    (double) count * length / seconds / 1e6,
                    count / seconds,
                    (double) (writtenBytes() - writtenBefore) / ((double) count * length),
                    (double) usage.syncs() / count,
                    (double) count / usage.batches(),
                    round,
                    failures.get() == 0 ? "" : " failures: " + failures.get());
            window.release(outstanding);
            for (int i = 0; i < count; i++) {
                window.acquire();
                var _ = store.store(List.of(new Mutation.Delete(Records.extent(i))))
                        .thenRun(window::release);
            }
            window.acquire(outstanding);
        }
    }

    private static long writtenBytes() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/io"))) {
            if (line.startsWith("write_bytes: ")) {
                return Long.parseLong(line.substring("write_bytes: ".length()));
            }
        }
        throw new IOException("/proc/self/io has no write_bytes");
    }
}
