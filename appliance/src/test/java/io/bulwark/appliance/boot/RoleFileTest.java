package io.bulwark.appliance.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.appliance.cluster.NodeSetup;
import io.bulwark.appliance.cluster.ReplicaSetup;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@NullMarked
class RoleFileTest {
    @TempDir
    Path directory = Path.of("");

    @Test
    void whatIsWrittenIsRead() throws IOException {
        Path file = directory.resolve("role.yaml");
        Path data = directory.resolve("data");
        Path keys = directory.resolve("own.keys");
        NodeSetup node = new NodeSetup(3, address(7413), data, keys, addresses(7600, 4), "sync");
        RoleFile.write(node, file);
        assertThat(RoleFile.node(file)).isEqualTo(node);

        ReplicaSetup replica = new ReplicaSetup(2, addresses(7600, 4), data, keys, "bft-smart", addresses(7410, 5), 16);
        RoleFile.write(replica, file);
        assertThat(RoleFile.replica(file)).isEqualTo(replica);

        RoleFile.ConsoleSetup console = new RoleFile.ConsoleSetup(address(7400), directory.resolve("c.properties"));
        RoleFile.write(console, file);
        assertThat(RoleFile.console(file)).isEqualTo(console);
    }

    @Test
    void unknownAndMissingKeysAreNamed() throws IOException {
        Path file = directory.resolve("role.yaml");
        Files.writeString(file, "bulwark:\n  console:\n    listen: 127.0.0.1:7400\n    cleint: x\n");
        assertThatThrownBy(() -> RoleFile.console(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cleint");
        Files.writeString(file, "bulwark:\n  console:\n    listen: 127.0.0.1:7400\n");
        assertThatThrownBy(() -> RoleFile.console(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("client");
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
