package io.bulwark.client.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.client.config.ClientConfig;
import io.bulwark.client.config.JoinToken;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.identity.Identity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@NullMarked
class JoiningTest {
    @TempDir
    Path directory = Path.of("");

    @Test
    @Tag("long")
    void whoIsNotLetInLeavesNothingBehind() throws Exception {
        SecureRandom random = new SecureRandom();
        int nobody = unusedPort();
        List<JoinToken.Replica> replicas = IntStream.range(0, 4)
                .mapToObj(i -> new JoinToken.Replica(
                        new ClientConfig.Endpoint("127.0.0.1", nobody),
                        Identity.generate(PrincipalId.replica(i), random).publicKey()))
                .toList();
        JoinToken token = new JoinToken(
                Bytes.of(new byte[32]),
                PrincipalId.client(20),
                Long.MAX_VALUE,
                Bytes.of(new byte[JoinToken.SEED_BYTES]),
                replicas,
                Optional.empty());
        assertThatThrownBy(() -> Joining.join(token, directory.resolve("own"), directory, random))
                .isInstanceOf(UnavailableException.class);
        assertThat(directory).isEmptyDirectory();
    }

    private static int unusedPort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
