package io.bulwark.appliance.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.client.config.ClientConfig;
import io.bulwark.transport.Destination;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@NullMarked
class MemberAddressesTest {
    private static final ClusterShape SHAPE = new ClusterShape(5, 4, 7400, Ordering.DEFAULT, "sync");

    @TempDir
    Path directory = Path.of("");

    @Test
    void aPatternNamesEachMembersHost() throws IOException {
        MemberAddresses addresses = MemberAddresses.named("%s.storage.example", SHAPE);
        DataDirectory data = DataDirectory.create(directory.resolve("data"));
        assertThat(MemberAddresses.kept(data, SHAPE)).isEmpty();
        addresses.keep(data);
        assertThat(MemberAddresses.kept(data, SHAPE)).contains(addresses);

        ClusterPlan plan = new ClusterPlan(data, SHAPE, addresses);
        NodeSetup node = plan.node(3, Path.of("/data"));
        assertThat(node.listen()).isEqualTo(Destination.of("0.0.0.0", 7413));
        assertThat(node.replicas()).contains(Destination.of("replica-2.storage.example", 7602));
        ReplicaSetup replica = plan.replica(1, Path.of("/data"));
        assertThat(replica.listen()).isEqualTo(Destination.of("0.0.0.0", 7601));
        assertThat(replica.replicas()).startsWith(Destination.of("replica-0.storage.example", 7600));
        assertThat(replica.nodes()).contains(Destination.of("node-4.storage.example", 7414));
        assertThat(plan.commandLine().replicas())
                .contains(new ClientConfig.Endpoint("replica-3.storage.example", 7603));
        assertThatThrownBy(() -> MemberAddresses.named("storage.example", SHAPE))
                .hasMessageContaining("%s");
    }

    @Test
    void aFileSaysWhereEachMemberIs() throws IOException {
        Path file = directory.resolve("addresses");
        String all = """
            node-0=10.0.0.1
            node-1=10.0.0.2:9000
            node-2=fd00::2
            node-3=[fd00::3]:9000
            node-4=storage-4
            replica-0=10.0.0.1
            replica-1=10.0.0.2
            replica-2=10.0.0.3
            replica-3=10.0.0.4
            """;
        Files.writeString(file, all);
        MemberAddresses addresses = MemberAddresses.read(file, SHAPE);
        assertThat(addresses.of("node-0", 7410)).isEqualTo(Destination.of("10.0.0.1", 7410));
        assertThat(addresses.of("node-1", 7411)).isEqualTo(Destination.of("10.0.0.2", 9000));
        assertThat(addresses.of("node-2", 7412)).isEqualTo(Destination.of("fd00::2", 7412));
        assertThat(addresses.of("node-3", 7413)).isEqualTo(Destination.of("fd00::3", 9000));
        assertThat(addresses.listen("node-3", 7413)).isEqualTo(Destination.of("0.0.0.0", 9000));
        DataDirectory data = DataDirectory.create(directory.resolve("data"));
        addresses.keep(data);
        assertThat(MemberAddresses.kept(data, SHAPE)).contains(addresses);

        Files.writeString(file, all.replace("node-4=storage-4\n", ""));
        assertThatThrownBy(() -> MemberAddresses.read(file, SHAPE)).hasMessageContaining("node-4");
        Files.writeString(file, all + "node-5=10.0.0.6\n");
        assertThatThrownBy(() -> MemberAddresses.read(file, SHAPE)).hasMessageContaining("node-5");
        Files.writeString(file, all.replace("storage-4", "storage-4:http"));
        assertThatThrownBy(() -> MemberAddresses.read(file, SHAPE))
                .hasMessageContaining("node-4")
                .hasMessageContaining("HOST");
    }

    @Test
    void withoutBothAllAreOnLoopback() throws IOException {
        DataDirectory data = DataDirectory.create(directory.resolve("data"));
        ClusterPlan plan = new ClusterPlan(data, SHAPE);
        assertThat(plan.node(0, Path.of("/data")).listen()).isEqualTo(Destination.of("127.0.0.1", 7410));
        assertThat(plan.adminAddress(plan.consoleAddress())).isEqualTo(Destination.of("127.0.0.1", 7900));
        assertThat(MemberAddresses.loopback().isLoopback()).isTrue();
    }
}
