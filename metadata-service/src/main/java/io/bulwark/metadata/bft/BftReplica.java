package io.bulwark.metadata.bft;

import io.bulwark.client.replicas.KnownReplicas;
import io.bulwark.metadata.RecoveryAnswers;
import io.bulwark.metadata.ReplicaConfig;
import io.bulwark.metadata.ReplicaDirectory;
import io.bulwark.metadata.ReplicaLinks;
import io.bulwark.metadata.ReplicaLoop;
import io.bulwark.metadata.ReplicaStatus;
import io.bulwark.metadata.locking.LogMeters;
import io.bulwark.metadata.locking.LogServerDriver;
import io.bulwark.metadata.locking.LogStore;
import io.bulwark.metadata.ordering.LockTable;
import io.bulwark.metadata.ordering.StateMachine;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.locking.LockingMessage;
import io.bulwark.protocol.ordering.CallRefusal;
import io.bulwark.protocol.ordering.OrderingMessage;
import io.bulwark.protocol.ordering.OrderingMessage.Refused;
import io.bulwark.protocol.ordering.driver.LogRecord;
import io.bulwark.protocol.ordering.driver.ReplicaEffect;
import io.bulwark.protocol.ordering.driver.StartReason;
import io.bulwark.protocol.ordering.key.KeyMessage;
import io.bulwark.protocol.ordering.key.Signing;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.ConfigurationChain;
import io.bulwark.protocol.ordering.membership.ConfigurationStart;
import io.bulwark.protocol.ordering.membership.Handover;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.ordering.membership.MembershipMessage;
import io.bulwark.protocol.ordering.membership.MembershipMessage.Successor;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Transfer;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.recovery.RecoveryReport;
import io.bulwark.protocol.ordering.replica.Replica;
import io.bulwark.protocol.state.DamagedPageException;
import io.bulwark.protocol.state.StateFetch;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.transport.Credentials;
import io.bulwark.transport.Peer;
import io.bulwark.transport.Transport;
import io.bulwark.transport.TransportServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One life of a replica of the ordering engine, in one configuration of replicas. One thread drives the state machines of the protocol and the connections; the
 * log's syncing and the writing of pages only hand in what happened. Inputs that wait together are handled together: their
 * vouches, batches and syncs are shared.
 */
final class BftReplica implements ReplicaIncarnation {
    private static final Logger LOG = LoggerFactory.getLogger(BftReplica.class);
    private static final long TICK_MILLIS = 20;

    /** Maximum age of {@link #status}. */
    private static final long DESCRIBE_MILLIS = 200;

    private final int self;
    private final Configuration configuration;
    private final ReplicaLoop loop;
    private final WaitingClients clients;
    private final IncarnationStore disk;
    private final Replica replica;
    private final PeerMessenger mail;
    private final PageTransfer transfer;
    private final StatusReporter report;
    private final Runnable onEnd;
    private final LogMeters meters;
    private final Optional<KnownReplicas> group;
    private final Optional<MembershipExchange> talk;
    private final Optional<LogServerDriver> logs;
    private final Consumer<Successor> commitLearner = this::learn;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final GracefulLeave leaving = new GracefulLeave();
    private final Transport transport;
    private final TransportServer server;
    private final ReplicaLinks links;
    private volatile ReplicaStatus status;
    private volatile boolean damaged;
    private volatile @Nullable StartReason next;

    // Owned by the loop's thread.
    private long appended;
    private long durable;
    private long executed;
    private long describedMillis;
    private boolean transferGoesOn;

