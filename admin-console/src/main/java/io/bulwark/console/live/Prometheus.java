package io.bulwark.console.live;

import io.bulwark.console.Surroundings;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Older and further figures from a Prometheus that scrapes the members, if the console knows one. Its answers are bounded in time and size. */
@Component
class Prometheus {
    static final int POINTS_MAX = 500;
    static final int ANSWER_BYTES_MAX = 4 << 20;
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final Logger LOG = LoggerFactory.getLogger(Prometheus.class);
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private static final Map<String, String> EXPRESSIONS = Map.of(
            "capacity.used", "sum(bulwark_store_bytes)",
            "capacity.free", "sum(bulwark_store_usable_bytes)",
            "backlog.unverified", "sum(bulwark_pasis_unverified)",
            "requests.rate", "sum(rate(bulwark_node_requests_served_total[2m]))",
            "stores.rate", "sum(rate(bulwark_store_stores_total[2m]))");

    private final Optional<URI> base;
    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(TIMEOUT).build();

    Prometheus(Surroundings surroundings) {
        base = surroundings.prometheus();
    }

    /** Returns the names of the series that it can give; none if there is no Prometheus. */
    Set<String> names() {
        return base.isPresent() ? EXPRESSIONS.keySet() : Set.of();
    }

    /** Asks for a series; empty if there is no Prometheus, it has no such series, or it does not answer. */
    Optional<History.Series> series(String name, Instant since, Instant until) {
        String expression = EXPRESSIONS.get(name);
        if (base.isEmpty() || expression == null) {
            return Optional.empty();
        }
        long step = Math.max(
                History.STEP.toSeconds(), Duration.between(since, until).toSeconds() / (POINTS_MAX - 1) + 1);
        String query = "/api/v1/query_range?query=" + URLEncoder.encode(expression, StandardCharsets.UTF_8) + "&start="
                + since.getEpochSecond() + "&end=" + until.getEpochSecond() + "&step=" + step;
        String address = base.get().toString();
        URI asked = URI.create((address.endsWith("/") ? address.substring(0, address.length() - 1) : address) + query);
        try {
            HttpResponse<byte[]> answer = http.send(
                    HttpRequest.newBuilder(asked).timeout(TIMEOUT).build(),
                    HttpResponse.BodyHandlers.limiting(HttpResponse.BodyHandlers.ofByteArray(), ANSWER_BYTES_MAX));
            if (answer.statusCode() != 200) {
                throw new IOException("status " + answer.statusCode());
            }
            return Optional.of(parsed(name, JSON.readTree(answer.body())));
        } catch (IOException | JacksonException e) {
            LOG.warn("the Prometheus at {} gives no history: {}", base.get().getHost(), e.toString());
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    private static History.Series parsed(String name, JsonNode answer) throws IOException {
        JsonNode results = answer.path("data").path("result");
        if (!"success".equals(answer.path("status").asString("")) || !results.isArray()) {
            throw new IOException("no result of a query");
        }
        List<Long> seconds = new ArrayList<>();
        List<@Nullable Double> values = new ArrayList<>();
        JsonNode points = results.path(0).path("values");
        for (JsonNode point : points) {
            if (seconds.size() > POINTS_MAX) {
                throw new IOException("more points than were asked for");
            }
            try {
                double value = Double.parseDouble(point.path(1).asString(""));
                seconds.add(point.path(0).asLong(0));
                values.add(Double.isFinite(value) ? value : null);
            } catch (NumberFormatException e) {
                throw new IOException("a value that is no number", e);
            }
        }
        return new History.Series(name, History.unit(name), "prometheus", seconds, values);
    }
}
