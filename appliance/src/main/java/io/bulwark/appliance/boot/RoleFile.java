package io.bulwark.appliance.boot;

import io.bulwark.appliance.cluster.NodeSetup;
import io.bulwark.appliance.cluster.Ordering;
import io.bulwark.appliance.cluster.ReplicaSetup;
import io.bulwark.client.config.ChannelConfig;
import io.bulwark.client.config.ClientConfig;
import io.bulwark.client.error.ConfigException;
import io.bulwark.client.error.Subject;
import io.bulwark.protocol.ordering.replica.ReplicaConfig.Recoveries;
import io.bulwark.storage.background.BackgroundPace;
import io.bulwark.transport.Destination;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/**
 * Reads and writes the YAML files of roles. An unknown key is an error; a relative path is relative to the file. Each key may be
 * overridden by a variable of the environment: {@code scrub-rate} of a node by {@code BULWARK_NODE_SCRUB_RATE}, a list with commas.
 *
 * <pre>
 * bulwark:
 *   node:                          # or replica:, or console:
 *     number: 0
 *     listen: 127.0.0.1:7410
 *     admin: 127.0.0.1:7910        # health and meters over HTTP; none if left out
 *     data: /data
 *     keys: keys/node-0.keys
 *     identity: keys/node-0.pem
 *     genesis: genesis.properties  # or, without these two, insecure-loopback: true
 *     replicas: [127.0.0.1:7600, 127.0.0.1:7601, 127.0.0.1:7602, 127.0.0.1:7603]
 *     durability: sync
 *     scrub-rate: 8MB               # per second; this and what follows are the defaults
 *     write-back: 2s
 *     key-period: 10m
 *     history-pool: 1GB             # by the number of clients if left out
 * </pre>
 *
 * {@code replicas} and {@code nodes} may name hosts: they are looked up whenever a connection is made.
 */
public final class RoleFile {
    private static final String NODE = "node";
    private static final String REPLICA = "replica";
    private static final String CONSOLE = "console";
    private static final String SUPERVISOR = "supervisor";

    /** A recovery is slow, if nothing else is said, after this part of T_w. */
    private static final int SLOW_RECOVERIES_PER_PERIOD = 5;

    private RoleFile() {}

    // Not private: Spring binds no record whose constructor is.
    record NodeKeys(
            @Nullable Integer number,
            @Nullable String listen,
            @Nullable String admin,
            @Nullable String data,
            @Nullable String keys,
            @Nullable String identity,
            @Nullable String genesis,
            @Nullable Boolean insecureLoopback,
            @Nullable List<String> replicas,
            @Nullable String durability,
            @Nullable DataSize scrubRate,
            @Nullable DataSize historyPool,
            @Nullable Duration writeBack,
            @Nullable Duration keyPeriod) {}

    record ReplicaKeys(
            @Nullable Integer number,
            @Nullable String listen,
            @Nullable String admin,
            @Nullable String data,
            @Nullable String keys,
            @Nullable String identity,
            @Nullable String genesis,
            @Nullable Boolean insecureLoopback,
            @Nullable List<String> replicas,
            @Nullable List<String> nodes,
            @Nullable Integer clients,
            @Nullable String ordering,
            @Nullable Duration watchdogPeriod,
            @Nullable Duration keyPeriod,
            @Nullable Duration slowRecovery) {}

    record SupervisorKeys(
            @Nullable String admin,
            @Nullable String data,
            @Nullable Boolean recovery,
            @Nullable String release) {}

    record ConsoleKeys(
            @Nullable String listen,
            @Nullable String admin,
            @Nullable Boolean published,
            @Nullable String client) {}

    /**
     * A role as its file has it.
     *
     * @param setup of the member
     * @param admin where its process tells its health and meters, if it does
     */
    public record Configured<T>(T setup, Optional<InetSocketAddress> admin) {}