    /**
     * Creates a life in the last known configuration, which listens and is still to be started.
     *
     * @param group the replicas and their keys; empty if they stay
     * @param configurationChain the known lineage of the replicas
     * @param meters of its logs
     * @param transport is closed with it
     * @param onEnd called once, by the ordering thread, if this life ended by itself: its log is forged, its disk
     *     fails, or another configuration follows
     */
    BftReplica(
            ReplicaConfig config,
            Credentials credentials,
            StateMachine.Factory machines,
            StartReason wanted,
            Optional<KnownReplicas> group,
            ConfigurationChain configurationChain,
            LogMeters meters,
            Transport transport,
            Runnable onEnd)
            throws IOException {
        this.onEnd = onEnd;
        this.meters = meters;
        this.transport = transport;
        this.group = group;
        self = config.replica();
        ConfigurationStart term = configurationChain.term();
        configuration = term.configuration();
        PrincipalId name = PrincipalId.replica(self);
        int place = configuration.placeOf(name);
        clients = new WaitingClients(self);
        SecureRandom random = new SecureRandom();
        Optional<ReplicaKeys> keys = ReplicaKeys.of(credentials, configuration, random);
        loop = new ReplicaLoop(name.toString(), TICK_MILLIS, transport.eventLoop(), new LoopSteps());
        disk = IncarnationStore.open(config, term, machines, new Disk());
        damaged = disk.isDamaged();
        try {
            Signing signing = keys.<Signing>map(own -> own).orElse(Signing.NONE);
            StartReason start = disk.start(wanted, keys.isPresent());
            List<LogRecord> promised =
                    start == StartReason.FORGOTTEN ? List.of() : disk.log().found();
            replica = new Replica(config.engine(term, place), disk.application(), promised, start, signing, random);
            links = new ReplicaLinks(transport, configuration, config.addresses(), this::onMessage);
            talk = group.map(known -> new MembershipExchange(name, known, configurationChain, 0, this::tell));
            mail = new PeerMessenger(
                    configuration,
                    place,
                    links::send,
                    new PeerReceiver(),
                    keys.map(own -> own.sessionKeys(place, config.recoveries())).orElse(null));
            transfer = new PageTransfer(configuration, place, disk.store(), disk.application(), mail, random);
            logs = openLogs(
                    name, new ReplicaDirectory(config.directory()), past(start, configurationChain.isNew(name)));
            report = new StatusReporter(self, configuration, replica, mail, keys.map(_ -> config.recoveries()));
            status = describe();
            try {
                server = transport.listen(config.listen(), this::onMessage);
            } catch (IOException | RuntimeException e) {
                logs.ifPresent(LogServerDriver::close);
                throw e;
            }
        } catch (IOException | RuntimeException e) {
            disk.close();
            throw e;
        }
    }

    private Optional<LogServerDriver> openLogs(PrincipalId name, ReplicaDirectory directory, LogStore.Past past)
            throws IOException {
        if (disk.application().locks().isEmpty()) {
            return Optional.empty();
        }
        LogStore store = LogStore.open(directory.logs(), past, new LogDisk());
        List<PrincipalId> replicas =
                configuration.members().stream().map(Member::replica).toList();
        return Optional.of(new LogServerDriver(name, replicas, new LogHost(), store, meters));
    }

    private LogStore.Past past(StartReason start, boolean isNew) {
        if (start == StartReason.FORGOTTEN) {
            return LogStore.Past.FORGOTTEN;
        }
        return isNew && !disk.showsWork() ? LogStore.Past.NONE : LogStore.Past.KEPT;
    }

    /** Sends a message about configurations to another member. */
    private boolean tell(PrincipalId to, MembershipMessage message) {
        int place = links.replicaOf(to);
        if (place >= 0) {
            links.send(place, message);
        }
        return place >= 0;
    }

    private void learn(Successor said) {
        loop.run(() -> {
            if (talk.isPresent() && next == null) {
                talk.get().onLearned(now(), said);
            }
        });
    }

    /** Begins; what is learned of other configurations from now on it hears. */
    void begin() {
        loop.start();
        group.ifPresent(known -> {
            known.onSuccessor(commitLearner);
            known.successors().forEach(commitLearner);
        });
    }

    /** Events from the disk's threads. */
    private final class Disk implements IncarnationStore.Listener {
        @Override
        public void onDurable(long upTo) {
            meters.promisesSynced();
            loop.run(() -> {
                durable = upTo;
                replica.onDurable(now(), upTo);
            });
        }

        @Override
        public void onCheckpointDurable(long sequence) {
            loop.run(() -> {
                disk.application().onDurable(sequence);
                replica.onCheckpointDurable(sequence);
                logs.ifPresent(each -> each.onStable(now(), disk.application().stableCommands()));
            });
        }

        @Override
        public void onFailure(Exception failed) {
            loop.run(() -> {
                if (failed instanceof IOException io) {
                    throw io;
                }
                throw failed instanceof RuntimeException thrown ? thrown : new IllegalStateException(failed);
            });
        }
    }

    /** Events from the thread that writes the logs of holders. */
    private final class LogDisk implements LogStore.Listener {
        @Override
        public void onStored(long token) {
            loop.run(() -> logs.ifPresent(each -> each.onStored(now(), token)));
        }

        @Override
        public void onFailure(IOException failed) {
            loop.run(() -> {
                throw failed;
            });
        }
    }

    /** This replica, as its log server sees it. */
    private final class LogHost implements LogServerDriver.Host {
        @Override
        public Optional<LockTable> locks() {
            return disk.application().locks();
        }

