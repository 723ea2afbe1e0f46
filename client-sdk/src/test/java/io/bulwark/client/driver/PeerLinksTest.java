package io.bulwark.client.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bulwark.client.config.KeyRing;
import io.bulwark.protocol.fp.FpCodec;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.transport.InboundHandler;
import io.bulwark.transport.Peer;
import io.bulwark.transport.Transport;
import io.bulwark.transport.TransportServer;
import io.bulwark.transport.TransportSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class PeerLinksTest {
    private static final PrincipalId CLIENT = PrincipalId.client(1);
    private static final PrincipalId STAYS = PrincipalId.node(0);
    private static final PrincipalId GOES = PrincipalId.node(1);
    private static final PrincipalId REPLICA = PrincipalId.replica(0);

    private final Map<PrincipalId, KeyRing> keys =
            KeyRing.generate(List.of(CLIENT, STAYS, GOES, REPLICA), new SecureRandom());

    private Transport open(PrincipalId self) {
        return Transport.open(
                TransportSettings.defaults(),
                Objects.requireNonNull(keys.get(self)).pairwiseKeys(),
                new MessageCodecs(new FpCodec()));
    }

    /** Reports peers that connect and disconnect. */
    private record Server(Transport transport, TransportServer listening, BlockingQueue<String> seen)
            implements AutoCloseable {
        @Override
        public void close() {
            transport.close();
        }
    }

    private Server serve(PrincipalId self) throws Exception {
        BlockingQueue<String> seen = new LinkedBlockingQueue<>();
        Transport transport = open(self);
        TransportServer listening =
                transport.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), new InboundHandler() {
                    @Override
                    public void onMessage(Peer peer, long requestId, Message message, Runnable done) {
                        done.run();
                    }

                    @Override
                    public void onConnected(Peer peer) {
                        seen.add("comes");
                    }

                    @Override
                    public void onDisconnected(Peer peer) {
                        seen.add("goes");
                    }
                });
        return new Server(transport, listening, seen);
    }

    @Test
    void nodesThatAreNotKeptAreLeftAlone() throws Exception {
        try (Server stays = serve(STAYS);
                Server goes = serve(GOES);
                Server replica = serve(REPLICA);
                Transport client = open(CLIENT);
                PeerLinks links = new PeerLinks(client)) {
            assertThat(links.hasEverConnected()).isFalse();
            links.connect(STAYS, stays.listening.boundAddress());
            links.connect(GOES, goes.listening.boundAddress());
            links.connect(REPLICA, replica.listening.boundAddress());
            assertThat(stays.seen.take()).isEqualTo("comes");
            assertThat(goes.seen.take()).isEqualTo("comes");
            assertThat(replica.seen.take()).isEqualTo("comes");
            links.keepNodes(Set.of(STAYS));
            assertThat(goes.seen.take()).isEqualTo("goes");
            assertThat(links.isDisconnected(GOES)).isTrue();
            assertThat(links.isDisconnected(STAYS)).isFalse();
            assertThat(stays.seen).isEmpty();
            assertThat(replica.seen).isEmpty();
            await().until(links::hasEverConnected);
        }
    }
}
