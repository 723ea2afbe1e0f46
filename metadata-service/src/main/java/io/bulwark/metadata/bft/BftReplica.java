package io.bulwark.metadata.bft;

import io.bulwark.metadata.RecoveryAnswers;
import io.bulwark.metadata.ReplicaConfig;
import io.bulwark.metadata.ReplicaDirectory;
import io.bulwark.metadata.ReplicaLinks;
import io.bulwark.metadata.ReplicaLoop;
import io.bulwark.metadata.ReplicaServer;
import io.bulwark.metadata.ReplicaStatus;
import io.bulwark.metadata.log.PromiseLog;
import io.bulwark.metadata.ordering.StateMachine;
import io.bulwark.metadata.pages.RocksPageStore;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.OrderingCodec;
import io.bulwark.protocol.ordering.OrderingMessage;
import io.bulwark.protocol.ordering.OrderingMessage.Refused;
import io.bulwark.protocol.ordering.Refusal;
import io.bulwark.protocol.ordering.key.KeyMessage;
import io.bulwark.protocol.ordering.key.KeyMessageCodec;
import io.bulwark.protocol.ordering.key.Signing;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Transfer;
import io.bulwark.protocol.ordering.message.ReplicaMessageCodec;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.replica.LogRecord;
import io.bulwark.protocol.ordering.replica.Replica;
import io.bulwark.protocol.ordering.replica.ReplicaEffect;
import io.bulwark.protocol.ordering.replica.Start;
import io.bulwark.protocol.state.DamagedPageException;
import io.bulwark.protocol.state.StateFetch;
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
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One running replica of the ordering engine. One thread drives the state machines of the protocol and the connections; the
 * log's syncing and the writing of pages only hand in what happened. Inputs that wait together are handled together: their
 * vouches, batches and syncs are shared.
 */
public final class BftReplica implements ReplicaServer {
    private static final Logger LOG = LoggerFactory.getLogger(BftReplica.class);
    private static final long TICK_MILLIS = 20;
    private static final long REST_MILLIS_MAX = 10_000;

    /** How old {@link #status} may be. */
    private static final long DESCRIBE_MILLIS = 200;

    /** A sync of the log, on a disk that is busy. */
    private static final long HAND_OVER_MILLIS_MAX = 1_000;

    /** Pages of state that a replica holds in memory, in bytes. */
    private static final long CACHE_BYTES_MAX = 64 << 20;

    private final int self;
    private final int replicas;
    private final int checkpointInterval;
    private final ReplicaLoop loop;
    private final ExecutorService pageWriter;
    private final WaitingClients clients;
    private final RocksPageStore store;
    private final PromiseLog log;
    private final Replica replica;
    private final TreeApplication application;
    private final PeerMail mail;
    private final PageTransfer transfer;
    private final SelfReport report;
    private final boolean recovers;
    private final Runnable onEnd;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final Transport transport;
    private final TransportServer server;
    private final ReplicaLinks links;
    private volatile ReplicaStatus status;
    private volatile boolean damaged;

    // Of the loop's thread.
    private long appended;
    private long durable;
    private long describedMillis;
    private boolean transferGoesOn;
    private long leavingAt;
    private @Nullable CountDownLatch leaving;

    private BftReplica(
            ReplicaConfig config,
            Credentials credentials,
            StateMachine.Factory machines,
            Start wanted,
            Transport transport,
            ExecutorService pageWriter,
            Runnable onEnd)
            throws IOException {
        this.onEnd = onEnd;
        this.transport = transport;
        this.pageWriter = pageWriter;
        self = config.replica();
        clients = new WaitingClients(self);
        replicas = config.addresses().size();
        checkpointInterval = config.engine().checkpointInterval();
        SecureRandom random = new SecureRandom();
        Optional<ReplicaKeys> keys = ReplicaKeys.of(credentials, random);
        recovers = keys.isPresent();
        loop = new ReplicaLoop("replica-" + self, TICK_MILLIS, transport.eventLoop(), new Owner());
        ReplicaDirectory directory = new ReplicaDirectory(config.directory());
        Files.createDirectories(directory.path());
        FoundState found = FoundState.open(self, directory.pages(), opened -> over(opened, machines));
        store = found.store();
        application = found.application();
        damaged = found.damaged();
        log = promises(directory);
        try {
            Signing signing = keys.<Signing>map(ReplicaKeys::signing).orElse(Signing.NONE);
            Start start = startOf(log.start() == Start.FORGOTTEN ? Start.FORGOTTEN : wanted);
            List<LogRecord> promised = start == Start.FORGOTTEN ? List.of() : log.found();
            replica = new Replica(config.engine(), application, promised, start, signing, random);
            links = new ReplicaLinks(transport, self, config.addresses());
            mail = new PeerMail(
                    self,
                    links::send,
                    new Heard(),
                    keys.map(own -> own.sessionKeys(self, replicas, config.recoveries()))
                            .orElse(null));
            transfer = new PageTransfer(self, replicas, store, application, mail, random);
            report = new SelfReport(self, replicas, replica, mail, keys.map(_ -> config.recoveries()));
            status = describe();
            server = transport.listen(config.addresses().get(self), this::onMessage);
        } catch (IOException | RuntimeException e) {
            rest();
            throw e;
        }
    }

