package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The containers of compose.bridge.yaml, on a network of their own, from which a node and the first primary are cut off; and what
 * docker-compose makes of all files. Needs what {@link ContainersIT} needs.
 */
@NullMarked
@Tag("containers")
class BridgeIT {
    private static final int NODES = 5;
    private static final int REPLICAS = 4;
    private static final String CUT_NODE = "node-2";
    private static final String CUT_REPLICA = "replica-0";
    private static final String FILE = "/cluster/genesis.properties";

    private final Path outside;
    private final Compose compose;
    private final ContainerNetwork network;

    BridgeIT(@TempDir Path outside) {
        this.outside = outside;
        int port = LiveCluster.freePortBase(NODES, REPLICAS);
        compose = new Compose(
                "bulwark-bridge-" + port,
                Compose.file("compose.bridge.yaml"),
                Map.of(
                        "BULWARK_CONSOLE_PORT",
                        "" + port,
                        "BULWARK_MEMBER_JAVA_OPTIONS",
                        "-Xmx256m -XX:MaxDirectMemorySize=128m -XX:+UseSerialGC"),
                outside.resolve("stderr"));
        network = new ContainerNetwork(compose.project() + "_cluster");
    }

    @AfterEach
    void removeAll() throws Exception {
        compose.run("down", "--volumes", "--timeout", "5");
    }

    @Test
    void whatIsCutOffIsDoneWithoutAndComesBack() throws Exception {
        compose.build();
        assumeThereIsANetwork();
        compose.run("up", "-d");
        awaitAllHealthy();
        compose.client("mb", "outside");
        compose.client("put", FILE, "outside/before");
        String content = compose.run("run", "--rm", "-T", "--entrypoint", "cat", "client", FILE);

        String node = container(CUT_NODE);
        String replica = container(CUT_REPLICA);
        network.disconnect(node);
        network.disconnect(replica);
        compose.client("put", FILE, "outside/meanwhile");
        assertThat(compose.client("get", "outside/before", "-")).isEqualTo(content);
        assertThat(compose.client("get", "outside/meanwhile", "-")).isEqualTo(content);
        compose.awaitState(CUT_NODE, "(unhealthy)");
        compose.awaitState(CUT_REPLICA, "(unhealthy)");
        assertThat(status()).containsPattern(CUT_REPLICA + "\\s+unreachable");

        network.connect(node, CUT_NODE);
        network.connect(replica, CUT_REPLICA);
        awaitAllHealthy();
        awaitStatus("replicas", CUT_REPLICA + "\\s+up\\s+\\d+\\s+yes");
        awaitStatus("faults", "default\\s.*1 of 1");
        assertThat(compose.client("get", "outside/meanwhile", "-")).isEqualTo(content);
        assertThat(container(CUT_NODE)).as("it was not started anew").isEqualTo(node);
        compose.client("verify", "outside");
    }

    @Test
    void allFilesAreWhatComposeUnderstands() throws Exception {
        assertThat(compose.run("--profile", "monitoring", "config"))
                .contains("prometheus:", "grafana:", "/etc/prometheus/alerts.yaml");
        for (String file : new String[] {"compose.yaml", "compose.hosts.yaml"}) {
            Compose other =
                    new Compose("bulwark-files", Compose.file(file), Map.of("ROLE", "node"), outside.resolve("stderr"));
            assertThat(other.run("config")).contains("services:");
        }
    }

    /** Engines without rights over networks have the host's alone; what the files say then is tested by {@link ContainersIT}. */
    private void assumeThereIsANetwork() throws IOException, InterruptedException {
        Compose.Outcome found = compose.attempt(
                "run", "--rm", "-T", "--use-aliases", "--entrypoint", "getent", "client", "hosts", "client");
        Assumptions.assumeTrue(
                found.code() == 0 && found.out().contains("client"),
                "the engine has no bridge networks with names: " + found.errors());
    }

    private String container(String service) throws IOException, InterruptedException {
        String id = compose.run("ps", "-q", service).strip();
        assertThat(id).as("the container of %s", service).isNotEmpty();
        return id;
    }

    private void awaitAllHealthy() throws IOException, InterruptedException {
        for (int i = 0; i < REPLICAS; i++) {
            compose.awaitState("replica-" + i, "(healthy)");
        }
        for (int i = 0; i < NODES; i++) {
            compose.awaitState("node-" + i, "(healthy)");
        }
        compose.awaitState("console", "(healthy)");
    }

    /** That the volume can take a fault again says that what was written meanwhile has reached the node. */
    private void awaitStatus(String what, String pattern) throws IOException, InterruptedException {
        long end = System.nanoTime() + Compose.READY_MILLIS_MAX * 1_000_000;
        Pattern wanted = Pattern.compile(pattern);
        String status = status();
        while (!wanted.matcher(status).find()) {
            assertThat(System.nanoTime()).as("%s: %s", what, status).isLessThan(end);
            status = status();
        }
    }

    /** Whatever its exit code is, which tells that something is amiss. */
    private String status() throws IOException, InterruptedException {
        return compose.attempt("run", "--rm", "-T", "client", "status").out();
    }
}
