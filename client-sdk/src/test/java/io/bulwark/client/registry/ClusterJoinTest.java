package io.bulwark.client.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.client.config.ClientConfig;
import io.bulwark.client.config.JoinToken;
import io.bulwark.client.error.NotBelievedException;
import io.bulwark.client.error.NotBelievedException.Reason;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.OrderingCodec;
import io.bulwark.protocol.ordering.membership.MembershipCodec;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.transport.TlsCredentials;
import io.bulwark.transport.Transport;
import io.bulwark.transport.TransportSettings;
import io.bulwark.transport.identity.Identity;
import io.bulwark.transport.identity.TrustedKeys;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@NullMarked
class ClusterJoinTest {
    private static final PrincipalId GUEST = PrincipalId.client(20);
    private static final SecureRandom RANDOM = new SecureRandom();

    private final List<Transport> replicas = new ArrayList<>();

    @TempDir
    Path directory = Path.of("");

    @AfterEach
    void stop() {
        replicas.forEach(Transport::close);
    }

    @Test
    @Tag("long")
    void whoIsNotLetInLeavesNothingBehind() throws Exception {
        int nobody = unusedPort();
        JoinToken token = token(IntStream.range(0, 4)
                .mapToObj(i -> new JoinToken.Replica(
                        new ClientConfig.Endpoint("127.0.0.1", nobody),
                        Identity.generate(PrincipalId.replica(i), RANDOM).publicKey()))
                .toList());
        assertThatThrownBy(() -> join(token))
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("they are unreachable");
        assertThat(directory).isEmptyDirectory();
    }

    /** With TLS's alerts of BoringSSL; on the JDK's engine a refusal does not say that it is final. */
    @Test
    void whoComesWithATokenThatWasUsedIsToldSo() throws Exception {
        JoinToken token = token(refusing(4, new TrustedKeys(Map.of())));
        assertThatThrownBy(() -> join(token))
                .isInstanceOfSatisfying(
                        NotBelievedException.class,
                        denied -> assertThat(denied.reason()).isEqualTo(Reason.NOT_KNOWN))
                .hasMessageContaining("the token was used before or was withdrawn")
                .hasMessageContaining("invite client-20 again");
        assertThat(directory).isEmptyDirectory();
    }

    /** Only the machine that used it is let in with the key that it made. */
    @Test
    void whoHasAKeyThatIsNotKnownEitherIsToldOfTheToken() throws Exception {
        Path own = Files.createDirectories(directory.resolve("own"));
        Path file = Identity.file(own, GUEST);
        Identity.generate(GUEST, RANDOM).store(file);
        JoinToken token = token(refusing(4, new TrustedKeys(Map.of())));
        assertThatThrownBy(() -> join(token))
                .isInstanceOf(NotBelievedException.class)
                .hasMessageContaining("the token was used before");
        assertThat(own).isDirectoryContaining(file::equals).isDirectoryNotContaining(path -> !path.equals(file));
    }

    @Test
    void whoWasRevokedSinceIsToldThat() throws Exception {
        JoinToken token = token(refusing(4, new TrustedKeys(Map.of(), Set.of(GUEST))));
        assertThatThrownBy(() -> join(token))
                .isInstanceOfSatisfying(
                        NotBelievedException.class,
                        denied -> assertThat(denied.reason()).isEqualTo(Reason.REVOKED));
    }

    @Test
    void whereOthersAnswerThanTheTokenNamesThatIsSaid() throws Exception {
        List<JoinToken.Replica> others = refusing(4, new TrustedKeys(Map.of())).stream()
                .map(each -> new JoinToken.Replica(
                        each.endpoint(),
                        Identity.generate(PrincipalId.replica(0), RANDOM).publicKey()))
                .toList();
        assertThatThrownBy(() -> join(token(others)))
                .isInstanceOfSatisfying(
                        NotBelievedException.class,
                        denied -> assertThat(denied.reason()).isEqualTo(Reason.SERVERS_NOT_KNOWN))
                .hasMessageContaining("the keys in the token")
                .hasMessageContaining("invite client-20 again");
    }

    private ClusterJoin.JoinResult join(JoinToken token) throws IOException {
        return ClusterJoin.join(token, directory.resolve("own"), directory, RANDOM);
    }

    /** Replicas that have asked who belongs whenever they are shown a key that they do not know. */
    private List<JoinToken.Replica> refusing(int count, TrustedKeys believed) throws Exception {
        List<JoinToken.Replica> listening = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Identity identity = Identity.generate(PrincipalId.replica(i), RANDOM);
            TlsCredentials credentials = new TlsCredentials(identity, believed);
            credentials.onStranger(() -> credentials.asOf(System.nanoTime()));
            Transport transport = Transport.open(
                    TransportSettings.defaults(),
                    credentials,
                    new MessageCodecs(new OrderingCodec(), new MembershipCodec()));
            replicas.add(transport);
            int port = transport
                    .listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), (_, _, _, done) -> done.run())
                    .boundAddress()
                    .getPort();
            listening.add(new JoinToken.Replica(new ClientConfig.Endpoint("127.0.0.1", port), identity.publicKey()));
        }
        return listening;
    }

    private static JoinToken token(List<JoinToken.Replica> replicas) {
        return new JoinToken(
                Bytes.of(new byte[32]),
                GUEST,
                Long.MAX_VALUE,
                Bytes.of(new byte[JoinToken.SEED_BYTES]),
                replicas,
                Optional.empty());
    }

    private static int unusedPort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
