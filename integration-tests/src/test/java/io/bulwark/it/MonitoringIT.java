package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bulwark.house.ReferencePage;
import io.bulwark.it.MetricExpression.Selected;
import io.bulwark.it.MonitoringFiles.Told;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Every metric that the dashboard, the alerts and the operator's manual name is one that a running cluster exposes, with these labels. */
@NullMarked
class MonitoringIT {
    private static final int FAULTY = 14;

    /** Prometheus gives these itself, to all it scrapes. */
    private static final Set<String> SCRAPED = Set.of("job", "instance");

    private static final Pattern NAMED = Pattern.compile("\\bbulwark(\\.[a-z]+)+");

    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.shared();

    @Test
    void nothingIsAskedForThatNobodyExposes() throws Exception {
        CLUSTER.supervise();
        haveAConnectionRefused();
        new CommandRun(CLUSTER, "volume", "create", "poison-counted", "--blocks", "10", "--protocol", "pasis")
                .with("--faults", "1", "--verification", "lazy")
                .json();
        CLUSTER.grant(FAULTY);
        try (PoisonousClient faulty = new PoisonousClient(CLUSTER, FAULTY, "poison-counted");
                HttpClient http = HttpClient.newHttpClient()) {
            haveAnS3RequestCounted(http);
            await().until(() -> faulty.poison(3, 1) >= 4);
            await().untilAsserted(() -> {
                InetSocketAddress admin =
                        CLUSTER.plan().adminAddress(CLUSTER.plan().consoleAddress());
                Scrape scrape = Scrape.of(http, admin);
                Map<String, Set<String>> exposed = exposed(scrape);
                List<String> madeUp = new ArrayList<>();
                MonitoringFiles.told().forEach(told -> madeUp.addAll(madeUp(told, exposed)));
                assertThat(madeUp).isEmpty();
                assertThat(namedInTheManual())
                        .allMatch(named -> exposed.keySet().stream().anyMatch(metric -> metric.startsWith(named)));
                ReferencePage.check("metrics", "MonitoringIT", page(scrape, exposed));
            });
        }
    }

    /** Returns the metrics and labels that it queries or shows, but that no member exposes. */
    private static List<String> madeUp(Told told, Map<String, Set<String>> exposed) {
        List<String> madeUp = new ArrayList<>();
        MetricExpression asked = MetricExpression.of(told.expression());
        for (Selected metric : asked.metrics()) {
            Set<String> there = exposed.get(metric.name());
            Set<String> labels = new HashSet<>(metric.labels());
            labels.addAll(asked.grouping());
            if (asked.grouping().isEmpty()) {
                labels.addAll(told.labels());
            } else if (!asked.grouping().containsAll(told.labels())) {
                madeUp.add(told.where() + " tells of labels that it does not group by: " + told.text());
            }
            labels.removeAll(SCRAPED);
            if (there == null || !there.containsAll(labels)) {
                madeUp.add(told.where() + ": " + metric.name() + labels + ", there is " + there);
            }
        }
        return madeUp;
    }

    private static Set<String> namedInTheManual() {
        Set<String> named = new TreeSet<>();
        for (String page : List.of("how-to/monitor.md", "storage.md")) {
            Path manual = MonitoringFiles.DOCKER.resolveSibling("docs").resolve(page);
            Matcher name = NAMED.matcher(MonitoringFiles.read(manual));
            while (name.find()) {
                named.add(name.group().replace('.', '_'));
            }
        }
        assertThat(named).isNotEmpty();
        return named;
    }

    /**
     * Returns the metrics of all members, each with the labels that all its samples have, and Prometheus' own metric of
     * scraped members.
     */
    private static Map<String, Set<String>> exposed(Scrape scrape) {
        Map<String, Set<String>> exposed = new TreeMap<>(Map.of("up", Set.of()));
        for (Scrape.Sample sample : scrape.samples()) {
            exposed.merge(sample.name(), sample.labels(), (one, other) -> {
                Set<String> both = new TreeSet<>(one);
                both.retainAll(other);
                return both;
            });
        }
        return exposed;
    }

    /** Returns the reference page of Bulwark's own metrics. */
    private static String page(Scrape scrape, Map<String, Set<String>> exposed) {
        StringBuilder page = new StringBuilder("""
            The admin endpoint of a member ([monitor](../how-to/monitor.md#health)) exposes these at
            `/actuator/prometheus`. A name ends with the unit; `_total` is a counter, all others are gauges. Metrics of
            the JVM (`jvm_`, `process_`, `system_`) follow Micrometer. A counter with a `reason`, `about` or `verdict`
            appears with its first event.

            | Metric | Labels | Meaning |
            |---|---|---|
            """);
        for (Scrape.Family family : scrape.families()) {
            if (family.name().startsWith("bulwark_")) {
                assertThat(family.type())
                        .as(family.name())
                        .isEqualTo(family.name().endsWith("_total") ? "counter" : "gauge");
                assertThat(family.description()).as(family.name()).isNotEmpty();
                Set<String> labels = new TreeSet<>(exposed.getOrDefault(family.name(), Set.of()));
                page.append("| `" + family.name() + "` | " + String.join(", ", labels) + " | " + family.description()
                        + " |\n");
            }
        }
        return page.toString();
    }

    /** Sends an S3 request, as its counters are exposed only after the first one. */
    private static void haveAnS3RequestCounted(HttpClient http) throws IOException, InterruptedException {
        URI gateway =
                URI.create("http://127.0.0.1:" + CLUSTER.plan().s3Address().getPort() + "/");
        http.send(HttpRequest.newBuilder(gateway).build(), BodyHandlers.discarding());
    }

    /** Causes a refused connection, as its counter is exposed only after the first one. */
    private static void haveAConnectionRefused() throws IOException {
        int port = CLUSTER.plan().shape().nodePort(0);
        try (Socket stranger = new Socket(InetAddress.getLoopbackAddress(), port)) {
            stranger.getOutputStream().write("who is there?\n".repeat(100).getBytes(StandardCharsets.US_ASCII));
            stranger.getOutputStream().flush();
            while (stranger.getInputStream().read() >= 0) {
                // It says so in TLS, and ends.
            }
        } catch (SocketException e) {
            // Or it ends without a word.
        }
    }
}
