package io.bulwark.console;

import io.bulwark.client.Bulwark;
import io.bulwark.client.error.BulwarkException;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** {@code GET /api/status} and {@code /api/groups}. The cluster is asked for each at most once a second, however many pages are open. */
@RestController
class StatusController {
    private static final long FRESH_NANOS = 1_000_000_000L;

    private final Lately<StatusView> status;
    private final Lately<List<PlacementView>> groups;

    StatusController(Bulwark client) {
        status = new Lately<>(() -> StatusView.of(client.status()));
        groups = new Lately<>(() -> PlacementView.of(client.nodes().map()));
    }

    /** Cache of one answer, refreshed when it is no longer fresh. */
    private static final class Lately<T> {
        private final Supplier<T> asking;
        private @Nullable T last;
        private long lastNanos;

        Lately(Supplier<T> asking) {
            this.asking = asking;
        }

        synchronized T get() {
            T known = last;
            if (known != null && System.nanoTime() - lastNanos < FRESH_NANOS) {
                return known;
            }
            T now = asking.get();
            last = now;
            lastNanos = System.nanoTime();
            return now;
        }
    }

    @GetMapping("/api/status")
    StatusView status() {
        return status.get();
    }

    @GetMapping("/api/groups")
    List<PlacementView> groups() {
        return groups.get();
    }

    @ExceptionHandler(BulwarkException.class)
    ResponseEntity<Map<String, String>> unavailable(BulwarkException failure) {
        return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE)
                .body(Map.of("error", String.valueOf(failure.getMessage())));
    }
}
