package io.bulwark.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.bulwark.appliance.transfer.LoadRun;
import io.bulwark.client.Bucket;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Processor time and heap allocation of puts and gets at all parties together: client, nodes and replicas run in this
 * process, over TLS, with stores in memory where there is enough of it. On demand, {@code -Dtest=DataPathBenchmark}.
 * docs/benchmarks.md has its output.
 */
@NullMarked
class DataPathBenchmark {
    private static final double SECONDS = Double.parseDouble(System.getProperty("bulwark.bench.seconds", "6"));
    private static final double WARM_SECONDS = Double.parseDouble(System.getProperty("bulwark.bench.warm", "20"));

    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.embedded(5);

    private record Load(int sizeBytes, int threads) {}

    @Test
    void putsAndGets() throws Exception {
        Bucket bucket = CLUSTER.client().createBucket("path");
        List<Load> loads = List.of(new Load(1 << 20, 4), new Load(4096, 4));
        for (Load load : loads) {
            run(bucket, load, WARM_SECONDS, false);
        }
        System.out.println(
                "| | op/s | processor ms each | processor s per GiB | KiB allocated each |\n|---|---|---|---|---|");
        for (Load load : loads) {
            run(bucket, load, SECONDS, true);
        }
    }

    private static void run(Bucket bucket, Load load, double seconds, boolean shown) throws InterruptedException {
        LoadRun run = new LoadRun(bucket, load.sizeBytes(), load.threads());
        LoadRun.Result put = run.put(seconds);
        LoadRun.Result get = run.get(seconds);
        assertEquals(List.of(), put.failures());
        assertEquals(List.of(), get.failures());
        if (shown) {
            print("put", load, put);
            print("get", load, get);
        }
    }

    private static void print(String name, Load load, LoadRun.Result result) {
        System.out.printf(
                Locale.ROOT,
                "| %s %d KiB, %d at once | %.0f | %.2f | %.1f | %.0f |%n",
                name,
                load.sizeBytes() >> 10,
                load.threads(),
                result.operationsPerSecond(),
                result.processorMillisPerOperation(),
                result.processorSecondsPerGibibyte(),
                result.allocatedBytesPerOperation() / 1024);
    }
}
