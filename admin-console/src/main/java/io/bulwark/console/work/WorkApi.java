package io.bulwark.console.work;

import io.swagger.v3.oas.annotations.Operation;
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
    @Operation(summary = "Verification, scrubbing, repair and recovery, with what waits for them")
    WorkView work() {
        return watch.now();
    }
}
