package io.bulwark.storage.figures;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.pasis.PasisGroup;
import io.bulwark.protocol.pasis.ReadPlan;
import io.bulwark.protocol.pasis.ReadReport;
import io.bulwark.storage.figures.Cells.Value;
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

/** The workloads of the lazy verification paper's section 5, and of the Agile Store paper's section 4. */
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
    record Throughput(double megabytesPerSecond, long operations, long counted) {}

    /** Starts an operation of a client. */
    interface Operation {
        CompletableFuture<?> begin(int client, SplittableRandom random);
    }

    /** One client, one operation at a time, as many reads as writes of random blocks, a pause of 10 ms after each (5.2). */
    static Latencies mixed(FigureCluster cluster, ProtectionPolicy policy, int pairs, SplittableRandom random)
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

    /** One client reads random blocks, one at a time: the mean latency in milliseconds. */
    static Value reads(
            FigureCluster cluster, ProtectionPolicy policy, ReadPlans plans, int count, SplittableRandom random)
            throws InterruptedException, ExecutionException {
        double nanos = 0;
        int secondRounds = 0;
        for (int i = 0; i < count; i++) {
            PasisGroup group =
                    cluster.group(policy, random.nextInt(cluster.setup().blocks()));
            ReadPlan plan = plans.next(group, random);
            long begun = System.nanoTime();
            ReadReport report = cluster.read(0, group, plan).get().report();
            long taken = System.nanoTime() - begun;
            plans.finished(group, report, taken);
            nanos += taken;
            secondRounds += isLonger(report) ? 1 : 0;
        }
        return new Value(nanos / 1e6 / count, (double) secondRounds / count);
    }

    /** One client writes random blocks, one at a time: the mean latency in milliseconds. */
    static Value writes(FigureCluster cluster, ProtectionPolicy policy, int count, SplittableRandom random)
            throws InterruptedException, ExecutionException {
        var content = cluster.content(random);
        long begun = System.nanoTime();
        for (int i = 0; i < count; i++) {
            var group = cluster.group(policy, random.nextInt(cluster.setup().blocks()));
            var _ = cluster.write(0, group, content).get();
        }
        return new Value((System.nanoTime() - begun) / 1e6 / count, 0);
    }

    private static boolean isLonger(ReadReport report) {
        return report.secondRound() || report.fetched();
    }

    /** Returns reads of random blocks, which count their second rounds. */
    static Operation readsOf(FigureCluster cluster, ProtectionPolicy policy, ReadPlans plans, AtomicLong secondRounds) {
        return (client, random) -> {
            PasisGroup group =
                    cluster.group(policy, random.nextInt(cluster.setup().blocks()));
            return cluster.read(client, group, plans.next(group, random))
                    .thenAccept(read -> secondRounds.addAndGet(isLonger(read.report()) ? 1 : 0));
        };
    }

    /** Returns writes of random blocks, all with the same content. */
    static Operation writesOf(FigureCluster cluster, ProtectionPolicy policy) {
        var content = cluster.content(new SplittableRandom(0));
        return (client, random) -> {
            var group = cluster.group(policy, random.nextInt(cluster.setup().blocks()));
            return cluster.write(client, group, content);
        };
    }

    /**
     * Keeps this many operations in flight at all clients (5.3).
     *
     * @param warmOperations operations before the measurement; but no longer than {@code warmSeconds}
     * @param counter see {@link Throughput}
     */
    static Throughput throughput(
            FigureCluster cluster,
            Operation operation,
            int inFlight,
            long warmOperations,
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
            threads.add(Thread.ofPlatform().start(() -> runUntil(operation, own, inFlight, over, done, failure)));
        }
        long begun = System.nanoTime();
        while (done.get() < warmOperations && System.nanoTime() - begun < warmSeconds * 1e9 && failure.get() == null) {
            TimeUnit.MILLISECONDS.sleep(5);
        }
        long from = System.nanoTime();
        long before = done.get();
        long counted = counter.getAsLong();
        TimeUnit.NANOSECONDS.sleep((long) (seconds * 1e9));
        long operations = done.get() - before;
        counted = counter.getAsLong() - counted;
        double measured = (System.nanoTime() - from) / 1e9;
        over.release(threads.size());
        for (Thread thread : threads) {
            thread.join();
        }
        if (failure.get() != null) {
            throw new IllegalStateException("an operation failed", failure.get());
        }
        double bytes = operations * (double) cluster.setup().blockBytes();
        return new Throughput(bytes / 1e6 / measured, operations, counted);
    }

    private static void runUntil(
            Operation operation,
            int client,
            int inFlight,
            Semaphore over,
            AtomicLong done,
            AtomicReference<@Nullable Throwable> failure) {
        SplittableRandom random = new SplittableRandom(client);
        Semaphore places = new Semaphore(inFlight);
        try {
            while (!over.tryAcquire() && failure.get() == null) {
                places.acquire();
                var _ = operation.begin(client, random).whenComplete((_, error) -> {
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
    static void fill(FigureCluster cluster, ProtectionPolicy policy) throws InterruptedException, ExecutionException {
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