    /** A state, also one that was damaged, shows that something was promised. */
    private PromiseLog promises(ReplicaDirectory directory) throws IOException {
        try {
            return PromiseLog.open(
                    directory.promises(),
                    (damaged || application.last() > 0) && !directory.isMoved(),
                    upTo -> loop.run(() -> onDurable(upTo)),
                    failed -> loop.run(() -> {
                        throw failed;
                    }));
        } catch (IOException | RuntimeException e) {
            store.close();
            throw e;
        }
    }

    /** Without identities nothing can be signed, so that nothing recovers; and what forgot must recover. */
    private Start startOf(Start wanted) throws IOException {
        if (recovers || wanted == Start.NORMAL) {
            return wanted;
        }
        if (wanted == Start.FORGOTTEN) {
            throw new IOException("replica-" + self + " has forgotten what it promised, and cannot recover, since its"
                    + " group has no identities; remove its directory");
        }
        LOG.warn("replica-{} does not recover: its group has no identities to sign with", self);
        return Start.NORMAL;
    }

    private TreeApplication over(RocksPageStore opened, StateMachine.Factory machines) {
        return new TreeApplication(
                machines,
                opened,
                CACHE_BYTES_MAX,
                checkpointInterval,
                this::write,
                sequence -> loop.run(() -> onCheckpointDurable(sequence)));
    }

    /**
     * Starts a replica.
     *
     * @param credentials of the principal {@code replica-N}
     * @throws IOException if the address cannot be bound, or the directory not be read
     */
    public static BftReplica start(ReplicaConfig config, Credentials credentials, StateMachine.Factory machines)
            throws IOException {
        return start(config, credentials, machines, Start.NORMAL, new SimpleMeterRegistry(), () -> {});
    }

    /**
     * Starts a life of a replica.
     *
     * @param onEnd called once, by the thread that orders, if this life ended by itself: its log is forged, or its disk fails
     */
    static BftReplica start(
            ReplicaConfig config,
            Credentials credentials,
            StateMachine.Factory machines,
            Start start,
            MeterRegistry meters,
            Runnable onEnd)
            throws IOException {
        if (!credentials.self().equals(PrincipalId.replica(config.replica()))) {
            throw new IllegalArgumentException(
                    "the credentials of " + credentials.self() + " for replica-" + config.replica());
        }
        new ReplicaDirectory(config.directory()).requireForPromises();
        Transport transport = Transport.open(
                ReplicaLinks.settings().withEventLoopThreads(1),
                credentials,
                new MessageCodecs(new OrderingCodec(), new ReplicaMessageCodec(), new KeyMessageCodec()),
                meters);
        ExecutorService pageWriter = Executors.newSingleThreadExecutor(Thread.ofPlatform()
                .daemon()
                .name("bulwark-pages-" + config.replica())
                .factory());
        try {
            BftReplica replica = new BftReplica(config, credentials, machines, start, transport, pageWriter, onEnd);
            replica.loop.start();
            return replica;
        } catch (IOException | RuntimeException e) {
            pageWriter.shutdown();
            transport.close();
            throw e;
        }
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
        if (closed.getAndSet(true)) {
            return;
        }
        if (loop.failure().isEmpty()) {
            handOver();
        }
        loop.close();
        transport.close();
        rest();
    }

