package io.bulwark.console.live;

import io.bulwark.client.ClusterStatus;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.ToDoubleFunction;
import java.util.function.ToIntFunction;
import org.springframework.stereotype.Component;

/**
 * Meters of the cluster as a whole, which no single member knows. Redundancy has no value while the cluster does not answer: an old
 * one would say that all is well.
 */
@Component
public class ClusterMeters implements MeterBinder {
    private final List<VolumeGauges> volumes = new CopyOnWriteArrayList<>();
    private volatile Optional<ClusterStatus> status = Optional.empty();
    private volatile long recorded;
    private volatile double auditBroken = Double.NaN;

    /** Gauges of one registry, with a row for each volume. */
    private record VolumeGauges(MultiGauge left, MultiGauge tolerated) {
        void show(List<ClusterStatus.VolumeStatus> volumes) {
            left.register(rows(volumes, ClusterStatus.VolumeStatus::moreFaults), true);
            tolerated.register(rows(volumes, ClusterStatus.VolumeStatus::policyFaults), true);
        }

        private static List<MultiGauge.Row<?>> rows(
                List<ClusterStatus.VolumeStatus> volumes, ToIntFunction<ClusterStatus.VolumeStatus> value) {
            List<MultiGauge.Row<?>> rows = new ArrayList<>();
            for (ClusterStatus.VolumeStatus volume : volumes) {
                rows.add(MultiGauge.Row.of(Tags.of("volume", volume.volume().name()), value.applyAsInt(volume)));
            }
            return rows;
        }
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        volumes.add(new VolumeGauges(
                MultiGauge.builder("bulwark.volume.faults.left")
                        .description("Faults that the volume can still take; below 0 if it has more than it tolerates.")
                        .register(registry),
                MultiGauge.builder("bulwark.volume.faults.tolerated")
                        .description("Faults that the volume tolerates with all nodes in order: the target of its"
                                + " redundancy.")
                        .register(registry)));
        gauge(
                registry,
                "bulwark.cluster.answers",
                "1 while the cluster answers the console.",
                meters -> meters.status.isPresent() ? 1 : 0);
        gauge(
                registry,
                "bulwark.replicas.faults.left",
                "Faults that the replicas can still take; below 0 if more have failed than they tolerate.",
                meters -> meters.status
                        .map(known -> (double) (known.replicas().size() / 3 - failed(known)))
                        .orElse(Double.NaN));
        gauge(
                registry,
                "bulwark.replicas.faults.tolerated",
                "Faults that the replicas tolerate with all of them in order.",
                meters -> meters.status
                        .map(known -> (double) Math.floorDiv(known.replicas().size(), 3))
                        .orElse(Double.NaN));
        gauge(
                registry,
                "bulwark.audit.broken",
                "1 if the last verification of the audit log in this console found a wrong entry, 0 if none.",
                meters -> meters.auditBroken);
        gauge(
                registry,
                "bulwark.nodes.faulty",
                "Nodes that f + 1 holders of a placement group find faulty, removed ones included.",
                meters -> meters.status
                        .map(known -> (double) known.faultyNodes().size())
                        .orElse(Double.NaN));
        FunctionCounter.builder("bulwark.faults.recorded", this, meters -> meters.recorded)
                .description("Faults of nodes that f + 1 nodes have reported.")
                .register(registry);
    }

    private void gauge(MeterRegistry registry, String name, String description, ToDoubleFunction<ClusterMeters> value) {
        Gauge.builder(name, this, value).description(description).register(registry);
    }

    /** Shows a status as the present one. */
    void show(ClusterStatus now) {
        volumes.forEach(gauges -> gauges.show(now.volumes()));
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
        volumes.forEach(gauges -> gauges.show(List.of()));
    }

    /** Shows the result of a verification of the audit log. */
    public void showAudit(boolean broken) {
        auditBroken = broken ? 1 : 0;
    }

    private static long failed(ClusterStatus known) {
        return known.replicas().stream()
                .filter(replica -> !replica.reachable() || !replica.agrees())
                .count();
    }
}
