package io.bulwark.console.live;

import io.bulwark.client.error.BulwarkException;
import io.bulwark.console.StatusView;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** {@code GET /api/v1/status}. */
@RestController
class StatusApi {
    private final ClusterWatch watch;
    private final Outages outages;

    StatusApi(ClusterWatch watch, Outages outages) {
        this.watch = watch;
        this.outages = outages;
    }

    @GetMapping("/api/v1/status")
    @Operation(summary = "Status of the cluster, as `bulwark status --json` shows it")
    @ApiResponse(responseCode = "200", description = "The present status")
    @ApiResponse(
            responseCode = "503",
            description = "The cluster does not answer since `since`; `lastKnown` is its status of `lastKnownAt`")
    StatusView status() {
        return StatusView.of(watch.now().status());
    }

    @ExceptionHandler
    ProblemDetail unreachable(BulwarkException failure) {
        ProblemDetail problem = outages.problem(failure);
        watch.lastKnown().ifPresent(known -> problem.setProperty("lastKnown", StatusView.of(known.status())));
        return problem;
    }
}
