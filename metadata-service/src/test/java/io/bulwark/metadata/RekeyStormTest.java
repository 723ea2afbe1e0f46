package io.bulwark.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.OrderingCodec;
import io.bulwark.protocol.ordering.OrderingMessage.Reply;
import io.bulwark.protocol.ordering.OrderingMessage.Submit;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.transport.InboundHandler;
import io.bulwark.transport.InsecureLoopback;
import io.bulwark.transport.Peer;
import io.bulwark.transport.PeerLink;
import io.bulwark.transport.Transport;
import io.bulwark.transport.TransportSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * All replicas restart while a thousand clients are connected (PROTOCOLS section 7, "Keys and restarts"): each agrees on new keys
 * with each replica, which here is a new connection, and all at once. All get through, what they ask for is executed once, and the
 * work is bounded by the number of clients.
 */
@NullMarked
class RekeyStormTest {
    private static final int CLIENTS = ReplicaGroup.CLIENTS;
    private static final Duration LONG = Duration.ofMinutes(3);
    private static final Duration AGAIN = Duration.ofMillis(500);

    @TempDir
    private Path directory = Path.of("");

    private final AtomicLong connected = new AtomicLong();

    /** A client with a link to each replica. */
    private final class Client implements InboundHandler, AutoCloseable {
        private final int number;
        private final Transport transport;
        private final List<PeerLink> links = new ArrayList<>();
        private final Map<PrincipalId, Reply> replies = new HashMap<>();
        private Submit asked = new Submit(0, Bytes.EMPTY);
        private boolean done;

        Client(int number, ReplicaGroup group) {
            this.number = number;
            transport = Transport.open(
                    TransportSettings.defaults().withEventLoopThreads(1),
                    new InsecureLoopback(ReplicaGroup.keys(ReplicaGroup.client(number))),
                    new MessageCodecs(new OrderingCodec()));
            for (int replica = 0; replica < ReplicaGroup.REPLICAS; replica++) {
                links.add(transport.link(
                        PrincipalId.replica(replica), group.addresses().get(replica), this));
            }
        }

        synchronized void ask(int round) {
            long call = (long) round * CLIENTS + number;
            asked = new Submit(call, RecordingApplication.command(call, "text-" + call));
            replies.clear();
            done = false;
        }

        synchronized void repeat() {
            if (!done) {
                links.forEach(link -> link.send(asked.call(), asked));
            }
        }

        synchronized boolean isDone() {
            return done;
        }

        @Override
        public void onConnected(Peer peer) {
            connected.incrementAndGet();
        }

        @Override
        public synchronized void onMessage(Peer peer, long requestId, Message message, Runnable finished) {
            if (message instanceof Reply reply && reply.call() == asked.call()) {
                replies.put(peer.principal(), reply);
                long equal = replies.values().stream().filter(reply::equals).count();
                done |= equal >= 3;
            }
            finished.run();
        }

        @Override
        public void close() {
            transport.close();
        }
    }

    private static void allAreServed(List<Client> clients, int round) {
        clients.forEach(client -> client.ask(round));
        await().atMost(LONG).pollInterval(AGAIN).pollDelay(Duration.ZERO).until(() -> {
            clients.forEach(Client::repeat);
            return clients.stream().allMatch(Client::isDone);
        });
    }

    @Test
    void aThousandClientsGoOnAfterAllReplicasRestart() throws Exception {
        List<Client> clients = new ArrayList<>();
        try (ReplicaGroup group =
                new ReplicaGroup(directory, ReplicaGroup.Starter.bft(), ReplicaConfig.SNAPSHOT_BATCHES_STANDARD)) {
            group.startAll();
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(new Client(i, group));
            }
            allAreServed(clients, 0);
            for (int replica = 0; replica < ReplicaGroup.REPLICAS; replica++) {
                group.stop(replica);
            }
            group.startAll();
            long before = connected.get();
            CompletableFuture<Bytes> meanwhile =
                    group.client().submit(RecordingApplication.command(2L * CLIENTS, "meanwhile"));
            allAreServed(clients, 1);
            meanwhile.join();
            await().atMost(LONG).untilAsserted(() -> {
                for (int replica = 0; replica < ReplicaGroup.REPLICAS; replica++) {
                    assertThat(group.texts(replica)).hasSize(2 * CLIENTS + 1).doesNotHaveDuplicates();
                }
            });
            // One that is let in and put out again, by a server that has more than enough in its handshakes, counts
            // twice.
            long again = connected.get() - before;
            assertThat(again).isBetween(3L * CLIENTS, 3L * ReplicaGroup.REPLICAS * CLIENTS);
        } finally {
            clients.parallelStream().forEach(Client::close);
        }
    }
}
