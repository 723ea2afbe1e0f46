package io.bulwark.transport;

import static io.bulwark.transport.TestPrincipals.CLIENT;
import static io.bulwark.transport.TestPrincipals.NODE;
import static io.bulwark.transport.TestPrincipals.faults;
import static io.bulwark.transport.TestPrincipals.trusted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.protocol.wire.WireVersions;
import io.bulwark.transport.identity.Identity;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Decision 19: builds of different versions speak the newest common one, and send nothing that the other does not know.
 */
@NullMarked
class VersionsTest {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final Identity NODES = Identity.generate(NODE, RANDOM);
    private static final Identity CLIENTS = Identity.generate(CLIENT, RANDOM);
    private static final WireVersions FIRST = new WireVersions(1, 1);
    private static final WireVersions LATER =
            new WireVersions(WireVersions.HERE.newest() + 1, WireVersions.HERE.newest() + 2);

    /** The codecs of a build that knows the new message, and names its version. */
    private static final MessageCodecs TODAY = codecs(2);
    /** As one from before versions were agreed on, which happens to know it. */
    private static final MessageCodecs UNNAMED = codecs(1);

    private final MeterRegistry atNode = new SimpleMeterRegistry();
    private final MeterRegistry atClient = new SimpleMeterRegistry();
    private final Recorder node = new Recorder();
    private final Recorder client = new Recorder();
    private final List<Transport> opened = new ArrayList<>();

    static List<SslProvider> engines() {
        return TlsTest.engines();
    }

    @AfterEach
    void close() {
        opened.forEach(Transport::close);
    }

    @ParameterizedTest
    @MethodSource("engines")
    void twoOfOneBuildSpeakItsNewest(SslProvider engine) throws IOException {
        TlsCredentials ofNode = credentials(NODES, engine, WireVersions.HERE);
        TlsCredentials ofClient = credentials(CLIENTS, engine, WireVersions.HERE);
        PeerLink link = connect(ofNode, TODAY, ofClient, TODAY);
        assertThat(ofNode.versionOf(CLIENT)).isEqualTo(WireVersions.HERE.newest());
        assertThat(ofClient.versionOf(NODE)).isEqualTo(WireVersions.HERE.newest());
        assertThat(link.send(1, new News(7))).isTrue();
        assertThat(Recorder.next(node.arrived).message()).isEqualTo(new News(7));
    }

    /** The handshake comes from a peer that does not know versions. */
    @ParameterizedTest
    @MethodSource("engines")
    void whoNamesNoneSpeaksTheFirst(SslProvider engine) throws IOException {
        TlsCredentials ofNode = credentials(NODES, engine, WireVersions.HERE);
        TransportServer server = open(ofNode, TODAY, atNode).listen(TestPrincipals.anyPort(), node);
        try (TlsSocket unnamed = new TlsSocket(server.boundAddress(), CLIENTS, "TLSv1.3")) {
            unnamed.socket.startHandshake();
            Peer peer = Recorder.next(node.connected);
            assertThat(ofNode.versionOf(CLIENT)).isEqualTo(WireVersions.UNNAMED);
            assertThat(peer.send(1, new News(7))).isTrue();
            assertThat(peer.send(2, new News(8))).isTrue();
            await("the second is not tried").until(() -> older(atNode) == 1);
            assertThat(ofNode.hasUnversionedConnection(CLIENT)).isTrue();
        }
        await().until(() -> !ofNode.hasUnversionedConnection(CLIENT));
    }

    @ParameterizedTest
    @MethodSource("engines")
    void whatAnOlderOneDoesNotKnowIsSentOnceAndNotAgain(SslProvider engine) throws IOException {
        PeerLink link = connect(
                credentials(NODES, engine, FIRST),
                TestMessage.CODECS,
                credentials(CLIENTS, engine, WireVersions.HERE),
                TODAY);
        // It may be one that knows, for all that is known; it is not, and says so in its way.
        assertThat(link.send(1, new News(7))).isTrue();
        await().until(() -> faults(atNode, Fault.TYPE) == 1);
        Recorder.next(client.connected);
        assertThat(link.send(2, new News(8))).isTrue();
        await().until(() -> older(atClient) == 1);
        // The connection goes on with what both know.
        TestMessage letter = TestMessage.ofLength(100, 1);
        assertThat(link.send(3, letter)).isTrue();
        assertThat(Recorder.next(node.arrived).letter()).isEqualTo(letter);
        assertThat(faults(atNode, Fault.TYPE)).isEqualTo(1);
    }

