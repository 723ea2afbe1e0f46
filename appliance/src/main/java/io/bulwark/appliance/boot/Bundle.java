package io.bulwark.appliance.boot;

import io.bulwark.appliance.cluster.ClusterShape;
import io.bulwark.appliance.cluster.NodeSetup;
import io.bulwark.appliance.cluster.ReplicaSetup;
import io.bulwark.client.config.ChannelConfig;
import io.bulwark.client.config.ClientConfig;
import io.bulwark.client.config.JoinToken;
import io.bulwark.client.config.KeyRing;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.transport.Destination;
import io.bulwark.transport.file.OutputFile;
import io.bulwark.transport.identity.Identity;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Files that the host of one member needs, in a directory to be copied there. It holds nothing that belongs to another
 * member:
 *
 * <pre>
 * role.yaml             or client.properties for a client
 * genesis.properties
 * keys/PRINCIPAL.pem, keys/PRINCIPAL.keys
 * </pre>
 */
public final class Bundle {
    /** The configuration of a role in its bundle. */
    public static final String ROLE = "role.yaml";

    private static final String CLIENT = "client.properties";
    private static final String GENESIS = "genesis.properties";

    private final Path directory;
    private final PrincipalId principal;

    private Bundle(Path directory, PrincipalId principal) {
        this.directory = directory;
        this.principal = principal;
    }

    /** A node's; made anew if it is there. */
    public static void write(Path directory, NodeSetup setup, Optional<InetSocketAddress> admin) throws IOException {
        Bundle bundle = new Bundle(directory, PrincipalId.node(setup.number()));
        bundle.copy(setup.keys(), setup.channels());
        NodeSetup there = new NodeSetup(
                setup.number(),
                setup.listen(),
                setup.data(),
                bundle.keyRing(),
                bundle.channels(setup.channels()),
                setup.replicas(),
                setup.durability(),
                setup.scrubBytesPerSecond(),
                setup.rebuildBytesPerSecond(),
                setup.disseminateBytesPerSecond(),
                setup.historyPoolBytes(),
                setup.writeBackMillis(),
                setup.keyMillis());
        RoleFile.writeNode(new RoleFile.Configured<>(there, admin), directory.resolve(ROLE));
    }

    /** A replica's; made anew if it is there. */
    public static void write(Path directory, ReplicaSetup setup, Optional<InetSocketAddress> admin) throws IOException {
        Bundle bundle = new Bundle(directory, PrincipalId.replica(setup.number()));
        bundle.copy(setup.keys(), setup.channels());
        ReplicaSetup there = new ReplicaSetup(
                setup.number(),
                setup.listen(),
                setup.replicas(),
                setup.data(),
                setup.keys() == null ? null : bundle.keyRing(),
                bundle.channels(setup.channels()),
                setup.ordering(),
                setup.nodes(),
                setup.clients(),
                setup.recoveries());
        RoleFile.writeReplica(new RoleFile.Configured<>(there, admin), directory.resolve(ROLE));
    }

    /** A client's; made anew if it is there. */
    public static void write(Path directory, ClientConfig config) throws IOException {
        Bundle bundle = new Bundle(directory, config.principal());
        bundle.copy(config.keyRing(), config.channels());
        new ClientConfig(
                        config.principal(),
                        config.keyRing() == null ? null : bundle.keyRing(),
                        bundle.channels(config.channels()),
                        config.faultyReplicas(),
                        config.replicas())
                .store(directory.resolve(CLIENT));
    }

    /** A console's, beside {@link #write(Path, ClientConfig)} of its client in the same directory. */
    public static void writeConsole(Path directory, InetSocketAddress listen, InetSocketAddress admin)
            throws IOException {
        RoleFile.writeConsole(
                new RoleFile.Configured<>(
                        RoleFile.ConsoleSetup.plain(listen, false, Path.of(CLIENT), Path.of("console")),
                        Optional.of(admin)),
                directory.resolve(ROLE));
    }

    /** An S3 gateway's, beside {@link #write(Path, ClientConfig)} of its client in the same directory. */
    public static void writeS3(Path directory, InetSocketAddress listen, InetSocketAddress admin) throws IOException {
        RoleFile.writeS3(
                new RoleFile.Configured<>(RoleFile.S3Setup.plain(listen, false, Path.of(CLIENT)), Optional.of(admin)),
                directory.resolve(ROLE));
    }

    /**
     * Writes the configuration of a node beside the files it received when it joined, unless there is one.
     *
     * @param data the node's directory, used by no one else
     * @return its file
     */
    public static Path joined(Path directory, JoinToken token, InetSocketAddress listen, Path data) throws IOException {
        PrincipalId node = token.principal();
        Path file = directory.resolve(ROLE);
        if (!Files.exists(file)) {
            NodeSetup setup = new NodeSetup(
                    node.number(),
                    listen,
                    data,
                    KeyRing.file(Path.of(""), node),
                    new ChannelConfig.Tls(Identity.file(Path.of(""), node), Path.of(GENESIS)),
                    token.replicas().stream()
                            .map(each -> Destination.of(
                                    each.endpoint().host(), each.endpoint().port()))
                            .toList(),
                    "sync");
            InetSocketAddress admin = Destination.of("127.0.0.1", ClusterShape.adminPort(listen.getPort()));
            RoleFile.writeNode(new RoleFile.Configured<>(setup, Optional.of(admin)), file);
        }
        return file;
    }

    private Path keyRing() {
        return KeyRing.file(Path.of("keys"), principal);
    }

    private ChannelConfig channels(ChannelConfig here) {
        return switch (here) {
            case ChannelConfig.Tls _ ->
                new ChannelConfig.Tls(Identity.file(Path.of("keys"), principal), Path.of(GENESIS));
            case ChannelConfig.InsecureLoopback plain -> plain;
        };
    }

    private void copy(@Nullable Path keyRing, ChannelConfig channels) throws IOException {
        Path keys = Files.createDirectories(directory.resolve("keys"));
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
        if (keyRing != null) {
            copy(keyRing, keys.resolve(keyRing.getFileName()));
        }
        if (channels instanceof ChannelConfig.Tls tls) {
            copy(tls.identity(), keys.resolve(tls.identity().getFileName()));
            OutputFile.write(directory.resolve(GENESIS), Files.readString(tls.genesis()));
        }
    }

    /** Closed to others: keys. */
    private static void copy(Path from, Path to) throws IOException {
        OutputFile.writeSecret(to, Files.readAllBytes(from));
    }
}
