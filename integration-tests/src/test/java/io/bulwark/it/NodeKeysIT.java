package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.appliance.cluster.NodeSetup;
import io.bulwark.appliance.cluster.RunningNode;
import io.bulwark.client.Bulwark;
import io.bulwark.client.Volume;
import io.bulwark.client.VolumeSpec;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The nodes tell each other other keys every second, and some begin new lives, while registers are written. */
@NullMarked
@Tag("long")
class NodeKeysIT {
    private static final int NODES = 4;
    private static final int WRITERS = 3;
    private static final int BLOCK = 4096;
    private static final long KEY_MILLIS = 2_000;
    private static final long WAIT_MILLIS_MAX = 120_000;

    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.embedded(NODES);

    private final Map<Integer, RunningNode> nodes = new TreeMap<>();
    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicLong written = new AtomicLong();

    @Test
    void noWriteFailsWhileKeysAreRefreshedAndNodesBeginNewLives() throws Exception {
        CLUSTER.client()
                .createVolume(VolumeSpec.registers("registers", new ProtectionPolicy(1, 2, NODES, BLOCK), 2 * WRITERS));
        ExecutorService load = Executors.newVirtualThreadPerTaskExecutor();
        try {
            for (int node = 0; node < NODES; node++) {
                CLUSTER.stopNode(node);
                start(node);
            }
            awaitAllKeys();
            List<Future<Long>> writers = new ArrayList<>();
            for (int writer = 0; writer < WRITERS; writer++) {
                int number = writer;
                writers.add(load.submit(() -> write(number)));
            }
            awaitTwoRefreshes();
            for (int node = 0; node < NODES; node += 2) {
                Objects.requireNonNull(nodes.remove(node)).close();
                start(node);
                awaitAllKeys();
                awaitTwoRefreshes();
            }
            over.set(true);
            for (Future<Long> writer : writers) {
                assertThat(writer.get()).isPositive();
            }
        } finally {
            over.set(true);
            load.close();
            nodes.values().forEach(RunningNode::close);
        }
    }

    private void start(int node) throws IOException {
        NodeSetup setup = CLUSTER.plan().node(node, CLUSTER.plan().data().node(node));
        nodes.put(node, RunningNode.start(setup.withKeyMillis(KEY_MILLIS)));
    }

    /** Writes and reads until it is over, and throws what fails; how often. */
    private long write(int writer) {
        Random random = new Random(LiveCluster.SEED + writer);
        long done = 0;
        try (Bulwark client = CLUSTER.freshClient()) {
            Volume registers = client.volume("registers");
            while (!over.get()) {
                byte[] content = new byte[BLOCK];
                random.nextBytes(content);
                int block = 2 * writer + random.nextInt(2);
                registers.writeBlock(block, content);
                assertThat(registers.readBlock(block)).as("block %d", block).isEqualTo(content);
                done++;
                written.incrementAndGet();
            }
        }
        return done;
    }

    private void awaitAllKeys() throws InterruptedException {
        await(() -> nodes.values().stream().allMatch(node -> meter(node, "missing") == 0));
    }

    /** Each node chooses for each, itself among them; something is written meanwhile. */
    private void awaitTwoRefreshes() throws InterruptedException {
        long writtenBefore = written.get();
        for (RunningNode node : nodes.values()) {
            double enough = meter(node, "chosen") + 2 * NODES;
            await(() -> meter(node, "chosen") >= enough);
            assertThat(meter(node, "oldest.seconds")).isLessThan(KEY_MILLIS / 1_000.0);
        }
        await(() -> written.get() > writtenBefore);
    }

    private static void await(BooleanSupplier state) throws InterruptedException {
        long end = System.nanoTime() + WAIT_MILLIS_MAX * 1_000_000;
        while (!state.getAsBoolean()) {
            assertThat(System.nanoTime()).as("gave up waiting").isLessThan(end);
            Thread.sleep(20);
        }
    }

    private static double meter(RunningNode node, String name) {
        return node.meters()
                .get("bulwark.node.key." + name)
                .meter()
                .measure()
                .iterator()
                .next()
                .getValue();
    }
}
