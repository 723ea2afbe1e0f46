package io.bulwark.transport;

import static io.bulwark.transport.TestPrincipals.CLIENT;
import static io.bulwark.transport.TestPrincipals.NODE;
import static io.bulwark.transport.TestPrincipals.OTHER_NODE;
import static io.bulwark.transport.TestPrincipals.faults;
import static io.bulwark.transport.TestPrincipals.keys;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.wire.Bytes;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@NullMarked
class HandshakeTest {
    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final Recorder recorder = new Recorder();
    private final Transport node = Transport.open(TestPrincipals.settings(), keys(NODE), TestMessage.CODECS, registry);
    private final TransportServer server;

    HandshakeTest() throws IOException {
        server = node.listen(TestPrincipals.anyPort(), recorder);
    }

    @AfterEach
    void close() {
        node.close();
    }

    @Test
    void bothSidesLearnWhoTheOtherIs() {
        Recorder atClient = new Recorder();
        try (Transport client = Transport.open(TestPrincipals.settings(), keys(CLIENT), TestMessage.CODECS)) {
            PeerLink link = client.link(NODE, server.boundAddress(), atClient);
            assertThat(Recorder.next(recorder.connected).principal()).isEqualTo(CLIENT);
            assertThat(Recorder.next(atClient.connected).principal()).isEqualTo(NODE);
            assertThat(link.state()).isEqualTo(LinkState.UP);
        }
        assertThat(Recorder.next(recorder.disconnected).principal()).isEqualTo(CLIENT);
        assertThat(Recorder.next(atClient.disconnected).principal()).isEqualTo(NODE);
    }

    @Test
    void aPrincipalMayTalkToItself() {
        Recorder atClient = new Recorder();
        PeerLink link = node.link(NODE, server.boundAddress(), atClient);
        assertThat(Recorder.next(recorder.connected).principal()).isEqualTo(NODE);
        assertThat(link.send(1, TestMessage.ofLength(10, 1))).isTrue();
        assertThat(Recorder.next(recorder.arrived).letter()).isEqualTo(TestMessage.ofLength(10, 1));
    }

    @Test
    void aClientWithAnotherKeyIsRefusedOnBothSides() {
        MeterRegistry atClient = new SimpleMeterRegistry();
        try (Transport client =
                Transport.open(TestPrincipals.settings(), keys(CLIENT, 1), TestMessage.CODECS, atClient)) {
            PeerLink link = client.link(NODE, server.boundAddress(), new Recorder());
            await().until(() -> faults(atClient, Fault.WRONG_MAC) >= 2);
            assertThat(link.state()).isNotEqualTo(LinkState.UP);
        }
        assertThat(recorder.connected).isEmpty();
    }

    @Test
    void aProofUnderAnotherKeyIsRefused() throws IOException {
        try (RawSocket raw = new RawSocket(server.boundAddress())) {
            ControlMessage.Hello hello = RawSocket.hello(CLIENT, NODE);
            raw.send(hello);
            ControlMessage.Challenge challenge = (ControlMessage.Challenge) raw.receive();
            Bytes mac = MacChallenge.proofMac(keys(CLIENT, 1), NODE, hello, challenge.nonce());
            raw.send(new ControlMessage.Proof(mac));
            refused(raw, Fault.WRONG_MAC);
        }
    }

    @Test
    void theServersOwnMacIsNoProof() throws IOException {
        try (RawSocket raw = new RawSocket(server.boundAddress())) {
            raw.send(RawSocket.hello(CLIENT, NODE));
            raw.send(new ControlMessage.Proof(((ControlMessage.Challenge) raw.receive()).mac()));
            refused(raw, Fault.WRONG_MAC);
        }
    }

    /** Somebody without a key claims to be the server itself and lets a second connection answer for the first. */
    @Test
    void aChallengeReflectedOverASecondConnectionIsNoProof() throws IOException {
        try (RawSocket first = new RawSocket(server.boundAddress());
                RawSocket second = new RawSocket(server.boundAddress())) {
            first.send(RawSocket.hello(NODE, NODE));
            ControlMessage.Challenge challenge = (ControlMessage.Challenge) first.receive();
            second.send(new ControlMessage.Hello(MacChallenge.VERSION, NODE, NODE, challenge.nonce()));
            first.send(new ControlMessage.Proof(((ControlMessage.Challenge) second.receive()).mac()));
            refused(first, Fault.WRONG_MAC);
        }
    }

    @Test
    void aProofOfAnEarlierConnectionIsRefused() throws IOException {
        ControlMessage.Hello hello = RawSocket.hello(CLIENT, NODE);
        ControlMessage.Proof proof;
        try (RawSocket raw = new RawSocket(server.boundAddress())) {
            raw.send(hello);
            ControlMessage.Challenge challenge = (ControlMessage.Challenge) raw.receive();
            proof = new ControlMessage.Proof(MacChallenge.proofMac(keys(CLIENT), NODE, hello, challenge.nonce()));
            raw.send(proof);
            assertThat(raw.receive()).isEqualTo(new ControlMessage.Ready());
        }
        try (RawSocket raw = new RawSocket(server.boundAddress())) {
            raw.send(hello);
            assertThat(raw.receive()).isInstanceOf(ControlMessage.Challenge.class);
            raw.send(proof);
            refused(raw, Fault.WRONG_MAC);
        }
    }