    /**
     * How the supervisor of a replica is set up.
     *
     * @param data the directory that it keeps its own files in, and listens in for `bulwark replica recover`
     * @param recovers whether the replica recovers in its turns, if it can
     * @param release the jar that the replica is started from; what the supervisor itself runs from if there is none
     */
    public record SupervisorSetup(Path data, boolean recovers, Optional<Path> release) {}

    /**
     * How a console is set up.
     *
     * @param published whether it may listen at other addresses than loopback: something before it, as the port that a container
     *     engine publishes, lets only those through who may see the cluster's status
     * @param client a file as {@link ClientConfig#load} reads it
     */
    public record ConsoleSetup(InetSocketAddress listen, boolean published, Path client) {}

    /** As the file alone has it. */
    public static NodeSetup node(Path file) throws IOException {
        return node(file, Map.of()).setup();
    }

    /**
     * As the file and the environment have it.
     *
     * @param environment variables, of which those that begin with {@code BULWARK_NODE_} override the file
     */
    public static Configured<NodeSetup> node(Path file, Map<String, String> environment) throws IOException {
        NodeKeys keys = RoleSource.bind(file, environment, NODE, NodeKeys.class);
        return checked(
                file,
                () -> new Configured<>(
                        new NodeSetup(
                                given("number", keys.number()),
                                address(given("listen", keys.listen())),
                                beside(file, given("data", keys.data())),
                                beside(file, given("keys", keys.keys())),
                                channels(file, keys.identity(), keys.genesis(), keys.insecureLoopback()),
                                addresses(given("replicas", keys.replicas())),
                                keys.durability() == null ? "sync" : keys.durability(),
                                bytes(keys.scrubRate(), BackgroundPace.SCRUB_BYTES_PER_SECOND),
                                bytes(keys.historyPool(), NodeSetup.HISTORY_POOL_BY_CLIENTS),
                                millis(keys.writeBack(), NodeSetup.WRITE_BACK_MILLIS),
                                millis(keys.keyPeriod(), NodeSetup.KEY_MILLIS)),
                        admin(keys.admin())));
    }

    /** As the file alone has it. */
    public static ReplicaSetup replica(Path file) throws IOException {
        return replica(file, Map.of()).setup();
    }

    /**
     * As the file and the environment have it.
     *
     * @param environment variables, of which those that begin with {@code BULWARK_REPLICA_} override the file
     */
    public static Configured<ReplicaSetup> replica(Path file, Map<String, String> environment) throws IOException {
        ReplicaKeys keys = RoleSource.bind(file, environment, REPLICA, ReplicaKeys.class);
        return checked(file, () -> {
            int number = given("number", keys.number());
            List<InetSocketAddress> replicas = addresses(given("replicas", keys.replicas()));
            if (number < 0 || (number >= replicas.size() && keys.listen() == null)) {
                throw new IllegalArgumentException("replica " + number + " of " + replicas.size()
                        + "; one that comes later needs listen, and replicas are those of the genesis");
            }
            ReplicaSetup setup = new ReplicaSetup(
                    number,
                    keys.listen() == null ? replicas.get(number) : address(keys.listen()),
                    replicas,
                    beside(file, given("data", keys.data())),
                    beside(file, given("keys", keys.keys())),
                    channels(file, keys.identity(), keys.genesis(), keys.insecureLoopback()),
                    // Files of the time before there was a choice do not say it.
                    keys.ordering() == null ? Ordering.BFT_SMART : Ordering.named(keys.ordering()),
                    addresses(given("nodes", keys.nodes())),
                    given("clients", keys.clients()),
                    recoveries(keys));
            return new Configured<>(setup, admin(keys.admin()));
        });
    }

    private static Recoveries recoveries(ReplicaKeys keys) {
        long watchdogMillis = millis(keys.watchdogPeriod(), Recoveries.DEFAULT.watchdogMillis());
        return new Recoveries(
                watchdogMillis,
                millis(keys.keyPeriod(), Math.min(Recoveries.DEFAULT.keyMillis(), watchdogMillis)),
                millis(keys.slowRecovery(), watchdogMillis / SLOW_RECOVERIES_PER_PERIOD));
    }

