package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.Bucket;
import io.bulwark.client.Bulwark;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The image and the compose file, for real: needs docker-compose and an engine that it reaches ({@code DOCKER_HOST}), and
 * fails where there is none. Runs in the Maven profile {@code containers}.
 */
@NullMarked
@Tag("containers")
class ContainersIT {
    private final ComposedCluster cluster;
    private final Compose compose;

    ContainersIT(@TempDir Path outside) {
        cluster = new ComposedCluster(outside);
        compose = cluster.compose();
    }

    @AfterEach
    void removeAll() throws Exception {
        compose.run("down", "--volumes", "--timeout", "5");
    }

    @Test
    void containersServeLoseANodeAndKeepTheirData() throws Exception {
        compose.build();
        compose.run("up", "-d");
        Map<String, byte[]> content = contents();
        try (Bulwark client = cluster.connect(0)) {
            Bucket bucket = client.createBucket("outside");
            content.forEach(bucket::put);
            check(bucket, content);
            healthIsThatOfTheWork();
            String container = compose.run("ps", "-q", "node-3").strip();
            assertThat(container).as("the container of node-3").isNotEmpty();
            // Not restarted on its own, unlike after a crash: the engine was told to.
            compose.run("kill", "-s", "SIGKILL", "node-3");
            check(bucket, content);
            bucket.put("while-a-node-is-down", new byte[100]);
            content.put("while-a-node-is-down", new byte[100]);
        }
        assertThat(compose.client("ls", "outside/")).contains("while-a-node-is-down");
        compose.run("down", "--timeout", "20");
        compose.run("up", "-d");
        try (Bulwark client = cluster.connect(0)) {
            check(client.bucket("outside"), content);
        }
    }

    /** A process that is there but hangs is no healthy member. */
    private void healthIsThatOfTheWork() throws Exception {
        List<String> all = new ArrayList<>(List.of("console"));
        IntStream.range(0, ComposedCluster.NODES).forEach(i -> all.add("node-" + i));
        IntStream.range(0, ComposedCluster.REPLICAS).forEach(i -> all.add("replica-" + i));
        for (String service : all) {
            compose.awaitHealth(service, "healthy");
        }
        compose.run("kill", "-s", "SIGSTOP", "node-2");
        compose.awaitHealth("node-2", "unhealthy");
        compose.run("kill", "-s", "SIGCONT", "node-2");
        compose.awaitHealth("node-2", "healthy");
    }

    private static Map<String, byte[]> contents() {
        Random random = new Random(LiveCluster.SEED);
        Map<String, byte[]> content = new TreeMap<>();
        for (int size : new int[] {0, 1, 70_000, 1 << 20, (1 << 20) + 1, 3_000_000}) {
            byte[] bytes = new byte[size];
            random.nextBytes(bytes);
            content.put("size-" + size, bytes);
        }
        return content;
    }

    private static void check(Bucket bucket, Map<String, byte[]> content) {
        content.forEach((key, bytes) -> assertThat(bucket.getBytes(key)).as(key).isEqualTo(bytes));
    }
}
