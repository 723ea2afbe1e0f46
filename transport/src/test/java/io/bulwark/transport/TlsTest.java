package io.bulwark.transport;

import static io.bulwark.transport.TestPrincipals.CLIENT;
import static io.bulwark.transport.TestPrincipals.NODE;
import static io.bulwark.transport.TestPrincipals.OTHER_NODE;
import static io.bulwark.transport.TestPrincipals.faults;
import static io.bulwark.transport.TestPrincipals.trusted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.transport.identity.Identity;
import io.bulwark.transport.identity.TrustedKeys;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslProvider;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** TLS below the frames, on both engines; who is refused, and why. */
@NullMarked
@Execution(ExecutionMode.CONCURRENT)
class TlsTest {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final Identity NODES = Identity.generate(NODE, RANDOM);
    private static final Identity OTHERS = Identity.generate(OTHER_NODE, RANDOM);
    private static final Identity CLIENTS = Identity.generate(CLIENT, RANDOM);
    private static final TrustedKeys EVERYBODY = trusted(NODES, OTHERS, CLIENTS);
    private static final String TLS_1_3 = "TLSv1.3";

    private final MeterRegistry atNode = new SimpleMeterRegistry();
    private final MeterRegistry atClient = new SimpleMeterRegistry();
    private final Recorder recorder = new Recorder();
    private final List<Transport> opened = new ArrayList<>();

    static List<SslProvider> engines() {
        return OpenSsl.isAvailable() ? List.of(SslProvider.JDK, SslProvider.OPENSSL) : List.of(SslProvider.JDK);
    }

    @AfterEach
    void close() {
        opened.forEach(Transport::close);
    }

    /** If BoringSSL does not load, the JDK's engine is used; the project's build platform has it. */
    @Test
    void boringSslIsTakenWhereItLoads() {
        assertThat(new TlsCredentials(NODES, EVERYBODY).engine()).isEqualTo(OpenSsl.isAvailable() ? "OPENSSL" : "JDK");
    }

    @Test
    void howLongTheCertificateIsGoodIsTold() {
        Instant now = Instant.parse("2030-01-01T00:00:00Z");
        Identity first = Identity.generate(NODE, now, now.plusSeconds(100), RANDOM);
        TlsCredentials node = new TlsCredentials(first, trusted(), SslProvider.JDK, () -> now.plusSeconds(30));
        open(node, atNode);
        Gauge left = atNode.get("bulwark.transport.certificate.seconds").gauge();
        assertThat(left.value()).isEqualTo(70);
        node.renew(Identity.generate(NODE, now, now.plusSeconds(20), RANDOM));
        assertThat(left.value()).as("it has ended").isEqualTo(-10);
    }

    @ParameterizedTest
    @MethodSource("engines")
    void bothSidesLearnWhoTheOtherIs(SslProvider engine) throws IOException {
        TransportServer server = listen(credentials(NODES, engine));
        Recorder mine = new Recorder();
        PeerLink link = client(credentials(CLIENTS, engine)).link(NODE, server.boundAddress(), mine);
        assertThat(Recorder.next(recorder.connected).principal()).isEqualTo(CLIENT);
        assertThat(Recorder.next(mine.connected).principal()).isEqualTo(NODE);
        assertThat(link.state()).isEqualTo(LinkState.UP);
    }

    /** Long messages in both directions at once, between different engines where there are two. */
    @ParameterizedTest
    @MethodSource("engines")
    void messagesArriveWhole(SslProvider engine) throws IOException {
        Transport node = open(credentials(NODES, SslProvider.JDK), atNode);
        TransportServer server = node.listen(TestPrincipals.anyPort(), new Recorder.Echo());
        Recorder mine = new Recorder();
        PeerLink link = client(credentials(CLIENTS, engine)).link(NODE, server.boundAddress(), mine);
        int count = 40;
        for (int i = 0; i < count; i++) {
            TestMessage letter = TestMessage.ofLength(1 + i * 20_000, i);
            await().until(() -> link.send(1, letter));
        }
        for (int i = 0; i < count; i++) {
            assertThat(Recorder.next(mine.arrived).letter()).isEqualTo(TestMessage.ofLength(1 + i * 20_000, i));
        }
    }

