package io.bulwark.appliance.boot;

import io.bulwark.appliance.cluster.NodeSetup;
import io.bulwark.appliance.cluster.Ordering;
import io.bulwark.appliance.cluster.ReplicaSetup;
import io.bulwark.client.config.ChannelConfig;
import io.bulwark.client.config.ClientConfig;
import io.bulwark.console.ConsoleSettings;
import io.bulwark.protocol.ordering.driver.ReplicaConfig.Recoveries;
import io.bulwark.storage.store.Durability;
import io.bulwark.transport.Destination;
import io.bulwark.transport.file.OutputFile;
import io.bulwark.transport.file.TextFile;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/**
 * Reads and writes the YAML files of roles. An unknown key is an error; a relative path is relative to the file. An
 * environment variable may override each key: {@code BULWARK_NODE_SCRUB_RATE} overrides {@code scrub-rate} of a node.
 * Lists use commas.
 *
 * <pre>
 * bulwark:
 *   node:                          # or replica:, console:, s3:
 *     number: 0
 *     listen: 127.0.0.1:7410
 *     admin: 127.0.0.1:7910        # health and metrics over HTTP; none if omitted
 *     data: /data
 *     keys: keys/node-0.keys       # a replica with an identity needs none
 *     identity: keys/node-0.pem
 *     genesis: genesis.properties  # or, without these two, insecure-loopback: true
 *     replicas: [127.0.0.1:7600, 127.0.0.1:7601, 127.0.0.1:7602, 127.0.0.1:7603]
 *     durability: sync
 *     scrub-rate: 8MB               # per second; this and the following are the defaults
 *     rebuild-rate: 32MB            # per second
 *     disseminate-rate: 16MB        # per second
 *     write-back: 2s
 *     key-period: 10m
 *     history-pool: 1GB             # by the number of clients if omitted
 * </pre>
 *
 * {@code replicas} and {@code nodes} may name hosts: each connection resolves them anew.
 */
public final class RoleFile {
    private static final List<String> DURABILITIES = Arrays.stream(Durability.values())
            .map(each -> each.name().toLowerCase(Locale.ROOT))
            .toList();
    private static final List<String> ORDERINGS =
            Arrays.stream(Ordering.values()).map(Ordering::toString).toList();

    /** A recovery is slow, if nothing else is said, after this part of T_w. */
    private static final int SLOW_RECOVERIES_PER_PERIOD = 5;

    private RoleFile() {}

    /**
     * A role as its file has it.
     *
     * @param setup of the member
     * @param admin where its process tells its health and meters, if it does
     */
    public record Configured<T>(T setup, Optional<InetSocketAddress> admin) {}

    /**
     * Configuration of a replica's supervisor.
     *
     * @param data directory for the supervisor's own files and for its control socket, which serves `bulwark replica
     *     recover`
     * @param recovers whether the replica recovers in its turns, if it can
     * @param release the jar from which the replica is started; if absent, the supervisor's own
     */
    public record SupervisorSetup(Path data, boolean recovers, Optional<Path> release) {}

    /**
     * Configuration of a console.
     *
     * @param published whether it may listen on addresses other than loopback without TLS. Something in front of it, such as
     *     the port that a container engine publishes, must then decide who reaches it
     * @param client a file as {@link ClientConfig#load} reads it
     * @param data directory of its accounts
     */
    public record ConsoleSetup(
            InetSocketAddress listen,
            boolean published,
            Path client,
            Path data,
            ConsoleSettings.Web web,
            Monitoring monitoring) {
        /**
         * Monitoring beside the cluster.
         *
         * @param prometheus that is asked for history
         * @param traces collector of traces
         */
        public record Monitoring(Optional<URI> prometheus, Optional<URI> traces) {
            static final Monitoring NONE = new Monitoring(Optional.empty(), Optional.empty());
        }

        /** Returns the configuration of a console without TLS and provider. */
        public static ConsoleSetup plain(InetSocketAddress listen, boolean published, Path client, Path data) {
            return new ConsoleSetup(listen, published, client, data, ConsoleSettings.Web.PLAIN, Monitoring.NONE);
        }
    }

