package io.bulwark.console.live;

import io.bulwark.client.ClusterStatus;
import io.bulwark.client.error.BulwarkException;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Lazy;
import org.springframework.stereotype.Component;

/**
 * Samples the cluster every ten seconds, for the history and the log of changes; while somebody has a page open it asks every two
 * seconds, and tells the streams of events each change.
 */
@Component
@Lazy(false)
class Sampler {
    private static final Duration TICK = Duration.ofSeconds(2);
    private static final Logger LOG = LoggerFactory.getLogger(Sampler.class);

    private final ClusterWatch watch;
    private final History history;
    private final ChangeLog changes;
    private final EventStreams streams;
    private final StatusFeed feed;
    private final ClusterMeters meters;
    private final Thread thread = Thread.ofVirtual().name("sampler").unstarted(this::run);
    private Instant sampled = Instant.EPOCH;
    private @Nullable ClusterStatus published;
    private boolean publishedOutage;

    Sampler(
            ClusterWatch watch,
            History history,
            ChangeLog changes,
            EventStreams streams,
            StatusFeed feed,
            ClusterMeters meters) {
        this.watch = watch;
        this.history = history;
        this.changes = changes;
        this.streams = streams;
        this.feed = feed;
        this.meters = meters;
    }

    @PostConstruct
    void start() {
        thread.start();
    }

    @PreDestroy
    void stop() {
        thread.interrupt();
    }

    private void run() {
        while (!Thread.currentThread().isInterrupted()) {
            try {
                tick(Instant.now());
            } catch (RuntimeException e) {
                LOG.warn("the cluster could not be sampled", e);
            }
            try {
                Thread.sleep(TICK);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /** Asks the cluster if somebody looks, or a sample is due. */
    void tick(Instant now) {
        boolean due = !now.isBefore(sampled.plus(History.STEP));
        if (!due && streams.count() == 0) {
            return;
        }
        try {
            ClusterWatch.Observation observation = watch.now();
            ClusterWatch.KnownMap map = watch.map();
            changes.onStatus(observation.at(), observation.status());
            changes.onMap(map.at(), map.map());
            publish(observation);
            if (due) {
                history.add(observation, map.latency());
                meters.show(observation.status());
            }
        } catch (BulwarkException e) {
            onOutage(now, e, due);
        }
        if (due) {
            sampled = now;
        }
    }

    private void publish(ClusterWatch.Observation observation) {
        if (publishedOutage || !observation.status().equals(published)) {
            published = observation.status();
            publishedOutage = false;
            feed.publish(new StatusFeed.StatusEvent(observation.at(), true, null));
        }
    }

    private void onOutage(Instant now, BulwarkException failure, boolean due) {
        Optional<ClusterWatch.Outage> outage = watch.outage();
        String problem = outage.map(ClusterWatch.Outage::problem).orElse(String.valueOf(failure.getMessage()));
        changes.onOutage(now, problem);
        if (!publishedOutage) {
            publishedOutage = true;
            feed.publish(new StatusFeed.StatusEvent(now, false, problem));
        }
        if (due) {
            history.addGap(now);
            meters.showOutage();
        }
    }
}