        @Override
        public boolean isReadable() {
            return report.isAmongOthers() && replica.isReadable();
        }

        @Override
        public boolean isCurrent(long nowMillis) {
            return isReadable()
                    && replica.lag() == 0
                    && replica.recoveries(nowMillis).phase() == RecoveryReport.Phase.NONE;
        }

        @Override
        public void submit(long nowMillis, Bytes submission) {
            var _ = replica.submit(nowMillis, submission); // it is repeated
        }
    }

    @Override
    public Optional<StartReason> next() {
        return Optional.ofNullable(next);
    }

    @Override
    public InetSocketAddress address() {
        return server.boundAddress();
    }

    @Override
    public ReplicaStatus status() {
        ReplicaStatus last = status;
        return next == null && !closed.get() ? last : last.ended();
    }

    @Override
    public void close() {
        if (closed.getAndSet(true)) {
            return;
        }
        group.ifPresent(known -> known.forget(commitLearner));
        if (loop.failure().isEmpty() && next == null) {
            handOver();
        }
        loop.close();
        transport.close();
        logs.ifPresent(LogServerDriver::close);
        disk.close();
    }

    /** A primary gives its view up, and stays until another one leads. */
    private void handOver() {
        loop.run(() -> {
            boolean leads = replica.handOver(now());
            drain();
            leaving.begin(appended, leads);
        });
        leaving.await(self);
    }

    /** Callbacks of the loop. */
    private final class LoopSteps implements ReplicaLoop.Owner {
        @Override
        public void afterSteps() throws IOException {
            drain();
            informLogServer();
            endIfOver();
            leaving.look(durable, replica.isLed());
        }

        @Override
        public void onTick() throws IOException {
            tick();
            endIfOver();
        }

        @Override
        public boolean tryMend(Exception thrown) {
            if (!(thrown instanceof DamagedPageException)) {
                return false;
            }
            LOG.error("replica-{} has damaged state and fetches it from the others", self, thrown);
            damaged = true;
            replica.onStateDamaged(now());
            return true;
        }

        @Override
        public void onFailure() {
            // Described is nothing more: that may be what has failed.
            status = status.failed(damaged, loop.failure());
            onEnd.run();
        }
    }

    /** Messages from other replicas. */
    private final class PeerReceiver implements PeerMessenger.Receiver {
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

        @Override
        public void onElsewhere(long now, PrincipalId other, long number) {
            loop.run(() -> {
                if (talk.isPresent()) {
                    talk.get().onOther(now(), other, number);
                }
            });
        }
    }

    /** Another configuration follows: what recovers, or has forgotten, goes on with that there. */
    private void endIfOver() {
        if (next == null && talk.filter(MembershipExchange::isOver).isPresent()) {
            RecoveryReport recovery = replica.recoveries(now());
            boolean open = recovery.phase() != RecoveryReport.Phase.NONE;
            next = !open ? StartReason.NORMAL : recovery.forgotten() ? StartReason.FORGOTTEN : StartReason.RECOVERING;
            onEnd.run();
        }
    }

    private void tick() throws IOException {
        if (next != null) {
            return;
        }
        long now = now();
        if (talk.isPresent()) {
            talk.get().onTick(now);
        }
        replica.onClock(now, System.currentTimeMillis());
        mail.onTick(now);
        replica.onTick(now);
        logs.ifPresent(each -> each.onTick(now));
        onTransfer(now, transfer.onTick(now));
        clients.onTick(now);
        drain();
        if (now - describedMillis >= DESCRIBE_MILLIS) {
            describedMillis = now;
            status = describe();
        }
    }

    private void onMessage(Peer peer, long requestId, Message message, Runnable done) {
        if (loop.failure().isEmpty()) {
            loop.run(peer.principal(), () -> onMessage(peer, requestId, message), done);
        } else {
            // It does nothing more but to say that.
            var _ = RecoveryAnswers.answer(status(), peer, requestId, message);
            done.run();
        }
    }

    private void onMessage(Peer peer, long requestId, Message message) throws IOException {
        if (RecoveryAnswers.answer(status(), peer, requestId, message) || next != null) {
            return;
        }
        switch (message) {
            case OrderingMessage.ToReplica request -> onRequest(peer, requestId, request);
            case LockingMessage.ToServer request ->
                logs.ifPresent(each -> each.onMessage(now(), peer, requestId, request));
            case MembershipMessage said -> {
                if (talk.isPresent()) {
                    talk.get().onMessage(now(), peer, requestId, said);
                }
            }
            case ReplicaMessage _, KeyMessage _ -> {
                int from = links.replicaOf(peer.principal());
                if (from >= 0) {
                    mail.onMessage(now(), from, message);
                }
            }
            default -> LOG.debug("{} sent an unsolicited answer", peer.principal());
        }
    }