    /**
     * Configuration of an S3 gateway.
     *
     * @param published whether it may listen on addresses other than loopback without TLS, as {@link ConsoleSetup} has it
     * @param client a file as {@link ClientConfig#load} reads it
     * @param domains names of its hosts, below which names of buckets may stand
     */
    public record S3Setup(
            InetSocketAddress listen,
            boolean published,
            Path client,
            Optional<ConsoleSettings.Tls> tls,
            List<String> domains) {
        public S3Setup {
            domains = List.copyOf(domains);
        }

        /** Returns the configuration of a gateway without TLS and names. */
        public static S3Setup plain(InetSocketAddress listen, boolean published, Path client) {
            return new S3Setup(listen, published, client, Optional.empty(), List.of());
        }
    }

    /** Reads the configuration from the file alone. */
    public static NodeSetup node(Path file) throws IOException {
        return node(file, Map.of()).setup();
    }

    /**
     * Reads the configuration from the file and the environment.
     *
     * @param environment variables, of which those that begin with {@code BULWARK_NODE_} override the file
     */
    public static Configured<NodeSetup> node(Path file, Map<String, String> environment) throws IOException {
        var read = RoleSource.bind(file, environment, RoleSections.NODE, RoleSections.Node.class);
        RoleSections.Node keys = read.keys();
        RoleFindings found = read.findings();
        int number = found.given("number", keys.number(), 0);
        InetSocketAddress listen = found.address("listen", keys.listen());
        Path data = found.path("data", keys.data());
        Path ring = found.path("keys", keys.keys());
        ChannelConfig channels = channels(found, keys.identity(), keys.genesis(), keys.insecureLoopback());
        List<InetSocketAddress> replicas = found.addresses("replicas", keys.replicas());
        String durability = found.word("durability", keys.durability(), "", DURABILITIES);
        Optional<InetSocketAddress> admin = found.own("admin", keys.admin());
        found.end();
        DataSize historyPool = keys.historyPool();
        return checked(
                found,
                () -> new Configured<>(
                        new NodeSetup(
                                number,
                                listen,
                                data,
                                ring,
                                channels,
                                replicas,
                                durability,
                                keys.scrubRate().toBytes(),
                                keys.rebuildRate().toBytes(),
                                keys.disseminateRate().toBytes(),
                                historyPool == null ? NodeSetup.HISTORY_POOL_BY_CLIENTS : historyPool.toBytes(),
                                keys.writeBack().toMillis(),
                                keys.keyPeriod().toMillis()),
                        admin));
    }

    /** Reads the configuration from the file alone. */
    public static ReplicaSetup replica(Path file) throws IOException {
        return replica(file, Map.of()).setup();
    }

