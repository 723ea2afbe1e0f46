package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.appliance.cluster.DefaultVolume;
import io.bulwark.client.Bucket;
import io.bulwark.client.Bulwark;
import io.bulwark.client.config.ChannelConfig;
import io.bulwark.client.config.ClientConfig;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.protocol.id.PrincipalId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
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
    private static final int NODES = 5;
    private static final int REPLICAS = 4;

    private final int portBase = LiveCluster.freePortBase(NODES, REPLICAS);
    private final Compose compose;
    private final Path outside;

    ContainersIT(@TempDir Path outside) {
        this.outside = outside;
        compose = new Compose(
                "bulwark-it-" + portBase,
                "compose.yaml",
                Map.of("BULWARK_PORT_BASE", Integer.toString(portBase)),
                outside.resolve("stderr"));
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
        try (Bulwark client = connect()) {
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
        try (Bulwark client = connect()) {
            check(client.bucket("outside"), content);
        }
    }

    /** A process that is there but hangs is no healthy member. */
    private void healthIsThatOfTheWork() throws Exception {
        List<String> all = new ArrayList<>(List.of("console"));
        IntStream.range(0, NODES).forEach(i -> all.add("node-" + i));
        IntStream.range(0, REPLICAS).forEach(i -> all.add("replica-" + i));
        for (String service : all) {
            compose.awaitState(service, "(healthy)");
        }
        compose.run("kill", "-s", "SIGSTOP", "node-2");
        compose.awaitState("node-2", "(unhealthy)");
        compose.run("kill", "-s", "SIGCONT", "node-2");
        compose.awaitState("node-2", "(healthy)");
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

    /** A file that the containers made, for the owner only. */
    private Path copied(String path) throws Exception {
        Path copy = outside.resolve(Path.of(path).getFileName());
        if (!Files.exists(copy)) {
            String made = compose.run("run", "--rm", "-T", "--entrypoint", "cat", "client", "/cluster/" + path);
            Files.createFile(copy, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.writeString(copy, made);
        }
        return copy;
    }

    /** Connects from this process, with the keys that the containers made, as soon as the cluster serves. */
    private Bulwark connect() throws Exception {
        PrincipalId principal = PrincipalId.client(0);
        Path keys = copied("keys/client-0.keys");
        ChannelConfig channels = new ChannelConfig.Tls(copied("keys/client-0.pem"), copied("genesis.properties"));
        List<ClientConfig.Endpoint> replicas = IntStream.range(0, REPLICAS)
                .mapToObj(i -> new ClientConfig.Endpoint("127.0.0.1", portBase + 200 + i))
                .toList();
        ClientConfig config = new ClientConfig(principal, keys, channels, (REPLICAS - 1) / 3, replicas);
        long end = System.nanoTime() + Compose.READY_MILLIS_MAX * 1_000_000;
        while (true) {
            Bulwark client = null;
            try {
                client = Bulwark.connect(config);
                var status = client.status();
                if (status.nodes().stream().allMatch(node -> node.reachable())) {
                    DefaultVolume.ensure(client);
                    return client;
                }
                client.close();
            } catch (BulwarkException e) {
                if (client != null) {
                    client.close();
                }
                if (System.nanoTime() > end) {
                    throw e;
                }
            }
            if (System.nanoTime() > end) {
                throw new AssertionError("not ready in time: " + compose.run("logs", "--tail=20"));
            }
            Thread.sleep(500);
        }
    }
}
