package io.bulwark.metadata.bft;

import io.bulwark.metadata.ReplicaConfig;
import io.bulwark.metadata.ReplicaLinks;
import io.bulwark.metadata.ReplicaServer;
import io.bulwark.metadata.ReplicaStatus;
import io.bulwark.metadata.log.PromiseLog;
import io.bulwark.metadata.ordering.StateMachine;
import io.bulwark.metadata.pages.RocksPageStore;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.ordering.OrderingCodec;
import io.bulwark.protocol.ordering.OrderingMessage;
import io.bulwark.protocol.ordering.OrderingMessage.Refused;
import io.bulwark.protocol.ordering.OrderingMessage.Reply;
import io.bulwark.protocol.ordering.OrderingMessage.ToClient;
import io.bulwark.protocol.ordering.Phase;
import io.bulwark.protocol.ordering.Refusal;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Transfer;
import io.bulwark.protocol.ordering.message.ReplicaMessageCodec;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.replica.Replica;
import io.bulwark.protocol.ordering.replica.ReplicaEffect;
import io.bulwark.protocol.state.DamagedPageException;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.transport.Peer;
import io.bulwark.transport.Transport;
import io.bulwark.transport.TransportServer;
import io.bulwark.transport.TransportSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Comparator;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One running replica of the ordering engine. One thread drives the state machines of the protocol; the network, the log's
 * syncing and the writing of pages only hand in what happened. Inputs that wait together are handled together: their
 * vouches, batches and syncs are shared.
 */
public final class BftReplica implements ReplicaServer {
    private static final Logger LOG = LoggerFactory.getLogger(BftReplica.class);
    private static final long TICK_MILLIS = 20;
    private static final long RECONNECT_MILLIS_MAX = 500;

    /** Pages of state that a replica holds in memory, in bytes. */
    private static final long CACHE_BYTES_MAX = 64 << 20;

    private final int self;
    private final int replicas;
    private final ScheduledExecutorService loop;
    private final ExecutorService pageWriter;
    private final WaitingClients clients = new WaitingClients();
    private final RocksPageStore store;
    private final PromiseLog log;
    private final Replica replica;
    private final TreeApplication application;
    private final PageTransfer transfer;
    private final Transport transport;
    private final TransportServer server;
    private final ReplicaLinks links;
    private volatile ReplicaStatus status;
    private boolean drainDue;
    private volatile boolean damaged;
    private volatile String failure = "";

