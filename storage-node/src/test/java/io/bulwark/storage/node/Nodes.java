package io.bulwark.storage.node;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.GenesisKeys;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.storage.store.StoreConfig;
import io.bulwark.transport.InboundHandler;
import io.bulwark.transport.Peer;
import io.bulwark.transport.PeerLink;
import io.bulwark.transport.Transport;
import io.bulwark.transport.TransportSettings;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;

/** Nodes that serve notes, clients that write them, and replicas scripted by the test. */
final class Nodes implements AutoCloseable {
    static final PrincipalId ALICE = PrincipalId.client(1);
    static final PrincipalId MALLORY = PrincipalId.client(2);
    static final List<PrincipalId> ALL =
            List.of(ALICE, MALLORY, PrincipalId.node(0), PrincipalId.node(1), PrincipalId.node(2), PrincipalId.node(3));

    private final Map<Question, CompletableFuture<Fact>> questions = new ConcurrentHashMap<>();
    final AtomicLong questionsAsked = new AtomicLong();
    final MeterRegistry meters = new SimpleMeterRegistry();
    private final Path directory;
    private final MessageCodecs codecs;
    private final Function<NodeConfig, List<HostedProtocol>> protocols;
    private final Function<Question, Optional<Fact>> known;
    private final Map<Integer, InetSocketAddress> addresses = new ConcurrentHashMap<>();
    private final List<Consumer<Set<Integer>>> hearers = new CopyOnWriteArrayList<>();
    private final List<Runnable> closings = new ArrayList<>();

    /** Nodes that serve notes and whose replicas say nothing of themselves. */
    Nodes(Path directory) {
        this(directory, Note.CODECS, config -> List.of(NoteServer.HOSTED), question -> Optional.empty());
    }

    /**
     * @param known the replicas' immediate answers
     */
    Nodes(
            Path directory,
            MessageCodecs codecs,
            Function<NodeConfig, List<HostedProtocol>> protocols,
            Function<Question, Optional<Fact>> known) {
        this.directory = directory;
        this.codecs = codecs;
        this.protocols = protocols;
        this.known = known;
    }

    StoreConfig storeOf(int node) {
        return RunningNodes.store(directory, node);
    }

    StorageNode start(int node, BackgroundWork... background) throws IOException {
        NodeConfig config = new NodeConfig(
                node,
                GenesisKeys.NONE.cluster(),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                storeOf(node),
                TransportSettings.defaults(),
                3,
                NodeConfig.REQUEST_BYTES_MIN);
        StorageNode started = StorageNode.start(
                config,
                new NodeParts(
                        AllGranted.keys(PrincipalId.node(node), ALL),
                        codecs,
                        protocols.apply(config),
                        new Facts(),
                        new Directory(),
                        List.of(background),
                        meters));
        addresses.put(node, started.address());
        closings.add(started::close);
        return started;
    }

    /** The map has this node no more. */
    void remove(int node) {
        addresses.remove(node);
        hearers.forEach(hearer -> hearer.accept(Set.copyOf(addresses.keySet())));
    }

    private final class Directory implements PeerDirectory {
        @Override
        public Optional<InetSocketAddress> addressOf(int node) {
            return Optional.ofNullable(addresses.get(node));
        }

        @Override
        public void hear(Consumer<Set<Integer>> hearer) {
            hearers.add(hearer);
        }
    }

    /** Returns the future answer of the replicas; there is none until it is completed. */
    CompletableFuture<Fact> question(Question question) {
        return questions.computeIfAbsent(question, key -> new CompletableFuture<>());
    }

    Client connect(PrincipalId client, StorageNode node) {
        Client connected = new Client(client, node);
        closings.add(connected::close);
        return connected;
    }

    @Override
    public void close() {
        closings.reversed().forEach(Runnable::run);
    }

    /** One client's connection to one node. */
    static final class Client implements AutoCloseable, InboundHandler {
        private final Map<Long, CompletableFuture<Message>> waiting = new ConcurrentHashMap<>();
        private final AtomicLong lastId = new AtomicLong();
        private final AtomicLong disconnections = new AtomicLong();
        private final CompletableFuture<Boolean> connected = new CompletableFuture<>();
        private final Transport transport;
        private final PeerLink link;

        Client(PrincipalId self, StorageNode node) {
            transport = Transport.open(TransportSettings.defaults(), AllGranted.keys(self, ALL), Note.CODECS);
            link = transport.link(PrincipalId.node(node.node()), node.address(), this);
            connected.orTimeout(2, TimeUnit.MINUTES).join();
        }

        CompletableFuture<Message> ask(Note note) {
            long id = lastId.incrementAndGet();
            CompletableFuture<Message> answer = new CompletableFuture<>();
            waiting.put(id, answer);
            if (!link.send(id, note)) {
                answer.completeExceptionally(new IOException("not sent"));
            }
            return answer.orTimeout(2, TimeUnit.MINUTES);
        }

        String answer(Note note) {
            return NoteServer.text(ask(note).join());
        }

        long disconnections() {
            return disconnections.get();
        }

        @Override
        public void onMessage(Peer peer, long requestId, Message message, Runnable done) {
            CompletableFuture<Message> answer = waiting.remove(requestId);
            if (answer != null) {
                answer.complete(message);
            }
            done.run();
        }

        @Override
        public void onConnected(Peer peer) {
            connected.complete(true);
        }

        @Override
        public void onDisconnected(Peer peer) {
            disconnections.incrementAndGet();
        }

        @Override
        public void close() {
            transport.close();
        }
    }

    private final class Facts implements FactSource {
        @Override
        public CompletableFuture<Fact> ask(Question question) {
            questionsAsked.incrementAndGet();
            return known.apply(question).map(CompletableFuture::completedFuture).orElseGet(() -> question(question));
        }
    }
}