    /** Between two versions that have no name a message may be new: who says it knows it. */
    @ParameterizedTest
    @MethodSource("engines")
    void whatAnOlderOneHasSaidItselfItKnows(SslProvider engine) throws IOException {
        TlsCredentials ofClient = credentials(CLIENTS, engine, WireVersions.HERE);
        PeerLink link = connect(credentials(NODES, engine, FIRST), UNNAMED, ofClient, TODAY);
        assertThat(link.send(1, new News(7))).isTrue();
        assertThat(Recorder.next(node.arrived).message()).as("tried once").isEqualTo(new News(7));
        assertThat(link.send(2, new News(7))).isTrue();
        await().until(() -> older(atClient) == 1);
        assertThat(Recorder.next(node.connected).send(1, new News(8))).isTrue();
        assertThat(Recorder.next(client.arrived).message()).isEqualTo(new News(8));
        assertThat(link.send(3, new News(9))).isTrue();
        assertThat(link.send(4, TestMessage.ofLength(100, 1))).isTrue();
        assertThat(Recorder.next(node.arrived).message()).isEqualTo(new News(9));
        assertThat(ofClient.versionOf(NODE)).isEqualTo(2);
    }

    /** A client's processes may be of two builds, and a node that spoke the newest may have gone back. */
    @ParameterizedTest
    @MethodSource("engines")
    void whatIsSaidDependsOnTheConnectionAndNotOnWhatItsOwnerHasSpoken(SslProvider engine) throws IOException {
        TlsCredentials ofNode = credentials(NODES, engine, WireVersions.HERE);
        TransportServer server = open(ofNode, TODAY, atNode).listen(TestPrincipals.anyPort(), node);
        open(credentials(CLIENTS, engine, WireVersions.HERE), TODAY, atClient)
                .link(NODE, server.boundAddress(), client);
        Peer newer = Recorder.next(node.connected);
        Recorder older = new Recorder();
        // This peer would understand the message, so the test sees each one that it receives.
        open(credentials(CLIENTS, engine, FIRST), UNNAMED, atClient).link(NODE, server.boundAddress(), older);
        Peer back = Recorder.next(node.connected);
        assertThat(ofNode.versionOf(CLIENT)).isEqualTo(WireVersions.HERE.newest());
        assertThat(newer.speaks(WireVersions.HERE.newest())).isTrue();
        assertThat(newer.speaks(WireVersions.HERE.newest() + 1)).isFalse();
        assertThat(back.speaks(WireVersions.HERE.newest())).isFalse();
        TestMessage letter = TestMessage.ofLength(100, 1);
        for (Peer each : List.of(back, newer)) {
            assertThat(each.send(1, new News(7))).isTrue();
            assertThat(each.send(2, new News(8))).isTrue();
            assertThat(each.send(3, letter)).isTrue();
        }
        assertThat(Recorder.next(older.arrived).message()).as("tried once").isEqualTo(new News(7));
        assertThat(Recorder.next(older.arrived).message()).isInstanceOf(TestMessage.class);
        assertThat(Recorder.next(client.arrived).message()).isEqualTo(new News(7));
        assertThat(Recorder.next(client.arrived).message()).isEqualTo(new News(8));
        assertThat(older(atNode)).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("engines")
    void whoNamesAVersionIsNotTried(SslProvider engine) throws IOException {
        MessageCodecs later = codecs(WireVersions.HERE.newest() + 1);
        PeerLink link = connect(
                credentials(NODES, engine, WireVersions.HERE),
                later,
                credentials(CLIENTS, engine, WireVersions.HERE),
                later);
        assertThat(link.send(1, new News(7))).isTrue();
        assertThat(link.send(2, TestMessage.ofLength(100, 1))).isTrue();
        assertThat(Recorder.next(node.arrived).message()).isInstanceOf(TestMessage.class);
        assertThat(older(atClient)).isEqualTo(1);
    }

    /** Builds that name no version are from before there were names. */
    @ParameterizedTest
    @MethodSource("engines")
    void whatNoBuildWithoutVersionsKnowsIsNotTried(SslProvider engine) throws IOException {
        PeerLink link = connect(
                credentials(NODES, engine, FIRST),
                TestMessage.CODECS,
                credentials(CLIENTS, engine, WireVersions.HERE),
                codecs(WireVersions.AGREED_KEYS + 1));
        assertThat(link.send(1, new News(7))).isTrue();
        assertThat(link.send(2, TestMessage.ofLength(100, 1))).isTrue();
        assertThat(Recorder.next(node.arrived).message()).isInstanceOf(TestMessage.class);
        assertThat(older(atClient)).isEqualTo(1);
        assertThat(faults(atNode, Fault.TYPE)).isZero();
    }

    /** The connection shows that an older node is there; it must belong to a principal that is trusted now. */
    @ParameterizedTest
    @MethodSource("engines")
    void whoNamesNoVersionDoesSoWhileSuchAConnectionOfItsIsOpen(SslProvider engine) throws IOException {
        TlsCredentials ofNode = credentials(NODES, engine, WireVersions.HERE);
        TransportServer server = open(ofNode, TODAY, atNode).listen(TestPrincipals.anyPort(), node);
        Identity next = Identity.generate(CLIENT, RANDOM);
        ofNode.trust(trusted(NODES, CLIENTS, next));
        assertThat(ofNode.hasUnversionedConnection(CLIENT)).isFalse();
        try (TlsSocket first = new TlsSocket(server.boundAddress(), CLIENTS, "TLSv1.3")) {
            first.socket.startHandshake();
            Recorder.next(node.connected);
            try (TlsSocket second = new TlsSocket(server.boundAddress(), CLIENTS, "TLSv1.3")) {
                second.socket.startHandshake();
                Recorder.next(node.connected);
            }
            Recorder.next(node.disconnected);
            assertThat(ofNode.hasUnversionedConnection(CLIENT))
                    .as("the first is open")
                    .isTrue();
            ofNode.trust(trusted(NODES, next));
            assertThat(ofNode.hasUnversionedConnection(CLIENT))
                    .as("open or not, it was made with a key that is given up")
                    .isFalse();
        }
        try (TlsSocket third = new TlsSocket(server.boundAddress(), next, "TLSv1.3")) {
            third.socket.startHandshake();
            Recorder.next(node.connected);
            assertThat(ofNode.hasUnversionedConnection(CLIENT)).isTrue();
            ofNode.trust(trusted(NODES));
            assertThat(ofNode.hasUnversionedConnection(CLIENT)).isFalse();
        }
    }

    @ParameterizedTest
    @MethodSource("engines")
    void whoHasNoVersionInCommonIsRefusedByTheNewer(SslProvider engine) throws IOException {
        TransportServer server = open(credentials(NODES, engine, WireVersions.HERE), TODAY, atNode)
                .listen(TestPrincipals.anyPort(), node);
        open(credentials(CLIENTS, engine, LATER), TODAY, atClient).link(NODE, server.boundAddress(), client);
        await().until(() -> faults(atClient, Fault.HANDSHAKE_VERSION) >= 2);
        assertThat(client.connected).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("engines")
    void aServerRefusesWhoIsTooOld(SslProvider engine) throws IOException {
        TransportServer server =
                open(credentials(NODES, engine, LATER), TODAY, atNode).listen(TestPrincipals.anyPort(), node);
        PeerLink link = open(credentials(CLIENTS, engine, WireVersions.HERE), TODAY, atClient)
                .link(NODE, server.boundAddress(), client);
        await().until(() -> faults(atNode, Fault.HANDSHAKE_VERSION) >= 2);
        assertThat(node.connected).isEmpty();
        assertThat(link.state()).isNotEqualTo(LinkState.UP);
    }

    /** Connected, as both know. */
    private PeerLink connect(
            TlsCredentials ofNode, MessageCodecs nodeCodecs, TlsCredentials ofClient, MessageCodecs clientCodecs)
            throws IOException {
        TransportServer server = open(ofNode, nodeCodecs, atNode).listen(TestPrincipals.anyPort(), node);
        PeerLink link = open(ofClient, clientCodecs, atClient).link(NODE, server.boundAddress(), client);
        Peer accepted = Recorder.next(node.connected);
        Recorder.next(client.connected);
        node.connected.add(accepted);
        return link;
    }

    /** Returns the number of messages dropped because the peer's version is too old for them. */
    private static double older(MeterRegistry registry) {
        return registry.find("bulwark.transport.drops").tag("reason", "older-version").counters().stream()
                .mapToDouble(Counter::count)
                .sum();
    }

    private Transport open(TlsCredentials credentials, MessageCodecs codecs, MeterRegistry registry) {
        Transport transport = Transport.open(TestPrincipals.settings(), credentials, codecs, registry);
        opened.add(transport);
        return transport;
    }

    private static TlsCredentials credentials(Identity identity, SslProvider engine, WireVersions versions) {
        return new TlsCredentials(identity, trusted(NODES, CLIENTS), engine, InstantSource.system(), versions);
    }

    private static MessageCodecs codecs(int since) {
        return new MessageCodecs(new TestMessage.Codec(), new NewsCodec(since));
    }

    /** Version 2 brought it. */
    private record News(int number) implements Message {}

    private static final class NewsCodec extends TestMessage.OneKind<News> {
        private final int since;

        NewsCodec(int since) {
            super(0x4201, News.class);
            this.since = since;
        }

        @Override
        public int since(Message message) {
            return since;
        }

        @Override
        Bytes body(News news) {
            return Bytes.of((byte) news.number());
        }

        @Override
        News read(Bytes body) {
            return new News(body.array()[body.offset()]);
        }
    }
}