    @ParameterizedTest
    @MethodSource("engines")
    void aKeyThatIsNotKnownIsRefusedOnBothSides(SslProvider engine) throws IOException {
        TransportServer server = listen(credentials(NODES, engine));
        neverUp(server, credentials(Identity.generate(CLIENT, RANDOM), engine), Fault.UNKNOWN_PRINCIPAL);
        // and the other way round: the same name, another key
        Transport foreign = open(credentials(Identity.generate(NODE, RANDOM), engine), atNode);
        InetSocketAddress address =
                foreign.listen(TestPrincipals.anyPort(), new Recorder()).boundAddress();
        PeerLink link = client(credentials(CLIENTS, engine)).link(NODE, address, new Recorder());
        await().until(() -> faults(atClient, Fault.UNKNOWN_PRINCIPAL) >= 2);
        assertThat(link.state()).isNotEqualTo(LinkState.UP);
    }

    @ParameterizedTest
    @MethodSource("engines")
    void anExpiredCertificateIsRefusedOnBothSides(SslProvider engine) throws IOException {
        Instant now = Instant.now();
        Identity old = Identity.generate(CLIENT, now.minus(Duration.ofDays(9)), now.minus(Duration.ofDays(1)), RANDOM);
        Identity early = Identity.generate(CLIENT, now.plus(Duration.ofDays(1)), now.plus(Duration.ofDays(9)), RANDOM);
        TrustedKeys all = trusted(NODES, old, early);
        TransportServer server = listen(credentials(NODES, all, engine));
        neverUp(server, credentials(old, all, engine), Fault.EXPIRED_CERTIFICATE);
        neverUp(server, credentials(early, all, engine), Fault.EXPIRED_CERTIFICATE);

        Identity oldNode =
                Identity.generate(NODE, now.minus(Duration.ofDays(9)), now.minus(Duration.ofDays(1)), RANDOM);
        TrustedKeys more = trusted(oldNode, CLIENTS);
        TransportServer stale = listen(credentials(oldNode, more, engine));
        PeerLink link = client(credentials(CLIENTS, more, engine)).link(NODE, stale.boundAddress(), new Recorder());
        await().until(() -> faults(atClient, Fault.EXPIRED_CERTIFICATE) >= 1);
        assertThat(link.state()).isNotEqualTo(LinkState.UP);
    }

    /** node-2 has a certificate made for itself that says node-1; its key is known as node-2's. */
    @ParameterizedTest
    @MethodSource("engines")
    void aNodeThatClaimsToBeAnotherIsRefused(SslProvider engine) throws IOException {
        Identity impostor = Identity.generate(NODE, RANDOM);
        Map<PrincipalKey, PrincipalId> owners = new HashMap<>(EVERYBODY.owners());
        owners.put(impostor.publicKey(), OTHER_NODE);
        TrustedKeys all = new TrustedKeys(owners);
        TransportServer server = listen(credentials(NODES, all, engine));
        neverUp(server, credentials(impostor, all, engine), Fault.WRONG_NAME);
    }

    @ParameterizedTest
    @MethodSource("engines")
    void aNodeThatAnswersInsteadOfAnotherIsLeft(SslProvider engine) throws IOException {
        TransportServer other = listen(credentials(OTHERS, engine));
        PeerLink link = client(credentials(CLIENTS, engine)).link(NODE, other.boundAddress(), new Recorder());
        await().until(() -> faults(atClient, Fault.WRONG_TARGET) >= 1);
        assertThat(link.state()).isNotEqualTo(LinkState.UP);
    }

    @ParameterizedTest
    @MethodSource("engines")
    void withoutACertificateNobodyComesIn(SslProvider engine) throws IOException {
        TransportServer server = listen(credentials(NODES, engine));
        try (TlsSocket nobody = new TlsSocket(server.boundAddress(), null, TLS_1_3)) {
            assertThat(nobody.isRefused()).isTrue();
        }
        try (TlsSocket old = new TlsSocket(server.boundAddress(), CLIENTS, "TLSv1.2")) {
            assertThat(old.isRefused()).as("TLS 1.2").isTrue();
        }
        try (RawSocket plain = new RawSocket(server.boundAddress())) {
            plain.send(RawSocket.hello(CLIENT, NODE));
            closes(plain);
        }
        await().until(() -> faults(atNode, Fault.TLS) >= 3);
        assertThat(recorder.connected).isEmpty();
    }

