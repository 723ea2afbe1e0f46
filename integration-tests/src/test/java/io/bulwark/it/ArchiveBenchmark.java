package io.bulwark.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.bulwark.appliance.transfer.LoadRun;
import io.bulwark.client.Bucket;
import io.bulwark.client.BucketSpec;
import io.bulwark.client.ClusterStatus;
import io.bulwark.client.VolumeSpec;
import io.bulwark.protocol.cluster.ArchiveChooser;
import io.bulwark.protocol.cluster.AvailabilityTarget;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.extent.ExtentCoding;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The archive class over 40 nodes in this process, over TLS, beside plain replication and FP with as many faults: e-SAFE figures 10
 * to 17. On demand, {@code -Dtest=ArchiveBenchmark}. docs/benchmarks.md has its output.
 */
@NullMarked
class ArchiveBenchmark {
    private static final double SECONDS = Double.parseDouble(System.getProperty("bulwark.bench.seconds", "6"));
    private static final double WARM_SECONDS = Double.parseDouble(System.getProperty("bulwark.bench.warm", "15"));
    private static final int THREADS = Integer.getInteger("bulwark.bench.threads", 2);
    private static final int NODES = 40;
    private static final int FAULTS = 4;
    private static final int OBJECT_BYTES = 10_000_000;
    private static final int[] SIZES = {100_000, 1_000_000, OBJECT_BYTES};
    private static final int CODING_ROUNDS = 50;
    private static final int BURST_BYTES = 100_000_000;
    private static final int BURST_SECONDS = Integer.getInteger("bulwark.bench.burst", 200);
    private static final int BURST_LEVELS = 7;
    /** Further steps after the last chunk. */
    private static final int BURST_AFTER = 32;

    private static final int BURST_SAMPLE = 8;
    private static final double B_MODEL_BIAS = 0.7;

    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.embedded(NODES);

    @Test
    void putsAndGets() throws Exception {
        Map<String, ProtectionPolicy> policies = new LinkedHashMap<>();
        policies.put("archive", ArchiveChooser.choose(new AvailabilityTarget(0.9, 1e-6), FAULTS, NODES));
        if (!Boolean.getBoolean("bulwark.bench.archive")) {
            policies.put("fp-few", new ProtectionPolicy(FAULTS, FAULTS + 1, 3 * FAULTS + 1, 1 << 19));
            policies.put("copies", ProtectionPolicy.pasis(FAULTS, 1, 4 * FAULTS + 1, 1 << 20, Verification.LAZY));
        }
        Map<String, Bucket> buckets = new LinkedHashMap<>();
        for (Map.Entry<String, ProtectionPolicy> each : policies.entrySet()) {
            Bucket bucket = bucket(each.getKey(), each.getValue());
            buckets.put(each.getKey(), bucket);
            run(bucket, WARM_SECONDS);
        }
        System.out.println(
                "| | put MB/s | ms of processor each | get MB/s | ms of processor each |\n|---|---|---|---|---|");
        for (Map.Entry<String, Bucket> each : buckets.entrySet()) {
            Thread.sleep(2_000);
            LoadRun.Result[] results = run(each.getValue(), SECONDS);
            ProtectionPolicy policy = Objects.requireNonNull(policies.get(each.getKey()));
            System.out.printf(
                    Locale.ROOT,
                    "| %s, blocks of %d KiB | %.1f | %.0f | %.1f | %.0f |%n",
                    policy.text(),
                    policy.blockBytes() >> 10,
                    results[0].operationsPerSecond() * OBJECT_BYTES / 1e6,
                    results[0].processorMillisPerOperation(),
                    results[1].operationsPerSecond() * OBJECT_BYTES / 1e6,
                    results[1].processorMillisPerOperation());
        }
    }

    /** Figures 10 to 15: one caller, by the size of objects and the number of slots; the share of coding is measured alone. */
    @Test
    void latencies() throws Exception {
        System.out.println("| slots, objects of KB | put p50 ms | of it coding | get p50 ms | of it coding |\n"
                + "|---|---|---|---|---|");
        for (int slots : new int[] {10, 20, 40}) {
            ProtectionPolicy archive = ProtectionPolicy.archive(1, slots / 3, slots, 1 << 20);
            Bucket bucket = bucket("slots-" + slots, archive);
            for (int bytes : SIZES) {
                latency(archive.text(), bucket, bytes, ExtentCoding.of(archive), archive);
            }
        }
        ProtectionPolicy copies = ProtectionPolicy.pasis(1, 1, 5, 1 << 20, Verification.LAZY);
        Bucket bucket = bucket("five-copies", copies);
        for (int bytes : SIZES) {
            latency(copies.text(), bucket, bytes, ExtentCoding.of(copies), copies);
        }
    }

