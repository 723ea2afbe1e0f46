package io.bulwark.gateway.s3.notification;

import io.bulwark.client.EventLogs;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Counters of notifications. */
final class NotificationMeters implements AutoCloseable {
    final Counter delivered;
    final Counter failed;
    final Counter events;
    private final AtomicLong pending = new AtomicLong();
    private final AtomicLong dropped = new AtomicLong();
    private final MeterRegistry registry;
    private final List<Meter> gauges;

    NotificationMeters(MeterRegistry registry) {
        this.registry = registry;
        delivered = notifications("delivered");
        failed = notifications("failed");
        events = Counter.builder("bulwark.s3.events")
                .description("Events that this gateway has delivered to webhooks.")
                .register(registry);
        gauges = List.of(
                Gauge.builder("bulwark.s3.events.pending", pending, AtomicLong::get)
                        .description("Events that buckets keep until a webhook has received them.")
                        .register(registry),
                Gauge.builder("bulwark.s3.events.dropped", dropped, AtomicLong::get)
                        .description("Events that no webhook will receive, since the log of their bucket was full.")
                        .register(registry));
    }

    private Counter notifications(String result) {
        return Counter.builder("bulwark.s3.notifications")
                .description("Attempts of this gateway to notify webhooks.")
                .tags("result", result)
                .register(registry);
    }

    void onLogs(List<EventLogs.EventLog> logs) {
        pending.set(logs.stream().mapToLong(EventLogs.EventLog::pending).sum());
        dropped.set(logs.stream().mapToLong(EventLogs.EventLog::dropped).sum());
    }

    @Override
    public void close() {
        gauges.forEach(registry::remove);
    }
}
