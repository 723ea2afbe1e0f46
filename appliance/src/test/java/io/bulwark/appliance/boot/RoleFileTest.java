package io.bulwark.appliance.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.appliance.cli.BulwarkCommand;
import io.bulwark.appliance.cli.CommandFailure;
import io.bulwark.appliance.cluster.NodeSetup;
import io.bulwark.appliance.cluster.Ordering;
import io.bulwark.appliance.cluster.ReplicaSetup;
import io.bulwark.client.config.ChannelConfig;
import io.bulwark.client.error.ConfigException;
import io.bulwark.client.error.FileAccessException;
import io.bulwark.console.ConsoleSettings;
import io.bulwark.console.account.Role;
import io.bulwark.protocol.ordering.driver.ReplicaConfig.Recoveries;
import io.bulwark.storage.background.BackgroundPace;
import io.bulwark.transport.Destination;
import io.bulwark.transport.identity.Pkcs11Token;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.util.unit.DataSize;

@NullMarked
class RoleFileTest {
    @TempDir
    Path directory = Path.of("");

    @Test
    void whatIsWrittenIsRead() throws IOException {
        Path file = directory.resolve("role.yaml");
        Path data = directory.resolve("data");
        Path keys = directory.resolve("own.keys");
        ChannelConfig tls = new ChannelConfig.Tls(directory.resolve("own.pem"), directory.resolve("genesis"));
        NodeSetup node = new NodeSetup(
                3,
                address(7413),
                data,
                keys,
                tls,
                addresses(7600, 4),
                "none",
                3_000_000,
                4_000_000,
                6_000_000,
                5_000_000,
                700,
                30_000);
        RoleFile.write(node, file);
        assertThat(RoleFile.node(file)).isEqualTo(node);

        ReplicaSetup replica =
                new ReplicaSetup(2, addresses(7600, 4), data, keys, tls, Ordering.BFT, addresses(7410, 5), 16);
        RoleFile.write(replica, file);
        assertThat(RoleFile.replica(file)).isEqualTo(replica);

        NodeSetup plain = new NodeSetup(
                3, address(7413), data, keys, new ChannelConfig.InsecureLoopback(), addresses(7600, 4), "sync");
        RoleFile.write(plain, file);
        assertThat(RoleFile.node(file)).isEqualTo(plain);
        assertThat(file).as("the pool follows the clients").content().doesNotContain("history-pool");

        RoleFile.ConsoleSetup console = RoleFile.ConsoleSetup.plain(
                address(7400), true, directory.resolve("c.properties"), directory.resolve("accounts"));
        RoleFile.writeConsole(new RoleFile.Configured<>(console, Optional.empty()), file);
        assertThat(RoleFile.console(file)).isEqualTo(console);

        RoleFile.S3Setup s3 = RoleFile.S3Setup.plain(address(7401), true, directory.resolve("c.properties"));
        RoleFile.writeS3(new RoleFile.Configured<>(s3, Optional.of(address(7901))), file);
        assertThat(RoleFile.s3(file, Map.of())).isEqualTo(new RoleFile.Configured<>(s3, Optional.of(address(7901))));
    }

    @Test
    void gatewayHasACertificateAndNames() throws IOException {
        Path file = directory.resolve("s3.yaml");
        Files.writeString(file, """
            bulwark:
              s3:
                listen: 0.0.0.0:443
                client: client.properties
                certificate: s3.crt
                certificate-key: s3.key
            """);
        RoleFile.S3Setup setup = RoleFile.s3(file, Map.of("BULWARK_S3_DOMAINS", "s3.example,s3.local"))
                .setup();
        assertThat(setup.tls())
                .contains(new ConsoleSettings.Tls(directory.resolve("s3.crt"), directory.resolve("s3.key")));
        assertThat(setup.domains()).containsExactly("s3.example", "s3.local");
        Files.writeString(file, Files.readString(file).replace("    certificate: s3.crt\n", ""));
        assertThatThrownBy(() -> RoleFile.s3(file))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("certificate-key: it goes with certificate");
    }

