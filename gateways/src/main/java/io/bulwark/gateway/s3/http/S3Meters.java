package io.bulwark.gateway.s3.http;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Counters of a server. */
final class S3Meters implements AutoCloseable {
    /** Label of requests that are refused before their operation is known. */
    static final String NO_OPERATION = "none";

    final AtomicInteger connections = new AtomicInteger();
    final AtomicInteger active = new AtomicInteger();
    final Counter refusedConnections;
    private final MeterRegistry registry;
    private final Counter bytesIn;
    private final Counter bytesOut;
    private final List<Meter> gauges;

    S3Meters(MeterRegistry registry) {
        this.registry = registry;
        this.refusedConnections = Counter.builder("bulwark.s3.connections.refused")
                .description("Connections of S3 clients closed at once, as too many were open.")
                .register(registry);
        this.bytesIn = bytes("in");
        this.bytesOut = bytes("out");
        this.gauges = List.of(
                Gauge.builder("bulwark.s3.connections", connections, AtomicInteger::get)
                        .description("Open connections of S3 clients.")
                        .register(registry),
                Gauge.builder("bulwark.s3.requests.active", active, AtomicInteger::get)
                        .description("S3 requests in processing.")
                        .register(registry));
    }

    private Counter bytes(String direction) {
        return Counter.builder("bulwark.s3.bytes")
                .description("Bytes of the bodies of S3 requests and responses.")
                .tags("direction", direction)
                .register(registry);
    }

    void count(String operation, int status, long nanos, long received, long sent) {
        Counter.builder("bulwark.s3.requests")
                .description("S3 requests answered; status 0 if the client left before.")
                .tags("operation", operation, "status", Integer.toString(status))
                .register(registry)
                .increment();
        Counter.builder("bulwark.s3.requests.seconds")
                .description("Time from the head of S3 requests to the end of their responses.")
                .tags("operation", operation)
                .register(registry)
                .increment((double) nanos / TimeUnit.SECONDS.toNanos(1));
        bytesIn.increment((double) received);
        bytesOut.increment((double) sent);
    }

    @Override
    public void close() {
        gauges.forEach(registry::remove);
    }
}
