package io.bulwark.appliance.admin;

import io.micrometer.core.instrument.Measurement;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Statistic;
import io.micrometer.core.instrument.Tag;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Meters in Prometheus's text format, version 0.0.4, named as Micrometer's own registry for Prometheus names them. The meters of
 * several registries stand together under each name, as the format wants.
 */
public final class PrometheusText {
    /** Content type of a response that carries this text. */
    public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private static final Pattern FOREIGN = Pattern.compile("[^a-zA-Z0-9_]");

    private record Family(String type, String description, List<String> samples) {}

    private final Map<String, Family> families = new TreeMap<>();

    private PrometheusText() {}

    /** Renders the current values of all registries. */
    public static String of(Collection<MeterRegistry> registries) {
        PrometheusText text = new PrometheusText();
        registries.forEach(registry -> registry.getMeters().forEach(text::add));
        StringBuilder out = new StringBuilder();
        text.families.forEach((name, family) -> {
            if (!family.description.isEmpty()) {
                out.append("# HELP ")
                        .append(name)
                        .append(' ')
                        .append(escaped(family.description))
                        .append('\n');
            }
            out.append("# TYPE ").append(name).append(' ').append(family.type).append('\n');
            family.samples.forEach(sample -> out.append(sample).append('\n'));
        });
        return out.toString();
    }

    private void add(Meter meter) {
        Meter.Id id = meter.getId();
        String unit = id.getBaseUnit();
        String name = foreignAway(id.getName());
        String full = unit == null || name.endsWith(foreignAway(unit)) ? name : name + "_" + foreignAway(unit);
        String tags = tags(id.getTags());
        switch (id.getType()) {
            case COUNTER ->
                each(
                        meter,
                        value -> add(id, full.endsWith("_total") ? full : full + "_total", "counter", "", tags, value));
            case GAUGE -> each(meter, value -> add(id, full, "gauge", "", tags, value));
            case TIMER, LONG_TASK_TIMER, DISTRIBUTION_SUMMARY, OTHER -> {
                for (Measurement measurement : meter.measure()) {
                    addStatistic(id, full, tags, measurement);
                }
            }
        }
    }

    private void addStatistic(Meter.Id id, String name, String tags, Measurement measurement) {
        Statistic statistic = measurement.getStatistic();
        switch (statistic) {
            case COUNT -> add(id, name, "summary", "_count", tags, measurement.getValue());
            case TOTAL, TOTAL_TIME -> add(id, name, "summary", "_sum", tags, measurement.getValue());
            case MAX, VALUE, UNKNOWN, ACTIVE_TASKS, DURATION ->
                add(id, name + "_" + statistic.getTagValueRepresentation(), "gauge", "", tags, measurement.getValue());
        }
    }

    private interface Taking {
        void take(double value);
    }

    private static void each(Meter meter, Taking taking) {
        meter.measure().forEach(measurement -> taking.take(measurement.getValue()));
    }

    private void add(Meter.Id id, String name, String type, String suffix, String tags, double value) {
        String description = id.getDescription();
        families.computeIfAbsent(name, _ -> new Family(type, description == null ? "" : description, new ArrayList<>()))
                .samples
                .add(name + suffix + tags + " " + text(value));
    }

    private static String tags(List<Tag> tags) {
        if (tags.isEmpty()) {
            return "";
        }
        List<String> all = new ArrayList<>();
        for (Tag tag : tags) {
            String value =
                    tag.getValue().replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
            all.add(foreignAway(tag.getKey()) + "=\"" + value + "\"");
        }
        return "{" + String.join(",", all) + "}";
    }

    private static String escaped(String description) {
        return description.replace("\\", "\\\\").replace("\n", "\\n");
    }

    private static String text(double value) {
        if (Double.isInfinite(value)) {
            return value > 0 ? "+Inf" : "-Inf";
        }
        return Double.toString(value);
    }

    private static String foreignAway(String name) {
        return FOREIGN.matcher(name).replaceAll("_");
    }
}
