package io.bulwark.transport;

import static io.bulwark.transport.TestPrincipals.CLIENT;
import static io.bulwark.transport.TestPrincipals.NODE;
import static io.bulwark.transport.TestPrincipals.faults;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.transport.identity.Identity;
import io.bulwark.transport.identity.TrustedKeys;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** More TLS connections than there is room for in the handshake: of serious clients, and of silent ones. */
@NullMarked
class HandshakeLimiterTest {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final Identity NODES = Identity.generate(NODE, RANDOM);
    private static final Identity CLIENTS = Identity.generate(CLIENT, RANDOM);
    private static final int PLACES = TestPrincipals.settings().unauthenticatedMax();
    private static final int MANY = 6 * PLACES;

    private final MeterRegistry atNode = new SimpleMeterRegistry();
    private final List<Transport> opened = new ArrayList<>();

    @AfterEach
    void close() {
        opened.reversed().forEach(Transport::close);
    }

    /** It would be as well if they were slower; but that takes longer than a test may. */
    @Test
    void whoComesWaitsForRoomAndNobodyIsPutOutForIt() throws IOException {
        TransportServer server = listen(60_000, new Recorder());
        try (Silent _ = new Silent(server.boundAddress(), PLACES)) {
            await().until(() -> server.handshakeCount() == PLACES);
            connect(server, MANY);
            await().during(Duration.ofMillis(300)).until(() -> server.handshakeCount() == PLACES);
            assertThat(server.connectionCount()).isZero();
        }
        await().until(() -> {
            assertThat(server.handshakeCount()).isLessThanOrEqualTo(PLACES);
            return server.connectionCount() == MANY;
        });
        assertThat(faults(atNode, Fault.TOO_MANY_CONNECTIONS)).isZero();
        assertThat(faults(atNode, Fault.HANDSHAKE_TIMEOUT)).isZero();
        assertThat(server.handshakeCount()).isZero();
    }

    /**
     * A silent peer reconnects at once, and queues with the others. The timeout for these is longer than a busy machine
     * needs.
     */
    @Test
    void silentConnectionsAreGivenUpForThoseWhoMeanIt() throws IOException {
        TransportServer server = listen(10_000, new Recorder.Echo());
        Recorder standing = new Recorder();
        PeerLink link = client().link(NODE, server.boundAddress(), standing);
        Recorder.next(standing.connected);
        try (Silent _ = new Silent(server.boundAddress(), PLACES + PLACES / 2)) {
            await().until(() -> server.handshakeCount() == PLACES);
            connect(server, PLACES);
            await().until(() -> {
                assertThat(server.handshakeCount()).isLessThanOrEqualTo(PLACES);
                return server.connectionCount() == PLACES + 1;
            });
            assertThat(faults(atNode, Fault.TOO_MANY_CONNECTIONS)).isPositive();
            // An established connection is independent of those that are not.
            assertThat(link.send(1, TestMessage.ofLength(100, 1))).isTrue();
            assertThat(Recorder.next(standing.arrived).letter()).isEqualTo(TestMessage.ofLength(100, 1));
        }
        assertThat(standing.disconnected).isEmpty();
    }

    @Test
    void whatIsComputedHereIsNoTimeOfTheOther() {
        HandshakeClock clock = new HandshakeClock();
        clock.stop();
        clock.stop();
        long waited = clock.waitedNanos();
        pass();
        clock.proceed();
        assertThat(clock.waitedNanos()).isEqualTo(waited);
        clock.proceed();
        pass();
        assertThat(clock.waitedNanos()).isGreaterThan(waited);
    }

    private static void pass() {
        long before = System.nanoTime();
        while (System.nanoTime() == before) {
            Thread.onSpinWait();
        }
    }

    private TransportServer listen(long handshakeMillis, InboundHandler handler) throws IOException {
        return open(NODES, handshakeMillis, atNode).listen(TestPrincipals.anyPort(), handler);
    }

    private Transport client() {
        return open(CLIENTS, 60_000, new SimpleMeterRegistry());
    }

    private void connect(TransportServer server, int count) {
        Transport client = client();
        for (int i = 0; i < count; i++) {
            client.link(NODE, server.boundAddress(), new Recorder());
        }
    }

    private Transport open(Identity identity, long handshakeMillis, MeterRegistry registry) {
        Map<PrincipalKey, PrincipalId> owners = Map.of(NODES.publicKey(), NODE, CLIENTS.publicKey(), CLIENT);
        Transport transport = Transport.open(
                TestPrincipals.settingsWithHandshakeTimeout(handshakeMillis, 2 * MANY),
                new TlsCredentials(identity, new TrustedKeys(owners)),
                TestMessage.CODECS,
                registry);
        opened.add(transport);
        return transport;
    }

    /** Fixed number of silent connections; each closed one is replaced. */
    private static final class Silent implements AutoCloseable {
        private final AtomicBoolean ends = new AtomicBoolean();
        private final Thread thread;

        Silent(InetSocketAddress address, int count) throws IOException {
            List<SocketChannel> open = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                open.add(connect(address));
            }
            thread = Thread.ofPlatform().daemon().start(() -> {
                try {
                    while (!ends.get()) {
                        for (int i = 0; i < count; i++) {
                            if (isClosed(open.get(i))) {
                                open.get(i).close();
                                open.set(i, connect(address));
                            }
                        }
                        Thread.sleep(5);
                    }
                    for (SocketChannel each : open) {
                        each.close();
                    }
                } catch (IOException | InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
        }

        private static SocketChannel connect(InetSocketAddress address) throws IOException {
            SocketChannel channel = SocketChannel.open(address);
            channel.configureBlocking(false);
            return channel;
        }

        private static boolean isClosed(SocketChannel channel) throws IOException {
            try {
                return channel.read(ByteBuffer.allocate(1)) < 0;
            } catch (SocketException e) {
                return true;
            }
        }

        @Override
        public void close() {
            ends.set(true);
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
