package io.bulwark.gateway.s3.expiration;

import io.bulwark.client.Bucket;
import io.bulwark.client.BucketDocument;
import io.bulwark.client.BucketInfo;
import io.bulwark.client.Bulwark;
import io.bulwark.client.Precondition;
import io.bulwark.client.Principals;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.client.error.PreconditionFailedException;
import io.bulwark.gateway.s3.lifecycle.LifecycleRules;
import io.bulwark.gateway.s3.setting.SettingName;
import io.bulwark.protocol.id.PrincipalId;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Worker that follows the rules of buckets. It acts for the owner of each bucket, who has set the rules.
 *
 * <p>Of several gateways one takes the turn of a bucket, by a document with the time of the last turn that only one of
 * them can replace. A turn that two took nevertheless, or one did not end, does no harm: each deletion names the version
 * that expires, and is done at most once.
 */
public final class LifecycleWorker implements AutoCloseable {
    /** Time between two turns of a bucket. */
    static final Duration PERIOD = Duration.ofHours(1);

    private static final Logger LOG = LoggerFactory.getLogger(LifecycleWorker.class);
    private static final Duration DAY = Duration.ofDays(1);
    private static final int LOOKS_PER_PERIOD = 6;

    private final Bulwark door;
    private final PrincipalId self;
    private final InstantSource clock;
    private final Duration day;
    private final Duration period;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("s3-lifecycle").daemon().factory());

    LifecycleWorker(Bulwark door, PrincipalId self, InstantSource clock, Duration day, Duration period) {
        this.door = door;
        this.self = self;
        this.clock = clock;
        this.day = day;
        this.period = period;
    }

    /**
     * Starts a worker.
     *
     * @param self the gateway's client
     */
    public static LifecycleWorker start(Bulwark door, PrincipalId self) {
        return start(door, self, DAY, PERIOD);
    }

    /** Starts a worker for which days have another length, as tests want it. */
    public static LifecycleWorker start(Bulwark door, PrincipalId self, Duration day, Duration period) {
        LifecycleWorker worker = new LifecycleWorker(door, self, InstantSource.system(), day, period);
        long pauseMillis = Math.max(1, period.dividedBy(LOOKS_PER_PERIOD).toMillis());
        var _ = worker.thread.scheduleWithFixedDelay(
                worker::runSafely, pauseMillis, pauseMillis, TimeUnit.MILLISECONDS);
        return worker;
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }

    private void runSafely() {
        try {
            run();
        } catch (BulwarkException e) {
            LOG.warn("rules of buckets could not be followed, next attempt follows: {}", e.getMessage());
        } catch (RuntimeException e) {
            LOG.error("rules of buckets could not be followed", e);
        }
    }

    /**
     * Follows the rules of all buckets whose turn has come. A clock that is fast deletes nothing before its time: what
     * the replicas agree on counts as the latest time.
     */
    void run() {
        Instant agreed = door.agreedTime();
        Instant local = clock.instant();
        Instant now = agreed.isBefore(local) ? agreed : local;
        for (Principals.ActFor person : door.principals().actFor(self)) {
            Bulwark view = door.onBehalfOf(person.person());
            for (BucketInfo info : view.buckets()) {
                if (Thread.currentThread().isInterrupted()) {
                    return;
                }
                if (info.creator().equals(person.person())) {
                    follow(view, info, now);
                }
            }
        }
    }

    private void follow(Bulwark view, BucketInfo info, Instant now) {
        try {
            Bucket bucket = view.bucket(info.name());
            Optional<BucketDocument> document = bucket.setting(SettingName.LIFECYCLE.text());
            if (document.isPresent() && takesTurn(bucket, now)) {
                LifecycleRules rules = LifecycleRules.read(document.get().content());
                new ExpiringBucket(bucket, rules, now, day).expire(info.versioning());
            }
        } catch (BulwarkException e) {
            LOG.warn("the rules of bucket {} could not be followed: {}", info.name(), e.getMessage());
        } catch (RuntimeException e) {
            // Another door may have written documents that are none. They must not keep other buckets from their turn.
            LOG.warn("the rules of bucket {} could not be followed, see its documents", info.name(), e);
        }
    }

    private boolean takesTurn(Bucket bucket, Instant now) {
        Optional<BucketDocument> last = bucket.setting(SettingName.LIFECYCLE_TURN.text());
        boolean due = last.map(document -> new String(document.content(), StandardCharsets.UTF_8))
                .map(Instant::parse)
                .map(time -> time.plus(period).isBefore(now) || time.isAfter(now.plus(period)))
                .orElse(true);
        if (!due) {
            return false;
        }
        Precondition condition =
                last.map(document -> Precondition.ifVersion(document.number())).orElse(Precondition.IF_ABSENT);
        try {
            bucket.putSetting(
                    SettingName.LIFECYCLE_TURN.text(), now.toString().getBytes(StandardCharsets.UTF_8), condition);
            return true;
        } catch (PreconditionFailedException _) {
            return false;
        }
    }
}
