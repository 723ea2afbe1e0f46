package io.bulwark.it;

import static io.bulwark.it.MonitoringFiles.map;
import static io.bulwark.it.MonitoringFiles.maps;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.it.MetricExpression.Selected;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The files of docker/monitoring fit together, and fit the compose file that mounts them. {@link MonitoringIT} knows their metrics. */
@NullMarked
class MonitoringTest {
    private static final String NODE_ADMIN = "BULWARK_NODE_ADMIN";

    private final Map<String, Object> compose = MonitoringFiles.compose("compose.bridge.yaml");
    private final Map<String, Object> services = map(compose, "services");

    @Test
    void anExpressionNamesItsMetricsAndLabels() {
        assertThat(MetricExpression.of("up{job=~\"bulwark-.*\"} == 0").metrics())
                .containsExactly(new Selected("up", Set.of("job")));
        MetricExpression sums = MetricExpression.of(
                "sum by (about, reason) (increase(a_total{x=\"} or made_up\",y!=\"\"}[1h]) > 0 or (b unless b offset"
                        + " 1h)) > 0.15 * c:d");
        assertThat(sums.metrics())
                .containsExactly(
                        new Selected("a_total", Set.of("x", "y")),
                        new Selected("b", Set.of()),
                        new Selected("c:d", Set.of()));
        assertThat(sums.grouping()).containsExactly("about", "reason");
    }

    @Test
    void everyMemberIsScrapedWhereItsAdminEndpointIs() {
        Set<String> expected = new HashSet<>();
        services.keySet().forEach(name -> {
            if (name.matches("(node|replica)-[0-9]+|console|s3")) {
                expected.add(name + ":" + adminPort(name));
            }
            if (name.startsWith("replica-")) {
                expected.add(name + ":" + port("BULWARK_SUPERVISOR_ADMIN", name));
            }
        });
        List<String> targets = new ArrayList<>();
        for (Map<String, Object> job : maps(MonitoringFiles.prometheus(), "scrape_configs")) {
            assertThat(job.get("metrics_path")).isEqualTo("/actuator/prometheus");
            assertThat(String.valueOf(job.get("job_name"))).startsWith("bulwark-");
            maps(job, "static_configs")
                    .forEach(each -> MonitoringFiles.list(each, "targets").forEach(target -> targets.add("" + target)));
        }
        assertThat(targets).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(expected);
    }

    private int adminPort(String service) {
        return switch (service) {
            case "console" -> port("BULWARK_CONSOLE_ADMIN", service);
            case "s3" -> port("BULWARK_S3_ADMIN", service);
            default -> port(service.startsWith("node-") ? NODE_ADMIN : "BULWARK_REPLICA_ADMIN", service);
        };
    }

    private int port(String variable, String service) {
        String address =
                String.valueOf(map(map(services, service), "environment").get(variable));
        return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    }

    @Test
    void everyAlertSaysHowBadItIsAndWhatItIs() {
        Set<String> names = new HashSet<>();
        for (Map<String, Object> rule : MonitoringFiles.rules()) {
            String name = String.valueOf(rule.get("alert"));
            assertThat(names.add(name)).as(name).isTrue();
            assertThat(map(rule, "labels").get("severity")).as(name).isIn("page", "ticket");
            assertThat(String.valueOf(map(rule, "annotations").get("summary")))
                    .as(name)
                    .isNotBlank();
            assertThat(MetricExpression.of(String.valueOf(rule.get("expr"))).metrics())
                    .as(name)
                    .isNotEmpty();
        }
        assertThat(MonitoringFiles.prometheus().get("rule_files")).isEqualTo(List.of("alerts.yaml"));
    }

    @Test
    void theDashboardIsFoundAndAsksTheSourceThatIsProvisioned() {
        Map<String, Object> source = maps(MonitoringFiles.provisioned("datasources/prometheus.yaml"), "datasources")
                .getFirst();
        assertThat(source.get("url")).isEqualTo("http://prometheus:9090");
        assertThat(services).containsKey("prometheus");
        Map<String, Object> provider = maps(MonitoringFiles.provisioned("dashboards/bulwark.yaml"), "providers")
                .getFirst();
        assertThat(mounts("grafana"))
                .containsKey(String.valueOf(map(provider, "options").get("path")));
        Set<Integer> ids = new HashSet<>();
        for (JsonNode panel : MonitoringFiles.dashboard().get("panels")) {
            assertThat(panel.get("datasource").get("uid").asString()).isEqualTo(source.get("uid"));
            assertThat(ids.add(panel.get("id").asInt())).isTrue();
        }
    }

    @Test
    void whatIsMountedIsThereAndOnlyRunsWhenAskedFor() {
        for (String service : List.of("prometheus", "grafana")) {
            assertThat(map(services, service).get("profiles")).isEqualTo(List.of("monitoring"));
            mounts(service).values().stream()
                    .filter(source -> source.startsWith("./"))
                    .forEach(source -> {
                        Path path = MonitoringFiles.DOCKER.resolve(source);
                        assertThat(path).exists();
                    });
        }
        assertThat(mounts("prometheus")).containsKey("/etc/prometheus/prometheus.yaml");
        assertThat(String.valueOf(map(services, "prometheus").get("command")))
                .contains("--config.file=/etc/prometheus/prometheus.yaml");
    }

    /** Returns the mounts of a service, by target. */
    private Map<String, String> mounts(String service) {
        Map<String, String> mounts = new HashMap<>();
        MonitoringFiles.list(map(services, service), "volumes").forEach(volume -> {
            String[] parts = String.valueOf(volume).split(":", -1);
            mounts.put(parts[1], parts[0]);
        });
        return mounts;
    }
}
