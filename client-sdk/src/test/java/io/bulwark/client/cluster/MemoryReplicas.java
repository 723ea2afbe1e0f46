package io.bulwark.client.cluster;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Genesis;
import io.bulwark.protocol.metadata.MetadataStateMachine;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.ordering.OrderingMessage;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.transport.InboundHandler;
import io.bulwark.transport.Peer;
import io.bulwark.transport.Transport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntFunction;

/**
 * Metadata replicas that each run the real state machine and answer over the real transport; one lock is their order. A
 * command runs at all of them when the first of its four copies arrives.
 */
final class MemoryReplicas implements AutoCloseable {
    static final int COUNT = 4;

    private final List<MetadataStateMachine> machines = new ArrayList<>();
    private final List<Transport> transports = new ArrayList<>();
    private final List<InetSocketAddress> addresses = new ArrayList<>();
    private final Map<Bytes, List<Bytes>> replies = new HashMap<>();
    private final ExecutorService thread = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("memory-replicas").factory());

    MemoryReplicas(Genesis genesis, IntFunction<Transport> opening) throws IOException {
        for (int i = 0; i < COUNT; i++) {
            machines.add(new MetadataStateMachine(genesis).withReplicasThatStay()); // There are no log servers.
            Transport transport = opening.apply(i);
            transports.add(transport);
            int replica = i;
            InboundHandler handler = (peer, requestId, message, done) -> thread.execute(() -> {
                try {
                    serve(replica, peer, requestId, message);
                } finally {
                    done.run();
                }
            });
            addresses.add(transport
                    .listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), handler)
                    .boundAddress());
        }
    }

    List<InetSocketAddress> addresses() {
        return addresses;
    }

    /** Takes one replica away. */
    void stop(int replica) {
        transports.get(replica).close();
    }

    private synchronized void serve(int replica, Peer peer, long requestId, Message message) {
        // They are of no group that recovers.
        if (!(message instanceof OrderingMessage.ToReplica asked)) {
            return;
        }
        Bytes reply = switch (asked) {
            case OrderingMessage.Submit submit ->
                execute(peer.principal(), submit).get(replica);
            case OrderingMessage.Query query -> machines.get(replica).query(peer.principal(), query.query());
            case OrderingMessage.OrderedQuery query -> machines.get(replica).query(peer.principal(), query.query());
        };
        peer.send(requestId, new OrderingMessage.Reply(((OrderingMessage) message).call(), 1, reply));
    }

    private List<Bytes> execute(PrincipalId submitter, OrderingMessage.Submit submit) {
        long agreedMillis = System.currentTimeMillis();
        return replies.computeIfAbsent(
                submit.command(),
                command -> machines.stream()
                        .map(machine -> machine.execute(submitter, command, agreedMillis))
                        .toList());
    }

    /** Returns the fact that f+1 replicas would tell a node. */
    synchronized Fact fact(int node, Question question) {
        return switch (question) {
            case Question.OfSession of -> {
                Reply.Session session =
                        (Reply.Session) ask(node, new Query.SessionOf(of.volume(), of.owner(), of.session()));
                yield new Fact.OfSession(of.volume(), of.owner(), of.session(), session.state());
            }
            case Question.OfGrant of -> {
                Reply.Granted granted = (Reply.Granted) ask(node, new Query.GrantOf(of.volume(), of.principal()));
                yield new Fact.OfGrant(of.volume(), of.principal(), granted.mayRead(), granted.mayWrite());
            }
            case Question.OfVolume of -> {
                Reply.Map map = (Reply.Map) ask(node, new Query.GetMap());
                Optional<Volume> known = map.map().volume(of.volume());
                yield new Fact.OfVolume(of.volume(), known);
            }
        };
    }

    private Reply ask(int node, Query query) {
        return Reply.decode(machines.getFirst().query(PrincipalId.node(node), query.encoded()));
    }

    @Override
    public void close() {
        transports.forEach(Transport::close);
        thread.shutdownNow();
    }
}
