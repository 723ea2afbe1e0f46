package io.bulwark.client.cluster;

import io.bulwark.client.driver.EvidenceListener;
import io.bulwark.client.driver.OperationDriver;
import io.bulwark.client.driver.PeerLinks;
import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.control.NodeControlMessage.BackgroundReport;
import io.bulwark.protocol.control.NodeControlMessage.NodeStatusReply;
import io.bulwark.protocol.control.NodeControlMessage.NodeStatusRequest;
import io.bulwark.protocol.control.NodeControlMessage.PoolReport;
import io.bulwark.protocol.control.NodeControlMessage.RebuildReport;
import io.bulwark.protocol.control.NodeControlMessage.VolumeWork;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import io.bulwark.transport.InboundHandler;
import io.bulwark.transport.Peer;
import io.bulwark.transport.Transport;
import io.bulwark.transport.TransportServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A storage node with the real protocol servers and the real transport, but records in memory, on one thread. */
final class MemoryNode implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MemoryNode.class);

    private final Transport transport;
    private final TransportServer listening;
    private final PeerLinks links;
    private final OperationDriver driver;
    private final List<Hosted> servers;
    private final Function<Question, Fact> replicas;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("memory-node").factory());
    private final Map<PrincipalId, Peer> peers = new ConcurrentHashMap<>();
    final MemoryRecords records = new MemoryRecords();
    /** Number of volumes for which this node reports that it has done all its work. */
    volatile int volumesDone = 100;

    volatile boolean acceptsWrites = true;
    volatile boolean setBack;
    volatile long freeBytes = 2;

    /** History pool size that this node reports as needed; 0 if its pool is large enough. */
    volatile long poolNeeded;

    volatile long usedBytes = 1;
    volatile RebuildReport rebuilding = new RebuildReport(0, 0, 1 << 20);

    /** A server and the messages that are for it. */
    record Hosted(Class<? extends Message> requests, ProtocolServer server) {}

    MemoryNode(Transport transport, List<Hosted> servers, Function<Question, Fact> replicas) throws IOException {
        this.transport = transport;
        this.servers = servers;
        this.replicas = replicas;
        this.links = new PeerLinks(transport);
        this.driver = new OperationDriver(links, EvidenceListener.NONE, OperationDriver.Limits.standard(), 1);
        links.deliverTo(driver);
        this.listening = transport.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), new Requests());
        var _ = thread.scheduleWithFixedDelay(
                () -> servers.forEach(each -> perform(each, each.server.onTick(now()))), 20, 50, TimeUnit.MILLISECONDS);
    }

    InetSocketAddress address() {
        return listening.boundAddress();
    }

    void connect(PrincipalId peer, InetSocketAddress address) {
        links.connect(peer, address);
    }

    @Override
    public void close() {
        thread.shutdownNow();
        driver.close();
        links.close();
        transport.close();
    }

    private final class Requests implements InboundHandler {
        @Override
        public void onConnected(Peer peer) {
            peers.put(peer.principal(), peer);
        }

        @Override
        public void onMessage(Peer peer, long requestId, Message message, Runnable done) {
            run(() -> {
                try {
                    serve(peer, requestId, message);
                } finally {
                    done.run();
                }
            });
        }
    }

    private void serve(Peer peer, long requestId, Message message) {
        if (message instanceof NodeStatusRequest) {
            List<VolumeWork> work = IntStream.range(0, volumesDone)
                    .mapToObj(volume -> new VolumeWork(volume, 0, true))
                    .toList();
            peer.send(
                    requestId,
                    new NodeStatusReply(
                            acceptsWrites,
                            usedBytes,
                            freeBytes,
                            work,
                            new BackgroundReport(5, 4, 3, 2),
                            rebuilding,
                            new PoolReport(0, poolNeeded),
                            List.of(),
                            List.of(),
                            setBack));
        }
        for (Hosted each : servers) {
            if (each.requests.isInstance(message)) {
                perform(each, each.server.onMessage(now(), peer.principal(), requestId, message));
            }
        }
    }

    private void run(Runnable task) {
        try {
            thread.execute(() -> {
                try {
                    task.run();
                } catch (RuntimeException e) {
                    LOG.error("the node failed", e);
                }
            });
        } catch (RejectedExecutionException e) {
            LOG.debug("closed");
        }
    }

    private void perform(Hosted hosted, List<Effect> effects) {
        ProtocolServer server = hosted.server;
        for (Effect effect : effects) {
            switch (effect) {
                case Effect.Send send -> {
                    Peer peer = peers.get(send.to());
                    if (peer != null) {
                        peer.send(send.requestId(), send.message());
                    }
                }
                case Effect.Store store ->
                    run(() -> {
                        records.apply(store.mutations());
                        perform(hosted, server.onStored(now(), store.token(), Stored.DURABLE));
                    });
                case Effect.Load load ->
                    run(() -> perform(hosted, server.onLoaded(now(), load.token(), records.load(load.key()))));
                case Effect.LoadMetas load ->
                    run(() -> perform(
                            hosted,
                            server.onLoaded(
                                    now(),
                                    load.token(),
                                    records.metas(load.kind(), load.block(), load.block(), Integer.MAX_VALUE))));
                case Effect.Scan scan ->
                    run(() -> perform(
                            hosted,
                            server.onLoaded(
                                    now(),
                                    scan.token(),
                                    records.metas(scan.kind(), scan.from(), scan.to(), scan.max()))));
                case Effect.Run operation -> {
                    var _ = driver.submit(operation.operation())
                            .thenAccept(outcome ->
                                    run(() -> perform(hosted, server.onCompleted(now(), operation.token(), outcome))));
                }
                case Effect.Ask ask -> run(() -> perform(hosted, server.onFact(now(), replicas.apply(ask.question()))));
                case Effect.Evidence seen -> LOG.info("evidence {}", seen);
                case Effect.Refuses promise -> LOG.info("promise {}", promise);
            }
        }
    }

    private static long now() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }
}
