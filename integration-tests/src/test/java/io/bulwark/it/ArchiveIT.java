package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.appliance.drill.Lie;
import io.bulwark.client.Bucket;
import io.bulwark.client.BucketSpec;
import io.bulwark.client.Bulwark;
import io.bulwark.client.ClusterStatus;
import io.bulwark.client.VolumeSpec;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The archive class over sixteen nodes, as many of which lie and are down as the policy allows. */
@NullMarked
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ArchiveIT {
    private static final int NODES = 16;

    /** Eight spare slots: six may be away after a write, and a write does not wait for two. */
    private static final ProtectionPolicy POLICY = ProtectionPolicy.archive(2, 4, NODES, 1 << 20);

    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.embedded(NODES);

    private static final Map<String, byte[]> CONTENT = new TreeMap<>();

    private final Random random = new Random(LiveCluster.SEED);

    private Bucket bucket() {
        return CLUSTER.client().bucket("cold");
    }

    private void put(String key, int length) {
        byte[] bytes = new byte[length];
        new Random(LiveCluster.SEED + length).nextBytes(bytes);
        bucket().put(key, bytes);
        CONTENT.put(key, bytes);
    }

    private List<Integer> someNodes(int count) {
        List<Integer> nodes = new ArrayList<>(IntStream.range(0, NODES).boxed().toList());
        Collections.shuffle(nodes, random);
        return nodes.subList(0, count);
    }

    private static void readRight(String what) {
        try (Bulwark fresh = CLUSTER.freshClient()) {
            CONTENT.forEach((key, bytes) -> assertThat(fresh.bucket("cold").getBytes(key))
                    .as("%s: %s, seed %d", what, key, LiveCluster.SEED)
                    .isEqualTo(bytes));
        }
    }

    /** Waits until every node is up, has compared what it holds with what is referenced, and lacks nothing. */
    private static void awaitAllHeld() throws InterruptedException {
        long end = System.nanoTime() + 120_000L * 1_000_000;
        while (true) {
            ClusterStatus status = CLUSTER.client().status();
            boolean held = status.nodes().stream().allMatch(node -> node.reachable() && node.pending() == 0)
                    && status.volumes().stream()
                            .allMatch(volume -> volume.unverified().isEmpty());
            if (held) {
                return;
            }
            assertThat(System.nanoTime()).as("still %s", status.nodes()).isLessThan(end);
            Thread.sleep(200);
        }
    }

    @Test
    @Order(1)
    void twoLieAndAllSpareNodesAreDown() throws Exception {
        CLUSTER.client().createVolume(VolumeSpec.objects("cold", POLICY));
        CLUSTER.client().createBucket(BucketSpec.of("cold").inVolume("cold"));
        put("empty", 0);
        put("small", 100);
        put("some", 300_000);
        put("more", 300_001);
        put("segments", 3 << 20);
        awaitAllHeld();

        List<Integer> chosen = someNodes(POLICY.f() + POLICY.spareSlots());
        List<Integer> liars = chosen.subList(0, POLICY.f());
        List<Integer> down = chosen.subList(POLICY.f(), chosen.size());
        for (int node : down) {
            CLUSTER.stopNode(node);
        }
        for (int node : liars) {
            CLUSTER.lie(node, Lie.SWAP);
        }
        readRight("liars " + liars + ", down " + down);
        for (int node : down) {
            CLUSTER.startNode(node);
        }
        awaitAllHeld();
    }

    @Test
    @Order(2)
    void writesWithoutNodesThatAreDownCompleteThemselves() throws Exception {
        List<Integer> down = someNodes(NODES - POLICY.writeQuorum());
        for (int node : down) {
            CLUSTER.stopNode(node);
        }
        put("early", 2_000_000);
        readRight("down " + down);
        for (int node : down) {
            CLUSTER.startNode(node);
        }
        awaitAllHeld();
        List<Integer> others = IntStream.range(0, NODES)
                .filter(node -> !down.contains(node))
                .boxed()
                .limit(POLICY.spareSlots() + POLICY.f())
                .toList();
        for (int node : others) {
            CLUSTER.stopNode(node);
        }
        readRight("of those that stored it only some are up: down " + others);
        for (int node : others) {
            CLUSTER.startNode(node);
        }
    }
}
