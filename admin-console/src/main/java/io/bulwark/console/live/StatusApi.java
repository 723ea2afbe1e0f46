package io.bulwark.console.live;

import io.bulwark.console.StatusView;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** {@code GET /api/v1/status}. */
@RestController
class StatusApi {
    private final ClusterWatch watch;

    StatusApi(ClusterWatch watch) {
        this.watch = watch;
    }

    @GetMapping("/api/v1/status")
    StatusView status() {
        return StatusView.of(watch.now().status());
    }
}