    /**
     * How the supervisor of a replica is set up: in the same file, each key of which has a default.
     *
     * @param environment variables, of which those that begin with {@code BULWARK_SUPERVISOR_} override the file
     * @param replica of the same file
     */
    public static Configured<SupervisorSetup> supervisor(
            Path file, Map<String, String> environment, ReplicaSetup replica) throws IOException {
        SupervisorKeys keys = RoleSource.find(file, environment, SUPERVISOR, SupervisorKeys.class)
                .orElse(new SupervisorKeys(null, null, null, null));
        return checked(
                file,
                () -> new Configured<>(
                        new SupervisorSetup(
                                keys.data() == null ? replica.data() : beside(file, keys.data()),
                                keys.recovery() == null || keys.recovery(),
                                Optional.ofNullable(keys.release()).map(jar -> beside(file, jar))),
                        admin(keys.admin())));
    }

    /** As the file alone has it. */
    public static ConsoleSetup console(Path file) throws IOException {
        return console(file, Map.of()).setup();
    }

    /**
     * As the file and the environment have it.
     *
     * @param environment variables, of which those that begin with {@code BULWARK_CONSOLE_} override the file
     */
    public static Configured<ConsoleSetup> console(Path file, Map<String, String> environment) throws IOException {
        ConsoleKeys keys = RoleSource.bind(file, environment, CONSOLE, ConsoleKeys.class);
        return checked(
                file,
                () -> new Configured<>(
                        new ConsoleSetup(
                                address(given("listen", keys.listen())),
                                keys.published() != null && keys.published(),
                                beside(file, given("client", keys.client()))),
                        admin(keys.admin())));
    }

    /** Without an admin endpoint. */
    public static void write(NodeSetup setup, Path file) throws IOException {
        writeNode(new Configured<>(setup, Optional.empty()), file);
    }

    public static void writeNode(Configured<NodeSetup> role, Path file) throws IOException {
        NodeSetup setup = role.setup();
        Files.writeString(
                file,
                String.format(
                        Locale.ROOT,
                        """
                        bulwark:
                          node:
                            number: %d
                            listen: %s
                        %s    data: "%s"
                            keys: "%s"
                            %s
                            replicas: %s
                            durability: %s
                            scrub-rate: %dB
                        %s    write-back: %dms
                            key-period: %dms
                        """,
                        setup.number(),
                        Destination.text(setup.listen()),
                        text(role.admin()),
                        setup.data(),
                        setup.keys(),
                        text(setup.channels()),
                        list(setup.replicas()),
                        setup.durability(),
                        setup.scrubBytesPerSecond(),
                        pool(setup),
                        setup.writeBackMillis(),
                        setup.keyMillis()));
    }

    private static String pool(NodeSetup setup) {
        return setup.historyPoolBytes() == NodeSetup.HISTORY_POOL_BY_CLIENTS
                ? ""
                : "    history-pool: " + setup.historyPoolBytes() + "B\n";
    }

    /** Without an admin endpoint. */
    public static void write(ReplicaSetup setup, Path file) throws IOException {
        writeReplica(new Configured<>(setup, Optional.empty()), file);
    }

    public static void writeReplica(Configured<ReplicaSetup> role, Path file) throws IOException {
        ReplicaSetup setup = role.setup();
        Files.writeString(
                file,
                String.format(
                        Locale.ROOT,
                        """
                        bulwark:
                          replica:
                            number: %d
                            listen: %s
                        %s    data: "%s"
                            keys: "%s"
                            %s
                            replicas: %s
                            nodes: %s
                            clients: %d
                            ordering: %s
                            watchdog-period: %dms
                            key-period: %dms
                            slow-recovery: %dms
                        """,
                        setup.number(),
                        Destination.text(setup.listen()),
                        text(role.admin()),
                        setup.data(),
                        setup.keys(),
                        text(setup.channels()),
                        list(setup.replicas()),
                        list(setup.nodes()),
                        setup.clients(),
                        setup.ordering(),
                        setup.recoveries().watchdogMillis(),
                        setup.recoveries().keyMillis(),
                        setup.recoveries().slowMillis()));
    }

