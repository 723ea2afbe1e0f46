package io.bulwark.it;

import io.bulwark.appliance.boot.Bundle;
import io.bulwark.appliance.network.HostNetwork;
import io.bulwark.client.Bucket;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Throughput of a network that is the bottleneck. Nodes, replicas and the client run on hosts of their own, with cables
 * of limited rate, and for comparison without a limit. On demand, {@code -Dtest=HostsBenchmark}; {@code
 * -Dbulwark.bench.cap} is the limit in bytes per second. docs/benchmarks.md has its output.
 */
@NullMarked
class HostsBenchmark {
    private static final int NODES = 5;
    private static final long CAP = Long.getLong("bulwark.bench.cap", 50_000_000 / 8);
    private static final int OBJECTS = Integer.getInteger("bulwark.bench.objects", 8);
    private static final int OBJECT_BYTES = 4 << 20;
    private static final int AT_ONCE = 4;
    private static final int CUT = 1;
    private static final int LOST = 4;
    /** Fragments that are enough for a reader, and for a writer, of the standard policy. */
    private static final int M = 2;

    private static final int WRITE_QUORUM = 3;

    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.ofHosts(NODES);

    private final Random random = new Random(LiveCluster.SEED);

    /** Traffic of one step. */
    private record Moved(long bytes, double seconds, long carried) {
        /** Returns the used share of a cable's limit, if each byte needs so many on the wire. */
        double ofLimit(double needed) {
            return bytes * needed / seconds / CAP;
        }

        String text(String what, String network, double needed) {
            return String.format(
                    Locale.ROOT,
                    "| %s | %s | %.2f | %.2f | %.2f | %.2f |",
                    what,
                    network,
                    bytes / seconds / 1e6,
                    needed,
                    carried / (double) bytes,
                    ofLimit(needed));
        }
    }

    private interface Counter {
        long bytes() throws IOException;
    }

    private interface Action {
        void run() throws Exception;
    }

    @AfterEach
    void restoreAllCables() throws IOException {
        for (HostNetwork.Host host : CLUSTER.network().hosts()) {
            host.restore();
        }
    }

    @Test
    void cappedAndNot() throws Exception {
        Bucket bucket = CLUSTER.client().createBucket("bench");
        fill(bucket, "warm");
        System.out.printf(
                Locale.ROOT,
                "%d objects of %d MiB, %d at once; a cable carries %.2f MB/s each way%n",
                OBJECTS,
                OBJECT_BYTES >> 20,
                AT_ONCE,
                CAP / 1e6);
        System.out.println("| | network | MB/s | bytes per byte on the cable, at least | counted | of the limit |");
        System.out.println("|---|---|---|---|---|---|");
        steps(bucket, "free");
        for (HostNetwork.Host host : CLUSTER.network().hosts()) {
            host.cap(CAP);
        }
        steps(bucket, "capped");
        // Made of M fragments each, so half of what the cable carries.
        rebuildAt(CAP / (2 * M));
        rebuild(bucket, "capped, rebuild-rate half of that");
    }

    private void steps(Bucket bucket, String network) throws Exception {
        HostNetwork.Host client = CLUSTER.network().own();
        double written = WRITE_QUORUM / (double) M;
        System.out.println(
                moved(total(), client::sentBytes, () -> fill(bucket, network)).text("put", network, written));
        CLUSTER.awaitFullFaults();
        System.out.println(moved(total(), client::receivedBytes, () -> read(bucket, network))
                .text("get", network, 1));
        HostNetwork.Host cut = CLUSTER.network().host("node-" + CUT);
        cut.unplug();
        // The first to notice waits; that is no throughput.
        bucket.put("notice", bytes(OBJECT_BYTES));
        System.out.println(moved(total(), client::sentBytes, () -> fill(bucket, network + "-cut"))
                .text("put, a host cut off", network, written));
        System.out.println(moved(total(), client::receivedBytes, () -> read(bucket, network))
                .text("get, a host cut off", network, 1));
        cut.plug();
        CLUSTER.awaitFullFaults();
        rebuild(bucket, network);
    }

    /** From when the node with its empty disk listens, until it has all, while others read. */
    private void rebuild(Bucket bucket, String network) throws Exception {
        HostNetwork.Host host = CLUSTER.network().host("node-" + LOST);
        long lost = CLUSTER.client().status().nodes().get(LOST).usedBytes();
        CLUSTER.loseDisk(LOST);
        AtomicBoolean over = new AtomicBoolean();
        AtomicLong readBytes = new AtomicLong();
        HostNetwork.Host client = CLUSTER.network().own();
        long carried = client.receivedBytes();
        try (ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < M; i++) {
                int reader = i;
                Future<?> _ = readers.submit(() -> {
                    for (int next = reader; !over.get(); next++) {
                        readBytes.addAndGet(bucket.getBytes("warm/" + next % OBJECTS).length);
                    }
                });
            }
            Moved rebuilt;
            try {
                rebuilt = moved(lost, host::receivedBytes, CLUSTER::awaitFullFaults);
            } finally {
                over.set(true);
            }
            System.out.println(rebuilt.text("a lost disk rebuilt", network, M));
            System.out.println(new Moved(readBytes.get(), rebuilt.seconds(), client.receivedBytes() - carried)
                    .text("gets meanwhile, " + M + " at once", network, 1));
        }
    }

    /** From its next start on. */
    private static void rebuildAt(long bytesPerSecond) throws IOException {
        Path role = CLUSTER.root().resolve("hosts").resolve("node-" + LOST).resolve(Bundle.ROLE);
        String was = Files.readString(role);
        String limited = was.replaceFirst("rebuild-rate: .*", "rebuild-rate: " + bytesPerSecond + "B");
        if (limited.equals(was)) {
            throw new IllegalStateException("no rate in " + role);
        }
        Files.writeString(role, limited);
    }

    private static Moved moved(long bytes, Counter counter, Action action) throws Exception {
        long before = counter.bytes();
        long began = System.nanoTime();
        action.run();
        double seconds = (System.nanoTime() - began) / 1e9;
        return new Moved(bytes, seconds, counter.bytes() - before);
    }

    private static long total() {
        return (long) OBJECTS * OBJECT_BYTES;
    }

    private void fill(Bucket bucket, String prefix) throws Exception {
        byte[] content = bytes(OBJECT_BYTES);
        together(i -> bucket.put(prefix + "/" + i, content));
    }

    private static void read(Bucket bucket, String prefix) throws Exception {
        together(i -> {
            if (bucket.getBytes(prefix + "/" + i).length != OBJECT_BYTES) {
                throw new IllegalStateException(prefix + "/" + i + " is not whole");
            }
        });
    }

    private static void together(IntConsumer one) throws Exception {
        AtomicInteger next = new AtomicInteger();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?>[] all = new Future<?>[AT_ONCE];
            for (int i = 0; i < AT_ONCE; i++) {
                all[i] = threads.submit(() -> {
                    for (int object = next.getAndIncrement(); object < OBJECTS; object = next.getAndIncrement()) {
                        one.accept(object);
                    }
                });
            }
            for (Future<?> each : all) {
                each.get();
            }
        }
    }

    private byte[] bytes(int size) {
        byte[] bytes = new byte[size];
        random.nextBytes(bytes);
        return bytes;
    }
}
