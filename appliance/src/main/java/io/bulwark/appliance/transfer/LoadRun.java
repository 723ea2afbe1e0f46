package io.bulwark.appliance.transfer;

import io.bulwark.client.Bucket;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.bulk.ParallelWork;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/** Puts or gets objects of one size from several threads for a while, and measures. */
public final class LoadRun {
    private static final int KEYS_PER_THREAD = 64;

    private final Bucket bucket;
    private final int sizeBytes;
    private final int threads;

    private final Supplier<Optional<ServerCost>> servers;

    /** Creates a run whose servers do not tell their cost. */
    public LoadRun(Bucket bucket, int sizeBytes, int threads) {
        this(bucket, sizeBytes, threads, Optional::empty);
    }

    /** @param servers tells the cost of the servers so far, if it is known */
    public LoadRun(Bucket bucket, int sizeBytes, int threads, Supplier<Optional<ServerCost>> servers) {
        this.servers = servers;
        this.bucket = bucket;
        this.sizeBytes = sizeBytes;
        this.threads = threads;
    }

    /**
     * Measurements; latencies in microseconds.
     *
     * @param serversEach cost of each operation at the servers, if they tell
     */
    public record Result(
            long operations,
            long bytes,
            double seconds,
            ProcessCost cost,
            Optional<ServerCost> serversEach,
            Histogram micros,
            List<String> failures) {
        public double mebibytesPerSecond() {
            return bytes / seconds / (1 << 20);
        }

        public double operationsPerSecond() {
            return operations / seconds;
        }

        /** Returns the processor seconds of this process for each GiB. */
        public double processorSecondsPerGibibyte() {
            return cost.processorSeconds() / bytes * (1 << 30);
        }

        /** Returns the processor milliseconds of this process for each operation. */
        public double processorMillisPerOperation() {
            return cost.processorSeconds() * 1000 / operations;
        }

        /** Returns the heap bytes that this process allocated for each operation. */
        public double allocatedBytesPerOperation() {
            return (double) cost.allocatedBytes() / operations;
        }

        public long p50Micros() {
            return micros.getValueAtPercentile(50);
        }

        public long p99Micros() {
            return micros.getValueAtPercentile(99);
        }
    }

    private interface Operation {
        void run(String key, int round);
    }

    /** Puts objects whose bytes differ in each. */
    public Result put(double seconds) throws InterruptedException {
        byte[] content = new byte[sizeBytes];
        new SplittableRandom(1).nextBytes(content);
        ThreadLocal<byte[]> contents = ThreadLocal.withInitial(content::clone);
        return run(seconds, (key, round) -> {
            byte[] own = contents.get();
            for (int i = 0; i < Math.min(4, own.length); i++) {
                own[i] = (byte) (round >>> (8 * i));
            }
            bucket.put(key, own);
        });
    }

    /** Gets objects that are put before the clock starts. */
    public Result get(double seconds) throws InterruptedException {
        byte[] content = new byte[sizeBytes];
        new SplittableRandom(1).nextBytes(content);
        List<Runnable> preparation = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            for (int i = 0; i < keys(); i++) {
                String key = key(thread, i);
                preparation.add(() -> bucket.put(key, content));
            }
        }
        ParallelWork.run(preparation, threads);
        return run(seconds, (key, round) -> bucket.readTo(key, OutputStream.nullOutputStream()));
    }

    /** Deletes everything in the bucket. */
    public void clear() throws InterruptedException {
        clear(bucket, threads);
    }

    /** Deletes everything in a bucket, so many objects at a time. */
    static void clear(Bucket bucket, int atOnce) throws InterruptedException {
        List<Runnable> deletions;
        try (Stream<ObjectInfo> all = bucket.stream("")) {
            deletions = all.<Runnable>map(object -> () -> bucket.delete(object.key()))
                    .toList();
        }
        ParallelWork.run(deletions, atOnce);
    }

    private Result run(double seconds, Operation operation) throws InterruptedException {
        Optional<ServerCost> serversBefore = servers.get();
        ProcessCost before = ProcessCost.now();
        ClosedLoop loop =
                ClosedLoop.run(threads, seconds, (thread, round) -> operation.run(key(thread, round % keys()), round));
        ProcessCost cost = ProcessCost.now().minus(before);
        Optional<ServerCost> serversEach = serversBefore.flatMap(earlier ->
                servers.get().map(later -> later.each(earlier, Math.max(1, loop.operations()))));
        return new Result(
                loop.operations(),
                loop.operations() * sizeBytes,
                loop.seconds(),
                cost,
                serversEach,
                loop.micros(),
                loop.failures());
    }

    private int keys() {
        return Math.clamp((256L << 20) / Math.max(1L, (long) sizeBytes * threads), 1, KEYS_PER_THREAD);
    }

    private static String key(int thread, int index) {
        return "bench/" + thread + "/" + index;
    }
}
