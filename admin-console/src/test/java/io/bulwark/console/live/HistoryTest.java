package io.bulwark.console.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.bulwark.client.error.LimitReachedException;
import io.bulwark.console.LargeCluster;
import io.bulwark.console.Surroundings;
import io.bulwark.console.http.ApiException;
import jakarta.servlet.http.HttpSessionEvent;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpSession;

/** The hour in memory, a Prometheus beside it, the log of changes, and the bounds of streams. */
@NullMarked
class HistoryTest {
    private static final Instant NOON = Instant.parse("2026-11-29T12:00:00Z");

    private final LargeCluster cluster = new LargeCluster(9, 5);
    private final History history = new History();

    private void sample(int seconds) {
        history.add(new ClusterWatch.Observation(cluster.status(), NOON.plusSeconds(seconds)), Duration.ofMillis(3));
    }

    private HistoryApi api(Surroundings surroundings, Instant now) {
        return new HistoryApi(history, new Prometheus(surroundings), Clock.fixed(now, ZoneOffset.UTC));
    }

    @Test
    void eachNodeHasAnHourOfItsOwn() {
        sample(0);
        history.addGap(NOON.plusSeconds(10));
        sample(20);
        sample(30);
        History.Series pending =
                history.series("node-3.backlog.blocks", NOON.plusSeconds(5)).orElseThrow();
        double now = cluster.status().nodes().get(3).pending();
        assertThat(pending.values()).containsExactly(null, now, now);
        assertThat(pending.unit()).isEqualTo(History.Unit.BLOCKS);
        assertThat(history.series("node-3.scrub.rate", Instant.EPOCH)
                        .orElseThrow()
                        .values())
                .as("a rate needs two samples")
                .containsExactly(null, null, null, 0.0);
        assertThat(api(Surroundings.NONE, NOON)
                        .history(List.of("node-0.repair.rate"), null)
                        .series())
                .hasSize(1);
        for (String none :
                List.of("node-10.scrub.rate", "node-3.none", "node-99999999999.scrub.rate", "replica-3.scrub.rate")) {
            assertThat(history.series(none, Instant.EPOCH)).as(none).isEmpty();
        }
    }

    @Test
    void anOutageIsAGapInThePlot() {
        sample(0);
        history.addGap(NOON.plusSeconds(10));
        sample(20);
        sample(30);
        History.Series used = history.series("capacity.used", Instant.EPOCH).orElseThrow();
        assertThat(used.values()).containsExactly(9.0 * (4L << 30), null, 9.0 * (4L << 30), 9.0 * (4L << 30));
        History.Series rate = history.series("metadata.rate", Instant.EPOCH).orElseThrow();
        assertThat(rate.values()).as("a rate needs two samples").containsExactly(null, null, null, 0.0);
        assertThat(history.series("faults-left.default", NOON.plusSeconds(25))
                        .orElseThrow()
                        .values())
                .containsExactly(1.0);
        assertThat(history.series("faults-left.none", NOON)).isEmpty();
    }

    @Test
    void onlyTheLastHourIsKept() {
        for (int i = 0; i < 500; i++) {
            sample(10 * i);
        }
        History.Series used = history.series("capacity.used", Instant.EPOCH).orElseThrow();
        assertThat(used.values()).hasSize(History.SAMPLES_MAX);
        assertThat(history.first()).contains(NOON.plusSeconds(1400));
    }

    @Test
    void unknownSeriesAndTimesThatCannotBeAreNamed() {
        sample(0);
        HistoryApi api = api(Surroundings.NONE, NOON.plusSeconds(5));
        assertThat(api.history(null, null).available()).contains("capacity.used", "faults-left.default");
        assertThat(api.history(List.of("capacity.used"), "2026-11-29T11:30:00Z").series())
                .hasSize(1);
        for (String[] wrong :
                new String[][] {{"nonsense", null}, {"capacity.used", "noon"}, {"capacity.used", "2020-01-01T00:00:00Z"}
                }) {
            assertThatThrownBy(() -> api.history(List.of(wrong[0]), wrong[1])).isInstanceOf(ApiException.class);
        }
    }

