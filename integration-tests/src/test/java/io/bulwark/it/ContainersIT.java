package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.appliance.cluster.DefaultVolume;
import io.bulwark.client.Bucket;
import io.bulwark.client.Bulwark;
import io.bulwark.client.config.ChannelConfig;
import io.bulwark.client.config.ClientConfig;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.protocol.id.PrincipalId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
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
    private static final Path REPOSITORY = Path.of("..").toAbsolutePath().normalize();
    private static final int NODES = 5;
    private static final int REPLICAS = 4;
    private static final long READY_MILLIS_MAX = 480_000;

    private final int portBase = LiveCluster.freePortBase(NODES, REPLICAS);
    private final String project = "bulwark-it-" + portBase;

    @TempDir
    Path outside = Path.of("");

    @AfterEach
    void removeAll() throws Exception {
        compose("down", "--volumes", "--timeout", "5");
    }

    @Test
    void containersServeLoseANodeAndKeepTheirData() throws Exception {
        run(List.of("docker-compose", "version"));
        assertThat(REPOSITORY.resolve("appliance/target/bulwark-exec.jar"))
                .as("the executable that the image copies; `mvn package` builds it")
                .isRegularFile();
        compose("build", "init");
        compose("up", "-d");
        Map<String, byte[]> content = contents();
        try (Bulwark client = connect()) {
            Bucket bucket = client.createBucket("outside");
            content.forEach(bucket::put);
            check(bucket, content);
            healthIsThatOfTheWork();
            String container = compose("ps", "-q", "node-3").strip();
            assertThat(container).as("the container of node-3").isNotEmpty();
            // Not restarted on its own, unlike after a crash: the engine was told to.
            compose("kill", "-s", "SIGKILL", "node-3");
            check(bucket, content);
            bucket.put("while-a-node-is-down", new byte[100]);
            content.put("while-a-node-is-down", new byte[100]);
        }
        assertThat(compose("run", "--rm", "-T", "client", "ls", "outside/")).contains("while-a-node-is-down");
        compose("down", "--timeout", "20");
        compose("up", "-d");
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
            awaitState(service, "(healthy)");
        }
        compose("kill", "-s", "SIGSTOP", "node-2");
        awaitState("node-2", "(unhealthy)");
        compose("kill", "-s", "SIGCONT", "node-2");
        awaitState("node-2", "(healthy)");
    }

    private void awaitState(String service, String state) throws Exception {
        long end = System.nanoTime() + READY_MILLIS_MAX * 1_000_000;
        String seen = compose("ps", service);
        while (!seen.contains(state)) {
            assertThat(System.nanoTime())
                    .as("%s is to be %s: %s", service, state, seen)
                    .isLessThan(end);
            Thread.sleep(500);
            seen = compose("ps", service);
        }
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
            String made = compose("run", "--rm", "-T", "--entrypoint", "cat", "client", "/cluster/" + path);
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
        long end = System.nanoTime() + READY_MILLIS_MAX * 1_000_000;
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
                throw new AssertionError("not ready in time: " + compose("logs", "--tail=20"));
            }
            Thread.sleep(500);
        }
    }

    private String compose(String... arguments) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of("docker-compose", "-p", project, "-f", "docker/compose.yaml", "--no-ansi"));
        command.addAll(Arrays.asList(arguments));
        return run(command);
    }

    private String run(List<String> command) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).directory(REPOSITORY.toFile());
        builder.environment().put("BULWARK_PORT_BASE", Integer.toString(portBase));
        builder.redirectError(outside.resolve("stderr").toFile());
        Process process;
        try {
            process = builder.start();
        } catch (IOException e) {
            throw new AssertionError("docker-compose cannot be run; this profile needs it and a container engine", e);
        }
        process.getOutputStream().close();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int code = process.waitFor();
        assertThat(code)
                .as("%s: %s%n%s", command, out, Files.readString(outside.resolve("stderr")))
                .isZero();
        return out;
    }
}
