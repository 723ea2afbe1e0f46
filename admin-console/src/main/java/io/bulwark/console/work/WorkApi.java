package io.bulwark.console.work;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** {@code GET /api/v1/work}. */
@RestController
class WorkApi {
    private final WorkWatch watch;

    WorkApi(WorkWatch watch) {
        this.watch = watch;
    }

    @GetMapping("/api/v1/work")
    WorkView work() {
        return watch.now();
    }
}