    @Test
    void gatewayWithoutTlsListensOnLoopbackAlone() throws IOException {
        Path file = directory.resolve("s3.yaml");
        Files.writeString(file, """
            bulwark:
              s3:
                listen: 0.0.0.0:7401
                client: client.properties
            """);
        assertThatThrownBy(() -> S3Role.run(file, null))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("without TLS the S3 gateway listens on loopback only");
    }

    @Test
    void filesThatAreMovedTogetherFindEachOther() throws IOException {
        Path root = directory.resolve("d\u00e4t\u00e4 \"quoted\" \\ # {x}");
        Files.createDirectories(root.resolve("config"));
        Path elsewhere = directory.resolve("elsewhere/genesis");
        NodeSetup node = new NodeSetup(
                3,
                address(7413),
                root.resolve("nodes/3"),
                root.resolve("keys/own.keys"),
                new ChannelConfig.Tls(root.resolve("keys/own.pem"), elsewhere),
                addresses(7600, 4),
                "sync");
        Path file = root.resolve("config/node-3.yaml");
        RoleFile.writeNode(new RoleFile.Configured<>(node, Optional.empty()), file, root);
        assertThat(RoleFile.node(file)).isEqualTo(node);

        Path moved = directory.resolve("moved");
        Files.move(root, moved);
        NodeSetup found = RoleFile.node(moved.resolve("config/node-3.yaml"));
        assertThat(found.data()).isEqualTo(moved.resolve("nodes/3"));
        assertThat(found.keys()).isEqualTo(moved.resolve("keys/own.keys"));
        assertThat(found.channels()).isEqualTo(new ChannelConfig.Tls(moved.resolve("keys/own.pem"), elsewhere));
    }

    @Test
    void aFileThatTheSystemCannotReadIsNoWrongConfiguration() {
        Path broken = Path.of("/proc/self/mem");
        Assumptions.assumeTrue(Files.isReadable(broken), "no /proc");
        assertThatThrownBy(() -> RoleFile.node(broken))
                .isInstanceOf(FileAccessException.class)
                .hasMessageContaining("Input/output error");
        assertThat(BulwarkCommand.run("node", "--config", broken.toString())).isEqualTo(CommandFailure.FILES);
        assertThat(BulwarkCommand.run(
                        "replica", "--config", directory.resolve("none").toString()))
                .isEqualTo(CommandFailure.CONFIG);
    }

    @Test
    void membersMayBeNamedAndHaveAnAdminEndpoint() throws IOException {
        Path file = directory.resolve("role.yaml");
        List<InetSocketAddress> replicas =
                List.of(Destination.of("replica-0", 7600), Destination.of("::1", 7601), address(7602), address(7603));
        ReplicaSetup setup = new ReplicaSetup(
                0,
                Destination.of("0.0.0.0", 7600),
                replicas,
                directory.resolve("data"),
                directory.resolve("own.keys"),
                new ChannelConfig.Tls(directory.resolve("own.pem"), directory.resolve("genesis")),
                Ordering.BFT,
                List.of(Destination.of("node-0.example", 7410)),
                16,
                Recoveries.DEFAULT);
        var configured = new RoleFile.Configured<>(setup, Optional.of(address(8100)));
        RoleFile.writeReplica(configured, file);
        assertThat(RoleFile.replica(file, Map.of())).isEqualTo(configured);
        assertThat(setup.nodes().getFirst().getHostString()).isEqualTo("node-0.example");
    }

    @Test
    void sizesAreWrittenAsPeopleWriteThem() {
        Map<Long, String> sizes = Map.of(
                0L, "0B", 1L, "1B", 1023L, "1023B", 1024L, "1KB", 1025L, "1025B", 8L << 20, "8MB", 3L << 30, "3GB",
                1L << 40, "1024GB");
        sizes.forEach((bytes, text) -> {
            assertThat(RoleFile.size(bytes)).isEqualTo(text);
            assertThat(DataSize.parse(text).toBytes()).isEqualTo(bytes);
        });
    }

