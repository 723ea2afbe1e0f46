package io.bulwark.it;

import io.bulwark.appliance.cluster.DefaultVolume;
import io.bulwark.client.Bulwark;
import io.bulwark.client.config.ChannelConfig;
import io.bulwark.client.config.ClientConfig;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.protocol.id.PrincipalId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;

/** The cluster of compose.yaml: containers on the host's network, reached from this process with keys that they made. */
@NullMarked
final class ComposedCluster {
    static final int NODES = 5;
    static final int REPLICAS = 4;
    private static final long RETRY_MILLIS = 500;

    /** Options of the compose file without the second compiler, as members live for a minute. */
    private static final String JAVA_OPTIONS =
            "-Xmx256m -XX:MaxDirectMemorySize=256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1";

    private final int portBase = LiveCluster.freePortBase(NODES, REPLICAS);
    private final Compose compose;
    private final Path outside;

    /** @param outside a directory of this process, for its copies of keys */
    ComposedCluster(Path outside) {
        this.outside = outside;
        compose = new Compose(
                "bulwark-it-" + portBase,
                Compose.file("compose.yaml"),
                Map.of("BULWARK_PORT_BASE", Integer.toString(portBase), "BULWARK_MEMBER_JAVA_OPTIONS", JAVA_OPTIONS),
                outside.resolve("stderr"));
    }

    Compose compose() {
        return compose;
    }

    /** Connects from this process, as soon as the cluster serves and the default volume is there. */
    Bulwark connect(int client) throws IOException, InterruptedException {
        PrincipalId principal = PrincipalId.client(client);
        Path keys = copied("keys/" + principal + ".keys");
        ChannelConfig channels =
                new ChannelConfig.Tls(copied("keys/" + principal + ".pem"), copied("genesis.properties"));
        List<ClientConfig.Endpoint> replicas = IntStream.range(0, REPLICAS)
                .mapToObj(i -> new ClientConfig.Endpoint("127.0.0.1", portBase + 200 + i))
                .toList();
        ClientConfig config = new ClientConfig(principal, keys, channels, (REPLICAS - 1) / 3, replicas);
        long end = System.nanoTime() + Compose.READY_MILLIS_MAX * 1_000_000;
        while (true) {
            Bulwark connected = null;
            try {
                connected = Bulwark.connect(config);
                if (client != 0) {
                    var _ = connected.buckets();
                    return connected;
                }
                if (connected.status().nodes().stream().allMatch(node -> node.reachable())) {
                    DefaultVolume.ensure(connected);
                    return connected;
                }
                connected.close();
            } catch (BulwarkException e) {
                if (connected != null) {
                    connected.close();
                }
                if (System.nanoTime() > end) {
                    throw e;
                }
            }
            if (System.nanoTime() > end) {
                throw new AssertionError("not ready in time: " + compose.run("logs", "--tail=20"));
            }
            Thread.sleep(RETRY_MILLIS);
        }
    }

    private Path copied(String path) throws IOException, InterruptedException {
        Path copy = outside.resolve(Path.of(path).getFileName());
        return Files.exists(copy) ? copy : copy(path, copy);
    }

    /** A file that the containers made, for the owner only. */
    private Path copy(String path, Path copy) throws IOException, InterruptedException {
        String made = compose.run("run", "--rm", "-T", "--entrypoint", "cat", "init", "/cluster/" + path);
        Files.createFile(copy, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(copy, made);
        return copy;
    }
}
