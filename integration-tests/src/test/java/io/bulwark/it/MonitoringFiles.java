package io.bulwark.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.NullMarked;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Content of docker/: the compose files, and the files for Prometheus and Grafana. */
@NullMarked
final class MonitoringFiles {
    static final Path DOCKER = Path.of("..").toAbsolutePath().normalize().resolve("docker");
    private static final Path MONITORING = DOCKER.resolve("monitoring");
    private static final Pattern SHOWN_LABEL = Pattern.compile("\\{\\{\\s*(?:\\$labels\\.)?([a-zA-Z_]+)\\s*}}");

    private MonitoringFiles() {}

    /**
     * Something that is shown or told of an expression.
     *
     * @param where for people
     * @param text a legend or a summary, which names labels
     */
    record Told(String where, String expression, String text) {
        List<String> labels() {
            List<String> labels = new ArrayList<>();
            Matcher label = SHOWN_LABEL.matcher(text);
            while (label.find()) {
                labels.add(label.group(1));
            }
            return labels;
        }
    }

    static JsonNode dashboard() {
        return JsonMapper.builder().build().readTree(read(MONITORING.resolve("dashboards/bulwark.json")));
    }

    /** The rules, in order. */
    static List<Map<String, Object>> rules() {
        List<Map<String, Object>> rules = new ArrayList<>();
        for (Map<String, Object> group : maps(yaml(MONITORING.resolve("alerts.yaml")), "groups")) {
            rules.addAll(maps(group, "rules"));
        }
        return rules;
    }

    /** All that panels and alerts ask Prometheus. */
    static List<Told> told() {
        List<Told> told = new ArrayList<>();
        for (JsonNode panel : dashboard().get("panels")) {
            for (JsonNode target : panel.get("targets")) {
                told.add(new Told(
                        "panel " + panel.get("title").asString(),
                        target.get("expr").asString(),
                        target.get("legendFormat").asString()));
            }
        }
        for (Map<String, Object> rule : rules()) {
            String text = String.valueOf(map(rule, "annotations").get("summary"));
            told.add(new Told("alert " + rule.get("alert"), String.valueOf(rule.get("expr")), text));
        }
        return told;
    }

    static Map<String, Object> prometheus() {
        return yaml(MONITORING.resolve("prometheus.yaml"));
    }

    static Map<String, Object> compose(String name) {
        return yaml(DOCKER.resolve(name));
    }

    static Map<String, Object> provisioned(String name) {
        return yaml(MONITORING.resolve("provisioning").resolve(name));
    }

    static Map<String, Object> map(Map<String, Object> in, String key) {
        return checked(Objects.requireNonNull(in.get(key), key));
    }

    static List<Map<String, Object>> maps(Map<String, Object> in, String key) {
        List<Map<String, Object>> all = new ArrayList<>();
        for (Object each : list(in, key)) {
            all.add(checked(each));
        }
        return all;
    }

    static List<?> list(Map<String, Object> in, String key) {
        return (List<?>) Objects.requireNonNull(in.get(key), key);
    }

    private static Map<String, Object> yaml(Path file) {
        return checked(new Yaml(new SafeConstructor(new LoaderOptions())).load(read(file)));
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> checked(Object loaded) {
        return (Map<String, Object>) loaded;
    }

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
