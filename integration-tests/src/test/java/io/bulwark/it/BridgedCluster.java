package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Assumptions;

/** The cluster of compose.bridge.yaml: containers on a network of their own, as a project of its own. */
@NullMarked
final class BridgedCluster {
    static final int NODES = 5;
    static final int REPLICAS = 4;

    /** Options of members for heaps that suffice in tests. */
    static final Map<String, String> SMALL =
            Map.of("BULWARK_MEMBER_JAVA_OPTIONS", "-Xmx256m -XX:MaxDirectMemorySize=128m -XX:+UseSerialGC");

    private final Compose compose;

    /** @param outside a directory of this process */
    BridgedCluster(Path outside) {
        int port = LiveCluster.freePortBase(NODES, REPLICAS);
        compose = new Compose(
                "bulwark-bridge-" + port,
                Compose.file("compose.bridge.yaml"),
                Map.of(
                        "BULWARK_CONSOLE_PORT",
                        "" + port,
                        "BULWARK_MEMBER_JAVA_OPTIONS",
                        SMALL.getOrDefault("BULWARK_MEMBER_JAVA_OPTIONS", "")),
                outside.resolve("stderr"));
    }

    Compose compose() {
        return compose;
    }

    String network() {
        return compose.project() + "_cluster";
    }

    /** Builds the image, starts all, and waits until all are healthy. */
    void up() throws IOException, InterruptedException {
        compose.build();
        assumeThereIsANetwork();
        compose.run("up", "-d");
        awaitAllHealthy();
    }

    /**
     * Skips the test where the engine has no rights over networks, and so only the host's. {@link ContainersIT} tests
     * the files for that case.
     */
    private void assumeThereIsANetwork() throws IOException, InterruptedException {
        Compose.Outcome found = compose.attempt(
                "run", "--rm", "-T", "--use-aliases", "--entrypoint", "getent", "client", "hosts", "client");
        boolean named = found.code() == 0 && found.out().contains("client");
        String missing = "the engine has no bridge networks with names: " + found.errors();
        if (!named) {
            System.out.println("LEFT OUT: containers on a network of their own, since " + missing);
        }
        Assumptions.assumeTrue(named, missing);
    }

    String container(String service) throws IOException, InterruptedException {
        String id = compose.run("ps", "-q", service).strip();
        assertThat(id).as("the container of %s", service).isNotEmpty();
        return id;
    }

    void awaitAllHealthy() throws IOException, InterruptedException {
        for (int i = 0; i < REPLICAS; i++) {
            compose.awaitHealth("replica-" + i, "healthy");
        }
        for (int i = 0; i < NODES; i++) {
            compose.awaitHealth("node-" + i, "healthy");
        }
        compose.awaitHealth("console", "healthy");
    }

    /** The container of a node ends as in a crash, and it is gone with all that the node had stored. */
    void loseNode(String node) throws IOException, InterruptedException {
        compose.run("kill", "-s", "SIGKILL", node);
        compose.run("rm", "-f", node);
        ContainerEngine.removeVolume(compose.project() + "_" + node);
    }

    void removeAll() throws IOException, InterruptedException {
        compose.removeAll();
    }
}
