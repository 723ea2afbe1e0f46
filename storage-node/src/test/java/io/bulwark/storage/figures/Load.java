package io.bulwark.storage.figures;

import io.bulwark.protocol.cluster.Verification;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The workloads of the paper's section 5. */
final class Load {
    private static final long PAUSE_MILLIS = 10;
    private static final int FILL_AT_ONCE = 16;

    private Load() {}

    /** Milliseconds. */
    record Latencies(Sample reads, Sample writes) {}

    /**
     * Result of a period without pauses.
     *
     * @param megabytesPerSecond of the clients' content
     * @param counted the growth of a counter in this period
     */
    record Throughput(double megabytesPerSecond, long writes, long counted) {}

    /** One client, one operation at a time, as many reads as writes of random blocks, a pause of 10 ms after each (5.2). */
    static Latencies mixed(FigureCluster cluster, Verification policy, int pairs, SplittableRandom random)
            throws InterruptedException, ExecutionException {
        List<Double> reads = new ArrayList<>();
        List<Double> writes = new ArrayList<>();
        var content = cluster.content(random);
        while (reads.size() < pairs || writes.size() < pairs) {
            boolean reading = writes.size() >= pairs || (reads.size() < pairs && random.nextBoolean());
            var group = cluster.group(policy, random.nextInt(cluster.setup().blocks()));
            long begun = System.nanoTime();
            var _ = (reading ? cluster.read(0, group) : cluster.write(0, group, content)).get();
            (reading ? reads : writes).add((System.nanoTime() - begun) / 1e6);
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        }
        return new Latencies(Sample.of(reads), Sample.of(writes));
    }

    /**
     * Keeps this many writes of random blocks in flight at all clients (5.3).
     *
     * @param warmWrites writes before the measurement; but no longer than {@code warmSeconds}
     * @param counter see {@link Throughput}
     */
    static Throughput writes(
            FigureCluster cluster,
            Verification policy,
            int inFlight,
            long warmWrites,
            double warmSeconds,
            double seconds,
            LongSupplier counter)
            throws InterruptedException {
        AtomicLong done = new AtomicLong();
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        Semaphore over = new Semaphore(0);
        List<Thread> threads = new ArrayList<>();
        for (int client = 0; client < cluster.setup().clients(); client++) {
            int own = client;
            threads.add(
                    Thread.ofPlatform().start(() -> writeUntil(cluster, policy, own, inFlight, over, done, failure)));
        }
        long begun = System.nanoTime();
        while (done.get() < warmWrites && System.nanoTime() - begun < warmSeconds * 1e9 && failure.get() == null) {
            TimeUnit.MILLISECONDS.sleep(5);
        }
        long from = System.nanoTime();
        long before = done.get();
        long counted = counter.getAsLong();
        TimeUnit.NANOSECONDS.sleep((long) (seconds * 1e9));
        long writes = done.get() - before;
        counted = counter.getAsLong() - counted;
        double measured = (System.nanoTime() - from) / 1e9;
        over.release(threads.size());
        for (Thread thread : threads) {
            thread.join();
        }
        if (failure.get() != null) {
            throw new IllegalStateException("a write failed", failure.get());
        }
        double bytes = writes * (double) cluster.setup().blockBytes();
        return new Throughput(bytes / 1e6 / measured, writes, counted);
    }

    private static void writeUntil(
            FigureCluster cluster,
            Verification policy,
            int client,
            int inFlight,
            Semaphore over,
            AtomicLong done,
            AtomicReference<@Nullable Throwable> failure) {
        SplittableRandom random = new SplittableRandom(client);
        var content = cluster.content(random);
        Semaphore places = new Semaphore(inFlight);
        try {
            while (!over.tryAcquire() && failure.get() == null) {
                places.acquire();
                var group = cluster.group(policy, random.nextInt(cluster.setup().blocks()));
                var _ = cluster.write(client, group, content).whenComplete((_, error) -> {
                    done.incrementAndGet();
                    if (error != null) {
                        failure.compareAndSet(null, error);
                    }
                    places.release();
                });
            }
            places.acquire(inFlight);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** All blocks once, so that no read meets one that was never written. */
    static void fill(FigureCluster cluster, Verification policy) throws InterruptedException, ExecutionException {
        var content = cluster.content(new SplittableRandom(1));
        List<CompletableFuture<?>> inFlight = new ArrayList<>();
        for (int block = 0; block < cluster.setup().blocks(); block++) {
            inFlight.add(cluster.write(0, cluster.group(policy, block), content));
            if (inFlight.size() == FILL_AT_ONCE) {
                var _ = inFlight.removeFirst().get();
            }
        }
        for (CompletableFuture<?> last : inFlight) {
            var _ = last.get();
        }
    }
}
