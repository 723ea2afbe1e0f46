package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The containers of compose.bridge.yaml on their own network: a node and the first primary are cut off, then another
 * node loses its volume. Also checks what each container may do and knows, and how docker-compose resolves all files.
 * Needs what {@link ContainersIT} needs.
 */
@NullMarked
@Tag("containers")
@Tag("nightly")
class BridgeIT {
    private static final String CUT_NODE = "node-2";
    private static final String CUT_REPLICA = "replica-0";
    private static final int LOST_NUMBER = 1;
    private static final String LOST = "node-" + LOST_NUMBER;

    /** Some twenty, of a kilobyte to a hundred. */
    private static final String FILES = "/opt/java/openjdk/conf";

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
        for (String service : List.of(CUT_NODE, CUT_REPLICA, "console")) {
            isConfined(service);
        }
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
        aLostVolumeIsRebuilt();
    }

    /**
     * Checks the confinement of the containers: no privileges, a read-only file system, only the
     * service's own keys, and a limit of memory.
     */
    private void isConfined(String service) throws IOException, InterruptedException {
        String process = compose.run("exec", "-T", service, "cat", "/proc/1/status");
        assertThat(process)
                .as(service)
                .containsPattern("(?m)^Uid:(\\s+10001){4}$")
                .containsPattern("(?m)^Cap(Eff|Prm):\\s+0+$")
                .containsPattern("(?m)^CapBnd:\\s+0+$")
                .containsPattern("(?m)^NoNewPrivs:\\s+1$");
        // Not for want of rights: in the image these are the user's own.
        for (String own : List.of("/hosts/node-0/new", "/cluster/new")) {
            Compose.Outcome written = compose.attempt("exec", "-T", service, "touch", own);
            assertThat(written.code()).as("%s: %s", service, own).isNotZero();
            assertThat(written.out() + written.errors()).as(service).contains("Read-only file system");
        }
        compose.run("exec", "-T", service, "touch", "/tmp/new");
        assertThat(ContainerEngine.inspect(compose.project(), service)
                        .path("HostConfig")
                        .path("Memory")
                        .asLong(0))
                .as("memory of %s", service)
                .isEqualTo(1280L << 20);
        String principal = service.equals("console") ? "client-1" : service;
        assertThat(compose.run("exec", "-T", service, "ls", "/cluster/keys").split("\\s+"))
                .as("keys of %s", service)
                .containsExactly(principal + ".keys", principal + ".pem");
    }

    /**
     * Removes a node's volume with its container, and starts it anew with its old keys: it rebuilds its data from the
     * others.
     */
    private void aLostVolumeIsRebuilt() throws IOException, InterruptedException {
        compose.client("sync", FILES, "outside/files");
        awaitStatus("all is stored", "default\\s.*1 of 1");
        long held = lost().path("usedBytes").asLong();
        assertThat(held).isPositive();
        cluster.loseNode(LOST);
        awaitStatus("it is away", LOST + "\\s+unreachable");
        awaitStatus("a fault is taken", "default\\s.*0 of 1");
        compose.client("put", FILE, "outside/without");
        compose.run("up", "-d", LOST);
        compose.awaitHealth(LOST, "healthy");
        awaitStatus("it is rebuilt", "default\\s.*1 of 1");
        assertThat(lost().path("pending").asLong(-1)).as("%s", lost()).isZero();
        assertThat(lost().path("usedBytes").asLong()).as("%s", lost()).isGreaterThan(held * 9 / 10);
        assertThat(lost().path("repaired").asLong()).as("%s", lost()).isPositive();
        compose.client("verify", "outside");
        // Any two of the four holders of a fragment remain, in most groups including this node.
        compose.run("stop", "node-3", "node-4");
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

    /**
     * Waits for a status. Once the volume tolerates a fault again, the writes of the meantime have reached the node.
     */
    private void awaitStatus(String what, String pattern) throws IOException, InterruptedException {
        long end = System.nanoTime() + Compose.READY_MILLIS_MAX * 1_000_000;
        Pattern wanted = Pattern.compile(pattern);
        String status = status();
        while (!wanted.matcher(status).find()) {
            assertThat(System.nanoTime()).as("%s: %s", what, status).isLessThan(end);
            status = status();
        }
    }

    private JsonNode lost() throws IOException, InterruptedException {
        Compose.Outcome status = compose.attempt("run", "--rm", "-T", "client", "status", "--json");
        return JsonMapper.shared()
                .readTree(status.out())
                .path("cluster")
                .path("nodes")
                .path(LOST_NUMBER);
    }

    /** Returns the status and ignores the exit code, which reports that something is wrong. */
    private String status() throws IOException, InterruptedException {
        return compose.attempt("run", "--rm", "-T", "client", "status").out();
    }
}
