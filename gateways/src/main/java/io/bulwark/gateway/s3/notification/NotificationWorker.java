package io.bulwark.gateway.s3.notification;

import io.bulwark.client.AccessKeys;
import io.bulwark.client.BucketDocument;
import io.bulwark.client.Bulwark;
import io.bulwark.client.EventLogs;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.gateway.s3.request.S3Exception;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Webhook;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Worker that delivers the events of buckets to webhooks, at least once. For each bucket it claims, reads, posts, and
 * acknowledges with the next claim. An event that was posted and not acknowledged is posted again, by this gateway or
 * another one. It acts for the creator of each bucket.
 */
public final class NotificationWorker implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NotificationWorker.class);

    private static final int EVENTS_PER_MESSAGE = 100;
    private static final int DELIVERIES_MAX = 16;

    private final Bulwark door;
    private final Settings settings;
    private final NotificationMeters meters;
    private final WebhookCall webhook;
    private final long claimant = 1 + (new SecureRandom().nextLong() >>> 2);
    private final Map<String, Delivery> deliveries = new ConcurrentHashMap<>();
    private final Semaphore free = new Semaphore(DELIVERIES_MAX);
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("s3-notifications").daemon().factory());
    private final ExecutorService calls = Executors.newVirtualThreadPerTaskExecutor();

    /**
     * Times of a worker.
     *
     * @param poll between two looks for events
     * @param call for one call of a webhook
     * @param retryFirst pause after a failure; it doubles with each further one
     * @param retryMax longest pause
     * @param turn after which a bucket with further events waits for its next turn
     */
    public record Settings(Duration poll, Duration call, Duration retryFirst, Duration retryMax, Duration turn) {
        /** Times for production. A claim outlives a call and the commands around it. */
        public static Settings standard() {
            return new Settings(
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(10),
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(60),
                    Duration.ofSeconds(10));
        }
    }

    /** State of one bucket. */
    private static final class Delivery {
        private boolean isRunning;
        private int failures;
        private long notBeforeNanos = System.nanoTime();
        private long dropped;

        /** Returns for how long the bucket has been waiting for its turn. */
        synchronized long waitingNanos() {
            return System.nanoTime() - notBeforeNanos;
        }
    }

    /** A bucket whose turn may begin. */
    private record Due(EventLogs.EventLog log, Delivery delivery, long waitingNanos) {}

    private NotificationWorker(Bulwark door, Settings settings, MeterRegistry registry) {
        this.door = door;
        this.settings = settings;
        meters = new NotificationMeters(registry);
        webhook = new WebhookCall(settings.call);
    }

    /**
     * Starts a worker.
     *
     * @param door the gateway's own client
     */
    public static NotificationWorker start(Bulwark door, Settings settings, MeterRegistry registry) {
        NotificationWorker worker = new NotificationWorker(door, settings, registry);
        long millis = settings.poll.toMillis();
        var _ = worker.thread.scheduleWithFixedDelay(worker::runSafely, millis, millis, TimeUnit.MILLISECONDS);
        return worker;
    }

    @Override
    public void close() {
        thread.shutdownNow();
        calls.shutdownNow();
        webhook.close();
        meters.close();
    }

    private void runSafely() {
        try {
            run();
        } catch (BulwarkException e) {
            LOG.debug("events could not be looked for, next attempt follows: {}", e.getMessage());
        } catch (RuntimeException e) {
            LOG.error("events could not be looked for", e);
        }
    }

    private void run() {
        List<EventLogs.EventLog> logs = door.eventLogs().list();
        meters.onLogs(logs);
        deliveries
                .keySet()
                .retainAll(logs.stream().map(EventLogs.EventLog::bucket).toList());
        List<Due> due = new ArrayList<>();
        for (EventLogs.EventLog log : logs) {
            Delivery delivery = deliveries.computeIfAbsent(log.bucket(), _ -> new Delivery());
            if (mayBegin(delivery, log)) {
                due.add(new Due(log, delivery, delivery.waitingNanos()));
            }
        }
        // Who has waited longest comes first, so that buckets with slow receivers do not keep others waiting for ever.
        due.sort(Comparator.comparingLong(Due::waitingNanos).reversed());
        for (Due next : due) {
            if (!free.tryAcquire()) {
                return;
            }
            begin(next.delivery, next.log);
        }
    }

    private boolean mayBegin(Delivery delivery, EventLogs.EventLog log) {
        synchronized (delivery) {
            if (log.dropped() > delivery.dropped) {
                LOG.warn(
                        "the event log of bucket {} was full: {} events are lost since it began",
                        log.bucket(),
                        log.dropped());
                delivery.dropped = log.dropped();
            }
            return log.pending() > 0 && !delivery.isRunning && delivery.notBeforeNanos - System.nanoTime() <= 0;
        }
    }

    private void begin(Delivery delivery, EventLogs.EventLog log) {
        synchronized (delivery) {
            delivery.isRunning = true;
        }
        try {
            calls.execute(() -> {
                Duration pause = Duration.ZERO;
                try {
                    pause = deliver(delivery, log);
                } finally {
                    end(delivery, pause);
                }
            });
        } catch (RuntimeException e) {
            end(delivery, Duration.ZERO);
            throw e;
        }
    }

    private void end(Delivery delivery, Duration pause) {
        synchronized (delivery) {
            delivery.isRunning = false;
            delivery.notBeforeNanos = System.nanoTime() + pause.toNanos();
        }
        free.release();
    }

    /** Delivers what a bucket has, and returns for how long to leave it then. */
    private Duration deliver(Delivery delivery, EventLogs.EventLog log) {
        try {
            // Agreed time stands still while no commands arrive, so that a claim of a dead gateway may look fresh for
            // long.
            if (!deliverAll(log)) {
                return Duration.ofMillis(Command.ClaimEvents.LEASE_MILLIS);
            }
            delivery.failures = 0;
            return Duration.ZERO;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return Duration.ZERO;
        } catch (IOException | BulwarkException | S3Exception e) {
            LOG.warn("events of bucket {} wait: {}", log.bucket(), e.getMessage());
        } catch (RuntimeException e) {
            // Another door may have written a document that is none. It must not keep other buckets from their turn.
            LOG.warn("events of bucket {} wait, see its settings", log.bucket(), e);
        }
        meters.failed.increment();
        delivery.failures = Math.min(delivery.failures + 1, 30);
        Duration pause = settings.retryFirst.multipliedBy(1L << (delivery.failures - 1));
        return pause.compareTo(settings.retryMax) < 0 ? pause : settings.retryMax;
    }

    /** Returns whether nothing is left, or the turn is over; false if another gateway delivers. */
    private boolean deliverAll(EventLogs.EventLog log) throws IOException, InterruptedException {
        Bulwark view = door.onBehalfOf(log.creator());
        EventLogs logs = view.eventLogs();
        if (!logs.claim(log.bucket(), claimant, 0).held()) {
            return false;
        }
        Optional<BucketDocument> document = view.bucket(log.bucket()).setting(EventLogs.RULES);
        if (document.isEmpty()) {
            return true;
        }
        NotificationRules rules = NotificationRules.read(document.get().content());
        WebhookCall.Receiver receiver = receiver(rules);
        long position = 0;
        long end = System.nanoTime() + settings.turn.toNanos();
        while (!Thread.currentThread().isInterrupted() && end - System.nanoTime() > 0) {
            List<EventLogs.Entry> events = logs.read(log.bucket(), position, EVENTS_PER_MESSAGE);
            if (events.isEmpty()) {
                return true;
            }
            List<EventMessage.Entry> records = new ArrayList<>();
            for (EventLogs.Entry entry : events) {
                rules.ruleFor(entry.event()).ifPresent(rule -> records.add(EventMessage.Entry.of(entry, rule, log)));
            }
            if (!records.isEmpty()) {
                webhook.post(receiver, new EventMessage(records).toBytes(), Instant.now());
                meters.delivered.increment();
                meters.events.increment(records.size());
            }
            position = events.getLast().position();
            if (!logs.claim(log.bucket(), claimant, position).held()) {
                return false;
            }
        }
        return true;
    }

    /** Returns the receiver with its secret, which another operator may have changed since the last message. */
    private WebhookCall.Receiver receiver(NotificationRules rules) throws IOException {
        Webhook named = door.webhooks().list().stream()
                .filter(each -> each.name().equals(rules.webhook()))
                .findFirst()
                .orElseThrow(() -> new IOException("there is no webhook " + rules.webhook() + " any more"));
        AccessKeys.Issued issued = door.accessKeys()
                .open(named.accessKey())
                .orElseThrow(() -> new IOException("the secret of webhook " + named.name()
                        + " is not sealed for this gateway; `bulwark s3 enable` seals it"));
        return new WebhookCall.Receiver(URI.create(named.url()), named.accessKey(), issued.secret());
    }
}
