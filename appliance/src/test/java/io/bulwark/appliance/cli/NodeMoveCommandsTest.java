package io.bulwark.appliance.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.appliance.boot.Bundle;
import io.bulwark.appliance.boot.RoleFile;
import io.bulwark.appliance.cluster.MemberAddresses;
import io.bulwark.appliance.cluster.NodeSetup;
import io.bulwark.client.config.ClientConfig;
import io.bulwark.client.config.JoinToken;
import io.bulwark.client.config.KeyRing;
import io.bulwark.protocol.cluster.NodeAddress;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.identity.Identity;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeMoveCommandsTest {
    @TempDir
    private Path directory = Path.of("");

    @Test
    void aNodeIsNamedByItsNumberOrAsAPrincipal() {
        assertThat(NodeMoveCommands.number("5")).isEqualTo(5);
        assertThat(NodeMoveCommands.number("node-12")).isEqualTo(12);
        for (String wrong : List.of("client-5", "", "-1", "node-x", "05", "9999999999")) {
            assertThatThrownBy(() -> NodeMoveCommands.number(wrong)).isInstanceOf(CommandFailure.class);
        }
    }

    @Test
    void anAddressWithoutAPortHasThatOfTheOthersBase() {
        List<NodeAddress> others = List.of(
                new NodeAddress(0, "a", 17410), new NodeAddress(1, "b", 17411), new NodeAddress(5, "old", 9000));
        assertThat(NodeMoveCommands.address(5, "host", others)).isEqualTo(new NodeAddress(5, "host", 17415));
        assertThat(NodeMoveCommands.address(5, "host:99", others)).isEqualTo(new NodeAddress(5, "host", 99));
        assertThat(NodeMoveCommands.address(6, "host", others).port()).isEqualTo(7416);
        assertThat(NodeMoveCommands.address(5, "host", List.of()).port()).isEqualTo(7415);
    }

    @Test
    void wrongArgumentsAreSaidBeforeTheClusterIsAsked() {
        for (List<String> wrong : List.of(
                List.of("replace", "1"),
                List.of("replace", "1", "node-1"),
                List.of("drain", "client-1"),
                List.of("drain"),
                List.of("add", "replica-1"),
                List.of("add", "5", "--address", ":77777"),
                List.of("remove", "five"),
                List.of("abort"),
                List.of("abort", "default", "first"))) {
            assertThat(run(wrong)).as("%s", wrong).isEqualTo(CommandFailure.USAGE);
        }
    }

    @Test
    void withoutAClusterTheyEndWithTheCodeOfOneThatIsDown() {
        for (List<String> right : List.of(
                List.of("list"),
                List.of("list", "--groups"),
                List.of("add", "5", "--address", "storage-5.example"),
                List.of("replace", "1", "5", "--no-wait"),
                List.of("drain", "node-1", "--volume", "default"),
                List.of("remove", "1"),
                List.of("abort", "default", "3"))) {
            assertThat(run(right)).as("%s", right).isEqualTo(CommandFailure.UNAVAILABLE);
        }
    }

    @Test
    void onlyANodeListens() {
        JoinToken token = new JoinToken(
                Bytes.of(new byte[32]),
                PrincipalId.client(20),
                Long.MAX_VALUE,
                Bytes.of(new byte[JoinToken.SEED_BYTES]),
                replicas(),
                Optional.empty());
        assertThat(BulwarkCommand.run("join", token.text(), "--listen", "127.0.0.1:7"))
                .isEqualTo(CommandFailure.USAGE);
    }

    @Test
    void aNodeThatJoinsHasAConfiguration() throws Exception {
        JoinToken token = new JoinToken(
                Bytes.of(new byte[32]),
                PrincipalId.node(5),
                Long.MAX_VALUE,
                Bytes.of(new byte[JoinToken.SEED_BYTES]),
                replicas(),
                Optional.empty());
        Path file =
                Bundle.joined(directory, token, MemberAddresses.parsed(MemberAddresses.ANY, 7415), Path.of("there"));
        NodeSetup setup = RoleFile.node(file);
        assertThat(setup.number()).isEqualTo(5);
        assertThat(setup.listen()).isEqualTo(new InetSocketAddress("0.0.0.0", 7415));
        assertThat(setup.data()).isEqualTo(directory.resolve("there"));
        assertThat(setup.keys()).isEqualTo(KeyRing.file(directory, PrincipalId.node(5)));
        assertThat(setup.replicas()).hasSize(4);
        Files.writeString(file, Files.readString(file).replace("durability: sync", "durability: interval"));
        Bundle.joined(directory, token, MemberAddresses.parsed(MemberAddresses.ANY, 7416), Path.of("there"));
        assertThat(RoleFile.node(file).durability()).as("joined again").isEqualTo("interval");
    }

    private static List<JoinToken.Replica> replicas() {
        Identity identity = Identity.generate(PrincipalId.replica(0), new SecureRandom());
        ClientConfig.Endpoint endpoint = new ClientConfig.Endpoint("metadata.example", 7600);
        return Collections.nCopies(4, new JoinToken.Replica(endpoint, identity.publicKey()));
    }

    private int run(List<String> arguments) {
        String data = directory.resolve("none").toString();
        return BulwarkCommand.run(Stream.of(List.of("node"), arguments, List.of("--data", data))
                .flatMap(List::stream)
                .toArray(String[]::new));
    }
}