    private static void latency(String name, Bucket bucket, int bytes, ExtentCoding coding, ProtectionPolicy policy)
            throws InterruptedException {
        LoadRun run = new LoadRun(bucket, bytes, 1);
        run.put(WARM_SECONDS / 3);
        LoadRun.Result put = run.put(SECONDS / 2);
        LoadRun.Result get = run.get(SECONDS / 2);
        assertEquals(List.of(), put.failures());
        assertEquals(List.of(), get.failures());
        double[] codingMillis = codingMillis(coding, policy, bytes);
        System.out.printf(
                Locale.ROOT,
                "| %s, %d | %.1f | %.0f%% | %.1f | %.0f%% |%n",
                name,
                bytes / 1000,
                put.p50Micros() / 1e3,
                100 * codingMillis[0] / (put.p50Micros() / 1e3),
                get.p50Micros() / 1e3,
                100 * codingMillis[1] / (get.p50Micros() / 1e3));
    }

    /** Returns what encoding and decoding an object takes in one thread, from parity as far as there is any. */
    private static double[] codingMillis(ExtentCoding coding, ProtectionPolicy policy, int bytes) {
        int blocks = Math.max(1, Math.ceilDiv(bytes, policy.blockBytes()));
        Bytes block = Bytes.of(new byte[policy.paddedBytes(Math.min(bytes, policy.blockBytes()))]);
        double encode = Double.MAX_VALUE;
        double decode = Double.MAX_VALUE;
        for (int round = 0; round < CODING_ROUNDS; round++) {
            long began = System.nanoTime();
            ExtentCoding.Encoded encoded = coding.encode(block);
            encode = Math.min(encode, (System.nanoTime() - began) / 1e6);
            SortedMap<Integer, Bytes> some = new TreeMap<>();
            for (int slot = policy.n() - policy.m(); slot < policy.n(); slot++) {
                some.put(slot, encoded.fragments().get(slot));
            }
            began = System.nanoTime();
            coding.decode(encoded.checksum(), some, false);
            decode = Math.min(decode, (System.nanoTime() - began) / 1e6);
        }
        return new double[] {encode * blocks, decode * blocks};
    }

    /**
     * Figures 16 and 17: 100 MB over 200 s, of which the b-model (bias 0.7) gives each half of any span 70% or 30%; extents that wait for
     * dissemination, over time.
     */
    @Test
    void burst() throws Exception {
        ProtectionPolicy policy = ArchiveChooser.choose(new AvailabilityTarget(0.9, 1e-6), FAULTS, NODES);
        Bucket bucket = bucket("burst", policy);
        run(bucket, WARM_SECONDS);
        List<Integer> chunks = new ArrayList<>();
        divide(BURST_BYTES, BURST_LEVELS, new SplittableRandom(LiveCluster.SEED), chunks);
        Histogram millis = new Histogram(3);
        System.out.println("| s | written MB | most lacking at a node | lacking at all |\n|---|---|---|---|");
        long began = System.nanoTime();
        double written = 0;
        for (int i = 0; i <= chunks.size() + BURST_AFTER; i++) {
            long due = began + i * TimeUnit.SECONDS.toNanos(BURST_SECONDS) / chunks.size();
            TimeUnit.NANOSECONDS.sleep(Math.max(0, due - System.nanoTime()));
            if (i < chunks.size() && chunks.get(i) > 0) {
                long put = System.nanoTime();
                bucket.put("chunk-" + i, new byte[chunks.get(i)]);
                millis.recordValue(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - put));
                written += chunks.get(i) / 1e6;
            }
            if (i % BURST_SAMPLE == 0) {
                List<Long> lacking = CLUSTER.client().status().nodes().stream()
                        .map(ClusterStatus.NodeStatus::lacking)
                        .toList();
                System.out.printf(
                        Locale.ROOT,
                        "| %.0f | %.1f | %d | %d |%n",
                        (System.nanoTime() - began) / 1e9,
                        written,
                        Collections.max(lacking),
                        lacking.stream().mapToLong(Long::longValue).sum());
            }
        }
        System.out.println("put p50, p99, most: " + millis.getValueAtPercentile(50) + ", "
                + millis.getValueAtPercentile(99) + ", " + millis.getMaxValue() + " ms");
    }

    private static void divide(int bytes, int levels, SplittableRandom random, List<Integer> chunks) {
        if (levels == 0) {
            chunks.add(bytes);
            return;
        }
        int more = (int) (bytes * B_MODEL_BIAS);
        boolean first = random.nextBoolean();
        divide(first ? more : bytes - more, levels - 1, random, chunks);
        divide(first ? bytes - more : more, levels - 1, random, chunks);
    }

    private static Bucket bucket(String name, ProtectionPolicy policy) {
        CLUSTER.client().createVolume(VolumeSpec.objects(name, policy).withGroups(1));
        CLUSTER.client().createBucket(BucketSpec.of(name).inVolume(name));
        return CLUSTER.client().bucket(name);
    }

    private static LoadRun.Result[] run(Bucket bucket, double seconds) throws InterruptedException {
        LoadRun run = new LoadRun(bucket, OBJECT_BYTES, THREADS);
        LoadRun.Result put = run.put(seconds);
        LoadRun.Result get = run.get(seconds);
        assertEquals(List.of(), put.failures());
        assertEquals(List.of(), get.failures());
        return new LoadRun.Result[] {put, get};
    }
}
