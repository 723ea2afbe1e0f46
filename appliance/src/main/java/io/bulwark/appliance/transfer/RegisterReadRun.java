package io.bulwark.appliance.transfer;

import io.bulwark.client.Bulwark;
import io.bulwark.client.ClusterStatus;
import io.bulwark.client.Volume;
import io.bulwark.protocol.pasis.ReadPlanner;
import io.bulwark.protocol.pasis.ReadTuning;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;

/**
 * Reads blocks of a register volume from several threads, with and without an optimistic first round and hashes instead
 * of copies, and measures (Agile Store paper, 4.3 and 4.4).
 */
public final class RegisterReadRun {
    private static final long SETTLES_MILLIS_MAX = 60_000;
    private static final long PAUSE_MILLIS = 500;
    /** First reads of a choice, in which it adapts. */
    private static final int UNCOUNTED = 64;

    private final Bulwark client;
    private final String volume;
    private final int threads;

    public RegisterReadRun(Bulwark client, String volume, int threads) {
        this.client = client;
        this.volume = volume;
        this.threads = threads;
    }

    /**
     * Measurements of the reads under one choice.
     *
     * @param optimistic whether the first round asks few nodes
     * @param hashing whether most nodes answer with the hash
     */
    public record Result(
            boolean optimistic,
            boolean hashing,
            double seconds,
            ReadPlanner.Statistics statistics,
            Histogram micros,
            List<String> failures) {
        public double bytesPerRead() {
            return (double) statistics.bytes() / Math.max(1, statistics.reads());
        }

        public double nodesPerRead() {
            return (double) statistics.asked() / Math.max(1, statistics.reads());
        }
    }

    /** Writes all blocks, and waits until the nodes have verified them, or for a minute. */
    public void prepare() throws InterruptedException {
        Volume blocks = client.volume(volume);
        byte[] content = new byte[blocks.info().policy().blockBytes()];
        new SplittableRandom(1).nextBytes(content);
        for (long block = 0; block < blocks.info().blocks(); block++) {
            blocks.writeBlock(block, content);
        }
        long startNanos = System.nanoTime();
        while (unverified() > 0 && System.nanoTime() - startNanos < SETTLES_MILLIS_MAX * 1_000_000) {
            Thread.sleep(PAUSE_MILLIS);
        }
    }

    private long unverified() {
        return client.status().volumes().stream()
                .filter(each -> each.volume().name().equals(volume))
                .flatMap(each -> each.versions().values().stream())
                .mapToLong(ClusterStatus.Versions::unverified)
                .sum();
    }

    /** Reads for so long under each choice. */
    public List<Result> run(double secondsEach) throws InterruptedException {
        List<Result> results = new ArrayList<>();
        for (boolean optimistic : new boolean[] {false, true}) {
            for (boolean hashing : new boolean[] {false, true}) {
                ReadTuning tuning = new ReadTuning(
                        optimistic ? ReadTuning.Optimism.ADAPTED : ReadTuning.Optimism.FULL,
                        hashing ? OptionalDouble.empty() : OptionalDouble.of(0));
                results.add(run(optimistic, hashing, tuning, secondsEach));
            }
        }
        return results;
    }

    private Result run(boolean optimistic, boolean hashing, ReadTuning tuning, double seconds)
            throws InterruptedException {
        Volume reading = client.volume(volume).withReads(tuning);
        long blocks = reading.info().blocks();
        for (int i = 0; i < UNCOUNTED; i++) {
            reading.readBlock(i % blocks);
        }
        ReadPlanner.Statistics before = reading.readStatistics();
        ClosedLoop loop = ClosedLoop.run(
                threads, seconds, (thread, round) -> reading.readBlock((thread + (long) round * threads) % blocks));
        return new Result(
                optimistic,
                hashing,
                loop.seconds(),
                reading.readStatistics().since(before),
                loop.micros(),
                loop.failures());
    }
}