    @Test
    void timesOfRecoveriesAreReadAndKeptWithinBounds() throws IOException {
        Path file = directory.resolve("role.yaml");
        ReplicaSetup setup = replica().withRecoveries(new Recoveries(60_000, 20_000, 7_000));
        RoleFile.write(setup, file);
        assertThat(RoleFile.replica(file)).isEqualTo(setup);
        String times = Files.readString(file);
        Files.writeString(file, times.replaceAll("(?m)^ *(watchdog|key|slow)-.*\\n", ""));
        assertThat(RoleFile.replica(file).recoveries()).isEqualTo(Recoveries.DEFAULT);
        Map<String, String> half = Map.of("BULWARK_REPLICA_WATCHDOG_PERIOD", "5m");
        assertThat(RoleFile.replica(file, half).setup().recoveries())
                .isEqualTo(new Recoveries(300_000, 60_000, 60_000));
        for (Map<String, String> bad : List.of(
                Map.of("BULWARK_REPLICA_WATCHDOG_PERIOD", "29s"),
                Map.of("BULWARK_REPLICA_KEY_PERIOD", "14s"),
                Map.of("BULWARK_REPLICA_KEY_PERIOD", "11m"),
                Map.of("BULWARK_REPLICA_SLOW_RECOVERY", "0s"))) {
            assertThatThrownBy(() -> RoleFile.replica(file, bad)).isInstanceOf(ConfigException.class);
        }
    }

    @Test
    void aSupervisorNeedsNoSectionOfItsOwn() throws IOException {
        Path file = directory.resolve("role.yaml");
        ReplicaSetup setup = replica();
        RoleFile.write(setup, file);
        assertThat(RoleFile.supervisor(file, Map.of(), setup))
                .isEqualTo(new RoleFile.Configured<>(
                        new RoleFile.SupervisorSetup(setup.data(), true, Optional.empty()), Optional.empty()));
        Map<String, String> off = Map.of("BULWARK_SUPERVISOR_RECOVERY", "off");
        assertThat(RoleFile.supervisor(file, off, setup).setup().recovers()).isFalse();
        Files.writeString(
                file,
                "  supervisor:\n    admin: 127.0.0.1:8140\n    data: own\n    release: app/bulwark.jar\n",
                StandardOpenOption.APPEND);
        assertThat(RoleFile.replica(file)).isEqualTo(setup);
        assertThat(RoleFile.supervisor(file, Map.of(), setup))
                .isEqualTo(new RoleFile.Configured<>(
                        new RoleFile.SupervisorSetup(
                                directory.resolve("own"), true, Optional.of(directory.resolve("app/bulwark.jar"))),
                        Optional.of(address(8140))));
        Files.writeString(file, "    period: 3m\n", StandardOpenOption.APPEND);
        assertThatThrownBy(() -> RoleFile.supervisor(file, Map.of(), setup)).isInstanceOf(ConfigException.class);
    }

    private ReplicaSetup replica() {
        return replica(Ordering.BFT);
    }

    private ReplicaSetup replica(Ordering ordering) {
        return new ReplicaSetup(
                2,
                addresses(7600, 4),
                directory.resolve("data"),
                directory.resolve("own.keys"),
                new ChannelConfig.Tls(directory.resolve("own.pem"), directory.resolve("genesis")),
                ordering,
                addresses(7410, 5),
                16);
    }

    @Test
    void dashesInTheKeysOfAFileAreOptional() throws IOException {
        String example = Files.readString(Path.of("..", "docker", "examples", "node.yaml"));
        Path file = directory.resolve("node.yaml");
        Files.writeString(file, example.replace("scrub-rate: 8MB", "scrubRate: 7MB"));
        assertThat(RoleFile.node(file, Map.of()).setup().scrubBytesPerSecond()).isEqualTo(7L << 20);
    }

