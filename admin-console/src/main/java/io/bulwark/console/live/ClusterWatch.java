package io.bulwark.console.live;

import io.bulwark.client.ClusterStatus;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.console.access.Door;
import java.time.Clock;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/** The cluster's last status. The cluster is asked at most once in two seconds, however many pages are open. */
@Component
public class ClusterWatch {
    private static final long FRESH_MILLIS = 2_000;

    private final Supplier<ClusterStatus> asking;
    private final Clock clock;
    private @Nullable Observation last;
    private @Nullable Outage outage;

    /** A status, and when the cluster reported it. */
    public record Observation(ClusterStatus status, Instant at) {}

    /** The cluster does not answer. */
    public record Outage(String problem, Instant since) {}

    @Autowired
    ClusterWatch(Door door) {
        this(() -> door.watching().status(), Clock.systemUTC());
    }

    ClusterWatch(Supplier<ClusterStatus> asking, Clock clock) {
        this.asking = asking;
        this.clock = clock;
    }

    /**
     * Returns the present status.
     *
     * @throws BulwarkException if the cluster does not answer; {@link #lastKnown} has what it reported before
     */
    public synchronized Observation now() {
        Instant now = clock.instant();
        Observation known = last;
        if (known != null && outage == null && now.toEpochMilli() - known.at.toEpochMilli() < FRESH_MILLIS) {
            return known;
        }
        try {
            Observation fresh = new Observation(asking.get(), now);
            last = fresh;
            outage = null;
            return fresh;
        } catch (BulwarkException e) {
            if (outage == null) {
                outage = new Outage(String.valueOf(e.getMessage()), now);
            }
            throw e;
        }
    }

    /** Returns the last status that the cluster reported. */
    public synchronized Optional<Observation> lastKnown() {
        return Optional.ofNullable(last);
    }

    /** Returns why the cluster did not answer the last question; empty if it did. */
    public synchronized Optional<Outage> outage() {
        return Optional.ofNullable(outage);
    }
}
