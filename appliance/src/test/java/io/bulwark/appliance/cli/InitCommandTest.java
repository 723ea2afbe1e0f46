package io.bulwark.appliance.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.appliance.boot.Bundle;
import io.bulwark.appliance.boot.RoleFile;
import io.bulwark.appliance.cluster.NodeSetup;
import io.bulwark.client.config.ChannelConfig;
import io.bulwark.client.config.ClientConfig;
import io.bulwark.transport.Destination;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@NullMarked
class InitCommandTest {
    @TempDir
    Path directory = Path.of("");

    @Test
    void eachHostGetsWhatItNeedsAndNoOtherKeys() throws IOException {
        Path data = directory.resolve("data");
        Path bundles = directory.resolve("hosts");
        assertThat(init(data, "--host-pattern", "%s.example", "--bundles", bundles.toString()))
                .isZero();
        Path own = bundles.resolve("node-3");
        NodeSetup node = RoleFile.node(own.resolve(Bundle.ROLE));
        assertThat(node.number()).isEqualTo(3);
        assertThat(node.keys()).isEqualTo(own.resolve("keys/node-3.keys")).isRegularFile();
        ChannelConfig.Tls tls = (ChannelConfig.Tls) node.channels();
        assertThat(tls.identity()).isEqualTo(own.resolve("keys/node-3.pem")).isRegularFile();
        assertThat(tls.genesis()).hasSameTextualContentAs(data.resolve("genesis.properties"));
        assertThat(Files.getPosixFilePermissions(tls.identity())).hasSize(2);
        assertThat(files(own)).containsExactly("genesis.properties", "node-3.keys", "node-3.pem", "role.yaml");
        assertThat(files(bundles.resolve("console")))
                .containsExactly(
                        "client-1.keys", "client-1.pem", "client.properties", "genesis.properties", "role.yaml");
        assertThat(RoleFile.console(bundles.resolve("console").resolve(Bundle.ROLE))
                        .client())
                .isRegularFile();
        assertThat(files(bundles.resolve("s3")))
                .containsExactly(
                        "client-15.keys", "client-15.pem", "client.properties", "genesis.properties", "role.yaml");
        assertThat(RoleFile.s3(bundles.resolve("s3").resolve(Bundle.ROLE)).client())
                .isRegularFile();
        assertThat(RoleFile.replica(bundles.resolve("replica-3").resolve(Bundle.ROLE))
                        .nodes())
                .contains(Destination.of("node-0.example", 7410));
        ClientConfig client = ClientConfig.load(bundles.resolve("client").resolve("client.properties"));
        assertThat(client.replicas()).contains(new ClientConfig.Endpoint("replica-0.example", 7600));
    }

    @Test
    void addressesStay() {
        Path data = directory.resolve("data");
        assertThat(init(data, "--host-pattern", "%s.example")).isZero();
        assertThat(init(data, "--host-pattern", "%s.example")).isZero();
        assertThat(init(data)).isZero();
        assertThat(init(data, "--host-pattern", "%s.other")).isEqualTo(CommandFailure.USAGE);
        assertThat(BulwarkCommand.run("up", "--data", data.toString())).isEqualTo(CommandFailure.USAGE);
        Path plain = directory.resolve("plain");
        assertThat(init(plain)).isZero();
        assertThat(init(plain, "--host-pattern", "%s.example")).isEqualTo(CommandFailure.USAGE);
        assertThat(init(directory.resolve("one"), "--host-pattern", "example")).isEqualTo(CommandFailure.USAGE);
        assertThat(init(directory.resolve("open"), "--host-pattern", "%s", "--insecure-loopback"))
                .isEqualTo(CommandFailure.USAGE);
    }

    private static int init(Path data, String... more) {
        return BulwarkCommand.run(Stream.concat(Stream.of("init", "--data", data.toString()), Stream.of(more))
                .toArray(String[]::new));
    }

    private static List<String> files(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(Files::isRegularFile)
                    .map(file -> file.getFileName().toString())
                    .sorted()
                    .toList();
        }
    }
}