    private BftReplica(ReplicaConfig config, PairwiseKeys keys, StateMachine.Factory machines) throws IOException {
        self = config.replica();
        replicas = config.addresses().size();
        loop = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("bulwark-replica-" + self).factory());
        pageWriter = Executors.newSingleThreadExecutor(
                Thread.ofPlatform().daemon().name("bulwark-pages-" + self).factory());
        Files.createDirectories(config.directory());
        Opened opened = open(config.directory().resolve("pages"), machines);
        store = opened.store();
        application = opened.application();
        damaged = opened.damaged();
        log = PromiseLog.open(
                config.directory().resolve("promises"),
                upTo -> run(() -> onDurable(upTo)),
                failed -> run(() -> {
                    throw failed;
                }));
        replica = new Replica(config.engine(), application, log.found());
        status = describe();
        transport = Transport.open(settings(), keys, new MessageCodecs(new OrderingCodec(), new ReplicaMessageCodec()));
        links = new ReplicaLinks(transport, self, config.addresses());
        transfer = new PageTransfer(self, replicas, store, application, links, new SecureRandom());
        server = transport.listen(config.addresses().get(self), this::onMessage);
    }

    private record Opened(RocksPageStore store, TreeApplication application, boolean damaged) {}

    /** Opens the state; if what it begins with is damaged, it begins with nothing, and the others' state is fetched. */
    private Opened open(Path pages, StateMachine.Factory machines) throws IOException {
        RocksPageStore opened = RocksPageStore.open(pages);
        try {
            return new Opened(opened, over(opened, machines), false);
        } catch (DamagedPageException e) {
            LOG.error("replica-{} has damaged state; all of it is fetched from the others", self, e);
            opened.close();
            try (Stream<Path> files = Files.walk(pages)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
            RocksPageStore empty = RocksPageStore.open(pages);
            return new Opened(empty, over(empty, machines), true);
        }
    }

    private TreeApplication over(RocksPageStore opened, StateMachine.Factory machines) {
        return new TreeApplication(
                machines, opened, CACHE_BYTES_MAX, this::write, sequence -> run(() -> onCheckpointDurable(sequence)));
    }

    /**
     * Starts a replica.
     *
     * @param keys of the principal {@code replica-N}, shared with its peers and with every client and node
     * @throws IOException if the address cannot be bound, or the directory not be read
     */
    public static BftReplica start(ReplicaConfig config, PairwiseKeys keys, StateMachine.Factory machines)
            throws IOException {
        if (!keys.self().equals(PrincipalId.replica(config.replica()))) {
            throw new IllegalArgumentException("the keys of " + keys.self() + " for replica-" + config.replica());
        }
        BftReplica replica = new BftReplica(config, keys, machines);
        replica.begin();
        return replica;
    }

    private static TransportSettings settings() {
        return TransportSettings.defaults().withReconnectMaxMillis(RECONNECT_MILLIS_MAX);
    }

    private void begin() {
        run(this::tick);
        var _ = loop.scheduleWithFixedDelay(() -> guarded(this::tick), TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
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
        run(() -> {
            replica.handOver(now());
            drain();
        });
        end(loop);
        transport.close();
        end(pageWriter);
        try {
            log.close();
        } catch (IOException e) {
            LOG.warn("replica-{}: closing its log failed", self, e);
        }
        store.close();
    }

    private void end(ExecutorService executor) {
        executor.shutdown();
        try {
            if (!executor.awaitTermination(10, TimeUnit.SECONDS)) {
                LOG.warn("replica-{} did not come to rest", self);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** What the thread of this replica may throw: after it the replica does nothing more. */
    private interface Step {
        void run() throws IOException;
    }

    private void run(Step step) {
        try {
            loop.execute(() -> guarded(step));
        } catch (RejectedExecutionException e) {
            LOG.debug("replica-{} is closed", self);
        }
    }

    private void guarded(Step step) {
        if (!failure.isEmpty()) {
            return;
        }
        try {
            step.run();
        } catch (DamagedPageException e) {
            LOG.error("replica-{} has damaged state, which is fetched from the others", self, e);
            damaged = true;
            replica.onStateDamaged(now());
            drainSoon();
        } catch (IOException | RuntimeException e) {
            LOG.error("replica-{} stops: its state can no longer be trusted", self, e);
            failure = String.valueOf(e.getMessage());
            status = describe();
        }
    }

    /** Pages, on their own thread. */
    private void write(Runnable write) {
        pageWriter.execute(() -> {
            try {
                write.run();
            } catch (RuntimeException e) {
                run(() -> {
                    throw e;
                });
                throw e;
            }
        });
    }

    private void tick() throws IOException {
        long now = now();
        replica.onClock(now, System.currentTimeMillis());
        replica.onTick(now);
        if (transfer.onTick(now)) {
            replica.onStateFetched(now);
        }
        clients.onTick(now);
        drain();
        status = describe();
    }

    private void onDurable(long upTo) {
        replica.onDurable(now(), upTo);
        drainSoon();
    }

    private void onCheckpointDurable(long sequence) {
        application.onDurable(sequence);
        replica.onCheckpointDurable(sequence);
        drainSoon();
    }

    private void onMessage(Peer peer, long requestId, Message message, Runnable done) {
        run(() -> {
            try {
                switch (message) {
                    case OrderingMessage.ToReplica request -> onRequest(peer, requestId, request);
                    case ReplicaMessage sent -> {
                        int from = links.replicaOf(peer.principal());
                        if (from >= 0) {
                            onPeer(from, sent);
                        }
                    }
                    default -> LOG.debug("{} sent an answer that nobody asked for", peer.principal());
                }
            } finally {
                done.run();
            }
            drainSoon();
        });
    }

    private void onRequest(Peer peer, long requestId, OrderingMessage.ToReplica request) {
        long now = now();
        PrincipalId client = peer.principal();
        if (!clients.expect(now, peer, requestId, request.call())) {
            var _ = peer.send(requestId, new Refused(request.call(), Refusal.OVERLOADED));
            return;
        }
        switch (request) {
            case OrderingMessage.Query query -> replica.onQuery(client, query.call(), query.query());
            case OrderingMessage.Submit submit ->
                replica.onRequest(now, new Request(client, submit.call(), false, submit.command()));
            case OrderingMessage.OrderedQuery query ->
                replica.onRequest(now, new Request(client, query.call(), true, query.query()));
        }
    }

    private void onPeer(int from, ReplicaMessage message) {
        long now = now();
        if (message instanceof Transfer pages) {
            if (transfer.onMessage(now, from, pages)) {
                replica.onStateFetched(now);
            }
        } else {
            replica.onMessage(now, from, message);
        }
    }

    /** After the inputs that wait already. */
    private void drainSoon() {
        if (!drainDue) {
            drainDue = true;
            run(this::drain);
        }
    }

    private void drain() {
        drainDue = false;
        long now = now();
        for (ReplicaEffect effect : replica.drain(now)) {
            switch (effect) {
                case ReplicaEffect.Send send -> links.send(send.to(), send.message());
                case ReplicaEffect.Reply reply -> clients.answer(reply.client(), answer(reply.call(), reply.result()));
                case ReplicaEffect.Refuse refuse ->
                    clients.answer(refuse.client(), new Refused(refuse.call(), refuse.reason()));
                case ReplicaEffect.Append append -> log.append(append.index(), append.record());
                case ReplicaEffect.Roll roll -> log.roll(roll.index(), roll.summary());
                case ReplicaEffect.FetchState fetch -> {
                    if (transfer.start(now, fetch.checkpoint())) {
                        replica.onStateFetched(now);
                        drainSoon();
                    }
                }
                case ReplicaEffect.Misbehaved accused ->
                    LOG.warn("replica-{} misbehaved: {}", accused.replica(), accused.what());
            }
        }
    }

    private static ToClient answer(long call, Bytes result) {
        // This engine has one life only, as far as clients see: what 2f+1 have executed is never dropped.
        return Result.isFailed(result) ? new Refused(call, Refusal.FAILED) : new Reply(call, 0, Result.reply(result));
    }

    private ReplicaStatus describe() {
        boolean takesPart = failure.isEmpty() && replica.isActive() && !replica.isFetching();
        return new ReplicaStatus(
                self,
                takesPart ? Phase.RUNNING : Phase.FOLLOWING,
                (int) (replica.view() % replicas),
                replica.lag(),
                damaged,
                failure);
    }

    private static long now() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }
}
