package io.bulwark.transport;

import io.bulwark.protocol.id.PrincipalId;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The counters of a transport, by authenticated peer, and its log of faults: one line a second for each kind, and one for each who is refused. */
final class TransportMetrics {
    private static final Logger LOG = LoggerFactory.getLogger(Transport.class);
    private static final long LOG_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final String UNAUTHENTICATED = "unauthenticated";

    private final MeterRegistry registry;
    private final Map<PrincipalId, PeerCounters> peers = new ConcurrentHashMap<>();
    private final Map<Fault, RecentLog> recent = new ConcurrentHashMap<>();
    private final RefusedIdentityLog claims = new RefusedIdentityLog();

    TransportMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    PeerCounters of(PrincipalId peer) {
        return peers.computeIfAbsent(peer, p -> new PeerCounters(registry, p.toString()));
    }

    /**
     * Counts and logs what ended a connection.
     *
     * @param who an authenticated principal, or null
     * @param isNews whether that is worth a warning
     */
    void fault(@Nullable PrincipalId who, Object remote, Fault fault, String detail, boolean isNews) {
        String peer = who == null ? UNAUTHENTICATED : who.toString();
        Counter.builder("bulwark.transport.faults")
                .description("Refused connections and frames.")
                .tags("peer", peer, "reason", fault.label())
                .register(registry)
                .increment();
        boolean known = fault == Fault.UNKNOWN_PRINCIPAL && !claims.isNews(detail, System.nanoTime());
        if (fault == Fault.INPUT_OUTPUT || !isNews || known) {
            LOG.debug("lost the connection with {} at {}: {}: {}", peer, remote, fault.label(), detail);
            return;
        }
        long suppressed = recent.computeIfAbsent(fault, f -> new RecentLog()).admit(System.nanoTime());
        if (suppressed >= 0) {
            LOG.warn(
                    "closed the connection with {} at {}: {}: {}{}",
                    peer,
                    remote,
                    fault.label(),
                    detail,
                    suppressed == 0 ? "" : " (and " + suppressed + " more of this kind)");
        } else if (fault == Fault.UNKNOWN_PRINCIPAL) {
            claims.forget(detail);
        }
    }

    /** The counters of one peer. */
    static final class PeerCounters {
        final Counter bytesIn;
        final Counter bytesOut;
        final Counter framesIn;
        final Counter framesOut;
        final Counter connects;
        final Counter reconnects;
        final Counter renewals;
        final Counter dropsFull;
        final Counter dropsDisconnected;

        private PeerCounters(MeterRegistry registry, String peer) {
            bytesIn = counter(registry, "bulwark.transport.bytes", "Bytes of frames.", "peer", peer, "direction", "in");
            bytesOut =
                    counter(registry, "bulwark.transport.bytes", "Bytes of frames.", "peer", peer, "direction", "out");
            framesIn = counter(registry, "bulwark.transport.frames", "Frames.", "peer", peer, "direction", "in");
            framesOut = counter(registry, "bulwark.transport.frames", "Frames.", "peer", peer, "direction", "out");
            connects = counter(registry, "bulwark.transport.connects", "Connections made.", "peer", peer);
            reconnects = counter(
                    registry, "bulwark.transport.reconnects", "Connections made again after a loss.", "peer", peer);
            renewals = counter(
                    registry, "bulwark.transport.renewals", "Connections renewed because of their age.", "peer", peer);
            dropsFull = counter(
                    registry,
                    "bulwark.transport.drops",
                    "Messages that were not sent.",
                    "peer",
                    peer,
                    "reason",
                    "queue-full");
            dropsDisconnected = counter(
                    registry,
                    "bulwark.transport.drops",
                    "Messages that were not sent.",
                    "peer",
                    peer,
                    "reason",
                    "disconnected");
        }

        private static Counter counter(MeterRegistry registry, String name, String description, String... tags) {
            return Counter.builder(name).description(description).tags(tags).register(registry);
        }
    }

    /** Time of the last log line, and the number of events since. */
    private static final class RecentLog {
        private boolean logged;
        private long loggedNanos;
        private long suppressed;

        /** Returns how many lines were suppressed since the last one if this one may be logged, -1 if not. */
        synchronized long admit(long nowNanos) {
            if (logged && nowNanos - loggedNanos < LOG_PAUSE_NANOS) {
                suppressed++;
                return -1;
            }
            logged = true;
            loggedNanos = nowNanos;
            long count = suppressed;
            suppressed = 0;
            return count;
        }
    }
}
