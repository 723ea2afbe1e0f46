package io.bulwark.console.live;

import io.bulwark.client.Bulwark;
import io.bulwark.client.ClusterStatus;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.console.access.Door;
import io.bulwark.protocol.cluster.ClusterMap;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * The cluster's last status and map. The cluster is asked at most once in two seconds for each, however many pages are
 * open, and during an outage as well.
 */
@Component
public class ClusterWatch {
    /** Age up to which pages show a status without asking again; the console samples more often. */
    static final Duration SHOWN_AGE_MAX = Duration.ofSeconds(12);

    private static final Duration FRESH = Duration.ofSeconds(2);

    private final Clock clock;
    private final Question<ClusterStatus> statuses;
    private final Question<ClusterMap> maps;

    /** A status, and when the cluster reported it. */
    public record Observation(ClusterStatus status, Instant at) {}

    /**
     * The cluster map as 2f+1 replicas agree on it.
     *
     * @param latency how long the agreed answer took
     */
    public record KnownMap(ClusterMap map, Instant at, Duration latency) {}

    /** The cluster does not answer. */
    public record Outage(String problem, Instant since) {}

    /** The knowledge that a page shows; it shows old data as old. */
    public record Standing(Optional<Observation> known, Optional<Outage> outage) {}

    @Autowired
    ClusterWatch(Door door) {
        this(() -> door.watching().status(), () -> door.watching().nodes().map(), Clock.systemUTC());
    }

    public ClusterWatch(Bulwark client) {
        this(client::status, () -> client.nodes().map(), Clock.systemUTC());
    }

    public ClusterWatch(Supplier<ClusterStatus> status, Supplier<ClusterMap> map, Clock clock) {
        this.clock = clock;
        statuses = new Question<>(status, clock);
        maps = new Question<>(map, clock);
    }

    /**
     * Returns the present status.
     *
     * @throws BulwarkException if the cluster does not answer; {@link #lastKnown} has what it reported before
     */
    public Observation now() {
        return observation(statuses.ask());
    }

    /**
     * Returns the present map.
     *
     * @throws BulwarkException if the replicas do not answer
     */
    public KnownMap map() {
        return known(maps.ask());
    }

    /**
     * Returns what a page shows: a status that is a few seconds old at most, or what was known before the cluster ceased to answer.
     * Waits for the cluster only if nothing recent is known.
     */
    public Standing standing() {
        Instant now = clock.instant();
        if (!statuses.wasAskedSince(now.minus(SHOWN_AGE_MAX))) {
            try {
                statuses.ask();
            } catch (BulwarkException e) {
                // The outage below says so.
            }
        }
        return new Standing(lastKnown(), outage());
    }

    /**
     * Returns a map for a page, a few seconds old at most, or the last known one.
     *
     * @throws BulwarkException if none was ever known and the replicas do not answer
     */
    public KnownMap recentMap() {
        Optional<KnownMap> last = maps.last().map(ClusterWatch::known);
        if (last.isPresent() && maps.wasAskedSince(clock.instant().minus(SHOWN_AGE_MAX))) {
            return last.get();
        }
        try {
            return map();
        } catch (BulwarkException e) {
            return last.orElseThrow(() -> e);
        }
    }

    /** Returns the last status that the cluster reported. */
    public Optional<Observation> lastKnown() {
        return statuses.last().map(ClusterWatch::observation);
    }

    /** Returns why the cluster did not answer the last question; empty if it did. */
    public Optional<Outage> outage() {
        return statuses.outage();
    }

    private static Observation observation(Answer<ClusterStatus> answer) {
        return new Observation(answer.value, answer.at);
    }

    private static KnownMap known(Answer<ClusterMap> answer) {
        return new KnownMap(answer.value, answer.at, answer.latency);
    }

    private record Answer<T>(T value, Instant at, Duration latency) {}

    private record Failure(BulwarkException cause, Instant at, Outage outage) {}

    /** A question to the cluster with its last answer. One thread asks; the others wait for the same answer. */
    private static final class Question<T> {
        private final Supplier<T> asking;
        private final Clock clock;
        private final ReentrantLock turn = new ReentrantLock();
        private volatile @Nullable Answer<T> last;
        private volatile @Nullable Failure failure;

        private Question(Supplier<T> asking, Clock clock) {
            this.asking = asking;
            this.clock = clock;
        }

        private Answer<T> ask() {
            turn.lock();
            try {
                Instant started = clock.instant();
                Failure failed = failure;
                if (failed != null) {
                    if (failed.at.isAfter(started.minus(FRESH))) {
                        throw failed.cause;
                    }
                } else {
                    Answer<T> known = last;
                    if (known != null && known.at.isAfter(started.minus(FRESH))) {
                        return known;
                    }
                }
                return asked(started);
            } finally {
                turn.unlock();
            }
        }

        private Answer<T> asked(Instant started) {
            try {
                long startedNanos = System.nanoTime();
                T value = asking.get();
                Answer<T> fresh =
                        new Answer<>(value, clock.instant(), Duration.ofNanos(System.nanoTime() - startedNanos));
                last = fresh;
                failure = null;
                return fresh;
            } catch (BulwarkException e) {
                Failure before = failure;
                Outage outage =
                        new Outage(String.valueOf(e.getMessage()), before == null ? started : before.outage.since);
                failure = new Failure(e, clock.instant(), outage);
                throw e;
            }
        }

        /** Returns whether an attempt ended since then, or one is in progress and an older answer is known. */
        private boolean wasAskedSince(Instant since) {
            Answer<T> known = last;
            Failure failed = failure;
            return (known != null && (known.at.isAfter(since) || turn.isLocked()))
                    || (failed != null && (failed.at.isAfter(since) || turn.isLocked()));
        }

        private Optional<Answer<T>> last() {
            return Optional.ofNullable(last);
        }

        private Optional<Outage> outage() {
            Failure failed = failure;
            return failed == null ? Optional.empty() : Optional.of(failed.outage);
        }
    }
}
