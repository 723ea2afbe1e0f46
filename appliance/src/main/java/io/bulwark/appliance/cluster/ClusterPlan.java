package io.bulwark.appliance.cluster;

import io.bulwark.client.config.ChannelConfig;
import io.bulwark.client.config.ClientConfig;
import io.bulwark.client.config.ConfigurationChainFile;
import io.bulwark.client.config.GenesisFile;
import io.bulwark.client.config.KeyRing;
import io.bulwark.client.config.KnownPrincipals;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.ordering.driver.ReplicaConfig.Recoveries;
import io.bulwark.transport.Destination;
import io.bulwark.transport.identity.Identity;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Members of an appliance, the addresses on which each listens and is found, and the location of their keys. */
public final class ClusterPlan {
    /** Clients that get keys: 0 is the command line, 1 the console, the last the S3 gateway, and the others are for applications. */
    public static final int CLIENTS = 16;

    private static final int COMMAND_LINE = 0;
    private static final int CONSOLE = 1;
    private static final int S3 = CLIENTS - 1;
    private static final String LOOPBACK = "127.0.0.1";

    private final DataDirectory data;
    private final ClusterShape shape;
    private final MemberAddresses addresses;

    /** Creates the plan of an appliance on this machine. */
    public ClusterPlan(DataDirectory data, ClusterShape shape) {
        this(data, shape, MemberAddresses.loopback());
    }

    public ClusterPlan(DataDirectory data, ClusterShape shape, MemberAddresses addresses) {
        this.data = data;
        this.shape = shape;
        this.addresses = addresses;
    }

    public ClusterShape shape() {
        return shape;
    }

    public DataDirectory data() {
        return data;
    }

    /**
     * Creates keys, the genesis and the command line's configuration on the first start; leaves existing files alone.
     */
    public void prepare() throws IOException {
        Path done = data.keys().resolve("complete");
        if (!Files.exists(done)) {
            removeLeftovers("*.keys");
            KeyRing.generate(data.keys(), principals(), new SecureRandom());
            Files.createFile(done);
        }
        if (!shape.insecureLoopback() && !Files.exists(data.genesis())) {
            begin();
        }
        if (!Files.exists(data.clientProperties())) {
            commandLine().store(data.clientProperties());
        }
    }

    /** Makes an identity for everybody, and the genesis that names their public keys. */
    private void begin() throws IOException {
        removeLeftovers("*.pem");
        SecureRandom random = new SecureRandom();
        SortedMap<PrincipalId, PrincipalKey> keys = new TreeMap<>();
        for (PrincipalId principal : principals()) {
            Identity identity = Identity.generate(principal, random);
            identity.store(Identity.file(data.keys(), principal));
            keys.put(principal, identity.publicKey());
        }
        byte[] cluster = new byte[16];
        random.nextBytes(cluster);
        Path part = data.root().resolve("genesis.properties.part");
        Files.deleteIfExists(part);
        new GenesisFile(HexFormat.of().formatHex(cluster), PrincipalId.client(COMMAND_LINE), keys).store(part);
        Files.move(part, data.genesis());
    }

    /** Removes the keys of a first start that was interrupted: nobody has used them. */
    private void removeLeftovers(String pattern) throws IOException {
        try (var orphanedPrepares = Files.newDirectoryStream(data.keys(), pattern)) {
            for (Path leftover : orphanedPrepares) {
                Files.delete(leftover);
            }
        }
    }

    /** Returns the configuration with which the console reaches the cluster. */
    public ClientConfig consoleClient() {
        return door(CONSOLE);
    }

    /** Returns the configuration of a door, with the limit of small objects that the command line's file has. */
    private ClientConfig door(int client) {
        ClientConfig config = clientConfig(client);
        return Files.exists(data.clientProperties())
                ? config.withInlineMax(
                        ClientConfig.load(data.clientProperties()).inlineMax())
                : config;
    }

    /** Returns the directory where the console keeps its accounts. */
    public Path consoleDirectory() {
        return data.root().resolve("console");
    }

    /** Returns the configuration with which the S3 gateway reaches the cluster. */
    public ClientConfig s3Client() {
        return door(S3);
    }

    /** Returns the directory that marks whether the S3 gateway was enabled once. */
    public Path s3Directory() {
        return data.root().resolve("s3");
    }

    public InetSocketAddress s3Address() {
        return Destination.of(LOOPBACK, shape.s3Port());
    }

    /** Returns whether an S3 gateway runs: without identities no secret of an access key could be sealed for it. */
    public boolean hasS3() {
        return !shape.insecureLoopback();
    }

