package io.bulwark.console.live;

import io.bulwark.console.http.ApiException;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedSet;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** {@code GET /api/v1/history}. */
@RestController
class HistoryApi {
    static final int SERIES_MAX = 32;
    private static final Duration BACK_MAX = Duration.ofDays(31);
    private static final Duration MEMORY = History.STEP.multipliedBy(History.SAMPLES_MAX);

    private final History history;
    private final Prometheus prometheus;
    private final Clock clock;

    @Autowired
    HistoryApi(History history, Prometheus prometheus) {
        this(history, prometheus, Clock.systemUTC());
    }

    HistoryApi(History history, Prometheus prometheus, Clock clock) {
        this.history = history;
        this.prometheus = prometheus;
        this.clock = clock;
    }

    /**
     * Figures over time.
     *
     * @param available names that can be asked for
     */
    record HistoryView(List<History.Series> series, List<String> available) {}

    @GetMapping("/api/v1/history")
    @Operation(
            summary = "Figures over time: the last hour from memory, more from a Prometheus if one is configured",
            description = "Without `series` it names the series of the whole. Those of a node have its name before:"
                    + " `node-3.scrub.rate`, and so `repair.rate`, `verification.rate`, `backlog.blocks` and"
                    + " `backlog.unverified`, of the last hour alone. `since` reaches back 31 days at most.")
    @ApiResponse(responseCode = "200", description = "The series")
    @ApiResponse(responseCode = "400", description = "An unknown series, or a time that is none; `field` names which")
    HistoryView history(
            @RequestParam(required = false) @Nullable List<String> series,
            @RequestParam(required = false) @Nullable String since) {
        SequencedSet<String> available = new LinkedHashSet<>(history.names());
        available.addAll(prometheus.names());
        List<String> asked =
                series == null ? List.of() : series.stream().distinct().toList();
        if (asked.size() > SERIES_MAX) {
            throw ApiException.badField("series", "at most " + SERIES_MAX + " series can be asked for at once");
        }
        Instant now = clock.instant();
        Instant from = since(since, now);
        List<History.Series> answers = new ArrayList<>();
        for (String name : asked) {
            answers.add(one(name, from, now, available));
        }
        return new HistoryView(answers, List.copyOf(available));
    }

    private History.Series one(String name, Instant from, Instant now, SequencedSet<String> available) {
        Optional<History.Series> kept = history.series(name, from);
        boolean older = from.isBefore(now.minus(MEMORY).minus(History.STEP)) || kept.isEmpty();
        Optional<History.Series> answer =
                older ? prometheus.series(name, from, now).or(() -> kept) : kept;
        if (answer.isEmpty() && !available.contains(name)) {
            throw ApiException.badField("series", "there is no such series; there are " + String.join(", ", available));
        }
        return answer.orElseGet(() -> new History.Series(name, History.unit(name), "prometheus", List.of(), List.of()));
    }

    private static Instant since(@Nullable String text, Instant now) {
        if (text == null || text.isEmpty()) {
            return now.minus(MEMORY);
        }
        try {
            Instant since = Instant.parse(text);
            if (since.isAfter(now) || since.isBefore(now.minus(BACK_MAX))) {
                throw ApiException.badField("since", "a time within the last 31 days is wanted");
            }
            return since;
        } catch (DateTimeParseException e) {
            throw ApiException.badField("since", "a time such as 2026-11-29T15:00:00Z is wanted");
        }
    }
}