    @Test
    void aHelloForSomebodyElseIsRefused() throws IOException {
        firstMessageIsRefused(RawSocket.hello(CLIENT, OTHER_NODE), Fault.WRONG_TARGET);
    }

    @Test
    void aStrangerIsRefused() throws IOException {
        firstMessageIsRefused(RawSocket.hello(PrincipalId.client(8), NODE), Fault.UNKNOWN_PRINCIPAL);
        firstMessageIsRefused(RawSocket.hello(PrincipalId.NOBODY, NODE), Fault.UNKNOWN_PRINCIPAL);
    }

    @Test
    void anotherVersionOfTheHandshakeIsRefused() throws IOException {
        Bytes nonce = RawSocket.hello(CLIENT, NODE).nonce();
        firstMessageIsRefused(new ControlMessage.Hello(2, CLIENT, NODE, nonce), Fault.HANDSHAKE_VERSION);
    }

    @Test
    void messagesOutOfOrderAreRefused() throws IOException {
        firstMessageIsRefused(new ControlMessage.Ready(), Fault.HANDSHAKE_ORDER);
        try (RawSocket raw = new RawSocket(server.boundAddress())) {
            raw.send(RawSocket.hello(CLIENT, NODE));
            assertThat(raw.receive()).isInstanceOf(ControlMessage.Challenge.class);
            raw.send(RawSocket.hello(CLIENT, NODE));
            assertThat(raw.isClosedByPeer()).isTrue();
        }
        await().until(() -> faults(registry, Fault.HANDSHAKE_ORDER) == 2);
    }

    @Test
    void nothingElseTravelsBeforeTheHandshakeIsOver() throws IOException {
        try (RawSocket raw = new RawSocket(server.boundAddress())) {
            raw.write(TestMessage.frame(1, TestMessage.ofLength(5, 1)));
            refused(raw, Fault.TYPE);
        }
        assertThat(recorder.arrived).isEmpty();
    }

    @Test
    void aLongFrameIsRefusedBeforeTheHandshakeIsOver() throws IOException {
        byte[] hello = TestMessage.flat(MacChallenge.CODECS, 0, RawSocket.hello(CLIENT, NODE));
        hello[19] = ControlMessage.BODY_BYTES_MAX + 1;
        try (RawSocket raw = new RawSocket(server.boundAddress())) {
            raw.write(hello);
            refused(raw, Fault.LENGTH);
        }
    }

    @Test
    void handshakeMessagesDoNotTravelAfterIt() throws IOException {
        try (RawSocket raw = RawSocket.authenticated(server.boundAddress(), keys(CLIENT), NODE)) {
            raw.send(new ControlMessage.Ready());
            refused(raw, Fault.TYPE);
        }
    }

    @Test
    void whoStaysSilentIsDisconnected() throws IOException {
        try (Transport hasty = Transport.open(
                        TestPrincipals.settingsWithHandshakeTimeout(50), keys(NODE), TestMessage.CODECS, registry);
                TransportServer listening = hasty.listen(TestPrincipals.anyPort(), recorder);
                RawSocket silent = new RawSocket(listening.boundAddress());
                RawSocket slow = new RawSocket(listening.boundAddress())) {
            slow.write((byte) 0x42);
            assertThat(silent.isClosedByPeer()).isTrue();
            assertThat(slow.isClosedByPeer()).isTrue();
            await().until(() -> faults(registry, Fault.HANDSHAKE_TIMEOUT) == 2);
        }
    }

