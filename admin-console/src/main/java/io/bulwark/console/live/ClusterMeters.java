package io.bulwark.console.live;

import io.bulwark.client.ClusterStatus;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import org.springframework.stereotype.Component;

/**
 * Meters of the cluster as a whole, which no single member knows. Redundancy has no value while the cluster does not answer: an old
 * one would say that all is well.
 */
@Component
public class ClusterMeters {
    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final MultiGauge left;
    private final MultiGauge tolerated;
    private volatile Optional<ClusterStatus> status = Optional.empty();
    private volatile long recorded;
    private volatile double auditBroken = Double.NaN;

    ClusterMeters() {
        registry.config().commonTags("member", "console");
        left = MultiGauge.builder("bulwark.volume.faults.left")
                .description("Faults that the volume can still take; below 0 if it has more than it tolerates.")
                .register(registry);
        tolerated = MultiGauge.builder("bulwark.volume.faults.tolerated")
                .description("Faults that the volume tolerates with all nodes in order: the target of its redundancy.")
                .register(registry);
        gauge(
                "bulwark.cluster.answers",
                "1 while the cluster answers the console.",
                meters -> meters.status.isPresent() ? 1 : 0);
        gauge(
                "bulwark.replicas.faults.left",
                "Faults that the replicas can still take; below 0 if more have failed than they tolerate.",
                meters -> meters.status
                        .map(known -> (double) known.replicas().size() / 3 - failed(known))
                        .map(Math::floor)
                        .orElse(Double.NaN));
        gauge(
                "bulwark.replicas.faults.tolerated",
                "Faults that the replicas tolerate with all of them in order.",
                meters -> meters.status
                        .map(known -> (double) (known.replicas().size() / 3))
                        .orElse(Double.NaN));
        gauge(
                "bulwark.audit.broken",
                "1 if the last verification of the audit log in this console found a wrong entry, 0 if none.",
                meters -> meters.auditBroken);
        FunctionCounter.builder("bulwark.faults.recorded", this, meters -> meters.recorded)
                .description("Faults of nodes that f + 1 nodes have reported.")
                .register(registry);
    }

    private void gauge(String name, String description, ToDoubleFunction<ClusterMeters> value) {
        Gauge.builder(name, this, value).description(description).register(registry);
    }

    /** Returns the meters, for whoever publishes them. */
    public MeterRegistry registry() {
        return registry;
    }

    /** Shows a status as the present one. */
    void show(ClusterStatus now) {
        left.register(
                now.volumes().stream()
                        .map(volume -> MultiGauge.Row.of(tags(volume), volume.moreFaults()))
                        .toList(),
                true);
        tolerated.register(
                now.volumes().stream()
                        .map(volume -> MultiGauge.Row.of(tags(volume), volume.policyFaults()))
                        .toList(),
                true);
        // Records are numbered from 1 on; old ones are dropped, their numbers are not given again.
        recorded = Math.max(
                recorded,
                now.faults().stream()
                        .mapToLong(ClusterStatus.Fault::number)
                        .max()
                        .orElse(0));
        status = Optional.of(now);
    }

    /** Shows that the cluster does not answer. */
    void showOutage() {
        status = Optional.empty();
        left.register(List.of(), true);
        tolerated.register(List.of(), true);
    }

    /** Shows the result of a verification of the audit log. */
    public void showAudit(boolean broken) {
        auditBroken = broken ? 1 : 0;
    }

    private static Tags tags(ClusterStatus.VolumeStatus volume) {
        return Tags.of("volume", volume.volume().name());
    }

    private static long failed(ClusterStatus known) {
        return known.replicas().stream()
                .filter(replica -> !replica.reachable() || !replica.agrees())
                .count();
    }
}
