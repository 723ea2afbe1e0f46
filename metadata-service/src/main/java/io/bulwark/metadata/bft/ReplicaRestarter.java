package io.bulwark.metadata.bft;

import io.bulwark.client.replicas.KnownReplicas;
import io.bulwark.metadata.RecoverableReplica;
import io.bulwark.metadata.ReplicaConfig;
import io.bulwark.metadata.ReplicaDirectory;
import io.bulwark.metadata.ReplicaLinks;
import io.bulwark.metadata.ReplicaStatus;
import io.bulwark.metadata.locking.LogMeters;
import io.bulwark.metadata.ordering.StateMachine;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.locking.LockingCodec;
import io.bulwark.protocol.ordering.OrderingCodec;
import io.bulwark.protocol.ordering.driver.StartReason;
import io.bulwark.protocol.ordering.key.KeyMessageCodec;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.ConfigurationChain;
import io.bulwark.protocol.ordering.membership.MembershipCodec;
import io.bulwark.protocol.ordering.membership.OperatorAuthorizations;
import io.bulwark.protocol.ordering.membership.Signatures;
import io.bulwark.protocol.ordering.message.ReplicaMessageCodec;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.transport.Credentials;
import io.bulwark.transport.Transport;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lives of a replica within one process. Another one begins when a caller starts a recovery, and, after a pause,
 * when one ends by itself. That happens when its disk failed or is full, or its log of promises turned out to be
 * forged. The log then remembers this (docs/ordering/checkpoints.md, damage). After one has stopped for good ({@link
 * HaltedReplica}), no ordering life begins. When another configuration of replicas follows, another life begins at once
 * (docs/decisions/0020).
 */
public final class ReplicaRestarter implements RecoverableReplica {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicaRestarter.class);

    private static final long PAUSE_FIRST_MILLIS = 1_000;
    private static final long PAUSE_MAX_MILLIS = 60_000;

    private final ReplicaConfig config;
    private final Credentials credentials;
    private final StateMachine.Factory machines;
    private final Optional<KnownReplicas> group;
    private final MeterRegistry meters;
    private final LogMeters logMeters;
    private volatile ReplicaIncarnation life;
    private long begunNanos;
    private long pauseMillis = PAUSE_FIRST_MILLIS;
    private boolean closed;

    private ReplicaRestarter(
            ReplicaConfig config,
            Credentials credentials,
            StateMachine.Factory machines,
            StartReason start,
            Optional<KnownReplicas> group,
            MeterRegistry meters)
            throws IOException {
        this.group = group;
        this.meters = meters;
        this.logMeters = new LogMeters(meters);
        this.config = config;
        this.credentials = credentials;
        this.machines = machines;
        synchronized (this) {
            life = begin(start); // which may be over at once
        }
    }

    /** Starts a replica whose meters nobody reads. */
    public static ReplicaRestarter start(
            ReplicaConfig config, Credentials credentials, StateMachine.Factory machines, StartReason start)
            throws IOException {
        return start(config, credentials, machines, start, Optional.empty(), new SimpleMeterRegistry());
    }

    /**
     * Starts a replica; returns when it listens.
     *
     * @param credentials of the principal {@code replica-N}
     * @param group the replicas as this process knows them; empty if they stay
     * @throws IOException if the address cannot be bound, or the directory not be read, or is that of another replica
     */
    public static ReplicaRestarter start(
            ReplicaConfig config,
            Credentials credentials,
            StateMachine.Factory machines,
            StartReason start,
            Optional<KnownReplicas> group,
            MeterRegistry meters)
            throws IOException {
        if (!credentials.self().equals(PrincipalId.replica(config.replica()))) {
            throw new IllegalArgumentException(
                    "the credentials of " + credentials.self() + " for replica-" + config.replica());
        }
        ReplicaDirectory directory = new ReplicaDirectory(config.directory());
        directory.requireForPromises();
        directory.claim(config.replica());
        return new ReplicaRestarter(config, credentials, machines, start, group, meters);
    }

    private ReplicaIncarnation begin(StartReason start) throws IOException {
        begunNanos = System.nanoTime();
        ConfigurationChain configurationChain = group.map(KnownReplicas::configurationChain)
                .orElseGet(() -> new ConfigurationChain(config.fixed(), Signatures.NONE, OperatorAuthorizations.NONE));
        Configuration now = configurationChain.configuration();
        long lastBegun = new ReplicaDirectory(config.directory()).lastBegun();
        boolean isMember = now.number() >= lastBegun && now.placeOf(PrincipalId.replica(config.replica())) >= 0;
        if (!isMember && group.isEmpty()) {
            throw new IOException("replica-" + config.replica() + " is not one of " + now + ", which cannot change");
        }
        Transport transport = Transport.open(
                ReplicaLinks.settings().withEventLoopThreads(1),
                credentials,
                new MessageCodecs(
                        new OrderingCodec(),
                        new ReplicaMessageCodec(),
                        new KeyMessageCodec(),
                        new MembershipCodec(),
                        new LockingCodec()),
                meters);
        try {
            Optional<String> stopped = new ReplicaDirectory(config.directory()).stopped();
            if (stopped.isPresent()) {
                return new HaltedReplica(config, stopped.get(), transport);
            }
            if (!isMember) {
                NonMember nonMember = new NonMember(
                        config, start, group.get(), configurationChain, lastBegun, transport, this::onEnd);
                nonMember.begin();
                return nonMember;
            }
            BftReplica begun = new BftReplica(
                    config, credentials, machines, start, group, configurationChain, logMeters, transport, this::onEnd);
            begun.begin();
            return begun;
        } catch (IOException | RuntimeException e) {
            transport.close();
            throw e;
        }
    }

    private void onEnd() {
        Thread.ofPlatform().daemon().name("bulwark-lives-" + config.replica()).start(this::beginAnother);
    }

    /** Retries until another life has begun; until then the status reports why the last one ended. */
    private void beginAnother() {
        boolean begun = isOver() && isGoingOn();
        while (!begun) {
            try {
                Thread.sleep(pause());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
            begun = isGoingOn();
        }
    }

    private synchronized boolean isOver() {
        return life.next().isPresent();
    }

    /** The longer, the more lives have ended soon. */
    private synchronized long pause() {
        long lastedMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begunNanos);
        long pause = lastedMillis > PAUSE_MAX_MILLIS ? PAUSE_FIRST_MILLIS : pauseMillis;
        pauseMillis = Math.min(2 * pause, PAUSE_MAX_MILLIS);
        return pause;
    }

    /** Begins another life unless another caller did; returns false if it must be retried. */
    private synchronized boolean isGoingOn() {
        Optional<StartReason> next = life.next();
        if (closed || (next.isEmpty() && life.status().failure().isEmpty())) {
            return true;
        }
        life.close();
        try {
            life = begin(next.orElse(StartReason.NORMAL));
            return true;
        } catch (IOException | RuntimeException e) {
            LOG.error("replica-{} cannot be restarted", config.replica(), e);
            return false;
        }
    }

    @Override
    public InetSocketAddress address() {
        return life.address();
    }

    @Override
    public ReplicaStatus status() {
        return life.status();
    }

    @Override
    public synchronized void recover() throws IOException {
        if (closed) {
            throw new IOException("replica-" + config.replica() + " is closed");
        }
        life.close();
        life = begin(StartReason.RECOVERING);
    }

    @Override
    public synchronized void close() {
        closed = true;
        life.close();
    }
}
