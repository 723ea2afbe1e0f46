package io.bulwark.appliance.admin;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Meters in Prometheus's text format. Each member of a process has a registry of its own, which ends with it; the meters of several
 * registries stand together under each name, as the format wants.
 */
public final class PrometheusText {
    /** Content type of a response that carries this text. */
    public static final String CONTENT_TYPE = PrometheusTextFormatWriter.CONTENT_TYPE;

    private static final PrometheusTextFormatWriter WRITER = PrometheusTextFormatWriter.create();

    private PrometheusText() {}

    /** Makes an empty registry whose meters can be rendered. */
    public static MeterRegistry registry() {
        return new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    }

    /**
     * Renders the current values of all registries.
     *
     * @param registries each made by {@link #registry}, or empty
     */
    public static String of(Collection<MeterRegistry> registries) {
        List<MetricSnapshot> all = new ArrayList<>();
        for (MeterRegistry registry : registries) {
            if (registry instanceof PrometheusMeterRegistry prometheus) {
                prometheus.getPrometheusRegistry().scrape().forEach(all::add);
            } else if (!registry.getMeters().isEmpty()) {
                throw new IllegalArgumentException("meters in a registry of another kind: " + registry.getMeters());
            }
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            WRITER.write(out, new MetricSnapshots(all), EscapingScheme.UNDERSCORE_ESCAPING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toString(StandardCharsets.UTF_8);
    }
}