    @Test
    void withoutTlsNobodyIsSpokenTo() throws IOException {
        Transport plain =
                Transport.open(TestPrincipals.settings(), TestPrincipals.keys(NODE), TestMessage.CODECS, atNode);
        opened.add(plain);
        InetSocketAddress address =
                plain.listen(TestPrincipals.anyPort(), recorder).boundAddress();
        PeerLink link = client(credentials(CLIENTS, engines().getLast())).link(NODE, address, new Recorder());
        await().until(() -> faults(atNode, Fault.MAGIC) >= 1);
        assertThat(link.state()).isNotEqualTo(LinkState.UP);
        assertThat(recorder.connected).isEmpty();
    }

    /** Replays all bytes that a client once sent: its signature covers the server's earlier answer. */
    @ParameterizedTest
    @MethodSource("engines")
    void aHandshakeThatIsSentAgainIsRefused(SslProvider engine) throws Exception {
        TransportServer server = listen(credentials(NODES, engine));
        ByteArrayOutputStream sent = new ByteArrayOutputStream();
        try (ServerSocket between = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            client(credentials(CLIENTS, engine))
                    .link(NODE, (InetSocketAddress) between.getLocalSocketAddress(), new Recorder());
            Socket near = between.accept();
            Socket far = new Socket(
                    server.boundAddress().getAddress(), server.boundAddress().getPort());
            Thread.ofVirtual().start(() -> copy(far, near, null));
            Thread.ofVirtual().start(() -> copy(near, far, sent));
            Recorder.next(recorder.connected);
            near.close();
            far.close();
        }
        byte[] again;
        synchronized (sent) {
            again = sent.toByteArray();
        }
        try (RawSocket raw = new RawSocket(server.boundAddress())) {
            raw.write(again);
            closes(raw);
        }
        await().until(() -> faults(atNode, Fault.TLS) >= 1);
        assertThat(recorder.connected).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("engines")
    void whoBeginsAHandshakeAndDoesNotEndItIsDisconnected(SslProvider engine) throws IOException {
        Transport hasty = Transport.open(
                TestPrincipals.settingsWithHandshakeTimeout(100),
                credentials(NODES, engine),
                TestMessage.CODECS,
                atNode);
        opened.add(hasty);
        InetSocketAddress address =
                hasty.listen(TestPrincipals.anyPort(), recorder).boundAddress();
        try (RawSocket silent = new RawSocket(address);
                RawSocket half = new RawSocket(address)) {
            half.write((byte) 22, (byte) 3, (byte) 1, (byte) 2, (byte) 0, (byte) 1);
            closes(silent);
            closes(half);
        }
        await().until(() -> faults(atNode, Fault.HANDSHAKE_TIMEOUT) == 2);
    }

    @ParameterizedTest
    @MethodSource("engines")
    void halfHandshakesAreBoundedAndKeepNobodyOut(SslProvider engine) throws IOException {
        TransportServer server = listen(credentials(NODES, engine));
        List<RawSocket> half = new ArrayList<>();
        try {
            for (int i = 0; i < 2 * TestPrincipals.settings().unauthenticatedMax(); i++) {
                half.add(new RawSocket(server.boundAddress()));
                half.getLast().write((byte) 22, (byte) 3, (byte) 1, (byte) 2);
            }
            await().until(() -> faults(atNode, Fault.TOO_MANY_CONNECTIONS)
                    >= TestPrincipals.settings().unauthenticatedMax());
            closes(half.getFirst());
            client(credentials(CLIENTS, engine)).link(NODE, server.boundAddress(), new Recorder());
            assertThat(Recorder.next(recorder.connected).principal()).isEqualTo(CLIENT);
        } finally {
            for (RawSocket each : half) {
                each.close();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("engines")
    void whoIsNotTrustedAnyMoreIsDisconnectedAndMayComeBack(SslProvider engine) throws IOException {
        TlsCredentials node = credentials(NODES, engine);
        TransportServer server = listen(node);
        PeerLink link = client(credentials(CLIENTS, engine)).link(NODE, server.boundAddress(), new Recorder());
        Recorder.next(recorder.connected);

        node.trust(trusted(NODES, OTHERS));
        assertThat(Recorder.next(recorder.disconnected).principal()).isEqualTo(CLIENT);
        await().until(() -> faults(atNode, Fault.NOT_TRUSTED_ANY_MORE) == 1);
        await().until(() -> faults(atNode, Fault.UNKNOWN_PRINCIPAL) >= 1);
        assertThat(recorder.connected).isEmpty();

        node.trust(EVERYBODY);
        assertThat(Recorder.next(recorder.connected).principal()).isEqualTo(CLIENT);
        await().until(() -> link.state() == LinkState.UP);
    }

    /** Both keys are known for a while; the connection that was there stays until the old one is not. */
    @ParameterizedTest
    @MethodSource("engines")
    void aKeyIsExchangedWithoutARestart(SslProvider engine) throws IOException {
        TlsCredentials node = credentials(NODES, engine);
        TransportServer server = listen(node);
        TlsCredentials client = credentials(CLIENTS, engine);
        PeerLink link = client(client).link(NODE, server.boundAddress(), new Recorder());
        Recorder.next(recorder.connected);

        Identity next = Identity.generate(CLIENT, RANDOM);
        node.trust(trusted(NODES, CLIENTS, next));
        client.renew(next);
        assertThat(link.send(1, TestMessage.ofLength(10, 1))).isTrue();
        assertThat(Recorder.next(recorder.arrived).letter()).isEqualTo(TestMessage.ofLength(10, 1));
        assertThat(recorder.disconnected).isEmpty();

        node.trust(trusted(NODES, next));
        assertThat(Recorder.next(recorder.disconnected).principal()).isEqualTo(CLIENT);
        assertThat(Recorder.next(recorder.connected).principal()).isEqualTo(CLIENT);
        assertThat(faults(atNode, Fault.UNKNOWN_PRINCIPAL)).isZero();
    }

    /** It would wait for half an hour and more. */
    @ParameterizedTest
    @MethodSource("engines")
    void whoIsLetInComesAtOnceIfItIsTold(SslProvider engine) throws IOException {
        TlsCredentials node = credentials(NODES, trusted(NODES), engine);
        TransportServer server = listen(node);
        Transport patient = Transport.open(
                TestPrincipals.settingsWithPauses(3_600_000),
                credentials(CLIENTS, engine),
                TestMessage.CODECS,
                atClient);
        opened.add(patient);
        PeerLink link = patient.link(NODE, server.boundAddress(), new Recorder());
        await().until(() -> link.state() == LinkState.WAITING);
        await().until(() -> faults(atNode, Fault.UNKNOWN_PRINCIPAL) == 1);
        node.trust(trusted(NODES, CLIENTS));
        link.hurry();
        assertThat(Recorder.next(recorder.connected).principal()).isEqualTo(CLIENT);
    }

    private void neverUp(TransportServer server, TlsCredentials credentials, Fault fault) {
        double before = faults(atNode, fault);
        try (Transport refused = Transport.open(TestPrincipals.settings(), credentials, TestMessage.CODECS)) {
            PeerLink link = refused.link(NODE, server.boundAddress(), new Recorder());
            await().until(() -> faults(atNode, fault) >= before + 2);
            assertThat(link.state()).isNotEqualTo(LinkState.UP);
        }
        assertThat(recorder.connected).isEmpty();
    }

    private TransportServer listen(TlsCredentials credentials) throws IOException {
        return open(credentials, atNode).listen(TestPrincipals.anyPort(), recorder);
    }

    private Transport client(TlsCredentials credentials) {
        return open(credentials, atClient);
    }

    private Transport open(TlsCredentials credentials, MeterRegistry registry) {
        Transport transport = Transport.open(TestPrincipals.settings(), credentials, TestMessage.CODECS, registry);
        opened.add(transport);
        return transport;
    }

    private static TlsCredentials credentials(Identity identity, SslProvider engine) {
        return credentials(identity, EVERYBODY, engine);
    }

    private static TlsCredentials credentials(Identity identity, TrustedKeys trusted, SslProvider engine) {
        return new TlsCredentials(identity, trusted, engine, InstantSource.system());
    }

    /** Reads alerts, if any, until the other side closes. */
    private static void closes(RawSocket raw) throws IOException {
        try (InputStream in = raw.socket.getInputStream()) {
            in.transferTo(OutputStream.nullOutputStream());
        } catch (SocketException e) {
            // Reset: closed as well.
        }
    }

    private static void copy(Socket from, Socket to, @Nullable ByteArrayOutputStream record) {
        byte[] buffer = new byte[16 << 10];
        try {
            while (true) {
                int count = from.getInputStream().read(buffer);
                if (count < 0) {
                    return;
                }
                if (record != null) {
                    synchronized (record) {
                        record.write(buffer, 0, count);
                    }
                }
                to.getOutputStream().write(buffer, 0, count);
            }
        } catch (IOException e) {
            // One of the two has ended.
        }
    }
}
