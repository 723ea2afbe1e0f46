package io.bulwark.metadata;

import io.bulwark.metadata.log.AppliedLog;
import io.bulwark.metadata.ordering.ReplicatedApplication;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.OrderingCodec;
import io.bulwark.protocol.ordering.OrderingMessage;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.transport.Peer;
import io.bulwark.transport.Transport;
import io.bulwark.transport.TransportSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * Baseline for replication: one server with the same transport, messages and loop, and no protocol. With a directory it
 * logs each command and answers once that is synced, many commands in one sync.
 */
@NullMarked
final class UnreplicatedServer implements AutoCloseable, ReplicaLoop.Owner {
    private record Waiting(long sequence, Peer peer, long requestId, OrderingMessage.Reply reply) {}

    private final ReplicatedApplication application;
    private final ReplicaLoop loop;
    private final @Nullable AppliedLog log;
    private final Transport transport;
    private final Deque<Waiting> waiting = new ArrayDeque<>();

    private UnreplicatedServer(InetSocketAddress address, ReplicatedApplication application, @Nullable Path directory)
            throws IOException {
        this.application = application;
        transport = Transport.open(
                TransportSettings.defaults().withEventLoopThreads(1),
                ReplicaGroup.keys(PrincipalId.replica(0)),
                new MessageCodecs(new OrderingCodec()));
        loop = new ReplicaLoop("unreplicated", 20, transport.eventLoop(), this);
        log = directory == null
                ? null
                : AppliedLog.open(Files.createDirectories(directory), () -> loop.run(this::answerDurable));
        var _ = transport.listen(address, this::onMessage);
    }

    static UnreplicatedServer start(
            InetSocketAddress address, ReplicatedApplication application, @Nullable Path directory) throws IOException {
        UnreplicatedServer server = new UnreplicatedServer(address, application, directory);
        server.loop.start();
        return server;
    }

    private void onMessage(Peer peer, long requestId, Message message, Runnable done) {
        loop.run(() -> {
            done.run();
            switch (message) {
                case OrderingMessage.Query query ->
                    answer(peer, requestId, query.call(), application.query(peer.principal(), query.query()));
                case OrderingMessage.Submit submit -> {
                    Bytes reply = application.execute(peer.principal(), submit.command(), 0);
                    if (log == null) {
                        answer(peer, requestId, submit.call(), reply);
                    } else {
                        long sequence = log.append(submit.command()).sequence();
                        OrderingMessage.Reply late = new OrderingMessage.Reply(submit.call(), 0, reply);
                        waiting.add(new Waiting(sequence, peer, requestId, late));
                    }
                }
                default -> throw new IllegalStateException("not asked here: " + message);
            }
        });
    }

    private static void answer(Peer peer, long requestId, long call, Bytes reply) {
        var _ = peer.send(requestId, new OrderingMessage.Reply(call, 0, reply));
    }

    private void answerDurable() {
        AppliedLog synced = log;
        long durable = synced == null ? 0 : synced.durableSequence();
        while (!waiting.isEmpty() && waiting.peek().sequence() <= durable) {
            Waiting next = waiting.remove();
            var _ = next.peer().send(next.requestId(), next.reply());
        }
    }

    @Override
    public void afterSteps() {}

    @Override
    public void onTick() {}

    @Override
    public boolean tryMend(Exception thrown) {
        return false;
    }

    @Override
    public void onFailure() {}

    @Override
    public void close() throws IOException {
        loop.close();
        transport.close();
        if (log != null) {
            log.close();
        }
    }
}
