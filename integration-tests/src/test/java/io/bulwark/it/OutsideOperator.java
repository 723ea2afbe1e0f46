package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.Bulwark;
import io.bulwark.client.ClusterStatus;
import io.bulwark.client.config.ChannelConfig;
import io.bulwark.client.config.ClientConfig;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.transport.identity.Identity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.Security;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import tools.jackson.databind.JsonNode;

/**
 * An operator's machine in the network of a {@link BridgedCluster}: this process, which finds the members by name, with a directory of
 * keys and client configurations that it took from the cluster's.
 */
@NullMarked
final class OutsideOperator implements AutoCloseable {
    private static final long POLL_MILLIS = 300;
    private static final String GENESIS = "genesis.properties";

    private final Path root;
    private final Bulwark client;

    private OutsideOperator(Path root, Bulwark client) {
        this.root = root;
        this.client = client;
    }

    /**
     * Takes the keys of client-0, the operator, and of others, and connects.
     *
     * @param root directory for its files, used by no one else
     * @param joined nodes with projects of their own
     */
    static OutsideOperator of(BridgedCluster cluster, Path root, List<JoinedNode> joined, List<PrincipalId> others)
            throws IOException, InterruptedException {
        // As servers do: the JDK remembers addresses for half a minute.
        Security.setProperty("networkaddress.cache.ttl", "3");
        Security.setProperty("networkaddress.cache.negative.ttl", "1");
        ContainerNames.use(name -> address(cluster, joined, name));
        PrincipalId self = PrincipalId.client(0);
        Files.createDirectories(root.resolve("keys"));
        for (String file : Stream.concat(
                        Stream.of(GENESIS),
                        Stream.concat(Stream.of(self), others.stream()).map(OutsideOperator::file))
                .toList()) {
            String content =
                    cluster.compose().run("run", "--rm", "-T", "--entrypoint", "cat", "init", "/cluster/" + file);
            write(root.resolve(file), content);
        }
        for (PrincipalId each : Stream.concat(Stream.of(self), others.stream()).toList()) {
            List<ClientConfig.Endpoint> replicas = IntStream.range(0, BridgedCluster.REPLICAS)
                    .mapToObj(i -> new ClientConfig.Endpoint("replica-" + i, 7600 + i))
                    .toList();
            new ClientConfig(
                            each,
                            null,
                            new ChannelConfig.Tls(Path.of(file(each)), Path.of(GENESIS)),
                            (BridgedCluster.REPLICAS - 1) / 3,
                            replicas)
                    .store(root.resolve(configuration(each)));
        }
        return new OutsideOperator(root, Bulwark.connect(root.resolve(configuration(self))));
    }

    private static Optional<String> address(BridgedCluster cluster, List<JoinedNode> joined, String name)
            throws IOException {
        Map<String, String> found =
                new HashMap<>(ContainerEngine.addresses(cluster.compose().project(), cluster.network()));
        for (JoinedNode node : joined) {
            Optional.ofNullable(ContainerEngine.addresses(node.compose().project(), cluster.network())
                            .get("node"))
                    .ifPresent(address -> found.put(node.name(), address));
        }
        return Optional.ofNullable(found.get(name));
    }

    private static String file(PrincipalId principal) {
        return "keys/" + principal + ".pem";
    }

    private static String configuration(PrincipalId principal) {
        return principal.equals(PrincipalId.client(0)) ? "client.properties" : principal + ".properties";
    }

    /** For the owner only. */
    private static void write(Path file, String content) throws IOException {
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, content);
    }

    /** Connected all the time, as an operator. */
    Bulwark client() {
        return client;
    }

    Path root() {
        return root;
    }

    Path identity(PrincipalId principal) {
        return Identity.file(root.resolve("keys"), principal);
    }

    /** One more connection, of one of those whose keys it took. */
    Bulwark connect(PrincipalId principal) {
        return Bulwark.connect(root.resolve(configuration(principal)));
    }

    /** Another key, in a file of its own until it takes the place of the one before. */
    void write(PrincipalId principal, String pem) throws IOException {
        write(fresh(principal), pem);
    }

    Path fresh(PrincipalId principal) {
        return identity(principal).resolveSibling(principal + ".fresh");
    }

    /** A command of the operator. */
    CommandRun run(String... arguments) {
        return new CommandRun(root, arguments);
    }

    /** A command of the operator that must succeed. */
    JsonNode json(String... arguments) {
        return run(arguments).json();
    }

    /** Waits until all members answer, agree, and every volume can take all its faults. */
    void awaitWhole(String when) throws InterruptedException {
        long end = System.nanoTime() + Compose.READY_MILLIS_MAX * 1_000_000;
        Map<String, Object> seen = new ConcurrentHashMap<>();
        while (true) {
            try {
                ClusterStatus status = client.status();
                if (status.nodes().stream()
                                .allMatch(
                                        node -> node.reachable() && node.state().equals("ok"))
                        && status.replicas().stream().allMatch(replica -> replica.reachable() && replica.agrees())
                        && status.volumes().stream().allMatch(volume -> volume.moreFaults() == volume.policyFaults())) {
                    return;
                }
                seen.put("status", status);
            } catch (BulwarkException e) {
                seen.put("failure", e);
            }
            assertThat(System.nanoTime()).as("%s: %s", when, seen).isLessThan(end);
            Thread.sleep(POLL_MILLIS);
        }
    }

    @Override
    public void close() {
        client.close();
        ContainerNames.use(null);
    }
}