    public static void writeConsole(Configured<ConsoleSetup> role, Path file) throws IOException {
        ConsoleSetup setup = role.setup();
        Files.writeString(
                file,
                String.format(
                        Locale.ROOT,
                        """
                        bulwark:
                          console:
                            listen: %s
                            published: %b
                        %s    client: "%s"
                        """,
                        Destination.text(setup.listen()),
                        setup.published(),
                        text(role.admin()),
                        setup.client()));
    }

    private interface Making<T> {
        T make();
    }

    private static <T> T checked(Path file, Making<T> making) {
        try {
            return making.make();
        } catch (IllegalArgumentException e) {
            throw new ConfigException(file + ": " + e.getMessage(), Subject.NONE, e);
        }
    }

    private static ChannelConfig channels(
            Path file, @Nullable String identity, @Nullable String genesis, @Nullable Boolean insecureLoopback) {
        if (insecureLoopback == null || !insecureLoopback) {
            return new ChannelConfig.Tls(
                    beside(file, given("identity", identity)), beside(file, given("genesis", genesis)));
        }
        if (identity != null || genesis != null) {
            throw new IllegalArgumentException(
                    "insecure-loopback with identity or genesis: there is either TLS or plain text");
        }
        return new ChannelConfig.InsecureLoopback();
    }

    private static String text(ChannelConfig channels) {
        return switch (channels) {
            case ChannelConfig.Tls tls ->
                "identity: \"" + tls.identity() + "\"\n    genesis: \"" + tls.genesis() + "\"";
            case ChannelConfig.InsecureLoopback _ -> "insecure-loopback: true";
        };
    }

    private static String text(Optional<InetSocketAddress> admin) {
        return admin.map(address -> "    admin: " + Destination.text(address) + "\n")
                .orElse("");
    }

    private static <T> T given(String name, @Nullable T value) {
        if (value == null) {
            throw new IllegalArgumentException("the key " + name + " is missing");
        }
        return value;
    }

    private static long millis(@Nullable Duration given, long standard) {
        return given == null ? standard : given.toMillis();
    }

    private static long bytes(@Nullable DataSize given, long standard) {
        return given == null ? standard : given.toBytes();
    }

    private static Path beside(Path file, String path) {
        return file.toAbsolutePath().resolveSibling(path).normalize();
    }

    private static Optional<InetSocketAddress> admin(@Nullable String text) {
        if (text == null) {
            return Optional.empty();
        }
        InetSocketAddress found = Destination.resolve(address(text));
        if (found.isUnresolved()) {
            throw new IllegalArgumentException("nobody knows the host of admin: " + text);
        }
        return Optional.of(found);
    }

    private static List<InetSocketAddress> addresses(List<String> texts) {
        List<InetSocketAddress> all = new ArrayList<>();
        texts.forEach(text -> all.add(address(text)));
        return all;
    }

    private static InetSocketAddress address(String text) {
        int colon = text.lastIndexOf(':');
        String host = text.substring(0, Math.max(0, colon));
        try {
            boolean bracketed = host.startsWith("[") && host.endsWith("]");
            String bare = bracketed ? host.substring(1, host.length() - 1) : host;
            if (!bare.isEmpty()) {
                return Destination.of(bare, Integer.parseInt(text.substring(colon + 1)));
            }
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("\"" + text + "\" is not HOST:PORT", e);
        }
        throw new IllegalArgumentException("\"" + text + "\" is not HOST:PORT");
    }

    private static String list(List<InetSocketAddress> addresses) {
        return "["
                + String.join(
                        ", ",
                        addresses.stream()
                                .map(each -> '"' + Destination.text(each) + '"')
                                .toList()) + "]";
    }
}