    /**
     * Reads the configuration from the file and the environment.
     *
     * @param environment variables, of which those that begin with {@code BULWARK_REPLICA_} override the file
     */
    public static Configured<ReplicaSetup> replica(Path file, Map<String, String> environment) throws IOException {
        var read = RoleSource.bind(file, environment, RoleSections.REPLICA, RoleSections.Replica.class);
        RoleSections.Replica keys = read.keys();
        RoleFindings found = read.findings();
        int number = found.given("number", keys.number(), 0);
        List<InetSocketAddress> replicas = found.addresses("replicas", keys.replicas());
        Optional<InetSocketAddress> listen =
                Optional.ofNullable(keys.listen()).map(text -> found.address("listen", text));
        Path data = found.path("data", keys.data());
        ChannelConfig channels = channels(found, keys.identity(), keys.genesis(), keys.insecureLoopback());
        // Over TLS replicas share no keys but those that they agree on.
        Path ring =
                keys.keys() == null && channels instanceof ChannelConfig.Tls ? null : found.path("keys", keys.keys());
        List<InetSocketAddress> nodes = found.addresses("nodes", keys.nodes());
        int clients = found.given("clients", keys.clients(), 0);
        String ordering =
                found.word("ordering", found.given("ordering", keys.ordering(), ORDERINGS.getFirst()), "", ORDERINGS);
        if (keys.ordering() == null) {
            // Replicas of one engine cannot talk to replicas of the other.
            found.note("ordering", "is " + String.join(" or ", ORDERINGS) + ", the same at every replica");
        }
        Optional<InetSocketAddress> admin = found.own("admin", keys.admin());
        found.end();
        return checked(found, () -> {
            if (number < 0 || (number >= replicas.size() && listen.isEmpty())) {
                throw new IllegalArgumentException("replica " + number + " of " + replicas.size()
                        + "; a replica that joins later needs listen, and `replicas` lists those of the genesis");
            }
            ReplicaSetup setup = new ReplicaSetup(
                    number,
                    listen.orElseGet(() -> replicas.get(number)),
                    replicas,
                    data,
                    ring,
                    channels,
                    Ordering.named(ordering),
                    nodes,
                    clients,
                    recoveries(keys));
            return new Configured<>(setup, admin);
        });
    }

    private static Recoveries recoveries(RoleSections.Replica keys) {
        long watchdogMillis = keys.watchdogPeriod().toMillis();
        return new Recoveries(
                watchdogMillis,
                millis(keys.keyPeriod(), Math.min(Recoveries.DEFAULT.keyMillis(), watchdogMillis)),
                millis(keys.slowRecovery(), watchdogMillis / SLOW_RECOVERIES_PER_PERIOD));
    }

    /**
     * Reads the configuration of a replica's supervisor from the same file. Each of its keys has a default.
     *
     * @param environment variables, of which those that begin with {@code BULWARK_SUPERVISOR_} override the file
     * @param replica of the same file
     */
    public static Configured<SupervisorSetup> supervisor(
            Path file, Map<String, String> environment, ReplicaSetup replica) throws IOException {
        RoleFindings found = new RoleFindings(file, RoleSections.SUPERVISOR);
        RoleSections.Supervisor keys = RoleSource.find(
                        file, environment, RoleSections.SUPERVISOR, RoleSections.Supervisor.class, found)
                .orElse(new RoleSections.Supervisor(null, null, true, null));
        SupervisorSetup setup = new SupervisorSetup(
                keys.data() == null ? replica.data() : found.beside(keys.data()),
                keys.recovery(),
                Optional.ofNullable(keys.release()).map(found::beside));
        Optional<InetSocketAddress> admin = found.own("admin", keys.admin());
        found.end();
        return new Configured<>(setup, admin);
    }

    /** Reads the configuration from the file alone. */
    public static ConsoleSetup console(Path file) throws IOException {
        return console(file, Map.of()).setup();
    }

    /**
     * Reads the configuration from the file and the environment.
     *
     * @param environment variables, of which those that begin with {@code BULWARK_CONSOLE_} override the file
     */
    public static Configured<ConsoleSetup> console(Path file, Map<String, String> environment) throws IOException {
        var read = RoleSource.bind(file, environment, RoleSections.CONSOLE, RoleSections.Console.class);
        RoleSections.Console keys = read.keys();
        RoleFindings found = read.findings();
        ConsoleSetup setup = new ConsoleSetup(
                found.address("listen", keys.listen()),
                keys.published(),
                found.path("client", keys.client()),
                found.beside(keys.data()),
                ConsoleKeys.web(found, keys),
                ConsoleKeys.monitoring(found, keys));
        Optional<InetSocketAddress> admin = found.own("admin", keys.admin());
        found.end();
        return new Configured<>(setup, admin);
    }

    /** Reads the configuration from the file alone. */
    public static S3Setup s3(Path file) throws IOException {
        return s3(file, Map.of()).setup();
    }

