package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** The alert rules behave as their unit tests say, and name only documented metrics. */
@NullMarked
class AlertRulesTest {
    private static final Path MONITORING = MonitoringFiles.DOCKER.resolve("monitoring");
    private static final Pattern DOCUMENTED = Pattern.compile("^\\| `(bulwark_[a-z_]+)`", Pattern.MULTILINE);

    /** Needs promtool, which .ci/run installs. */
    @Test
    void rulesPassTheirUnitTests() throws Exception {
        boolean installed =
                List.of(Objects.requireNonNullElse(System.getenv("PATH"), "").split(File.pathSeparator)).stream()
                        .anyMatch(directory -> Files.isExecutable(Path.of(directory, "promtool")));
        assumeTrue(installed, "promtool is not installed");
        Process promtool = new ProcessBuilder("promtool", "test", "rules", "rules-test.yaml")
                .directory(MONITORING.toFile())
                .redirectErrorStream(true)
                .start();
        String said = new String(promtool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(promtool.waitFor()).as(said).isZero();
    }

    @Test
    void rulesAndPanelsNameDocumentedMetrics() {
        Set<String> documented = new HashSet<>();
        Matcher names = DOCUMENTED.matcher(
                MonitoringFiles.read(MonitoringFiles.DOCKER.resolveSibling("docs/reference/metrics.md")));
        while (names.find()) {
            documented.add(names.group(1));
        }
        assertThat(MonitoringFiles.told())
                .flatExtracting(told -> MetricExpression.of(told.expression()).metrics())
                .extracting(MetricExpression.Selected::name)
                .filteredOn(name -> name.startsWith("bulwark_"))
                .isNotEmpty()
                .allMatch(documented::contains);
    }

    @Test
    void everyDangerHasATestedRule() {
        String tests = MonitoringFiles.read(MONITORING.resolve("rules-test.yaml"));
        List<String> rules = MonitoringFiles.rules().stream()
                .map((Map<String, Object> rule) -> String.valueOf(rule.get("alert")))
                .toList();
        List<String> dangers = List.of(
                "BulwarkRedundancyReduced",
                "BulwarkReplicasReduced",
                "BulwarkClusterSilent",
                "BulwarkBacklogGrows",
                "BulwarkRecoverySlow",
                "BulwarkFaultRecorded",
                "BulwarkEvidence",
                "BulwarkAuditBroken",
                "BulwarkStoreFillsSoon",
                "BulwarkCertificateEnds");
        assertThat(rules).containsAll(dangers);
        assertThat(dangers).allMatch(danger -> tests.contains("alertname: " + danger + "\n"));
    }
}
