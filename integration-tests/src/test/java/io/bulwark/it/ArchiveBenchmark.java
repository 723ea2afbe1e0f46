package io.bulwark.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.bulwark.appliance.transfer.LoadRun;
import io.bulwark.client.Bucket;
import io.bulwark.client.BucketSpec;
import io.bulwark.client.VolumeSpec;
import io.bulwark.protocol.cluster.ArchiveChooser;
import io.bulwark.protocol.cluster.AvailabilityTarget;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Verification;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Throughput of objects of 10 MB over 40 nodes in this process, over TLS (e-SAFE figures 14 and 15): the archive class beside
 * plain replication and FP with as many faults. On demand, {@code -Dtest=ArchiveBenchmark}. docs/benchmarks.md has its output.
 */
@NullMarked
class ArchiveBenchmark {
    private static final double SECONDS = Double.parseDouble(System.getProperty("bulwark.bench.seconds", "6"));
    private static final double WARM_SECONDS = Double.parseDouble(System.getProperty("bulwark.bench.warm", "15"));
    private static final int THREADS = Integer.getInteger("bulwark.bench.threads", 2);
    private static final int NODES = 40;
    private static final int FAULTS = 4;
    private static final int OBJECT_BYTES = 10_000_000;

    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.embedded(NODES);

    @Test
    void putsAndGets() throws Exception {
        Map<String, ProtectionPolicy> policies = new LinkedHashMap<>();
        policies.put("archive", ArchiveChooser.choose(new AvailabilityTarget(0.9, 1e-6), FAULTS, NODES));
        if (!Boolean.getBoolean("bulwark.bench.archive")) {
            policies.put("fp", new ProtectionPolicy(FAULTS, FAULTS + 1, 3 * FAULTS + 1, 1 << 19));
            policies.put("copies", ProtectionPolicy.pasis(FAULTS, 1, 4 * FAULTS + 1, 1 << 20, Verification.LAZY));
        }
        Map<String, Bucket> buckets = new LinkedHashMap<>();
        for (Map.Entry<String, ProtectionPolicy> each : policies.entrySet()) {
            CLUSTER.client()
                    .createVolume(
                            VolumeSpec.objects(each.getKey(), each.getValue()).withGroups(1));
            CLUSTER.client().createBucket(BucketSpec.of(each.getKey()).inVolume(each.getKey()));
            Bucket bucket = CLUSTER.client().bucket(each.getKey());
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

    private static LoadRun.Result[] run(Bucket bucket, double seconds) throws InterruptedException {
        LoadRun run = new LoadRun(bucket, OBJECT_BYTES, THREADS);
        LoadRun.Result put = run.put(seconds);
        LoadRun.Result get = run.get(seconds);
        assertEquals(List.of(), put.failures());
        assertEquals(List.of(), get.failures());
        return new LoadRun.Result[] {put, get};
    }
}
