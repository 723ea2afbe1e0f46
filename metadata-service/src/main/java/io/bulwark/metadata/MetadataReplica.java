package io.bulwark.metadata;

import io.bulwark.metadata.log.DamageMark;
import io.bulwark.metadata.log.IncarnationFile;
import io.bulwark.metadata.ordering.OrderedBatch;
import io.bulwark.metadata.ordering.OrderingEngine;
import io.bulwark.metadata.ordering.ReplicatedApplication;
import io.bulwark.metadata.ordering.Submission;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.CallRefusal;
import io.bulwark.protocol.ordering.OrderingCodec;
import io.bulwark.protocol.ordering.OrderingMessage;
import io.bulwark.protocol.ordering.PeerMessage;
import io.bulwark.protocol.ordering.Phase;
import io.bulwark.protocol.ordering.Position;
import io.bulwark.protocol.ordering.Settlement;
import io.bulwark.protocol.ordering.Settlement.Action;
import io.bulwark.protocol.ordering.membership.MembershipCodec;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.transport.Credentials;
import io.bulwark.transport.Peer;
import io.bulwark.transport.Transport;
import io.bulwark.transport.TransportServer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One running replica: serves clients and peers at its address until it is closed. All its decisions are taken by one
 * thread; the engine, the network and the log's syncing only hand in what happened.
 */
public final class MetadataReplica implements ReplicaServer {
    private static final Logger LOG = LoggerFactory.getLogger(MetadataReplica.class);
    private static final long TICK_MILLIS = 50;
    private static final int DELIVERIES_MAX = 256;

    /** A call that waits so long, while nothing is executed for as long, means that the engine hangs. */
    private static final long STUCK_MILLIS = 4_000;

    private final int self;
    private final int replicas;
    private final OrderingEngine.Factory engines;
    private final ScheduledExecutorService thread;
    private final ReplicaLoop loop;
    private final IncarnationFile incarnationFile;
    private final DamageMark damageMark;
    private final Execution execution;
    private final ReplicatedState state;
    private final Settlement settlement;
    private final CatchUp catchUp;
    private final ClientCalls calls;
    private final StartupMessages early = new StartupMessages();
    private final Transport transport;
    private final TransportServer server;
    private final ReplicaLinks links;
    private volatile ReplicaStatus status;
    private @Nullable EngineHost host;
    private @Nullable OrderingEngine engine;
    private long progressMillis;