    private void onRequest(Peer peer, long requestId, OrderingMessage.ToReplica request) {
        long now = now();
        PrincipalId client = peer.principal();
        clients.expect(now, peer, requestId, request);
        switch (request) {
            case OrderingMessage.Query query
            when !report.isAmongOthers() -> clients.answer(client, new Refused(query.call(), CallRefusal.NOT_READY));
            case OrderingMessage.Query query -> replica.onQuery(client, query.call(), query.query());
            case OrderingMessage.Submit submit ->
                replica.onRequest(now, new Request(client, submit.call(), false, submit.command()));
            case OrderingMessage.OrderedQuery query ->
                replica.onRequest(now, new Request(client, query.call(), true, query.query()));
        }
    }

    private void onTransfer(long now, PageTransfer.FinishedTransfer done) {
        StateFetch.Progress progress = transfer.last();
        if (transfer.hasMoreToDo() && !transferGoesOn) {
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
            case FETCHED -> {
                logs.ifPresent(LogServerDriver::reset);
                replica.onStateFetched(now, progress.read(), progress.damaged());
            }
            case CHECKED -> replica.onStateChecked(now, progress.read(), progress.damaged());
            case NOTHING -> {
                return;
            }
        }
        loop.run(() -> {}); // What that makes possible comes after this.
    }

    private void drain() throws IOException {
        if (next != null) {
            return;
        }
        long now = now();
        EffectExecutor.carryOut(replica.drain(now), effect -> {
            switch (effect) {
                case ReplicaEffect.Send send -> mail.send(send.to(), send.message());
                case ReplicaEffect.Reply reply ->
                    clients.answer(
                            reply.client(),
                            ExecutionResult.answer(
                                    reply.call(), Configuration.incarnationOf(configuration.number()), reply.result()));
                case ReplicaEffect.Refuse refuse ->
                    clients.answer(refuse.client(), new Refused(refuse.call(), refuse.reason()));
                case ReplicaEffect.Append append -> {
                    appended = append.index();
                    disk.log().append(append.index(), append.record());
                }
                case ReplicaEffect.Roll roll -> {
                    appended = roll.index();
                    disk.log().roll(roll.index(), roll.summary());
                }
                case ReplicaEffect.FetchState fetch ->
                    onTransfer(
                            now,
                            transfer.start(
                                    now,
                                    fetch.checkpoint(),
                                    fetch.checking() || disk.application().hasOthers()));
                case ReplicaEffect.CheckState check -> onTransfer(now, transfer.check(now, check.checkpoint()));
                case ReplicaEffect.DropKeys drop -> {
                    LOG.info("{} recovers; only its new session keys are accepted", nameOf(drop.replica()));
                    mail.drop(now, drop.replica());
                }
                case ReplicaEffect.Forget forget -> {
                    disk.log().forget();
                    throw new IllegalStateException(forget.why()
                            + ". The replica drops its log of promises and recovers as one that has forgotten them");
                }
                case ReplicaEffect.Stop stop -> {
                    disk.stop(stop.why());
                    throw new IllegalStateException(HaltedReplica.explained(stop.why()));
                }
                case ReplicaEffect.Ended ended -> loop.run(() -> end(ended.handover()));
                case ReplicaEffect.Misbehaved accused ->
                    mail.reportFault(now, accused.replica(), "misbehaved: " + accused.what());
            }
        });
    }

    /** Rounds may have been opened or have ended with the commands that were executed; what follows is sent at once. */
    private void informLogServer() throws IOException {
        if (logs.isPresent() && replica.executed() != executed) {
            executed = replica.executed();
            logs.get().onExecuted(now());
            drain();
        }
    }

    private PrincipalId nameOf(int place) {
        return configuration.members().get(place).replica();
    }

    private void end(Handover handover) throws IOException {
        LOG.info(
                "replica-{}: {} ends with number {}",
                self,
                configuration,
                handover.checkpoint().sequence());
        talk.orElseThrow(() -> new IllegalStateException("the members of this group cannot change: " + handover))
                .onEnded(
                        now(),
                        handover,
                        disk.application()
                                .authorization(configuration, handover.next())
                                .orElse(Bytes.EMPTY));
    }

    private ReplicaStatus describe() {
        return report.take(
                now(), transfer.pages(), logs.map(LogServerDriver::logs).orElse(0), damaged);
    }

    private static long now() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }
}