    public NodeSetup node(int number, Path directory) {
        return new NodeSetup(
                number,
                addresses.listen("node-" + number, shape.nodePort(number)),
                directory,
                KeyRing.file(data.keys(), PrincipalId.node(number)),
                channels(PrincipalId.node(number)),
                replicas(),
                shape.durability());
    }

    public ReplicaSetup replica(int number, Path directory) {
        return new ReplicaSetup(
                number,
                addresses.listen("replica-" + number, shape.replicaPort(number)),
                replicas(),
                directory,
                KeyRing.file(data.keys(), PrincipalId.replica(number)),
                channels(PrincipalId.replica(number)),
                shape.ordering(),
                found("node-", shape.nodes(), shape::nodePort),
                CLIENTS,
                Recoveries.DEFAULT);
    }

    public InetSocketAddress consoleAddress() {
        return Destination.of(LOOPBACK, shape.consolePort());
    }

    /**
     * The ports that {@code up} listens at, by what each is for.
     *
     * @param processes whether each member is a process of its own
     */
    public Map<String, Integer> ports(boolean processes) {
        Map<String, Integer> ports = new LinkedHashMap<>();
        ports.put("console", shape.consolePort());
        if (hasS3()) {
            ports.put("s3", shape.s3Port());
        }
        // Removed members are not started. Before there is a genesis, no member was removed.
        boolean begun = Files.exists(data.genesis());
        for (int i = 0; i < shape.nodes(); i++) {
            if (!begun || !isRemoved(PrincipalId.node(i))) {
                ports.put("node-" + i, shape.nodePort(i));
            }
        }
        for (int i = 0; i < shape.replicas(); i++) {
            if (!begun || !isRemoved(PrincipalId.replica(i))) {
                ports.put("replica-" + i, shape.replicaPort(i));
            }
        }
        Map<String, Integer> all = new LinkedHashMap<>(ports);
        ports.forEach((name, port) -> {
            if ((processes && !name.equals("s3")) || name.equals("console")) {
                all.put("health of " + name, ClusterShape.adminPort(port));
            }
        });
        return all;
    }

    /** Returns the admin address, for health and meters, of the process that listens for others on this address. */
    public InetSocketAddress adminAddress(InetSocketAddress listen) {
        return Destination.of(LOOPBACK, ClusterShape.adminPort(listen.getPort()));
    }

    /** Returns the configuration with which the command line reaches the cluster. */
    public ClientConfig commandLine() {
        return clientConfig(COMMAND_LINE);
    }

    /** Returns the security configuration of a principal's connections. */
    public ChannelConfig channels(PrincipalId principal) {
        return shape.insecureLoopback()
                ? new ChannelConfig.InsecureLoopback()
                : new ChannelConfig.Tls(Identity.file(data.keys(), principal), data.genesis());
    }

    /** Returns whether a node or a replica has been removed, as far as it or the command line has learned. */
    public boolean isRemoved(PrincipalId member) {
        ChannelConfig own = channels(PrincipalId.client(COMMAND_LINE));
        boolean isReplica = member.kind() == PrincipalKind.REPLICA;
        Path directory = isReplica ? data.replica(member.number()) : data.node(member.number());
        return switch (own) {
            case ChannelConfig.Tls files -> {
                GenesisFile genesis = GenesisFile.load(files.genesis());
                yield Stream.of(own.keptBeside(), RunningNode.kept(directory))
                        .anyMatch(kept -> isReplica
                                ? ConfigurationChainFile.beside(kept)
                                                .last(genesis.genesisKeys().configuration())
                                                .placeOf(member)
                                        < 0
                                : KnownPrincipals.load(genesis, kept)
                                        .keysOf(member)
                                        .isEmpty());
            }
            case ChannelConfig.InsecureLoopback _ -> false;
        };
    }

    private ClientConfig clientConfig(int client) {
        List<ClientConfig.Endpoint> replicas = replicas().stream()
                .map(address -> new ClientConfig.Endpoint(address.getHostString(), address.getPort()))
                .toList();
        return new ClientConfig(
                PrincipalId.client(client),
                KeyRing.file(data.keys(), PrincipalId.client(client)),
                channels(PrincipalId.client(client)),
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

    private List<InetSocketAddress> replicas() {
        return found("replica-", shape.replicas(), shape::replicaPort);
    }

    private List<InetSocketAddress> found(String kind, int count, IntUnaryOperator port) {
        return IntStream.range(0, count)
                .mapToObj(i -> addresses.of(kind + i, port.applyAsInt(i)))
                .toList();
    }
}