    @Test
    void theEnvironmentOverridesTheFile() throws IOException {
        Path file = Path.of("..", "docker", "examples", "node.yaml");
        Map<String, String> environment = Map.of(
                "BULWARK_NODE_SCRUB_RATE", "3MB",
                "BULWARK_NODE_REBUILD_RATE", "5MB",
                "BULWARK_NODE_WRITE_BACK", "500ms",
                "BULWARK_NODE_KEY_PERIOD", "1m",
                "BULWARK_NODE_REPLICAS", "a:1, b:2",
                "BULWARK_NODE_ADMIN", "127.0.0.1:9",
                "BULWARK_NODE_DURABILITY", "",
                "BULWARK_REPLICA_NUMBER", "7");
        RoleFile.Configured<NodeSetup> role = RoleFile.node(file, environment);
        assertThat(role.setup().scrubBytesPerSecond()).isEqualTo(3L << 20);
        assertThat(role.setup().rebuildBytesPerSecond()).isEqualTo(5L << 20);
        assertThat(role.setup().writeBackMillis()).isEqualTo(500);
        assertThat(role.setup().keyMillis()).isEqualTo(60_000);
        assertThat(role.setup().replicas()).containsExactly(Destination.of("a", 1), Destination.of("b", 2));
        assertThat(role.admin()).contains(address(9));
        assertThat(role.setup().durability()).isEqualTo("sync");
        assertThatThrownBy(() -> RoleFile.node(file, Map.of("BULWARK_NODE_SCRUBRATE", "3MB")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("BULWARK_NODE_SCRUBRATE")
                .hasMessageContaining("BULWARK_NODE_SCRUB_RATE");
        assertThatThrownBy(() -> RoleFile.node(file, Map.of("BULWARK_NODE_WRITE_BACK", "soon")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("write-back");
        assertThatThrownBy(() -> RoleFile.node(file, Map.of("BULWARK_NODE_KEY_PERIOD", "1s")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("key period");
    }

    @Test
    void everyExampleIsRead() throws IOException {
        Path examples = Path.of("..", "docker", "examples");
        assertThat(RoleFile.node(examples.resolve("node.yaml")).number()).isEqualTo(3);
        ReplicaSetup replica = RoleFile.replica(examples.resolve("replica.yaml"));
        assertThat(replica.nodes()).hasSize(5);
        assertThat(replica.recoveries()).isEqualTo(Recoveries.DEFAULT);
        assertThat(RoleFile.supervisor(examples.resolve("replica.yaml"), Map.of(), replica)
                        .setup()
                        .recovers())
                .isTrue();
        assertThat(RoleFile.console(examples.resolve("console.yaml")).published())
                .isFalse();
        assertThat(RoleFile.s3(examples.resolve("s3.yaml")).domains()).isEmpty();
        try (Stream<Path> all = Files.list(examples)) {
            assertThat(all.map(file -> file.getFileName().toString()))
                    .as("those that this test reads")
                    .containsExactlyInAnyOrder("node.yaml", "replica.yaml", "console.yaml", "s3.yaml");
        }
    }

    /** A missing key is reported by name, with the exit code EX_CONFIG. */
    @Test
    void eachKeyThatIsNeededIsMissed() throws IOException {
        Map<String, List<String>> needed = Map.of(
                "node", List.of("number", "listen", "data", "keys", "identity", "genesis", "replicas"),
                "replica", List.of("number", "data", "identity", "genesis", "replicas", "nodes", "clients", "ordering"),
                "console", List.of("listen", "client"),
                "s3", List.of("listen", "client"));
        for (var role : needed.entrySet()) {
            String good = Files.readString(Path.of("..", "docker", "examples", role.getKey() + ".yaml"));
            assertThat(requiredKeys(role.getKey())).as(role.getKey()).hasSameElementsAs(role.getValue());
            for (String key : role.getValue()) {
                Path file = directory.resolve(role.getKey() + "-without-" + key + ".yaml");
                Files.writeString(file, good.replaceFirst("(?m)^    " + key + ": .*$", ""));
                assertThatThrownBy(() -> read(role.getKey(), file))
                        .isInstanceOf(ConfigException.class)
                        .hasMessageContaining(file + ": the key " + key + " is missing");
                assertThat(BulwarkCommand.run(role.getKey(), "--config", file.toString()))
                        .isEqualTo(CommandFailure.CONFIG);
            }
        }
    }

    private static List<String> requiredKeys(String role) {
        return Objects.requireNonNull(RoleSections.all().get(role)).stream()
                .filter(RoleSections.DeclaredKey::isRequired)
                .map(RoleSections.DeclaredKey::name)
                .toList();
    }

    /** The defaults that the sections declare are those of members that `up` makes without files. */
    @Test
    void filesWithRequiredKeysOnlyHaveTheStandardSetup() throws IOException {
        Path file = directory.resolve("role.yaml");
        Files.writeString(file, """
            bulwark:
              node:
                number: 1
                listen: 127.0.0.1:7411
                data: data
                keys: own.keys
                identity: own.pem
                genesis: genesis
                replicas: [127.0.0.1:7600]
              replica:
                number: 1
                data: data
                identity: own.pem
                genesis: genesis
                replicas: [127.0.0.1:7600, 127.0.0.1:7601, 127.0.0.1:7602, 127.0.0.1:7603]
                nodes: [127.0.0.1:7411]
                clients: 1
                ordering: bft
            """);
        assertThat(RoleFile.node(file))
                .isEqualTo(new NodeSetup(
                        1,
                        address(7411),
                        directory.resolve("data"),
                        directory.resolve("own.keys"),
                        new ChannelConfig.Tls(directory.resolve("own.pem"), directory.resolve("genesis")),
                        addresses(7600, 1),
                        "sync"));
        ReplicaSetup replica = RoleFile.replica(file);
        assertThat(replica.recoveries()).isEqualTo(Recoveries.DEFAULT);
        assertThat(RoleFile.supervisor(file, Map.of(), replica).setup())
                .isEqualTo(new RoleFile.SupervisorSetup(directory.resolve("data"), true, Optional.empty()));
    }

    /** The engines do not understand each other, so none is guessed. */
    @Test
    void whoDoesNotSayWhichEngineOrdersIsToldWhichThereAre() throws IOException {
        Path file = directory.resolve("role.yaml");
        RoleFile.write(replica(), file);
        Files.writeString(file, Files.readString(file).replaceFirst("(?m)^    ordering: .*\\n", ""));
        assertThatThrownBy(() -> RoleFile.replica(file))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(file + ": the key ordering is missing; ordering: is bft or bft-smart")
                .hasMessageContaining("the same at every replica");
        assertThat(BulwarkCommand.run("supervise", "--config", file.toString())).isEqualTo(CommandFailure.CONFIG);
        for (Ordering each : Ordering.values()) {
            assertThat(RoleFile.replica(file, Map.of("BULWARK_REPLICA_ORDERING", each.toString()))
                            .setup()
                            .ordering())
                    .isEqualTo(each);
        }
    }

    @Test
    void whyAReplicaCannotRecoverIsSaid() {
        assertThat(replica().recoveryHindrance()).isEmpty();
        assertThat(replica(Ordering.BFT_SMART).recoveryHindrance())
                .hasValue("its ordering engine is bft-smart, which has no recoveries");
        ReplicaSetup plain = new ReplicaSetup(
                0,
                addresses(7600, 4),
                directory,
                directory.resolve("own.keys"),
                new ChannelConfig.InsecureLoopback(),
                Ordering.BFT,
                addresses(7410, 5),
                16);
        assertThat(plain.recoveryHindrance()).hasValue("it has no identity to sign with");
    }

    /** Over TLS replicas agree on their keys; without an identity they have none but those of the ring. */
    @Test
    void aReplicaWithAnIdentityNeedsNoKeyRing() throws IOException {
        Path file = directory.resolve("role.yaml");
        RoleFile.write(replica(), file);
        String with = Files.readString(file);
        String without = with.replaceFirst("(?m)^    keys: .*\\n", "");
        assertThat(without).isNotEqualTo(with);
        Files.writeString(file, without);
        ReplicaSetup read = RoleFile.replica(file);
        assertThat(read.keys()).isNull();
        RoleFile.write(read, file);
        assertThat(file).content().isEqualTo(without);
        Path bundle = directory.resolve("bundle");
        Files.writeString(directory.resolve("own.pem"), "");
        Files.writeString(directory.resolve("genesis"), "");
        Bundle.write(bundle, read, Optional.empty());
        assertThat(RoleFile.replica(bundle.resolve(Bundle.ROLE)).keys()).isNull();

        Files.writeString(file, without.replaceFirst("(?m)^    identity: .*\\n.*\\n", "    insecure-loopback: true\n"));
        assertThatThrownBy(() -> RoleFile.replica(file)).hasMessageContaining("the key keys is missing");
    }

    /** One start tells all that is to be mended. */
    @Test
    void allThatIsWrongIsSaidAtOnce() throws IOException {
        Path file = directory.resolve("role.yaml");
        Files.writeString(file, """
            bulwark:
              replica:
                number: first
                listen: 7601
                dta: /var/lib/bulwark
                identity: own.pem
                replicas: [127.0.0.1:7600, nowhere]
                nodes: {a: 127.0.0.1:7410}
                clients: 16
                ordering: raft
                watchdog-period: soon
            """);
        assertThatThrownBy(() -> RoleFile.replica(file, Map.of("BULWARK_REPLICA_DTA", "x", "BULWARK_REPLICA_ADM", "y")))
                .isInstanceOf(ConfigException.class)
                .message()
                .startsWith(file + ": the keys data, genesis, nodes are missing; ")
                .contains("BULWARK_REPLICA_ADM, BULWARK_REPLICA_DTA, unknown to the role replica")
                .contains("; there is no key dta in bulwark.replica; ")
                .contains("; there is no key nodes.a in bulwark.replica; ")
                .contains("; number: \"first\" is not a whole number; ")
                .contains("; watchdog-period: \"soon\" is not a time such as 2s or 10m; ")
                .contains("; listen: \"7601\" is not HOST:PORT")
                .contains("; replicas: \"nowhere\" is not HOST:PORT")
                .contains("; ordering: \"raft\" is not bft or bft-smart")
                .contains("see docs/reference/configuration.md and docker/examples/replica.yaml")
                .doesNotContain("unbound", "java.", "clients");
        Files.writeString(file, "bulwark:\n  console:\n    listen: 127.0.0.1:7400\n    published: perhaps\n");
        assertThatThrownBy(() -> RoleFile.console(file))
                .hasMessageContaining("the key client is missing; published: \"perhaps\" is not true or false; see");
    }

    @Test
    void aConsoleHasTlsAndAProvider() throws IOException {
        Path file = directory.resolve("console.yaml");
        String plain = """
            bulwark:
              console:
                listen: 0.0.0.0:7400
                client: client.properties
            """;
        Files.writeString(file, plain + """
                url: https://console.example:7400
                certificate: console.crt
                certificate-key: console.key
                oidc-issuer: https://login.example
                oidc-client: bulwark
                oidc-secret: oidc.secret
                oidc-viewers: [staff, guests]
                oidc-administrators: [admins]
            """);
        RoleFile.ConsoleSetup setup = RoleFile.console(file);
        assertThat(setup.data()).isEqualTo(directory.resolve("console"));
        assertThat(setup.web().url()).contains(URI.create("https://console.example:7400"));
        assertThat(setup.web().tls())
                .contains(new ConsoleSettings.Tls(directory.resolve("console.crt"), directory.resolve("console.key")));
        assertThat(setup.web().oidc())
                .contains(new ConsoleSettings.Oidc(
                        URI.create("https://login.example"),
                        "bulwark",
                        directory.resolve("oidc.secret"),
                        "roles",
                        Map.of("staff", Role.VIEWER, "guests", Role.VIEWER, "admins", Role.ADMINISTRATOR)));

        Files.writeString(file, plain);
        assertThat(RoleFile.console(file).web()).isEqualTo(ConsoleSettings.Web.PLAIN);
        Files.writeString(file, plain + """
                url: console.example
                certificate-key: console.key
                oidc-issuer: https://login.example
                oidc-viewers: [staff]
                oidc-operators: [staff]
                traces: collector:4318
                key-device: replica.pkcs11
            """);
        Pkcs11Token typed = new Pkcs11Token(Path.of("/usr/lib/device.so"), "token", "client-0", Optional.empty());
        Files.writeString(directory.resolve("operator.pkcs11"), typed.text());
        Files.writeString(
                directory.resolve("replica.pkcs11"),
                new Pkcs11Token(typed.module(), "token", "client-0", Optional.of(Path.of("pin"))).text());
        assertThatThrownBy(() -> RoleFile.console(file))
                .hasMessageContaining("the keys oidc-client, oidc-secret are missing")
                .hasMessageContaining("url: \"console.example\" is no http or https URL")
                .hasMessageContaining("certificate-key: it goes with certificate")
                .hasMessageContaining("oidc-operators: \"staff\" makes a viewer already")
                .hasMessageContaining("traces: \"collector:4318\" is no http or https URL")
                .hasMessageContaining("key-device: its operator types the PIN");
        Files.writeString(file, plain + """
                traces: http://collector:4318/v1/traces
                key-device: operator.pkcs11
            """);
        assertThat(RoleFile.console(file).web().device()).contains(typed);
        assertThat(RoleFile.console(file).monitoring().traces())
                .contains(URI.create("http://collector:4318/v1/traces"));
    }

    @Test
    void whereThereIsNoSectionWithKeysThatIsSaidOnce() throws IOException {
        Path file = directory.resolve("role.yaml");
        for (String none : List.of("console: {}", "node: 3", "node: [3]", "node: off")) {
            Files.writeString(file, "bulwark:\n  " + none + "\n");
            assertThatThrownBy(() -> RoleFile.node(file, Map.of("BULWARK_NODE_DTA", "x")))
                    .as(none)
                    .isInstanceOf(ConfigException.class)
                    .message()
                    .startsWith(file + ": the environment has BULWARK_NODE_DTA, unknown to the role")
                    .containsOnlyOnce("; there is no section bulwark.node with keys; see")
                    .doesNotContain("a valid value");
        }
        Files.writeString(file, "bulwark:\n  node:\n");
        assertThatThrownBy(() -> RoleFile.node(file)).hasMessageContaining("number, replicas are missing; see");
        Files.writeString(file, "bulwark:\n  supervisor: 3\n");
        assertThatThrownBy(() -> RoleFile.supervisor(file, Map.of(), replica()))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(file + ": there is no section bulwark.supervisor with keys; see");
        Files.writeString(file, "bulwark:\n  supervisor:\n");
        assertThat(RoleFile.supervisor(file, Map.of(), replica()).setup().recovers())
                .isTrue();
    }

    /** With what else is wrong, and with the exit code that has nobody start it again. */
    @Test
    void aWordThatIsNoneOfThoseThatThereAreIsSaidWithThem() throws IOException {
        Path example = Path.of("..", "docker", "examples", "node.yaml");
        String good = Files.readString(example);
        Path file = directory.resolve("role.yaml");
        Files.writeString(
                file, good.replace("durability: sync", "durability: maybe").replace("    number: 3\n", ""));
        assertThatThrownBy(() -> RoleFile.node(file))
                .hasMessageContaining(file
                        + ": the key number is missing; durability: \"maybe\" is not sync or interval or none; see");
        assertThat(BulwarkCommand.run("node", "--config", file.toString())).isEqualTo(CommandFailure.CONFIG);
        for (String word : List.of("sync", "interval", "none", "Interval")) {
            assertThat(RoleFile.node(example, Map.of("BULWARK_NODE_DURABILITY", word))
                            .setup()
                            .durability())
                    .isEqualTo(word.toLowerCase(Locale.ROOT));
        }
        assertThatThrownBy(() -> RoleFile.node(example, Map.of("BULWARK_NODE_WRITE_BACK", "99999999999999999s")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("a duration exceeds the range");
    }

    @Test
    void anAddressIsAHostAndAPort() throws IOException {
        Path file = directory.resolve("role.yaml");
        for (String bad : new String[] {"7400", ":7400", "localhost", "localhost:http", "localhost:70000"}) {
            Files.writeString(file, "bulwark:\n  console:\n    listen: \"" + bad + "\"\n    client: c\n");
            assertThatThrownBy(() -> RoleFile.console(file))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("\"" + bad + "\" is not HOST:PORT");
        }
    }

    private static Object read(String role, Path file) throws IOException {
        return switch (role) {
            case "node" -> RoleFile.node(file);
            case "replica" -> RoleFile.replica(file);
            case "console" -> RoleFile.console(file);
            default -> RoleFile.s3(file);
        };
    }

    @Test
    void aRateMayBeGivenInMegabytesAndIsTheStandardOneIfItIsNot() throws IOException {
        Path file = directory.resolve("role.yaml");
        String keys = """
            bulwark:
              node:
                number: 1
                listen: 127.0.0.1:7411
                data: d
                keys: k
                insecure-loopback: true
                replicas: [127.0.0.1:7600]
            """;
        Files.writeString(file, keys);
        assertThat(RoleFile.node(file).scrubBytesPerSecond()).isEqualTo(BackgroundPace.SCRUB_BYTES_PER_SECOND);
        Files.writeString(file, keys + "    scrub-rate: 2MB\n");
        assertThat(RoleFile.node(file).scrubBytesPerSecond()).isEqualTo(2L << 20);
        Files.writeString(file, keys + "    scrub-rate: -2MB\n");
        assertThatThrownBy(() -> RoleFile.node(file)).isInstanceOf(ConfigException.class);

        Files.writeString(file, keys);
        assertThat(RoleFile.node(file).rebuildBytesPerSecond()).isEqualTo(BackgroundPace.REBUILD_BYTES_PER_SECOND);
        Files.writeString(file, keys + "    rebuild-rate: 2MB\n");
        assertThat(RoleFile.node(file).rebuildBytesPerSecond()).isEqualTo(2L << 20);
        // The second value lacks its unit. A rate of 0 would keep every slot that moves faulty for ever.
        for (String bad : List.of("-2MB", "32", "0")) {
            Files.writeString(file, keys + "    rebuild-rate: " + bad + "\n");
            assertThatThrownBy(() -> RoleFile.node(file))
                    .as(bad)
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("rebuild rate")
                    .hasMessageContaining("64KB or more");
        }
    }

    @Test
    void unknownAndMissingKeysAreNamed() throws IOException {
        Path file = directory.resolve("role.yaml");
        Files.writeString(file, "bulwark:\n  console:\n    listen: 127.0.0.1:7400\n    cleint: x\n");
        assertThatThrownBy(() -> RoleFile.console(file))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("cleint");
        Files.writeString(file, "bulwark:\n  console:\n    listen: 127.0.0.1:7400\n");
        assertThatThrownBy(() -> RoleFile.console(file))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("client");

        Path data = directory.resolve("data");
        ChannelConfig tls = new ChannelConfig.Tls(directory.resolve("own.pem"), directory.resolve("genesis"));
        RoleFile.write(new NodeSetup(3, address(7413), data, data, tls, addresses(7600, 4), "sync"), file);
        String good = Files.readString(file);
        for (String key : new String[] {"identity", "genesis", "keys"}) {
            Files.writeString(file, good.replaceFirst(" " + key + ": .*\\n", "\n"));
            assertThatThrownBy(() -> RoleFile.node(file))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining(file + ": the key " + key + " is missing");
        }
        Files.writeString(file, good + "    insecure-loopback: true\n");
        assertThatThrownBy(() -> RoleFile.node(file)).hasMessageContaining("either TLS or plain text");
    }

    private static List<InetSocketAddress> addresses(int first, int count) {
        return IntStream.range(first, first + count)
                .mapToObj(RoleFileTest::address)
                .toList();
    }

    private static InetSocketAddress address(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }
}
