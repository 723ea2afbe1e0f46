package io.bulwark.appliance.cluster;

import io.bulwark.metadata.RecoveryProgress;
import io.bulwark.metadata.ReplicaServer;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.KnownRecovery;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.OwnRecovery;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.Phase;
import io.bulwark.protocol.ordering.recovery.RecoveryStatus;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.OptionalLong;
import java.util.function.IntSupplier;
import java.util.function.ToDoubleFunction;

/** Meters of a replica's recoveries; NaN where there is no value. */
final class RecoveryMeters {
    private static final double MILLIS_PER_SECOND = 1_000;

    private RecoveryMeters() {}

    /** @param replicas how many there are by now */
    static void register(ReplicaServer replica, IntSupplier replicas, MeterRegistry meters) {
        gauge(
                "bulwark.replica.recovery.open",
                "1 while the replica recovers.",
                replica,
                meters,
                standing -> standing.report().phase() == Phase.NONE ? 0 : 1);
        gauge(
                "bulwark.replica.recovery.seconds",
                "Duration of its last recovery.",
                replica,
                meters,
                standing -> durationOf(standing.report().own()));
        gauge(
                "bulwark.replica.recovery.pages.replaced",
                "Damaged pages of its state that its last recovery replaced.",
                replica,
                meters,
                standing -> standing.report().own().damagedPages());
        gauge(
                "bulwark.replica.recovery.others.slow",
                "Other replicas whose recovery takes too long.",
                replica,
                meters,
                standing -> standing.report().known().stream()
                        .filter(KnownRecovery::slow)
                        .count());
        gauge(
                "bulwark.replica.recovery.others.overdue",
                "Other replicas whose recovery is overdue.",
                replica,
                meters,
                standing -> {
                    RecoveryStatus told = standing.told(System.currentTimeMillis(), true);
                    return told.known().stream().filter(told::isOverdue).count();
                });
        gauge(
                "bulwark.replica.key.oldest.seconds",
                "Age of the oldest session key in use with another replica.",
                replica,
                meters,
                standing -> standing.oldestKeyMillis() / MILLIS_PER_SECOND);
        gauge("bulwark.replica.window.seconds", "Bound on the window of vulnerability.", replica, meters, standing -> {
            OptionalLong window = standing.windowMillis(replicas.getAsInt(), System.currentTimeMillis());
            return window.isPresent() ? window.getAsLong() / MILLIS_PER_SECOND : Double.NaN;
        });
    }

    private static void gauge(
            String meter,
            String description,
            ReplicaServer replica,
            MeterRegistry meters,
            ToDoubleFunction<RecoveryProgress> value) {
        Gauge.builder(
                        meter,
                        replica,
                        shown -> shown.status()
                                .recovery()
                                .map(value::applyAsDouble)
                                .orElse(Double.NaN))
                .description(description)
                .register(meters);
    }

    private static double durationOf(OwnRecovery own) {
        return own.recoveredMillis() == 0
                ? Double.NaN
                : (own.recoveredMillis() - own.startedMillis()) / MILLIS_PER_SECOND;
    }
}