    /**
     * Reads the configuration from the file and the environment.
     *
     * @param environment variables, of which those that begin with {@code BULWARK_S3_} override the file
     */
    public static Configured<S3Setup> s3(Path file, Map<String, String> environment) throws IOException {
        var read = RoleSource.bind(file, environment, RoleSections.S3, RoleSections.S3.class);
        RoleSections.S3 keys = read.keys();
        RoleFindings found = read.findings();
        S3Setup setup = new S3Setup(
                found.address("listen", keys.listen()),
                keys.published(),
                found.path("client", keys.client()),
                ConsoleKeys.tls(found, keys.certificate(), keys.certificateKey(), keys.client()),
                keys.domains() == null ? List.of() : keys.domains());
        Optional<InetSocketAddress> admin = found.own("admin", keys.admin());
        found.end();
        return new Configured<>(setup, admin);
    }

    /** Writes the file without an admin endpoint. */
    public static void write(NodeSetup setup, Path file) throws IOException {
        writeNode(new Configured<>(setup, Optional.empty()), file);
    }

    public static void writeNode(Configured<NodeSetup> role, Path file) throws IOException {
        writeNode(role, file, file.toAbsolutePath().resolveSibling(""));
    }

    /**
     * Writes the configuration of a node.
     *
     * @param root the directory that may be moved or copied with the file: paths below it are relative to the file
     */
    public static void writeNode(Configured<NodeSetup> role, Path file, Path root) throws IOException {
        NodeSetup setup = role.setup();
        PathText paths = new PathText(file, root);
        OutputFile.write(
                file,
                String.format(
                        Locale.ROOT,
                        """
                        bulwark:
                          node:
                            number: %d
                            listen: %s
                        %s    data: %s
                            keys: %s
                            %s
                            replicas: %s
                            durability: %s
                            scrub-rate: %s
                            rebuild-rate: %s
                            disseminate-rate: %s
                        %s    write-back: %dms
                            key-period: %dms
                        """,
                        setup.number(),
                        Destination.text(setup.listen()),
                        text(role.admin()),
                        paths.quoted(setup.data()),
                        paths.quoted(setup.keys()),
                        paths.of(setup.channels()),
                        list(setup.replicas()),
                        setup.durability(),
                        size(setup.scrubBytesPerSecond()),
                        size(setup.rebuildBytesPerSecond()),
                        size(setup.disseminateBytesPerSecond()),
                        pool(setup),
                        setup.writeBackMillis(),
                        setup.keyMillis()));
    }

    private static String pool(NodeSetup setup) {
        return setup.historyPoolBytes() == NodeSetup.HISTORY_POOL_BY_CLIENTS
                ? ""
                : "    history-pool: " + size(setup.historyPoolBytes()) + "\n";
    }

    /** Formats a size in the largest unit of which it is a whole number. */
    static String size(long bytes) {
        String[] units = {"B", "KB", "MB", "GB"};
        long rest = bytes;
        int unit = 0;
        while (unit + 1 < units.length && rest >= 1024 && rest % 1024 == 0) {
            rest /= 1024;
            unit++;
        }
        return rest + units[unit];
    }

    /** Writes the file without an admin endpoint. */
    public static void write(ReplicaSetup setup, Path file) throws IOException {
        writeReplica(new Configured<>(setup, Optional.empty()), file);
    }

    public static void writeReplica(Configured<ReplicaSetup> role, Path file) throws IOException {
        writeReplica(role, file, file.toAbsolutePath().resolveSibling(""));
    }

