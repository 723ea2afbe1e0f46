package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
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
    private static final String CUT_NODE = "node-2";
    private static final String CUT_REPLICA = "replica-0";
    private static final String FILE = "/cluster/genesis.properties";

    private final Path outside;
    private final BridgedCluster cluster;
    private final Compose compose;
    private final ContainerNetwork network;

    BridgeIT(@TempDir Path outside) {
        this.outside = outside;
        cluster = new BridgedCluster(outside);
        compose = cluster.compose();
        network = new ContainerNetwork(cluster.network());
    }

    @AfterEach
    void removeAll() throws Exception {
        cluster.removeAll();
    }

    @Test
    void whatIsCutOffIsDoneWithoutAndComesBack() throws Exception {
        cluster.up();
        compose.client("mb", "outside");
        compose.client("put", FILE, "outside/before");
        String content = compose.run("run", "--rm", "-T", "--entrypoint", "cat", "client", FILE);

        String node = cluster.container(CUT_NODE);
        String replica = cluster.container(CUT_REPLICA);
        network.disconnect(node);
        network.disconnect(replica);
        compose.client("put", FILE, "outside/meanwhile");
        assertThat(compose.client("get", "outside/before", "-")).isEqualTo(content);
        assertThat(compose.client("get", "outside/meanwhile", "-")).isEqualTo(content);
        compose.awaitHealth(CUT_NODE, "unhealthy");
        compose.awaitHealth(CUT_REPLICA, "unhealthy");
        assertThat(status()).containsPattern(CUT_REPLICA + "\\s+unreachable");

        network.connect(node, CUT_NODE);
        network.connect(replica, CUT_REPLICA);
        cluster.awaitAllHealthy();
        awaitStatus("replicas", CUT_REPLICA + "\\s+up\\s+\\d+\\s+yes");
        awaitStatus("faults", "default\\s.*1 of 1");
        assertThat(compose.client("get", "outside/meanwhile", "-")).isEqualTo(content);
        assertThat(cluster.container(CUT_NODE)).as("it was not started anew").isEqualTo(node);
        compose.client("verify", "outside");
    }

    @Test
    void allFilesAreWhatComposeUnderstands() throws Exception {
        assertThat(compose.run("--profile", "monitoring", "config"))
                .contains("prometheus:", "grafana:", "/etc/prometheus/alerts.yaml");
        for (String file : new String[] {"compose.yaml", "compose.hosts.yaml", "compose.node.yaml"}) {
            Compose other = new Compose(
                    "bulwark-files",
                    Compose.file(file),
                    Map.of("ROLE", "node", "NODE", "5"),
                    outside.resolve("stderr"));
            assertThat(other.run("config")).contains("services:");
        }
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
