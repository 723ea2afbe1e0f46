package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.bulwark.client.Bucket;
import io.bulwark.client.Bulwark;
import io.bulwark.client.ClusterStatus.NodeStatus;
import io.bulwark.storage.store.StoreConfig;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The disk under a rebuild is full before the node has everything. The node reports it, harms nobody, and continues
 * once there is room.
 */
@NullMarked
class FullDiskIT {
    private static final int NODES = 4;
    private static final int LOST = 1;
    private static final int OBJECTS = 12;
    private static final int BYTES = 300_000;
    private static final long ROOM = 3 * StoreConfig.RESERVE_BYTES;
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final String NO_MOUNT =
            "no file system of a limited size can be mounted here: that takes root, and a kernel that lets it";

    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.embedded(NODES);

    private @Nullable Path mounted;

    @Test
    void aRebuildGoesOnOnceThereIsRoom() throws Exception {
        Bucket bucket = CLUSTER.client().createBucket("kept");
        for (int i = 0; i < OBJECTS; i++) {
            bucket.put("object-" + i, bytes(i));
        }
        CLUSTER.awaitFullFaults();
        CLUSTER.stopNode(LOST);
        Path directory = CLUSTER.plan().data().node(LOST);
        LiveCluster.deleteTree(directory);
        Files.createDirectory(directory);
        boolean limited = run("mount", "-t", "tmpfs", "-o", "size=" + ROOM, "tmpfs", directory.toString()) == 0;
        if (!limited) {
            System.out.println("LEFT OUT: a rebuild on a full disk, since " + NO_MOUNT);
            CLUSTER.startNode(LOST);
        }
        assumeTrue(limited, NO_MOUNT);
        mounted = directory;
        Path filler = directory.resolve("filler");
        fill(filler, ROOM - StoreConfig.RESERVE_BYTES * 3 / 4);
        CLUSTER.startNode(LOST);

        // The node knows from the references which fragments it lacks, even if it cannot store them.
        await().atMost(LONG).until(FullDiskIT::isOneFault);
        assertThat(status().freeBytes()).isLessThan(StoreConfig.RESERVE_BYTES);
        bucket.put("meanwhile", bytes(OBJECTS));
        verify(CLUSTER.client(), OBJECTS + 1);
        await().atMost(LONG).until(FullDiskIT::isOneFault);

        Files.delete(filler);
        CLUSTER.awaitFullFaults();
        // Now what it has is needed.
        CLUSTER.stopNode(0);
        try (Bulwark fresh = CLUSTER.freshClient()) {
            verify(fresh, OBJECTS + 1);
        }
        CLUSTER.startNode(0);
    }

    /** A mounted directory cannot be removed with the rest. */
    @AfterEach
    void unmount() throws Exception {
        if (mounted != null) {
            CLUSTER.stopNode(LOST);
            assertThat(run("umount", mounted.toString())).isZero();
        }
    }

    private static void verify(Bulwark client, int objects) {
        Bucket bucket = client.bucket("kept");
        for (int i = 0; i < objects; i++) {
            String name = i < OBJECTS ? "object-" + i : "meanwhile";
            assertThat(bucket.getBytes(name)).as(name).isEqualTo(bytes(i));
        }
    }

    private static boolean isOneFault() {
        return status().reachable()
                && status().pending() > 0
                && CLUSTER.client().status().volumes().stream()
                        .allMatch(volume -> volume.moreFaults() < volume.policyFaults());
    }

    private static NodeStatus status() {
        return CLUSTER.client().status().nodes().get(LOST);
    }

    private static void fill(Path file, long bytes) throws IOException {
        byte[] chunk = new byte[1 << 20];
        try (OutputStream out = Files.newOutputStream(file)) {
            for (long left = bytes; left > 0; left -= chunk.length) {
                out.write(chunk);
            }
        }
    }

    private static byte[] bytes(int seed) {
        byte[] bytes = new byte[BYTES];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static int run(String... command) throws InterruptedException {
        try {
            return new ProcessBuilder(List.of(command)).inheritIO().start().waitFor();
        } catch (IOException e) {
            System.out.println(e.getMessage());
            return -1;
        }
    }
}