    @Test
    void aPrometheusIsAskedForMoreThanAnHour() throws Exception {
        List<String> asked = new ArrayList<>();
        HttpServer prometheus = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        String[] answer = {
            "{\"status\":\"success\",\"data\":{\"result\":[{\"values\":[[1764410000,\"17\"],[1764410060,\"NaN\"]]}]}}"
        };
        prometheus.createContext("/", exchange -> {
            asked.add(exchange.getRequestURI().getQuery());
            byte[] body = answer[0].getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        prometheus.start();
        try {
            URI base = URI.create("http://127.0.0.1:" + prometheus.getAddress().getPort());
            HistoryApi api = api(
                    new Surroundings(
                            Optional.of(base), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty()),
                    NOON);
            sample(0);
            History.Series series = api.history(List.of("capacity.used"), "2026-11-28T12:00:00Z")
                    .series()
                    .getFirst();
            assertThat(series.source()).isEqualTo("prometheus");
            assertThat(series.values()).containsExactly(17.0, null);
            assertThat(asked.getFirst())
                    .contains("query=sum(bulwark_store_bytes)")
                    .contains("step=174");
            assertThat(api.history(List.of("requests.rate"), null)
                            .series()
                            .getFirst()
                            .source())
                    .isEqualTo("prometheus");
            answer[0] = "x".repeat(Prometheus.ANSWER_BYTES_MAX + 1);
            assertThat(api.history(List.of("capacity.used"), "2026-11-28T12:00:00Z")
                            .series()
                            .getFirst()
                            .source())
                    .as("an answer without end is none")
                    .isEqualTo("console");
        } finally {
            prometheus.stop(0);
        }
    }

    @Test
    void changesAreToldInSentences() {
        ChangeLog changes = new ChangeLog();
        changes.onStatus(NOON, cluster.status());
        changes.onMap(NOON, cluster.map());
        cluster.silent.add(3);
        cluster.set(0, cluster.group(0).announced(0, 9));
        changes.onStatus(NOON.plusSeconds(2), cluster.status());
        changes.onMap(NOON.plusSeconds(2), cluster.map());
        changes.onOutage(NOON.plusSeconds(4), "nobody answers");
        changes.onOutage(NOON.plusSeconds(6), "nobody answers");
        assertThat(changes.recent())
                .extracting(ChangeLog.Change::text)
                .containsExactly(
                        "The cluster ceased to answer: nobody answers.",
                        "Group 0 of volume default moves a slot from node-0 to node-9.",
                        "Volume default can take 0 more faulty nodes for certain, down from 1.",
                        "node-3 ceased to answer.");
    }

    @Test
    void theClusterIsAskedOnceInTwoSecondsDuringAnOutageToo() {
        int[] asked = new int[1];
        ClusterWatch watch = new ClusterWatch(
                () -> {
                    asked[0]++;
                    return cluster.status();
                },
                cluster::map,
                Clock.fixed(NOON, ZoneOffset.UTC));
        watch.now();
        watch.standing();
        assertThat(asked[0]).isEqualTo(1);
        cluster.unreachable = true;
        ClusterWatch silent = new ClusterWatch(
                () -> {
                    asked[0]++;
                    return cluster.status();
                },
                cluster::map,
                Clock.fixed(NOON, ZoneOffset.UTC));
        assertThat(silent.standing().outage()).isPresent();
        assertThat(silent.standing().known()).isEmpty();
        assertThat(asked[0]).isEqualTo(2);
    }

    @Test
    void streamsAreBoundedAndEndWithTheirSession() {
        EventStreams streams = new EventStreams();
        StatusFeed feed = new StatusFeed();
        MockHttpServletRequest request = new MockHttpServletRequest();
        MockHttpSession session = new MockHttpSession();
        request.setSession(session);
        for (int i = 0; i < EventStreams.STREAMS_OF_ONE_MAX; i++) {
            var _ = streams.open(request, feed.source());
        }
        assertThatThrownBy(() -> streams.open(request, feed.source())).isInstanceOf(LimitReachedException.class);
        MockHttpServletRequest other = new MockHttpServletRequest();
        other.setSession(new MockHttpSession());
        var _ = streams.open(other, feed.source());
        streams.sessionDestroyed(new HttpSessionEvent(session));
        Awaitility.await().until(() -> streams.count() == 1);
        streams.stop();
        Awaitility.await().until(() -> streams.count() == 0);
    }
}
