package io.bulwark.appliance.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@NullMarked
class AdminServerTest {
    /** One whose state the test sets. */
    private static final class Actor implements MonitoredMember {
        private final String name;
        private final MeterRegistry meters = PrometheusText.registry();
        private volatile String problem = "";
        private volatile String broken = "";

        private Actor(String name) {
            this.name = name;
            meters.counter("bulwark.test.events", "member", name).increment();
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public String problem() throws InterruptedException {
            if (problem.equals("hangs")) {
                Thread.sleep(Long.MAX_VALUE);
            }
            if (problem.equals("throws")) {
                throw new IllegalStateException("it cannot say");
            }
            return problem;
        }

        @Override
        public String broken() {
            return broken;
        }

        @Override
        public MeterRegistry meters() {
            return meters;
        }

        @Override
        public void close() {
            problem = "closed";
        }
    }

    private final Actor first = new Actor("node-0");
    private final Actor second = new Actor("node-1");
    private final List<MonitoredMember> members = List.of(first, second);
    private final HealthWatch watch = HealthWatch.start(() -> members);
    private final AdminServer server;
    private final HttpClient http = HttpClient.newHttpClient();

    AdminServerTest() throws IOException {
        server = AdminServer.start(
                "test", new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), watch, () -> members);
    }

    @AfterEach
    void close() {
        http.close();
        server.close();
        watch.close();
    }

    @Test
    void readinessSaysWhoDoesNotDoItsWork() {
        await().until(() -> get("readiness").statusCode() == 200);
        assertThat(get("readiness").body()).contains("\"UP\"");
        second.problem = "it is read-only";
        await().until(() -> get("readiness").statusCode() == 503);
        assertThat(get("readiness").body()).contains("\"DOWN\"", "node-1", "it is read-only");
        assertThat(get("liveness").statusCode()).isEqualTo(200);
        second.problem = "throws";
        await().until(() -> get("readiness").body().contains("it cannot say"));
        second.problem = "";
        await().until(() -> get("readiness").statusCode() == 200);
        watch.leave();
        assertThat(get("readiness").statusCode()).isEqualTo(503);
        assertThat(get("liveness").statusCode()).isEqualTo(200);
    }

    @Test
    void livenessIsThatANewStartWouldNotHelp() {
        await().until(() -> get("readiness").statusCode() == 200);
        first.broken = "its store has failed";
        assertThat(get("liveness").statusCode()).isEqualTo(503);
        assertThat(request("/actuator/health", "GET").body()).contains("node-0", "its store has failed");
    }

    @Test
    void oneThatHangsDelaysNoOther() {
        first.problem = "hangs";
        await().until(() -> !get("readiness").body().contains("node-1"));
        second.problem = "it is read-only";
        await().until(() -> get("readiness").body().contains("it is read-only"));
    }

    @Test
    void theMetersOfAllMembersStandUnderOneName() {
        HttpResponse<String> scraped = request("/actuator/prometheus", "GET");
        assertThat(scraped.headers().firstValue("Content-Type")).contains(PrometheusText.CONTENT_TYPE);
        assertThat(scraped.body())
                .containsOnlyOnce("# TYPE bulwark_test_events_total counter")
                .contains("bulwark_test_events_total{member=\"node-0\"} 1.0")
                .contains("bulwark_test_events_total{member=\"node-1\"} 1.0")
                .contains("jvm_memory_used_bytes{", "jvm_threads_live_threads{", "process_uptime_seconds{");
    }

    @Test
    void nothingElseIsThereAndNothingCanBeChanged() throws IOException {
        assertThat(request("/actuator/env", "GET").statusCode()).isEqualTo(404);
        assertThat(request("/actuator/health", "POST").statusCode()).isEqualTo(405);
        assertThat(request("/actuator/health", "HEAD").body()).isEmpty();
        try (Socket socket =
                new Socket(server.address().getAddress(), server.address().getPort())) {
            socket.getOutputStream()
                    .write("GET /actuator/prometheus HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .startsWith("HTTP/1.1 421");
        }
        assertThatThrownBy(() -> AdminServer.start("second", server.address(), watch, () -> members))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cannot listen");
    }

    private HttpResponse<String> get(String what) {
        return request("/actuator/health/" + what, "GET");
    }

    private HttpResponse<String> request(String path, String method) {
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + server.address().getPort() + path))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build();
        try {
            return http.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