    private MetadataReplica(
            ReplicaConfig config,
            Credentials credentials,
            ReplicatedApplication application,
            OrderingEngine.Factory engines,
            MeterRegistry meters)
            throws IOException {
        this.self = config.replica();
        this.calls = new ClientCalls(self);
        this.replicas = config.addresses().size();
        this.engines = engines;
        this.thread = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("bulwark-replica-" + self).factory());
        this.loop = new ReplicaLoop("replica-" + self, TICK_MILLIS, thread, new LoopSteps());
        Files.createDirectories(config.directory());
        this.incarnationFile = new IncarnationFile(config.directory());
        long sealed = incarnationFile.read();
        this.execution = new Execution(application);
        this.state = ReplicatedState.open(
                config.directory(), config.snapshotBatches(), execution, () -> loop.run(this::onDurable));
        this.damageMark = new DamageMark(config.directory());
        if (state.damaged()) {
            damageMark.set();
        }
        this.settlement = new Settlement(self, replicas, sealed, state, damageMark.isSet());
        this.catchUp = new CatchUp(self, replicas, new HistoryAccess());
        calls.onDurable(state.position().sequence());
        this.status = describe();
        this.transport = Transport.open(
                ReplicaLinks.settings(),
                credentials,
                new MessageCodecs(new OrderingCodec(), new MembershipCodec()),
                meters);
        try {
            this.server = transport.listen(config.listen(), this::onMessage);
            this.links = new ReplicaLinks(transport, config.addresses());
        } catch (IOException | RuntimeException e) {
            thread.shutdownNow();
            transport.close();
            state.close();
            throw e;
        }
    }

    /** Starts a replica whose meters nobody reads. */
    public static MetadataReplica start(
            ReplicaConfig config,
            Credentials credentials,
            ReplicatedApplication application,
            OrderingEngine.Factory engines)
            throws IOException {
        return start(config, credentials, application, engines, new SimpleMeterRegistry());
    }

    /**
     * Starts a replica.
     *
     * @param credentials of the principal {@code replica-N}
     * @param application empty; what the directory holds is executed by it before this returns
     * @throws IOException if the address cannot be bound, or the directory not be read
     */
    public static MetadataReplica start(
            ReplicaConfig config,
            Credentials credentials,
            ReplicatedApplication application,
            OrderingEngine.Factory engines,
            MeterRegistry meters)
            throws IOException {
        if (!credentials.self().equals(PrincipalId.replica(config.replica()))) {
            throw new IllegalArgumentException(
                    "the credentials of " + credentials.self() + " for replica-" + config.replica());
        }
        ReplicaDirectory directory = new ReplicaDirectory(config.directory());
        directory.requireForIncarnations();
        directory.claim(config.replica());
        MetadataReplica replica = new MetadataReplica(config, credentials, application, engines, meters);
        replica.begin();
        return replica;
    }

    @Override
    public InetSocketAddress address() {
        return server.boundAddress();
    }

    @Override
    public ReplicaStatus status() {
        return status;
    }

    @Override
    public void close() {
        loop.run(this::stopEngine);
        loop.close();
        thread.shutdownNow();
        transport.close();
        try {
            state.close();
        } catch (IOException e) {
            LOG.warn("replica-{}: closing its log failed", self, e);
        }
    }

    private void begin() {
        loop.run(() -> act(settlement.start(now())));
        loop.start();
    }

    /** Callbacks of the loop. */
    private final class LoopSteps implements ReplicaLoop.Owner {
        @Override
        public void afterSteps() {}

        @Override
        public void onTick() throws IOException {
            tick();
        }

        @Override
        public boolean tryMend(Exception thrown) {
            return false;
        }

        @Override
        public void onFailure() {
            stopEngine();
            status = describe();
        }
    }

    private void tick() throws IOException {
        long now = now();
        act(settlement.onTick(now));
        catchUp.onTick(now);
        calls.expire(now);
        long since = Math.max(progressMillis, calls.oldestMillis());
        if (calls.waiting() > 0 && now - since > STUCK_MILLIS) {
            progressMillis = now;
            act(settlement.onStuck(now));
        }
        status = describe();
    }

    private void onMessage(Peer peer, long requestId, Message message, Runnable done) {
        if (RecoveryAnswers.answer(status, peer, requestId, message)) {
            done.run();
            return;
        }
        loop.run(() -> onMessage(peer, requestId, message), done);
    }

    private void onMessage(Peer peer, long requestId, Message message) throws IOException {
        switch (message) {
            case OrderingMessage.ToReplica request -> onRequest(peer, requestId, request);
            case PeerMessage sent -> {
                int from = links.replicaOf(peer.principal());
                if (from >= 0) {
                    onPeer(from, sent);
                }
            }
            default -> LOG.debug("{} sent an unsolicited answer", peer.principal());
        }
    }

    private void onRequest(Peer peer, long requestId, OrderingMessage.ToReplica request) {
        PrincipalId client = peer.principal();
        boolean ready = settlement.phase() == Phase.RUNNING;
        ClientCalls.Requester asker = new ClientCalls.Requester(peer, requestId, request.replier());
        switch (request) {
            case OrderingMessage.Query query -> {
                if (ready) {
                    // The state that a query read must be durable before its answer is sent.
                    calls.send(
                            state.position().sequence(), asker, query.call(), execution.query(client, query.query()));
                } else {
                    refuse(peer, requestId, query.call(), CallRefusal.NOT_READY);
                }
            }
            case OrderingMessage.Submit submit ->
                order(asker, new Submission(client, submit.call(), false, submit.command()));
            case OrderingMessage.OrderedQuery query ->
                order(asker, new Submission(client, query.call(), true, query.query()));
        }
    }

    private void order(ClientCalls.Requester asker, Submission submission) {
        if (settlement.phase() == Phase.FOLLOWING) {
            refuse(asker.peer(), asker.requestId(), submission.call(), CallRefusal.NOT_READY);
        } else if (calls.full()) {
            refuse(asker.peer(), asker.requestId(), submission.call(), CallRefusal.OVERLOADED);
        } else if (calls.expect(submission, asker, now())) {
            OrderingEngine running = engine;
            if (running != null) {
                running.submit(submission);
            }
        }
    }

    private static void refuse(Peer peer, long requestId, long call, CallRefusal reason) {
        var _ = peer.send(requestId, new OrderingMessage.Refused(call, reason));
    }

    private void onPeer(int from, PeerMessage message) throws IOException {
        long now = now();
        switch (message) {
            case PeerMessage.PeerStatus standing -> act(settlement.onStanding(now, from, standing));
            case PeerMessage.Start start -> act(settlement.onStart(now, from, start));
            case PeerMessage.AskDigest ask ->
                links.send(from, new PeerMessage.DigestAt(ask.sequence(), state.digestAt(ask.sequence())));
            case PeerMessage.DigestAt at -> {
                act(settlement.onDigest(now, from, at));
                catchUp.onMessage(now, from, at);
            }
            case PeerMessage.FetchLog fetch ->
                links.send(from, new PeerMessage.LogChunk(fetch.after(), state.records(fetch.after())));
            case PeerMessage.AskSnapshots _ ->
                links.send(from, new PeerMessage.Snapshots(state.snapshots().held()));
            case PeerMessage.FetchSnapshot fetch -> {
                Bytes bytes = state.snapshots().chunk(fetch.sequence(), fetch.offset(), PeerMessage.CHUNK_BYTES);
                links.send(from, new PeerMessage.SnapshotChunk(fetch.sequence(), fetch.offset(), bytes));
            }
            case PeerMessage.LogChunk chunk -> catchUp.onMessage(now, from, chunk);
            case PeerMessage.Snapshots snapshots -> catchUp.onMessage(now, from, snapshots);
            case PeerMessage.SnapshotChunk chunk -> catchUp.onMessage(now, from, chunk);
            case PeerMessage.Engine sent -> onEngine(from, sent);
        }
    }

    /**
     * Hands a peer's message to the engine. Peers may start an incarnation before this replica does; messages until
     * then are kept for its engine.
     */
    private void onEngine(int from, PeerMessage.Engine sent) {
        OrderingEngine running = engine;
        if (sent.incarnation() != settlement.incarnation()) {
            return;
        }
        if (running != null) {
            running.onMessage(from, sent.message());
        } else if (settlement.phase() == Phase.SEALED) {
            early.add(from, sent);
        }
    }

    private void act(List<Action> actions) throws IOException {
        for (Action action : actions) {
            switch (action) {
                case Action.Send send -> links.send(send.to(), send.message());
                case Action.Seal seal -> {
                    stopEngine();
                    catchUp.stop();
                    state.flush();
                    // A replica that takes part has recovered everything that it may have forgotten.
                    damageMark.clear();
                    incarnationFile.write(seal.incarnation());
                    act(settlement.onSealed(now()));
                }
                case Action.Align align -> catchUp.align(now(), align.target());
                case Action.Run start -> startEngine(start.incarnation());
                case Action.Follow _ -> {
                    stopEngine();
                    catchUp.follow();
                }
            }
        }
    }

    private void startEngine(long incarnation) {
        LOG.info(
                "replica-{} takes part in incarnation {} from batch {}",
                self,
                incarnation,
                state.position().sequence());
        progressMillis = now();
        calls.run(incarnation);
        EngineHost opened = new EngineHost(incarnation);
        OrderingEngine started = engines.create(incarnation, self, replicas, opened);
        host = opened;
        engine = started;
        started.start();
        early.deliver(incarnation, started);
        calls.submissions().forEach(started::submit);
    }

    private void stopEngine() {
        early.clear();
        EngineHost opened = host;
        OrderingEngine running = engine;
        host = null;
        engine = null;
        if (opened != null && running != null) {
            opened.shut();
            running.close();
        }
    }

    private void apply(OrderedBatch proposed) throws IOException {
        long now = now();
        progressMillis = now;
        settlement.onProgress();
        state.apply(
                execution.agreed(proposed).encoded(),
                (sequence, answer) -> calls.answer(sequence, answer.submission(), answer.result()));
    }

    private void onDurable() {
        calls.onDurable(state.durableSequence());
    }

    private ReplicaStatus describe() {
        OrderingEngine running = engine;
        return new ReplicaStatus(
                self,
                loop.failure().isEmpty() ? settlement.phase() : Phase.FOLLOWING,
                running == null ? -1 : running.standing().leader(),
                -1,
                Math.max(0, settlement.claimedSequence() - state.position().sequence()),
                0,
                state.damaged(),
                loop.failure(),
                "",
                Optional.empty());
    }

    private static long now() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    /** Access of one incarnation's engine to this replica; it has no effect once shut. */
    private final class EngineHost implements OrderingEngine.Host {
        private final long incarnation;
        private final Semaphore room = new Semaphore(DELIVERIES_MAX);
        private volatile boolean open = true;

        private EngineHost(long incarnation) {
            this.incarnation = incarnation;
        }

        private void shut() {
            open = false;
            room.release(DELIVERIES_MAX);
        }

        @Override
        public void deliver(OrderedBatch batch) {
            room.acquireUninterruptibly();
            loop.run(() -> {
                room.release();
                if (open) {
                    apply(batch);
                }
            });
        }

        @Override
        public void send(int replica, Bytes message) {
            if (open) {
                links.send(replica, new PeerMessage.Engine(incarnation, message));
            }
        }

        @Override
        public void lost() {
            loop.run(() -> {
                if (open) {
                    act(settlement.onLost(now()));
                }
            });
        }
    }

    /** The own history, as catching up works on it. */
    private final class HistoryAccess implements CatchUp.Replica {
        @Override
        public Position position() {
            return state.position();
        }

        @Override
        public Position base() {
            return state.base();
        }

        @Override
        public Optional<Bytes> digestAt(long sequence) {
            return state.digestAt(sequence);
        }

        @Override
        public long claimedSequence() {
            return settlement.claimedSequence();
        }

        @Override
        public void send(int peer, PeerMessage message) {
            links.send(peer, message);
        }

        @Override
        public void cut(long sequence) throws IOException {
            state.cut(sequence);
            calls.onCut(sequence);
        }

        @Override
        public void apply(List<Bytes> records) throws IOException {
            for (Bytes each : records) {
                // Nothing is answered: only what was executed within the incarnation counts for clients.
                state.apply(each, (_, _) -> {});
            }
        }

        @Override
        public void install(Position position, Bytes snapshot) throws IOException {
            state.install(position, snapshot);
            calls.onCut(position.sequence());
        }

        @Override
        public void onAligned() {
            loop.run(() -> {
                state.flush();
                act(settlement.onAligned(now()));
            });
        }
    }
}
