package io.bulwark.appliance.cluster;

import io.bulwark.client.config.ClientConfig;
import io.bulwark.client.config.KeyRing;
import io.bulwark.protocol.id.PrincipalId;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/** Who is in an appliance of one machine, where each listens, and whose keys are where. */
public final class ClusterPlan {
    /** Clients that get keys: 0 is the command line, 1 the console, the others are for applications. */
    public static final int CLIENTS = 16;

    private static final int COMMAND_LINE = 0;
    private static final int CONSOLE = 1;

    private final DataDirectory data;
    private final ClusterShape shape;

    public ClusterPlan(DataDirectory data, ClusterShape shape) {
        this.data = data;
        this.shape = shape;
    }

    public ClusterShape shape() {
        return shape;
    }

    public DataDirectory data() {
        return data;
    }

    /** Makes keys and the clients' configuration on the first start; leaves what is there alone. */
    public void prepare() throws IOException {
        Path done = data.keys().resolve("complete");
        if (!Files.exists(done)) {
            try (var leftovers = Files.newDirectoryStream(data.keys(), "*.keys")) {
                for (Path leftover : leftovers) {
                    Files.delete(leftover); // Of a first start that was interrupted: nobody has used them.
                }
            }
            KeyRing.generate(data.keys(), principals(), new SecureRandom());
            Files.createFile(done);
        }
        if (!Files.exists(data.clientProperties())) {
            clientConfig(COMMAND_LINE).store(data.clientProperties());
        }
    }

    /** How the console reaches the cluster. */
    public ClientConfig consoleClient() {
        return clientConfig(CONSOLE);
    }

    public NodeSetup node(int number, Path directory) {
        return new NodeSetup(
                number,
                loopback(shape.nodePort(number)),
                directory,
                KeyRing.file(data.keys(), PrincipalId.node(number)),
                addresses(shape.replicas(), shape::replicaPort),
                shape.durability());
    }

    public ReplicaSetup replica(int number, Path directory) {
        return new ReplicaSetup(
                number,
                addresses(shape.replicas(), shape::replicaPort),
                directory,
                KeyRing.file(data.keys(), PrincipalId.replica(number)),
                shape.ordering(),
                addresses(shape.nodes(), shape::nodePort),
                CLIENTS);
    }

    public InetSocketAddress consoleAddress() {
        return loopback(shape.consolePort());
    }

    private ClientConfig clientConfig(int client) {
        List<ClientConfig.Endpoint> replicas = addresses(shape.replicas(), shape::replicaPort).stream()
                .map(address -> new ClientConfig.Endpoint(address.getHostString(), address.getPort()))
                .toList();
        return new ClientConfig(
                PrincipalId.client(client),
                KeyRing.file(data.keys(), PrincipalId.client(client)),
                shape.replicaFaults(),
                replicas);
    }

    private List<PrincipalId> principals() {
        List<PrincipalId> all = new ArrayList<>();
        IntStream.range(0, shape.nodes()).mapToObj(PrincipalId::node).forEach(all::add);
        IntStream.range(0, shape.replicas()).mapToObj(PrincipalId::replica).forEach(all::add);
        IntStream.range(0, CLIENTS).mapToObj(PrincipalId::client).forEach(all::add);
        return all;
    }

    private static List<InetSocketAddress> addresses(int count, IntUnaryOperator port) {
        return IntStream.range(0, count)
                .mapToObj(i -> loopback(port.applyAsInt(i)))
                .toList();
    }

    private static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port);
    }
}
