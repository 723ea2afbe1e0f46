package io.bulwark.metadata.bft;

import io.bulwark.metadata.RecoverableReplica;
import io.bulwark.metadata.ReplicaConfig;
import io.bulwark.metadata.ReplicaStatus;
import io.bulwark.metadata.ordering.StateMachine;
import io.bulwark.protocol.ordering.replica.Start;
import io.bulwark.transport.Credentials;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lives of a replica within one process. Another one begins when somebody has it recover, and, after a pause, when one ends by itself:
 * its disk failed or is full, or what its log of promises says turned out to be forged, which the log then keeps in mind
 * (PROTOCOLS section 7, "Damage").
 */
public final class ReplicaLives implements RecoverableReplica {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicaLives.class);

    private static final long PAUSE_FIRST_MILLIS = 1_000;
    private static final long PAUSE_MAX_MILLIS = 60_000;

    private final ReplicaConfig config;
    private final Credentials credentials;
    private final StateMachine.Factory machines;
    private final MeterRegistry meters;
    private volatile BftReplica life;
    private long begunNanos;
    private long pauseMillis = PAUSE_FIRST_MILLIS;
    private boolean closed;

    private ReplicaLives(
            ReplicaConfig config,
            Credentials credentials,
            StateMachine.Factory machines,
            Start start,
            MeterRegistry meters)
            throws IOException {
        this.meters = meters;
        this.config = config;
        this.credentials = credentials;
        this.machines = machines;
        life = begin(start);
    }

    /** Starts a replica whose meters nobody reads. */
    public static ReplicaLives start(
            ReplicaConfig config, Credentials credentials, StateMachine.Factory machines, Start start)
            throws IOException {
        return start(config, credentials, machines, start, new SimpleMeterRegistry());
    }

    /**
     * Starts a replica; returns when it listens.
     *
     * @param credentials of the principal {@code replica-N}
     * @throws IOException if the address cannot be bound, or the directory not be read
     */
    public static ReplicaLives start(
            ReplicaConfig config,
            Credentials credentials,
            StateMachine.Factory machines,
            Start start,
            MeterRegistry meters)
            throws IOException {
        return new ReplicaLives(config, credentials, machines, start, meters);
    }

    private BftReplica begin(Start start) throws IOException {
        begunNanos = System.nanoTime();
        return BftReplica.start(config, credentials, machines, start, meters, this::onEnd);
    }

    private void onEnd() {
        Thread.ofPlatform().daemon().name("bulwark-lives-" + config.replica()).start(this::beginAnother);
    }

    /** Tries for as long as it takes; until then the status says why the last life ended. */
    private void beginAnother() {
        boolean begun = false;
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

    /** The longer, the more lives have ended soon. */
    private synchronized long pause() {
        long lastedMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begunNanos);
        long pause = lastedMillis > PAUSE_MAX_MILLIS ? PAUSE_FIRST_MILLIS : pauseMillis;
        pauseMillis = Math.min(2 * pause, PAUSE_MAX_MILLIS);
        return pause;
    }

    /** Begins another life unless somebody else did; returns false if that is to be tried again. */
    private synchronized boolean isGoingOn() {
        if (closed || life.status().failure().isEmpty()) {
            return true;
        }
        life.close();
        try {
            life = begin(Start.NORMAL);
            return true;
        } catch (IOException | RuntimeException e) {
            LOG.error("replica-{} does not start again", config.replica(), e);
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
        life = begin(Start.RECOVERING);
    }

    @Override
    public synchronized void close() {
        closed = true;
        life.close();
    }
}
