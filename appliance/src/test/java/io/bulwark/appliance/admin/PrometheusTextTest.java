package io.bulwark.appliance.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class PrometheusTextTest {
    private final MeterRegistry meters = PrometheusText.registry();

    @Test
    void eachKindOfMeterHasItsForm() {
        Gauge.builder("a.queued", () -> 7).baseUnit("bytes").register(meters);
        Gauge.builder("a.used.bytes", () -> 8).baseUnit("bytes").register(meters);
        Gauge.builder("a.odd", () -> Double.POSITIVE_INFINITY).register(meters);
        FunctionCounter.builder("a.served", meters, _ -> 3)
                .description("Requests served, \\ and\nothers.")
                .register(meters);
        Timer.builder("a.pause").register(meters).record(Duration.ofMillis(1500));
        DistributionSummary.builder("a.size").register(meters).record(4);
        assertThat(PrometheusText.of(List.of(meters)).lines())
                .contains(
                        "# TYPE a_queued_bytes gauge",
                        "a_queued_bytes 7.0",
                        "a_used_bytes 8.0",
                        "a_odd +Inf",
                        "# HELP a_served_total Requests served, \\\\ and\\nothers.",
                        "# TYPE a_served_total counter",
                        "a_served_total 3.0",
                        "# TYPE a_pause_seconds summary",
                        "a_pause_seconds_count 1",
                        "a_pause_seconds_sum 1.5",
                        "a_size_count 1",
                        "a_size_sum 4.0");
    }

    @Test
    void whatOthersChoseIsQuoted() {
        meters.counter("a.refused", "peer-name", "say \"no\"\\\nor not").increment();
        assertThat(PrometheusText.of(List.of(meters))).isEqualTo("""
            # HELP a_refused_total \s
            # TYPE a_refused_total counter
            a_refused_total{peer_name="say \\"no\\"\\\\\\nor not"} 1.0
            """);
    }
}