    /** Writes the configuration of a replica, as {@link #writeNode(Configured, Path, Path)} that of a node. */
    public static void writeReplica(Configured<ReplicaSetup> role, Path file, Path root) throws IOException {
        ReplicaSetup setup = role.setup();
        PathText paths = new PathText(file, root);
        OutputFile.write(
                file,
                String.format(
                        Locale.ROOT,
                        """
                        bulwark:
                          replica:
                            number: %d
                            listen: %s
                        %s    data: %s
                        %s    %s
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
                        paths.quoted(setup.data()),
                        setup.keys() == null ? "" : "    keys: " + paths.quoted(setup.keys()) + "\n",
                        paths.of(setup.channels()),
                        list(setup.replicas()),
                        list(setup.nodes()),
                        setup.clients(),
                        setup.ordering(),
                        setup.recoveries().watchdogMillis(),
                        setup.recoveries().keyMillis(),
                        setup.recoveries().slowMillis()));
    }

    /** Writes the configuration without TLS and provider. */
    public static void writeConsole(Configured<ConsoleSetup> role, Path file) throws IOException {
        writeConsole(role, file, file.toAbsolutePath().resolveSibling(""));
    }

    /** Writes the configuration of a console, as {@link #writeNode(Configured, Path, Path)} that of a node. */
    public static void writeConsole(Configured<ConsoleSetup> role, Path file, Path root) throws IOException {
        ConsoleSetup setup = role.setup();
        PathText paths = new PathText(file, root);
        OutputFile.write(
                file,
                String.format(
                        Locale.ROOT,
                        """
                        bulwark:
                          console:
                            listen: %s
                            published: %b
                        %s    client: %s
                            data: %s
                        """,
                        Destination.text(setup.listen()),
                        setup.published(),
                        text(role.admin()),
                        paths.quoted(setup.client()),
                        paths.quoted(setup.data())));
    }

    /** Writes the configuration without TLS and names. */
    public static void writeS3(Configured<S3Setup> role, Path file) throws IOException {
        S3Setup setup = role.setup();
        OutputFile.write(
                file,
                String.format(
                        Locale.ROOT,
                        """
                        bulwark:
                          s3:
                            listen: %s
                            published: %b
                        %s    client: "%s"
                        """,
                        Destination.text(setup.listen()),
                        setup.published(),
                        text(role.admin()),
                        setup.client()));
    }

    private interface SetupFactory<T> {
        T make();
    }

    /** Reports values that can be parsed but are invalid. */
    private static <T> T checked(RoleFindings found, SetupFactory<T> making) {
        try {
            return making.make();
        } catch (IllegalArgumentException e) {
            throw found.failure(String.valueOf(e.getMessage()));
        } catch (ArithmeticException e) {
            throw found.failure("a duration exceeds the range of milliseconds");
        }
    }

    private static ChannelConfig channels(
            RoleFindings found, @Nullable String identity, @Nullable String genesis, boolean insecureLoopback) {
        if (!insecureLoopback) {
            return new ChannelConfig.Tls(found.path("identity", identity), found.path("genesis", genesis));
        }
        if (identity != null || genesis != null) {
            found.note("insecure-loopback excludes identity and genesis: choose either TLS or plain text");
        }
        return new ChannelConfig.InsecureLoopback();
    }

    /** Paths as a role file names them. */
    private record PathText(Path file, Path root) {
        /** Returns it as a string of YAML, in which quotes, backslashes and control characters are escaped. */
        String quoted(Path path) {
            StringBuilder text = new StringBuilder("\"");
            for (char c : TextFile.pathText(path, file, root).toCharArray()) {
                if (c == '"' || c == '\\') {
                    text.append('\\').append(c);
                } else if (Character.isISOControl(c)) {
                    text.append(String.format(Locale.ROOT, "\\x%02x", (int) c));
                } else {
                    text.append(c);
                }
            }
            return text.append('"').toString();
        }

        String of(ChannelConfig channels) {
            return switch (channels) {
                case ChannelConfig.Tls tls ->
                    "identity: " + quoted(tls.identity()) + "\n    genesis: " + quoted(tls.genesis());
                case ChannelConfig.InsecureLoopback _ -> "insecure-loopback: true";
            };
        }
    }

    private static String text(Optional<InetSocketAddress> admin) {
        return admin.map(address -> "    admin: " + Destination.text(address) + "\n")
                .orElse("");
    }

    private static long millis(@Nullable Duration given, long standard) {
        return given == null ? standard : given.toMillis();
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
