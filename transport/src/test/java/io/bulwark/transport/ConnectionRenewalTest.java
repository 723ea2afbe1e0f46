package io.bulwark.transport;

import static io.bulwark.transport.TestPrincipals.CLIENT;
import static io.bulwark.transport.TestPrincipals.NODE;
import static io.bulwark.transport.TestPrincipals.keys;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Connections that are exchanged for fresh ones while they are used. */
@NullMarked
class ConnectionRenewalTest {
    private static final long SHORT_MILLIS = 200;
    private static final long LONG_MILLIS = 3_600_000;

    private final MeterRegistry meters = new SimpleMeterRegistry();
    private final Recorder recorder = new Recorder();

    private Transport open(io.bulwark.protocol.id.PrincipalId self, long lifeMillis) {
        return Transport.open(
                TestPrincipals.settings().withConnectionLifeMillis(lifeMillis),
                keys(self),
                TestMessage.CODECS,
                self.equals(CLIENT) ? meters : new SimpleMeterRegistry());
    }

    @Test
    void nothingIsLostWhenALinkTakesFreshConnections() throws IOException, InterruptedException {
        try (Transport node = open(NODE, LONG_MILLIS);
                Transport client = open(CLIENT, SHORT_MILLIS)) {
            TransportServer server = node.listen(TestPrincipals.anyPort(), new Recorder.Echo());
            PeerLink link = client.link(NODE, server.boundAddress(), recorder);
            Set<Peer> used = new HashSet<>();
            long sent = 0;
            while (renewals() < 5) {
                assertThat(link.send(++sent, TestMessage.ofLength(100, sent))).isTrue();
                Recorder.Arrived arrived = Recorder.next(recorder.arrived);
                assertThat(arrived.requestId()).isEqualTo(sent);
                used.add(arrived.peer());
                Thread.sleep(1);
            }
            assertThat(used).hasSizeGreaterThan(3);
            assertThat(link.state()).isEqualTo(LinkState.UP);
            await("those that were replaced are closed")
                    .until(() -> server.connectionCount() <= 3 && recorder.disconnected.size() >= 3);
            assertThat(meters.counter("bulwark.transport.reconnects", "peer", "node-1")
                            .count())
                    .isZero();
        }
    }

    @Test
    void aServerClosesWhatIsNotRenewedAndTheLinkComesBack() throws IOException {
        try (Transport node = open(NODE, SHORT_MILLIS);
                Transport client = open(CLIENT, LONG_MILLIS)) {
            TransportServer server = node.listen(TestPrincipals.anyPort(), new Recorder.Echo());
            PeerLink link = client.link(NODE, server.boundAddress(), recorder);
            Recorder.next(recorder.connected);
            Recorder.next(recorder.disconnected);
            Recorder.next(recorder.connected);
            await().until(() -> link.send(1, TestMessage.ofLength(10, 1)));
            assertThat(renewals()).isZero();
        }
    }

    @Test
    void aServerThatIsGoneIsFoundAgainThoughARenewalFailed() throws IOException {
        try (Transport client = open(CLIENT, SHORT_MILLIS)) {
            Transport node = open(NODE, LONG_MILLIS);
            TransportServer server = node.listen(TestPrincipals.anyPort(), new Recorder.Echo());
            var address = server.boundAddress();
            PeerLink link = client.link(NODE, address, recorder);
            await().until(() -> renewals() > 0);
            node.close();
            await().until(() -> link.state() != LinkState.UP);
            try (Transport again = open(NODE, LONG_MILLIS)) {
                assertThat(again.listen(address, new Recorder.Echo()).boundAddress())
                        .isEqualTo(address);
                await().until(() -> link.send(7, TestMessage.ofLength(10, 1)) && recorder.arrived.poll() != null);
            }
        }
    }

    private double renewals() {
        return meters.counter("bulwark.transport.renewals", "peer", "node-1").count();
    }
}
