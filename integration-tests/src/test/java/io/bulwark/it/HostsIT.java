package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.appliance.cluster.Member;
import io.bulwark.appliance.network.HostNetwork;
import io.bulwark.client.Bucket;
import io.bulwark.client.Bulwark;
import io.bulwark.client.ClusterStatus;
import java.io.IOException;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Nodes and replicas on hosts of their own, over TLS: slow cables, cables that are pulled, hosts that miss each other. */
@NullMarked
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Tag("nightly")
class HostsIT {
    private static final int NODES = 5;
    private static final long BYTES_PER_SECOND = 1 << 20;
    private static final int LARGE_BYTES = 2 << 20;
    /** Burst that a cable passes after a pause. */
    private static final int BURST_BYTES = 256 << 10;

    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.ofHosts(NODES);

    private final Random random = new Random(LiveCluster.SEED);

    /** A test that failed leaves its cables as they were for it. */
    @AfterEach
    void restoreAllCables() throws IOException {
        for (HostNetwork.Host host : CLUSTER.network().hosts()) {
            host.restore();
        }
    }

    @Test
    @Order(1)
    void membersAreReachedAtTheirHostsAlone() {
        ClusterStatus status = CLUSTER.client().status();
        assertThat(status.nodes()).allSatisfy(node -> {
            assertThat(node.reachable()).isTrue();
            assertThat(node.address())
                    .startsWith(CLUSTER.network().host("node-" + node.node()).address() + ":");
        });
        assertThat(status.replicas()).allSatisfy(replica -> {
            assertThat(replica.reachable()).isTrue();
            assertThat(replica.address())
                    .startsWith(CLUSTER.network()
                                    .host("replica-" + replica.replica())
                                    .address() + ":");
        });
    }

    /** Bytes cannot be faster than the cable, however fast the machine; that they are slower for other reasons is no failure. */
    @Test
    @Order(2)
    void whatPassesASlowCableIsAsSlowAndWhole() throws Exception {
        Bucket bucket = CLUSTER.client().createBucket("slow");
        byte[] content = bytes(LARGE_BYTES);
        HostNetwork.Host clients = CLUSTER.network().own();
        HostNetwork.Host node = CLUSTER.network().host("node-1");
        clients.cap(BYTES_PER_SECOND);
        node.cap(BYTES_PER_SECOND);
        assertThat(seconds(() -> bucket.put("large", content))).isGreaterThan(leastSeconds());
        assertThat(seconds(() -> assertThat(bucket.getBytes("large")).isEqualTo(content)))
                .isGreaterThan(leastSeconds());
        clients.uncap();
        for (int i = 0; i < 4; i++) {
            bucket.put("large-" + i, content);
            assertThat(bucket.getBytes("large-" + i)).isEqualTo(content);
        }
        assertThat(node.heldBack()).as("what came faster than its cable").isPositive();
        node.uncap();
        CLUSTER.awaitFullFaults();
    }

    @Test
    @Order(3)
    void aNodeAndAReplicaWhoseCablesArePulledAreDoneWithoutAndCatchUp() throws Exception {
        Map<String, OptionalLong> processes = processes();
        Bucket bucket = CLUSTER.client().createBucket("pulled");
        Map<String, byte[]> content = new TreeMap<>();
        put(bucket, content, "before");
        // The first primary, so that there has to be another.
        CLUSTER.network().host("replica-0").unplug();
        CLUSTER.network().host("node-2").unplug();
        put(bucket, content, "meanwhile");
        check(bucket, content);
        assertThat(CLUSTER.client().status().nodes().get(2).reachable()).isFalse();
        CLUSTER.network().host("replica-0").plug();
        CLUSTER.network().host("node-2").plug();
        CLUSTER.awaitCounts(0);
        CLUSTER.awaitFullFaults();
        assertThat(processes()).as("nobody was started anew").isEqualTo(processes);
        // The writes of the meantime have reached the node: another one may fail.
        CLUSTER.network().host("node-3").unplug();
        try (Bulwark fresh = CLUSTER.freshClient()) {
            check(fresh.bucket("pulled"), content);
        }
        CLUSTER.network().host("node-3").plug();
        CLUSTER.awaitFullFaults();
    }

    @Test
    @Order(4)
    void hostsThatMissEachOtherMeetAgain() throws Exception {
        Bucket bucket = CLUSTER.client().createBucket("apart");
        Map<String, byte[]> content = new TreeMap<>();
        put(bucket, content, "before");
        HostNetwork network = CLUSTER.network();
        // Clients reach all; of the members these two reach clients alone.
        for (String apart : new String[] {"node-4", "replica-1"}) {
            network.host(apart)
                    .lose(network.hosts().stream()
                            .filter(host -> !host.equals(network.own()))
                            .toList());
        }
        put(bucket, content, "meanwhile");
        check(bucket, content);
        for (String apart : new String[] {"node-4", "replica-1"}) {
            network.host(apart).find();
        }
        CLUSTER.awaitCounts(1);
        CLUSTER.awaitFullFaults();
        check(bucket, content);
    }

    private static Map<String, OptionalLong> processes() {
        return CLUSTER.members().stream()
                .collect(Collectors.toMap(Member::name, Member::pid, (a, _) -> a, TreeMap::new));
    }

    private interface Action {
        void run() throws Exception;
    }

    private static double seconds(Action action) throws Exception {
        long began = System.nanoTime();
        action.run();
        return (System.nanoTime() - began) / 1e9;
    }

    private static double leastSeconds() {
        return (LARGE_BYTES - BURST_BYTES) / (double) BYTES_PER_SECOND;
    }

    private void put(Bucket bucket, Map<String, byte[]> content, String prefix) {
        for (int size : new int[] {0, 1, 70_000, (1 << 20) + 1}) {
            byte[] bytes = bytes(size);
            bucket.put(prefix + "/" + size, bytes);
            content.put(prefix + "/" + size, bytes);
        }
    }

    private static void check(Bucket bucket, Map<String, byte[]> content) {
        content.forEach((key, bytes) -> assertThat(bucket.getBytes(key)).as(key).isEqualTo(bytes));
    }

    private byte[] bytes(int size) {
        byte[] bytes = new byte[size];
        random.nextBytes(bytes);
        return bytes;
    }
}
