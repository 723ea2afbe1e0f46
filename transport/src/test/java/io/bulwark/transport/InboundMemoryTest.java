package io.bulwark.transport;

import static io.bulwark.transport.TestPrincipals.CLIENT;
import static io.bulwark.transport.TestPrincipals.NODE;
import static io.bulwark.transport.TestPrincipals.OTHER_NODE;
import static io.bulwark.transport.TestPrincipals.keys;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Message;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Messages that are not done take no more memory than the transport has for them, over any number of connections. */
@NullMarked
class InboundMemoryTest {
    private static final int CONNECTIONS = 12;
    private static final long TOTAL_BYTES = 2 << 20;
    private static final TestMessage LETTER = TestMessage.ofLength(8 << 10, 1);
    private static final int LETTERS = 300;

    private final MeterRegistry registry = new SimpleMeterRegistry();

    private static TransportSettings settings() {
        TransportSettings s = TestPrincipals.settings();
        return new TransportSettings(
                2,
                s.handshakeTimeoutMillis(),
                s.unauthenticatedMax(),
                CONNECTIONS,
                s.outboundHighBytes(),
                s.outboundMaxBytes(),
                s.outboundTotalBytes(),
                1 << 20,
                TOTAL_BYTES,
                s.frameTimeoutMillis(),
                s.unfinishedTotalBytes(),
                5,
                200,
                100,
                TransportSettings.LIFE_MILLIS_STANDARD);
    }

    private double undone() {
        return registry.get("bulwark.transport.undone").gauge().value();
    }

    @PlantedBug(
            in = Connection.class,
            rule = "many connections of a peer share one peer's room",
            replace = "return Math.min(settings.inboundMaxBytes(), Math.max(left, "
                    + "TransportSettings.INBOUND_LEAST_BYTES));",
            with = "return settings.inboundMaxBytes();")
    @Test
    void manyThatSendMuchShareOneBoundAndKeepNobodyOut() throws Exception {
        Recorder hoard = new Recorder(true);
        List<RawSocket> sockets = new ArrayList<>();
        List<Thread> writers = new ArrayList<>();
        try (Transport node = Transport.open(settings(), keys(NODE), TestMessage.CODECS, registry);
                TransportServer server = node.listen(TestPrincipals.anyPort(), hoard)) {
            for (int i = 0; i < CONNECTIONS; i++) {
                RawSocket socket = RawSocket.authenticated(server.boundAddress(), keys(CLIENT), NODE);
                sockets.add(socket);
                writers.add(Thread.startVirtualThread(() -> flood(socket)));
            }
            AtomicLong before = new AtomicLong(-1);
            await().pollInterval(Duration.ofMillis(300))
                    .until(() -> undone() > 0 && before.getAndSet((long) undone()) == (long) undone());
            long oneMore = TransportSettings.INBOUND_LEAST_BYTES
                    + settings().readBytesMax()
                    + LETTER.bytes().length()
                    + Connection.FRAME_COST_BYTES;
            assertThat(undone()).isLessThanOrEqualTo((double) TOTAL_BYTES + CONNECTIONS * oneMore);

            try (RawSocket modest = RawSocket.authenticated(server.boundAddress(), keys(OTHER_NODE), NODE)) {
                modest.write(TestMessage.frame(7, LETTER));
                await().until(() -> hoard.arrived.stream()
                        .anyMatch(each -> each.peer().principal().equals(OTHER_NODE)));
            }
            for (int i = 0; i < CONNECTIONS * LETTERS + 1; i++) {
                Recorder.next(hoard.arrived).done().run();
            }
            for (Thread writer : writers) {
                writer.join();
            }
            await().until(() -> undone() == 0);
        } finally {
            for (RawSocket each : sockets) {
                each.close();
            }
        }
    }

    private static void flood(RawSocket socket) {
        try {
            for (int i = 0; i < LETTERS; i++) {
                socket.write(TestMessage.frame(i, LETTER));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void whoComesAgainAndAgainLeavesNoMoreBehind() throws Exception {
        Recorder hoard = new Recorder(true);
        try (Transport node = Transport.open(settings(), keys(NODE), TestMessage.CODECS, registry);
                TransportServer server = node.listen(TestPrincipals.anyPort(), hoard)) {
            for (int i = 0; i < CONNECTIONS; i++) {
                comesAndGoes(server);
                Recorder.next(hoard.disconnected);
            }
            comesAndGoes(server);
            await().until(() -> refused() > 0 || hoard.arrived.size() > CONNECTIONS);
            assertThat(hoard.arrived).hasSize(CONNECTIONS);

            Recorder.next(hoard.arrived).done().run();
            comesAndGoes(server);
            await().until(() -> refused() > 1 || hoard.arrived.size() == CONNECTIONS);
            assertThat(refused()).isEqualTo(1);
        }
    }

    private double refused() {
        return TestPrincipals.faults(registry, Fault.TOO_MANY_CONNECTIONS);
    }

    private static void comesAndGoes(TransportServer server) throws IOException {
        try (RawSocket socket = RawSocket.authenticated(server.boundAddress(), keys(CLIENT), NODE)) {
            socket.write(TestMessage.frame(1, LETTER));
        } catch (SocketException e) {
            // A refused sender may find the connection closed.
        }
    }

    @Test
    void whatAHandlerFailedOnTakesNoRoom() throws Exception {
        Recorder failing = new Recorder() {
            @Override
            public void onMessage(Peer peer, long requestId, Message message, Runnable done) {
                throw new IllegalStateException("for the test");
            }
        };
        try (Transport node = Transport.open(settings(), keys(NODE), TestMessage.CODECS, registry);
                TransportServer server = node.listen(TestPrincipals.anyPort(), failing);
                RawSocket socket = RawSocket.authenticated(server.boundAddress(), keys(CLIENT), NODE)) {
            socket.write(TestMessage.frame(1, LETTER));
            Recorder.next(failing.disconnected);
            assertThat(undone()).isZero();
        }
    }
}
