package io.bulwark.transport;

import static io.bulwark.transport.TestPrincipals.CLIENT;
import static io.bulwark.transport.TestPrincipals.NODE;
import static io.bulwark.transport.TestPrincipals.OTHER_NODE;
import static io.bulwark.transport.TestPrincipals.faults;
import static io.bulwark.transport.TestPrincipals.keys;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.FrameHeader;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.WireWriter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@NullMarked
@Isolated("it waits until no thread of a transport is left")
class TransportTest {
    private record Stranger() implements Message {}

    private final MeterRegistry atNode = new SimpleMeterRegistry();
    private final MeterRegistry atClient = new SimpleMeterRegistry();
    private final Recorder echo = new Recorder.Echo();
    private final Recorder recorder = new Recorder();
    private final Transport node = Transport.open(TestPrincipals.settings(), keys(NODE), TestMessage.CODECS, atNode);
    private final Transport client =
            Transport.open(TestPrincipals.settings(), keys(CLIENT), TestMessage.CODECS, atClient);

    @AfterEach
    void close() {
        client.close();
        node.close();
    }

    @Test
    void framesOfEveryLengthComeBack() throws IOException {
        PeerLink link = linkTo(node.listen(TestPrincipals.anyPort(), echo));
        int[] lengths = {0, 1, 4095, 4096, 70_000, 512 << 10, (1 << 20) + (64 << 10) + 1, FrameHeader.BODY_BYTES_MAX};
        for (int length : lengths) {
            TestMessage letter = TestMessage.ofLength(length, length);
            assertThat(link.send(length, letter)).isTrue();
            Recorder.Arrived arrived = Recorder.next(recorder.arrived);
            assertThat(arrived.requestId()).isEqualTo(length);
            assertThat(arrived.letter()).isEqualTo(letter);
        }
        assertThatThrownBy(() -> link.send(1, TestMessage.ofLength(FrameHeader.BODY_BYTES_MAX + 1, 1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> link.send(1, new Stranger())).isInstanceOf(IllegalArgumentException.class);
        assertThat(atClient.counter("bulwark.transport.frames", "peer", "node-1", "direction", "in")
                        .count())
                .isEqualTo(lengths.length);
        double bytes = Arrays.stream(lengths).sum() + (double) FrameHeader.BYTES * lengths.length;
        assertThat(atClient.counter("bulwark.transport.bytes", "peer", "node-1", "direction", "in")
                        .count())
                .isEqualTo(bytes);
        assertThat(atNode.counter("bulwark.transport.bytes", "peer", "client-7", "direction", "in")
                        .count())
                .isEqualTo(bytes);
        await().until(() -> atNode.counter("bulwark.transport.bytes", "peer", "client-7", "direction", "out")
                        .count()
                == bytes);
    }

    @Test
    void messagesOfManyThreadsAndLinksArriveOnceAndInTheOrderOfTheirSender() throws Exception {
        TransportServer server = node.listen(TestPrincipals.anyPort(), echo);
        int threads = 8;
        int each = 500;
        PeerLink[] links = {linkTo(server), linkTo(server)};
        List<Thread> senders = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            long base = (long) t * each;
            PeerLink link = links[t % links.length];
            senders.add(Thread.startVirtualThread(() -> {
                for (int i = 0; i < each; i++) {
                    assertThat(link.send(base + i, TestMessage.ofLength(i, base + i)))
                            .isTrue();
                }
            }));
        }
        long[] last = new long[threads];
        Arrays.fill(last, -1);
        Set<Long> seen = new HashSet<>();
        for (int i = 0; i < threads * each; i++) {
            Recorder.Arrived arrived = Recorder.next(recorder.arrived);
            long id = arrived.requestId();
            assertThat(seen.add(id)).isTrue();
            assertThat(arrived.letter()).isEqualTo(TestMessage.ofLength((int) (id % each), id));
            int sender = (int) (id / each);
            assertThat(id).isGreaterThan(last[sender]);
            last[sender] = id;
        }
        for (Thread sender : senders) {
            sender.join();
        }
    }

    @Test
    void aTransportBesideAnotherIsAnotherPrincipalAndLeavesItTheEventLoops() throws IOException {
        TransportServer server = node.listen(TestPrincipals.anyPort(), echo);
        try (Transport beside = client.beside(new InsecureLoopback(keys(OTHER_NODE)))) {
            beside.link(NODE, server.boundAddress(), new Recorder());
            assertThat(Recorder.next(echo.connected).principal()).isEqualTo(OTHER_NODE);
        }
        assertThat(Recorder.next(echo.disconnected).principal()).isEqualTo(OTHER_NODE);
        linkTo(server);
        assertThat(Recorder.next(recorder.connected).principal()).isEqualTo(NODE);
        assertThat(Recorder.next(echo.connected).principal()).isEqualTo(CLIENT);
    }

    @Test
    void aLinkComesBackAfterItsServer() throws IOException {
        TransportServer first = node.listen(TestPrincipals.anyPort(), echo);
        InetSocketAddress address = first.boundAddress();
        PeerLink link = linkTo(first);
        Recorder.next(recorder.connected);
        first.close();
        Recorder.next(recorder.disconnected);
        await().until(() -> !link.send(1, TestMessage.ofLength(1, 1)));
        await().until(() -> link.state() == LinkState.WAITING);
        assertThat(atClient.get("bulwark.transport.drops")
                        .tag("reason", "disconnected")
                        .counter()
                        .count())
                .isPositive();
        TransportServer second = node.listen(address, echo);
        Recorder.next(recorder.connected);
        assertThat(link.send(2, TestMessage.ofLength(2, 2))).isTrue();
        assertThat(Recorder.next(recorder.arrived).requestId()).isEqualTo(2);
        assertThat(atClient.get("bulwark.transport.reconnects").counter().count())
                .isEqualTo(1);
        second.close();
    }

    @Test
    void whatIsSentWhileConnectingIsSentOnceConnected() throws IOException {
        TransportServer server = node.listen(TestPrincipals.anyPort(), echo);
        PeerLink link = linkTo(server);
        assertThat(link.send(5, TestMessage.ofLength(5, 5))).isTrue();
        assertThat(Recorder.next(recorder.arrived).requestId()).isEqualTo(5);
    }

    @Test
    void aLinkToNobodyRefusesMessagesAndCanBeClosed() throws IOException {
        TransportServer server = node.listen(TestPrincipals.anyPort(), echo);
        server.close();
        PeerLink link = linkTo(server.boundAddress());
        await().until(() -> !link.send(1, TestMessage.ofLength(1, 1)));
        link.close();
        link.close();
        assertThat(link.state()).isEqualTo(LinkState.CLOSED);
        assertThat(link.send(1, TestMessage.ofLength(1, 1))).isFalse();
        assertThat(recorder.connected).isEmpty();
    }

    @Test
    void aDisconnectedLinkConnectsAgain() throws IOException {
        linkTo(node.listen(TestPrincipals.anyPort(), echo));
        Recorder.next(echo.connected);
        Recorder.next(recorder.connected).disconnect("try again");
        Recorder.next(recorder.disconnected);
        Recorder.next(recorder.connected);
        Recorder.next(echo.connected).disconnect("and again");
        Recorder.next(recorder.disconnected);
        Recorder.next(recorder.connected);
    }

    @Test
    void closingLetsLeaveWhatIsQueued() throws IOException {
        Recorder sink = new Recorder();
        PeerLink link = linkTo(node.listen(TestPrincipals.anyPort(), sink));
        Recorder.next(recorder.connected);
        for (int i = 0; i < 16; i++) {
            assertThat(link.send(i, TestMessage.ofLength(1 << 20, i))).isTrue();
        }
        link.close();
        for (int i = 0; i < 16; i++) {
            assertThat(Recorder.next(sink.arrived).requestId()).isEqualTo(i);
        }
    }

    @Test
    void aTakenPortIsSaidToBeTaken() throws IOException {
        TransportServer server = node.listen(TestPrincipals.anyPort(), echo);
        assertThatThrownBy(() -> node.listen(server.boundAddress(), echo))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("node-1 cannot listen on")
                .hasMessageContaining(String.valueOf(server.boundAddress().getPort()));
    }

    @Test
    void malformedFramesCloseOnlyTheirConnection() throws IOException {
        TransportServer server = node.listen(TestPrincipals.anyPort(), echo);
        byte[] good = TestMessage.frame(1, TestMessage.ofLength(100, 1));
        assertThat(faultOf(server, change(good, 0, 0))).isEqualTo(Fault.MAGIC);
        assertThat(faultOf(server, change(good, 4, 9))).isEqualTo(Fault.VERSION);
        assertThat(faultOf(server, change(good, 5, 9))).isEqualTo(Fault.RESERVED);
        assertThat(faultOf(server, change(good, 6, 9))).isEqualTo(Fault.TYPE);
        assertThat(faultOf(server, unknownType())).isEqualTo(Fault.BODY);
        assertThat(faultOf(server, change(good, 16, 0x7F))).isEqualTo(Fault.LENGTH);
        assertThat(faultOf(server, change(good, 50, ~good[50]))).isEqualTo(Fault.CHECKSUM);
        PeerLink link = linkTo(server);
        assertThat(link.send(8, TestMessage.ofLength(8, 8))).isTrue();
        assertThat(Recorder.next(recorder.arrived).requestId()).isEqualTo(8);
    }

    @Test
    void halfAFrameIsNoMessage() throws IOException {
        Recorder sink = new Recorder();
        TransportServer server = node.listen(TestPrincipals.anyPort(), sink);
        byte[] good = TestMessage.frame(1, TestMessage.ofLength(100, 1));
        try (RawSocket raw = RawSocket.authenticated(server.boundAddress(), keys(CLIENT), NODE)) {
            raw.write(Arrays.copyOf(good, 70));
        }
        Recorder.next(sink.disconnected);
        assertThat(sink.arrived).isEmpty();
        assertThat(server.connectionCount()).isZero();
    }

    @Test
    void aHandlerThatFailsClosesTheConnection() throws IOException {
        InboundHandler broken = (peer, requestId, message, done) -> {
            throw new IllegalStateException("expected by this test");
        };
        TransportServer server = node.listen(TestPrincipals.anyPort(), broken);
        try (RawSocket raw = RawSocket.authenticated(server.boundAddress(), keys(OTHER_NODE), NODE)) {
            raw.write(TestMessage.frame(1, new TestMessage(Bytes.EMPTY)));
            assertThat(raw.isClosedByPeer()).isTrue();
        }
        await().until(() -> faults(atNode, Fault.HANDLER_FAILED) == 1);
    }

    @Test
    void aLinkSurvivesAHandlerThatFailsOnDisconnection() throws IOException {
        TransportServer server = node.listen(TestPrincipals.anyPort(), echo);
        Recorder fragile = new Recorder() {
            @Override
            public void onDisconnected(Peer peer) {
                throw new IllegalStateException("expected by this test");
            }
        };
        client.link(NODE, server.boundAddress(), fragile);
        Recorder.next(fragile.connected).disconnect("try again");
        Recorder.next(fragile.connected);
    }

    @Test
    void afterClosingNothingStarts() throws IOException {
        TransportServer server = node.listen(TestPrincipals.anyPort(), echo);
        PeerLink link = linkTo(server);
        client.close();
        node.close();
        link.close();
        server.close();
        assertThatThrownBy(() -> node.listen(TestPrincipals.anyPort(), echo)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> linkTo(server.boundAddress())).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void closingEverythingEndsTheThreads() throws IOException {
        linkTo(node.listen(TestPrincipals.anyPort(), echo));
        Recorder.next(recorder.connected);
        client.close();
        node.close();
        client.close();
        await().until(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith("transport-")));
    }

    /** Sends one malformed frame over a connection of its own and says for what that was closed. */
    private Fault faultOf(TransportServer server, byte[] bytes) throws IOException {
        double[] before = Arrays.stream(Fault.values())
                .mapToDouble(f -> faults(atNode, f))
                .toArray();
        try (RawSocket raw = RawSocket.authenticated(server.boundAddress(), keys(OTHER_NODE), NODE)) {
            raw.write(bytes);
            assertThat(raw.isClosedByPeer()).isTrue();
        }
        return Arrays.stream(Fault.values())
                .filter(f -> f != Fault.INPUT_OUTPUT && faults(atNode, f) > before[f.ordinal()])
                .findFirst()
                .orElseThrow();
    }

    private static byte[] change(byte[] frame, int at, int value) {
        byte[] changed = Arrays.copyOf(frame, frame.length);
        changed[at] = (byte) value;
        return changed;
    }

    /** A correct frame of a type that its family does not know. */
    private static byte[] unknownType() {
        WireWriter out = new WireWriter();
        FrameHeader.frame(TestMessage.TYPE + 1, 1, new WireWriter()).forEach(out::raw);
        return out.toBytes().toByteArray();
    }

    private PeerLink linkTo(TransportServer server) {
        return linkTo(server.boundAddress());
    }

    private PeerLink linkTo(InetSocketAddress address) {
        return client.link(NODE, address, recorder);
    }
}
