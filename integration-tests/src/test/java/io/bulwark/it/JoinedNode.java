package io.bulwark.it;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;

/** A node of compose.node.yaml, beside a {@link BridgedCluster}. */
@NullMarked
final class JoinedNode {
    private final int number;
    private final Compose compose;

    /** @param outside a directory of this process */
    JoinedNode(BridgedCluster cluster, int number, Path outside) {
        this.number = number;
        Map<String, String> environment = new TreeMap<>(BridgedCluster.SMALL);
        environment.put("NODE", "" + number);
        environment.put("BULWARK_NETWORK", cluster.network());
        compose = new Compose(
                cluster.compose().project() + "-node-" + number,
                Compose.file("compose.node.yaml"),
                environment,
                outside.resolve("stderr-" + number));
    }

    String name() {
        return "node-" + number;
    }

    Compose compose() {
        return compose;
    }

    /** Gets its identity with a token, and starts; it is not healthy before it is added. */
    void join(String token) throws IOException, InterruptedException {
        compose.run("run", "--rm", "-T", "hand", "join", token, "--out", "/cluster", "--member-data", "/data");
        compose.run("up", "-d");
    }

    void removeAll() throws IOException, InterruptedException {
        compose.removeAll();
    }
}
