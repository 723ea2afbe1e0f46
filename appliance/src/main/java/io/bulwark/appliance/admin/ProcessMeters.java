package io.bulwark.appliance.admin;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import java.util.List;

/** Meters of the JVM: memory, threads, garbage collection, processor, files, uptime. */
final class ProcessMeters implements AutoCloseable {
    private final MeterRegistry registry = PrometheusText.registry();
    private final JvmGcMetrics collections;
    /** Gauges hold what they show weakly. */
    private final List<MeterBinder> binders;

    /** @param process its name, for example {@code node-3}, or {@code up} */
    ProcessMeters(String process) {
        Tags tags = Tags.of("process", process);
        collections = new JvmGcMetrics(tags);
        binders = List.of(
                collections,
                new JvmMemoryMetrics(tags),
                new JvmThreadMetrics(tags),
                new ProcessorMetrics(tags),
                new FileDescriptorMetrics(tags),
                new UptimeMetrics(tags));
        binders.forEach(binder -> binder.bindTo(registry));
    }

    MeterRegistry registry() {
        return registry;
    }

    @Override
    public void close() {
        collections.close();
        registry.close();
    }
}
