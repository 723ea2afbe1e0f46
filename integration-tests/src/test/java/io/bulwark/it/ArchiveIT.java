package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.appliance.drill.Lie;
import io.bulwark.client.Bucket;
import io.bulwark.client.BucketSpec;
import io.bulwark.client.Bulwark;
import io.bulwark.client.ClusterStatus;
import io.bulwark.client.FragmentMap;
import io.bulwark.client.GetOptions;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.Precondition;
import io.bulwark.client.PutOptions;
import io.bulwark.client.VolumeSpec;
import io.bulwark.client.error.InvalidRequestException;
import io.bulwark.client.error.PreconditionFailedException;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.id.BlockRange;
import java.io.ByteArrayInputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The archive class over eleven nodes, as many of which lie and are down as the policy allows. */
@NullMarked
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ArchiveIT {
    private static final int NODES = 11;

    /** Four spare slots: three may be away after a write, and a write does not wait for one. */
    private static final ProtectionPolicy POLICY = ProtectionPolicy.archive(2, 3, NODES, 1 << 20);

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
            boolean held = status.nodes().stream()
                            .allMatch(node -> node.reachable() && node.pending() == 0 && node.lacking() == 0)
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

    /** A write goes to the slots that complete it. The writer ends at once; the nodes do the rest, and a restart forgets nothing. */
    @Test
    @Order(3)
    void theObjectOfADeadWriterGetsAllItsFragments() throws Exception {
        try (Bulwark writer = CLUSTER.freshClient()) {
            byte[] bytes = new byte[5_000_000];
            random.nextBytes(bytes);
            writer.bucket("cold").put("orphan", bytes);
            CONTENT.put("orphan", bytes);
        }
        for (int node : someNodes(2)) {
            CLUSTER.stopNode(node);
            CLUSTER.startNode(node);
        }
        long end = System.nanoTime() + 120_000L * 1_000_000;
        while (good("orphan").stream().anyMatch(good -> good < NODES)) {
            assertThat(System.nanoTime()).as("good %s", good("orphan")).isLessThan(end);
            Thread.sleep(200);
        }
        awaitAllHeld();
    }

    @Test
    @Order(4)
    void aChangedRangeIsStoredAlone() {
        byte[] changed = Objects.requireNonNull(CONTENT.get("segments")).clone();
        ObjectInfo before = bucket().readTo("segments", OutputStream.nullOutputStream(), GetOptions.DEFAULT);
        byte[] patch = new byte[100_000];
        random.nextBytes(patch);
        int at = random.nextInt(changed.length - patch.length);
        System.arraycopy(patch, 0, changed, at, patch.length);
        ObjectInfo after = bucket().overwrite("segments", at, new ByteArrayInputStream(patch), PutOptions.DEFAULT);
        assertThat(after.length()).isEqualTo(before.length());
        CONTENT.put("segments", changed);
        readRight("changed at " + at);
        List<BlockRange> blocks =
                new ArrayList<>(bucket().readTo("segments", OutputStream.nullOutputStream(), GetOptions.DEFAULT)
                        .blocks());
        assertThat(blocks).as("%s", blocks).containsAll(before.blocks());
        blocks.removeAll(before.blocks());
        assertThat(blocks)
                .singleElement()
                .satisfies(range -> assertThat(range.count()).isEqualTo(1));

        bucket().overwrite("segments", changed.length - 5, new ByteArrayInputStream(patch), PutOptions.DEFAULT);
        byte[] grown = Arrays.copyOf(changed, changed.length - 5 + patch.length);
        System.arraycopy(patch, 0, grown, changed.length - 5, patch.length);
        CONTENT.put("segments", grown);
        readRight("grown");
        assertThatThrownBy(() -> bucket().overwrite(
                                "segments", grown.length + 1, new ByteArrayInputStream(patch), PutOptions.DEFAULT))
                .isInstanceOf(InvalidRequestException.class);
        assertThatThrownBy(() -> bucket().overwrite(
                                "segments",
                                0,
                                new ByteArrayInputStream(patch),
                                PutOptions.DEFAULT.withPrecondition(Precondition.ifVersion(before.version()))))
                .isInstanceOf(PreconditionFailedException.class);
        readRight("refused changes do nothing");
    }

    private List<Integer> good(String key) {
        return bucket().fragments(key, 0, 0, FragmentMap.EXTENTS_MAX).extents().stream()
                .map(FragmentMap.Extent::good)
                .toList();
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
