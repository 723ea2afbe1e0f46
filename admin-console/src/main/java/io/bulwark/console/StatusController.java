package io.bulwark.console;

import io.bulwark.client.Bulwark;
import io.bulwark.client.error.BulwarkException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** {@code GET /api/status}. The cluster is asked at most once a second, however many pages are open. */
@RestController
class StatusController {
    private static final long FRESH_NANOS = 1_000_000_000L;

    private final Bulwark client;
    private @Nullable StatusView last;
    private long lastNanos;

    StatusController(Bulwark client) {
        this.client = client;
    }

    @GetMapping("/api/status")
    synchronized StatusView status() {
        StatusView known = last;
        if (known != null && System.nanoTime() - lastNanos < FRESH_NANOS) {
            return known;
        }
        StatusView now = StatusView.of(client.status());
        last = now;
        lastNanos = System.nanoTime();
        return now;
    }

    @ExceptionHandler(BulwarkException.class)
    ResponseEntity<Map<String, String>> unavailable(BulwarkException failure) {
        return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE)
                .body(Map.of("error", String.valueOf(failure.getMessage())));
    }
}