    @Test
    void aSilentServerIsGivenUpAndTriedAgain() throws IOException {
        MeterRegistry atClient = new SimpleMeterRegistry();
        try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
                Transport hasty = Transport.open(
                        TestPrincipals.settingsWithHandshakeTimeout(50), keys(CLIENT), TestMessage.CODECS, atClient)) {
            hasty.link(NODE, (InetSocketAddress) silent.getLocalSocketAddress(), new Recorder());
            await().until(() -> faults(atClient, Fault.HANDSHAKE_TIMEOUT) >= 2);
        }
    }

    /** A server without the key sends the client's hello back in pieces, or a MAC that it made up. */
    @Test
    void aServerWithoutTheKeyIsNotBelieved() throws IOException {
        MeterRegistry atClient = new SimpleMeterRegistry();
        try (ServerSocket fake = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
                Transport client =
                        Transport.open(TestPrincipals.settings(), keys(CLIENT), TestMessage.CODECS, atClient)) {
            PeerLink link = client.link(NODE, (InetSocketAddress) fake.getLocalSocketAddress(), recorder);
            try (RawSocket raw = new RawSocket(fake.accept())) {
                ControlMessage.Hello hello = (ControlMessage.Hello) raw.receive();
                assertThat(hello.to()).isEqualTo(NODE);
                raw.send(new ControlMessage.Challenge(hello.nonce(), Bytes.of(new byte[PairwiseKeys.MAC_BYTES])));
                assertThat(raw.isClosedByPeer()).isTrue();
            }
            try (RawSocket raw = new RawSocket(fake.accept())) {
                assertThat(raw.receive()).isInstanceOf(ControlMessage.Hello.class);
                raw.send(new ControlMessage.Ready());
                assertThat(raw.isClosedByPeer()).isTrue();
            }
            await().until(() -> faults(atClient, Fault.WRONG_MAC) == 1 && faults(atClient, Fault.HANDSHAKE_ORDER) == 1);
            assertThat(link.state()).isNotEqualTo(LinkState.UP);
        }
        assertThat(recorder.connected).isEmpty();
    }

    @Test
    void silentConnectionsAreBoundedAndKeepNobodyOut() throws IOException {
        List<RawSocket> silent = new ArrayList<>();
        try {
            for (int i = 0; i < TestPrincipals.settings().unauthenticatedMax(); i++) {
                silent.add(new RawSocket(server.boundAddress()));
                silent.getLast().send(RawSocket.hello(CLIENT, NODE));
                assertThat(silent.getLast().receive()).isInstanceOf(ControlMessage.Challenge.class);
            }
            try (RawSocket honest = RawSocket.authenticated(server.boundAddress(), keys(CLIENT), NODE)) {
                refused(silent.getFirst(), Fault.TOO_MANY_CONNECTIONS);
                silent.removeFirst().close();
                honest.write(TestMessage.frame(3, TestMessage.ofLength(3, 3)));
                assertThat(Recorder.next(recorder.arrived).peer().principal()).isEqualTo(CLIENT);
            }
            // the place of the authenticated one is free again: nobody else had to go
            silent.add(new RawSocket(server.boundAddress()));
            silent.getFirst()
                    .send(new ControlMessage.Proof(TestMessage.ofLength(16, 1).bytes()));
            refused(silent.getFirst(), Fault.WRONG_MAC);
        } finally {
            for (RawSocket raw : silent) {
                raw.close();
            }
        }
    }

    @Test
    void connectionsOfOnePrincipalAreBounded() throws IOException {
        List<RawSocket> open = new ArrayList<>();
        try {
            for (int i = 0; i < TestPrincipals.settings().connectionsPerPrincipalMax(); i++) {
                open.add(RawSocket.authenticated(server.boundAddress(), keys(CLIENT), NODE));
            }
            try (RawSocket oneMore = RawSocket.authenticated(server.boundAddress(), keys(CLIENT), NODE)) {
                refused(oneMore, Fault.TOO_MANY_CONNECTIONS);
            }
            try (RawSocket other = RawSocket.authenticated(server.boundAddress(), keys(OTHER_NODE), NODE)) {
                await().until(() -> server.connectionCount() == open.size() + 1);
                other.write(TestMessage.frame(3, TestMessage.ofLength(3, 3)));
                assertThat(Recorder.next(recorder.arrived).peer().principal()).isEqualTo(OTHER_NODE);
            }
        } finally {
            for (RawSocket raw : open) {
                raw.close();
            }
        }
    }

    @Test
    void onlyLoopbackAddressesAreAllowed() throws IOException {
        InetAddress elsewhere = InetAddress.getByAddress(new byte[] {10, 0, 0, 1});
        for (InetAddress refused : List.of(elsewhere, InetAddress.getByAddress(new byte[4]))) {
            InetSocketAddress address = new InetSocketAddress(refused, 0);
            assertThatThrownBy(() -> node.listen(address, recorder))
                    .isInstanceOf(UnsafeAddressException.class)
                    .hasMessageContaining("loopback");
            assertThatThrownBy(() -> node.link(CLIENT, address, recorder)).isInstanceOf(UnsafeAddressException.class);
        }
    }

    @Test
    void aLinkNeedsASharedKey() {
        PairwiseKeys lonely = new PairwiseKeys(CLIENT, Map.of(CLIENT, Bytes.of(new byte[32])));
        try (Transport client = Transport.open(TestPrincipals.settings(), lonely, TestMessage.CODECS)) {
            assertThatThrownBy(() -> client.link(NODE, server.boundAddress(), recorder))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("client-7 shares no key with node-1");
        }
    }

    private void firstMessageIsRefused(ControlMessage message, Fault fault) throws IOException {
        try (RawSocket raw = new RawSocket(server.boundAddress())) {
            raw.send(message);
            refused(raw, fault);
        }
    }

    private void refused(RawSocket raw, Fault fault) throws IOException {
        assertThat(raw.isClosedByPeer()).isTrue();
        await().until(() -> faults(registry, fault) >= 1);
    }
}
