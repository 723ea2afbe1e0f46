package io.bulwark.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.UnixOperatingSystemMXBean;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.OrderingCodec;
import io.bulwark.protocol.ordering.OrderingMessage.Reply;
import io.bulwark.protocol.ordering.OrderingMessage.Submit;
import io.bulwark.protocol.ordering.driver.ReplicaConfig.Recoveries;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.transport.InboundHandler;
import io.bulwark.transport.Peer;
import io.bulwark.transport.PeerLink;
import io.bulwark.transport.Transport;
import io.bulwark.transport.TransportSettings;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * All replicas restart while hundreds of clients are connected (docs/ordering/recovery.md, session keys): each agrees on new keys
 * with each replica, which here is a new connection over TLS with certificates on both sides, and all at once. All get through, what
 * they ask for is executed once, and each connects once to each.
 */
@NullMarked
@Tag("long")
@Isolated("it takes the processors")
class RekeyStormTest {
    /** More than a replica has room for in its handshakes. */
    private static final int CLIENTS = Integer.getInteger("bulwark.storm.clients", 300);

    /** Both ends of each connection are in this process; the rest is for classes, logs and pages. */
    private static final long FILES = 2L * CLIENTS * ReplicaGroup.REPLICAS + 1_000;

    private static final Duration LONG = Duration.ofMinutes(5);
    private static final Duration AGAIN = Duration.ofMillis(500);

    @TempDir
    private Path directory = Path.of("");

    private final AtomicLong connected = new AtomicLong();
    private final List<Client> clients = new ArrayList<>();

    /** A client with a link to each replica. */
    private final class Client implements InboundHandler {
        private final int number;
        private final Transport transport;
        private final List<PeerLink> links = new ArrayList<>();
        private final Set<PrincipalId> peers = new HashSet<>();
        private final Map<PrincipalId, Reply> replies = new HashMap<>();
        private Submit asked = new Submit(0, Bytes.EMPTY);
        private boolean done;

        Client(int number, Transport transport, ReplicaGroup group) {
            this.number = number;
            this.transport = transport;
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

        synchronized int connections() {
            return peers.size();
        }

        @Override
        public synchronized void onConnected(Peer peer) {
            connected.incrementAndGet();
            peers.add(peer.principal());
        }

        @Override
        public synchronized void onDisconnected(Peer peer) {
            peers.remove(peer.principal());
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

        void close() {
            transport.close();
        }
    }

    private void allAreServed(int round) {
        clients.forEach(client -> client.ask(round));
        await().atMost(LONG).pollInterval(AGAIN).pollDelay(Duration.ZERO).until(() -> {
            clients.forEach(Client::repeat);
            return clients.stream().allMatch(Client::isDone);
        });
    }

    private void allHaveConnections(int count) {
        await().atMost(LONG).until(() -> clients.stream().allMatch(client -> client.connections() == count));
    }

    @Test
    void allClientsGoOnAfterAllReplicasRestart() throws Exception {
        long files = ManagementFactory.getPlatformMXBean(UnixOperatingSystemMXBean.class)
                .getMaxFileDescriptorCount();
        String missing = "this process may open " + files + " files (ulimit -Hn), and " + FILES + " are needed";
        if (files < FILES) {
            System.out.println("LEFT OUT: " + CLIENTS + " clients while all replicas restart, since " + missing);
        }
        assumeTrue(files >= FILES, missing);
        try (ReplicaGroup group = ReplicaGroup.withIdentities(
                        directory,
                        ReplicaGroup.Starter.bft(),
                        ReplicaConfig.SNAPSHOT_BATCHES_STANDARD,
                        Recoveries.DEFAULT,
                        CLIENTS);
                Transport loops = Transport.open(
                        TransportSettings.defaults(),
                        group.credentials(ReplicaGroup.client(0)),
                        new MessageCodecs(new OrderingCodec()));
                AutoCloseable _ = () -> clients.parallelStream().forEach(Client::close)) {
            group.startAll();
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(new Client(i, loops.beside(group.credentials(ReplicaGroup.client(i))), group));
            }
            allAreServed(0);
            allHaveConnections(ReplicaGroup.REPLICAS);
            for (int replica = 0; replica < ReplicaGroup.REPLICAS; replica++) {
                group.stop(replica);
            }
            allHaveConnections(0);
            long before = connected.get();
            group.startAll();
            CompletableFuture<Bytes> meanwhile =
                    group.client().submit(RecordingApplication.command(2L * CLIENTS, "meanwhile"));
            allAreServed(1);
            meanwhile.join();
            allHaveConnections(ReplicaGroup.REPLICAS);
            await().atMost(LONG).untilAsserted(() -> {
                for (int replica = 0; replica < ReplicaGroup.REPLICAS; replica++) {
                    assertThat(group.texts(replica)).hasSize(2 * CLIENTS + 1).doesNotHaveDuplicates();
                }
            });
            // Admitted clients keep their connections.
            assertThat(connected.get() - before).isEqualTo((long) ReplicaGroup.REPLICAS * CLIENTS);
        }
    }
}