    /** Waits for what is being written, and closes all files. */
    private void rest() {
        pageWriter.shutdown();
        try {
            if (!pageWriter.awaitTermination(REST_MILLIS_MAX, TimeUnit.MILLISECONDS)) {
                LOG.warn("the pages of replica-{} did not come to rest", self);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        try {
            log.close();
        } catch (IOException e) {
            LOG.warn("replica-{}: closing its log failed", self, e);
        }
        store.close();
    }

    /** A primary gives its view up, and its message to that end leaves once it is durable here: returns then. */
    private void handOver() {
        CountDownLatch left = new CountDownLatch(1);
        loop.run(() -> {
            replica.handOver(now());
            drain();
            leavingAt = appended;
            leaving = left;
        });
        try {
            if (!left.await(HAND_OVER_MILLIS_MAX, TimeUnit.MILLISECONDS)) {
                LOG.warn("replica-{} did not hand over in time", self);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** What the loop calls. */
    private final class Owner implements ReplicaLoop.Owner {
        @Override
        public void afterSteps() {
            drain();
            CountDownLatch left = leaving;
            if (left != null && durable >= leavingAt) {
                left.countDown();
            }
        }

        @Override
        public void onTick() {
            tick();
        }

        @Override
        public boolean mends(Exception thrown) {
            if (!(thrown instanceof DamagedPageException)) {
                return false;
            }
            LOG.error("replica-{} has damaged state, which is fetched from the others", self, thrown);
            damaged = true;
            replica.onStateDamaged(now());
            return true;
        }

        @Override
        public void onFailure() {
            status = describe();
            onEnd.run();
        }
    }

    /** What other replicas say. */
    private final class Heard implements PeerMail.Receiver {
        @Override
        public void onKeyChange(int peer) {
            replica.onKeyChange(peer);
        }

        @Override
        public void onMessage(long now, int from, ReplicaMessage message) {
            if (message instanceof Transfer pages) {
                onTransfer(now, transfer.onMessage(now, from, pages));
            } else {
                replica.onMessage(now, from, message);
            }
        }
    }

    /** Pages, on their own thread. */
    private void write(Runnable write) {
        pageWriter.execute(() -> {
            try {
                write.run();
            } catch (RuntimeException e) {
                loop.run(() -> {
                    throw e;
                });
                throw e;
            }
        });
    }

    private void tick() {
        long now = now();
        replica.onClock(now, System.currentTimeMillis());
        mail.onTick(now);
        replica.onTick(now);
        onTransfer(now, transfer.onTick(now));
        clients.onTick(now);
        drain();
        if (now - describedMillis >= DESCRIBE_MILLIS) {
            describedMillis = now;
            status = describe();
        }
    }

    private void onDurable(long upTo) {
        durable = upTo;
        replica.onDurable(now(), upTo);
    }

    private void onCheckpointDurable(long sequence) {
        application.onDurable(sequence);
        replica.onCheckpointDurable(sequence);
    }

    private void onMessage(Peer peer, long requestId, Message message, Runnable done) {
        if (loop.failure().isEmpty()) {
            loop.run(peer.principal(), () -> {
                try {
                    onMessage(peer, requestId, message);
                } finally {
                    done.run();
                }
            });
        } else {
            // It does nothing more but to say that.
            var _ = RecoveryAnswers.answer(status, peer, requestId, message);
            done.run();
        }
    }

    private void onMessage(Peer peer, long requestId, Message message) {
        switch (message) {
            case OrderingMessage.ToReplica request -> onRequest(peer, requestId, request);
            case ReplicaMessage _, KeyMessage _ -> {
                int from = links.replicaOf(peer.principal());
                if (from >= 0) {
                    mail.onMessage(now(), from, message);
                }
            }
            default -> {
                if (!RecoveryAnswers.answer(status, peer, requestId, message)) {
                    LOG.debug("{} sent an answer that nobody asked for", peer.principal());
                }
            }
        }
    }

    private void onRequest(Peer peer, long requestId, OrderingMessage.ToReplica request) {
        long now = now();
        PrincipalId client = peer.principal();
        if (!clients.expect(now, peer, requestId, request)) {
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

    private void onTransfer(long now, PageTransfer.Done done) {
        StateFetch.Progress progress = transfer.last();
        if (transfer.goesOn() && !transferGoesOn) {
            transferGoesOn = true;
            loop.runNext(() -> {
                transferGoesOn = false;
                onTransfer(now(), transfer.onTick(now()));
            });
        }
        switch (done) {
            case GONE -> {
                replica.onStateGone();
                return;
            }
            case CHECK_GONE -> replica.onCheckGone(now);
            case FETCHED -> replica.onStateFetched(now, progress.read(), progress.damaged());
            case CHECKED -> replica.onStateChecked(now, progress.read(), progress.damaged());
            case NOTHING -> {
                return;
            }
        }
        loop.run(() -> {}); // What that makes possible comes after this.
    }

    private void drain() {
        long now = now();
        Effects.carryOut(replica.drain(now), effect -> {
            switch (effect) {
                case ReplicaEffect.Send send -> mail.send(send.to(), send.message());
                case ReplicaEffect.Reply reply ->
                    clients.answer(reply.client(), Result.answer(reply.call(), reply.result()));
                case ReplicaEffect.Refuse refuse ->
                    clients.answer(refuse.client(), new Refused(refuse.call(), refuse.reason()));
                case ReplicaEffect.Append append -> {
                    appended = append.index();
                    log.append(append.index(), append.record());
                }
                case ReplicaEffect.Roll roll -> {
                    appended = roll.index();
                    log.roll(roll.index(), roll.summary());
                }
                case ReplicaEffect.FetchState fetch ->
                    onTransfer(
                            now, transfer.start(now, fetch.checkpoint(), fetch.checking() || application.hasOthers()));
                case ReplicaEffect.CheckState check -> onTransfer(now, transfer.check(now, check.checkpoint()));
                case ReplicaEffect.DropKeys drop -> {
                    LOG.info("replica-{} recovers, and is heard under new keys only", drop.replica());
                    mail.drop(now, drop.replica());
                }
                case ReplicaEffect.Forget _ -> {
                    log.forget();
                    throw new IllegalStateException("the log of promises is forged: it goes, and another life begins");
                }
                case ReplicaEffect.Ended ended ->
                    throw new IllegalStateException("the members of this group stay: " + ended.handover());
                case ReplicaEffect.Misbehaved accused ->
                    LOG.warn("replica-{} misbehaved: {}", accused.replica(), accused.what());
            }
        });
    }

    private ReplicaStatus describe() {
        return report.take(now(), transfer.pages(), damaged, loop.failure());
    }

    private static long now() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }
}
