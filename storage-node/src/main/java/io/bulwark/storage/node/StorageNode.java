package io.bulwark.storage.node;

import io.bulwark.client.driver.EvidenceListener;
import io.bulwark.client.driver.EvidenceLog;
import io.bulwark.client.driver.OperationDriver;
import io.bulwark.client.driver.PeerLinks;
import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.wire.Message;
import io.bulwark.storage.store.FragmentStore;
import io.bulwark.storage.store.StoreIdentity;
import io.bulwark.transport.Delivery;
import io.bulwark.transport.InboundHandler;
import io.bulwark.transport.Peer;
import io.bulwark.transport.Transport;
import io.bulwark.transport.TransportServer;
import io.micrometer.core.instrument.Counter;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * A running storage node. Requests are divided among the shards by block; each shard runs the protocols' servers on one
 * thread. A request counts as in processing, and holds its connection's credit, until all its effects are complete.
 * Excess requests are dropped: clients send again.
 */
public final class StorageNode implements NodeAccess, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StorageNode.class);
    private static final long DRAIN_MILLIS = 5_000;
    private static final int EVIDENCE_SHOWN = 100;

    private final NodeConfig config;
    private final NodeParts parts;
    private final PrincipalId self;
    private final FragmentStore store;
    private final Transport transport;
    private final EvidenceLog evidence;
    private final RequestLimits limits;
    private final FactCache facts;
    private final OperationDriver operations;
    private final PeerLinks links;
    private final List<Shard> shards = new ArrayList<>();
    private final EpochPromises promises;
    private final Map<PrincipalId, Peer> connections = new ConcurrentHashMap<>();
    private final Map<Long, CompletableFuture<Message>> asked = new ConcurrentHashMap<>();
    private final AtomicLong lastAsked = new AtomicLong();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final long startedMillis = System.currentTimeMillis();
    private final long startedNanos = System.nanoTime();
    private final Counter unexpected;
    private final Counter broken;
    private final TransportServer server;

    private StorageNode(NodeConfig config, NodeParts parts, FragmentStore store, Transport transport)
            throws IOException {
        this.config = config;
        this.parts = parts;
        this.self = PrincipalId.node(config.node());
        this.store = store;
        this.transport = transport;
        this.evidence = new EvidenceLog(parts.meters(), InstantSource.system());
        this.limits = new RequestLimits(config.requestBytesMax());
        this.unexpected = Counter.builder("bulwark.node.unexpected")
                .description("Messages that the node does not serve; their connections are closed.")
                .register(parts.meters());
        this.broken = Counter.builder("bulwark.node.broken.invariants")
                .description("Requests that failed by a broken invariant of the node.")
                .register(parts.meters());
        this.promises = new EpochPromises(config.shards());
        Engine engine = new Engine();
        this.facts = new FactCache(parts.facts(), engine::nowMillis);
        this.links = new PeerLinks(transport);
        long firstId = new SecureRandom().nextLong() >>> 2;
        this.operations = new OperationDriver(this::sendAsClient, evidence, OperationDriver.Limits.standard(), firstId);
        this.links.deliverTo(operations);
        parts.peers()
                .hear(nodes ->
                        links.keepNodes(nodes.stream().map(PrincipalId::node).collect(Collectors.toSet())));
        for (int i = 0; i < config.shards(); i++) {
            int number = i;
            List<ProtocolServer> servers = parts.protocols().stream()
                    .map(protocol -> protocol.server().apply(number))
                    .toList();
            shards.add(new Shard(engine, number, servers));
        }
        NodeMeters.register(parts.meters(), config.node(), store, limits);
        this.server = transport.listen(config.listen(), new Requests());
        shards.forEach(Shard::start);
    }

    /**
     * Opens the store, listens, and starts the background work.
     *
     * @throws io.bulwark.client.error.ConfigException if the store is another node's
     * @throws IOException if the store cannot be opened or the address cannot be bound
     */
    public static StorageNode start(NodeConfig config, NodeParts parts) throws IOException {
        if (!parts.keys().self().equals(PrincipalId.node(config.node()))) {
            throw new IllegalArgumentException(
                    "node " + config.node() + " has the keys of " + parts.keys().self());
        }
        FragmentStore store = open(config);
        Transport transport = Transport.open(config.transport(), parts.credentials(), parts.codecs(), parts.meters());
        try {
            StorageNode node = new StorageNode(config, parts, store, transport);
            parts.background().forEach(work -> work.start(node));
            LOG.info("{} listens at {}", node.self, node.address());
            return node;
        } catch (IOException | RuntimeException e) {
            transport.close();
            store.close();
            throw e;
        }
    }

    private static FragmentStore open(NodeConfig config) throws IOException {
        StoreIdentity identity = new StoreIdentity(config.cluster(), config.node());
        identity.claim(config.store().directory());
        FragmentStore store = FragmentStore.open(config.store());
        try {
            // If two nodes began in one empty directory at the same time, only one owns it now.
            identity.claim(config.store().directory());
            store.claim(identity);
            return store;
        } catch (IOException | RuntimeException e) {
            store.close();
            throw e;
        }
    }

    @Override
    public int node() {
        return config.node();
    }

    /** Returns the listening address, with the actual port. */
    public InetSocketAddress address() {
        return server.boundAddress();
    }

    @Override
    public FragmentStore store() {
        return store;
    }

    @Override
    public <R> CompletableFuture<R> run(ClientOperation<R> operation) {
        long bytes = operation.memoryBytes();
        return parts.shared().memory().start(bytes, () -> operations.submit(operation, bytes));
    }

    @Override
    public EvidenceLog evidence() {
        return evidence;
    }

    @Override
    public CompletableFuture<Message> ask(Message request, long timeoutMillis) {
        long id = lastAsked.decrementAndGet();
        CompletableFuture<Message> answer = new CompletableFuture<>();
        asked.put(id, answer);
        var _ = answer.whenComplete((message, error) -> asked.remove(id));
        if (!submit(self, id, request, ShardTask.Reply.NONE, () -> {})) {
            answer.completeExceptionally(new IllegalStateException(self + " cannot accept the request now"));
        }
        return answer.orTimeout(timeoutMillis, TimeUnit.MILLISECONDS);
    }

    @Override
    public void answer(PrincipalId to, long requestId, Message answer) {
        sendByConnection(to, requestId, answer);
    }

    @Override
    public long sinceForegroundMillis() {
        return parts.shared().foreground().sinceMillis();
    }

    @Override
    public int requestsInProcessing() {
        return limits.requests();
    }

    @Override
    public void hearRefusals(Consumer<Effect.Refuses> hearer) {
        promises.hear(hearer);
    }

    @Override
    public void tell(Fact fact) {
        facts.told(fact);
        if (fact instanceof Fact.OfPin pin) {
            shards.get(config.shardOf(pin.block())).tell(fact);
        } else {
            shards.forEach(shard -> shard.tell(fact));
        }
    }

    public NodeStatus status() {
        return new NodeStatus(
                config.node(),
                server.connectionCount(),
                limits.requests(),
                limits.bytes(),
                limits.served(),
                limits.shed(),
                evidence.counts(),
                evidence.since(Math.max(0, evidence.last() - EVIDENCE_SHOWN)));
    }

    /** Stops the background work, accepts no more requests, finishes those in processing, and closes the store. */
    @Override
    public void close() {
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        parts.background().forEach(BackgroundWork::stop);
        try {
            if (!limits.awaitNone(DRAIN_MILLIS)) {
                LOG.warn("{} stops with {} requests unanswered: they took too long", self, limits.requests());
            }
            server.close();
            links.close();
            operations.close();
            for (Shard shard : shards) {
                shard.stop();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            transport.close();
            store.close();
        }
        LOG.info("{} has stopped", self);
    }

    private int protocolOf(Message message) {
        for (int i = 0; i < parts.protocols().size(); i++) {
            if (parts.protocols().get(i).handles().test(message)) {
                return i;
            }
        }
        return -1;
    }

    /** Returns whether the request is processed; {@code released} is run in any case. */
    private boolean submit(PrincipalId from, long id, Message message, ShardTask.Reply reply, Runnable released) {
        int protocol = protocolOf(message);
        if (protocol < 0) {
            released.run();
            throw new IllegalArgumentException(
                    "no request to a node: " + message.getClass().getName());
        }
        HostedProtocol hosted = parts.protocols().get(protocol);
        int bytes = hosted.heldBytes().applyAsInt(message);
        if (closing.get() || !limits.admit(from, bytes)) {
            released.run();
            return false;
        }
        Shard shard = shards.get(config.shardOf(hosted.blockOf().apply(message)));
        shard.request(protocol, from, id, message, reply, () -> {
            limits.release(from, bytes);
            released.run();
        });
        return true;
    }

    /** Operations of this node address this node, too. */
    private Delivery sendAsClient(PrincipalId to, long requestId, Message message) {
        if (to.equals(self)) {
            var _ = submit(self, requestId, message, ShardTask.Reply.NONE, () -> {});
        } else if (to.kind() == PrincipalKind.NODE) {
            parts.peers().addressOf(to.number()).ifPresent(address -> connect(to, address));
            return links.send(to, requestId, message);
        }
        return Delivery.UNSURE;
    }

    private void connect(PrincipalId to, InetSocketAddress address) {
        try {
            links.connect(to, address);
        } catch (IllegalArgumentException e) {
            LOG.warn("{} cannot be reached at {}: {}", to, address, e.getMessage());
        }
    }

    private void sendByConnection(PrincipalId to, long requestId, Message message) {
        Peer peer = connections.get(to);
        if (peer != null) {
            var _ = peer.send(requestId, message);
        }
    }

    /** Requests over accepted connections. */
    private final class Requests implements InboundHandler {
        @Override
        public void onMessage(Peer peer, long requestId, Message message, Runnable done) {
            PrincipalId from = peer.principal();
            int protocol = protocolOf(message);
            if (from.equals(self) || protocol < 0) {
                done.run();
                unexpected.increment();
                peer.disconnect("sent " + message.getClass().getSimpleName() + " to " + self);
                return;
            }
            if (!parts.protocols().get(protocol).open().test(message)) {
                done.run();
                return;
            }
            if (from.kind() == PrincipalKind.CLIENT
                    && parts.protocols().get(protocol).foreground()) {
                parts.shared().foreground().onRequest();
            }
            ShardTask.Reply reply = (to, id, answer) -> {
                if (id != requestId || !to.equals(from)) {
                    return false;
                }
                if (!peer.send(id, answer) && !peer.equals(connections.get(from))) {
                    sendByConnection(to, id, answer);
                }
                return true;
            };
            var _ = submit(from, requestId, message, reply, done);
        }

        @Override
        public void onConnected(Peer peer) {
            connections.put(peer.principal(), peer);
        }

        @Override
        public void onDisconnected(Peer peer) {
            connections.remove(peer.principal(), peer);
        }
    }

    private final class Engine implements NodeEngine {
        @Override
        public int node() {
            return config.node();
        }

        @Override
        public long nowMillis() {
            return startedMillis + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startedNanos);
        }

        @Override
        public FragmentStore store() {
            return store;
        }

        @Override
        public <R> CompletableFuture<R> run(ClientOperation<R> operation) {
            return StorageNode.this.run(operation);
        }

        @Override
        public FactCache facts() {
            return facts;
        }

        @Override
        public EvidenceListener evidence() {
            return evidence;
        }

        @Override
        public void refuses(int shard, Effect.Refuses promise) {
            promises.add(shard, promise);
        }

        @Override
        public int shardOf(BlockId block) {
            return config.shardOf(block);
        }

        @Override
        public void answer(PrincipalId to, long requestId, Message message) {
            if (!to.equals(self)) {
                sendByConnection(to, requestId, message);
                return;
            }
            CompletableFuture<Message> waiting = asked.get(requestId);
            if (waiting != null) {
                waiting.complete(message);
            } else {
                var _ = operations.onMessage(self, requestId, message);
            }
        }

        @Override
        public void onBrokenInvariant(ProtocolServer server, RuntimeException error) {
            broken.increment();
            LOG.error("{} of {} failed: broken invariant", server.getClass().getSimpleName(), self, error);
        }

        @Override
        public void failed(ProtocolServer server, Throwable error) {
            // A node that stops ends what is under way.
            LOG.atLevel(closing.get() ? Level.DEBUG : Level.WARN)
                    .setCause(error)
                    .log("the effect of {} of {} failed", server.getClass().getSimpleName(), self);
        }
    }
}
