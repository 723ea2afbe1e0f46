package io.bulwark.appliance.supervisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bulwark.client.config.ChannelConfig;
import io.bulwark.client.config.KeyRing;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.ordering.OrderingCodec;
import io.bulwark.protocol.ordering.OrderingMessage;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.transport.Peer;
import io.bulwark.transport.Transport;
import io.bulwark.transport.TransportSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How a supervisor asks the group, as the replica that it runs. */
@NullMarked
class GroupViewTest {
    private static final List<PrincipalId> REPLICAS =
            IntStream.range(0, 4).mapToObj(PrincipalId::replica).toList();
    private static final Bytes RELEASE = Hashes.sha256(Bytes.of((byte) 1));

    @TempDir
    Path directory = Path.of("");

    private final List<Transport> transports = new ArrayList<>();

    /** What each replica was asked before. */
    private final List<Set<Long>> asked = new ArrayList<>();

    @AfterEach
    void close() {
        transports.forEach(Transport::close);
    }

    /** Replicas are seldom all at one place of the order on a busy machine. What a replica asks for is not ordered, nor answered if it is to be. */
    @Test
    void whereTheReplicasAreNotInStepItAsksOn() throws Exception {
        Map<PrincipalId, KeyRing> rings = KeyRing.generate(REPLICAS, new SecureRandom());
        List<InetSocketAddress> addresses = new ArrayList<>();
        for (PrincipalId replica : REPLICAS) {
            asked.add(ConcurrentHashMap.newKeySet());
            addresses.add(listen(replica, Objects.requireNonNull(rings.get(replica))));
        }
        PrincipalId self = REPLICAS.get(2);
        Path keys = KeyRing.file(directory, self);
        Objects.requireNonNull(rings.get(self)).store(keys);
        try (GroupView view = GroupView.open(
                self, keys, new ChannelConfig.InsecureLoopback(), directory.resolve("kept"), addresses)) {
            await().ignoreExceptionsInstanceOf(IOException.class)
                    .untilAsserted(() -> assertThat(view.allowedReleases()).containsExactly(RELEASE.toHex()));
        }
    }

    private InetSocketAddress listen(PrincipalId replica, KeyRing ring) throws IOException {
        Transport transport = Transport.open(
                TransportSettings.defaults(), ring.pairwiseKeys(), new MessageCodecs(new OrderingCodec()));
        transports.add(transport);
        return transport
                .listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        (peer, requestId, message, done) -> {
                            answer(replica.number(), peer, requestId, message);
                            done.run();
                        })
                .boundAddress();
    }

    /** The first time it says what no other one says. */
    private void answer(int replica, Peer peer, long requestId, Message message) {
        if (message instanceof OrderingMessage.Query query) {
            long version = asked.get(replica).add(query.call()) ? replica : REPLICAS.size();
            Reply told = new Reply.ReleaseList(version, List.of(RELEASE));
            var _ = peer.send(requestId, new OrderingMessage.Reply(query.call(), 1, told.encoded()));
        }
    }
}
