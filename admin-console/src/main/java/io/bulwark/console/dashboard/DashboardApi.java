package io.bulwark.console.dashboard;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** {@code GET /api/v1/dashboard}. */
@RestController
class DashboardApi {
    private final Dashboard dashboard;

    DashboardApi(Dashboard dashboard) {
        this.dashboard = dashboard;
    }

    @GetMapping("/api/v1/dashboard")
    @Operation(summary = "Redundancy, the work that goes on, capacity, load and the last events")
    @ApiResponse(responseCode = "200", description = "The cluster answers")
    @ApiResponse(
            responseCode = "503",
            description = "The cluster does not answer: the last known summary, and since when",
            content =
                    @Content(
                            mediaType = MediaType.APPLICATION_JSON_VALUE,
                            schema = @Schema(implementation = DashboardView.class)))
    ResponseEntity<DashboardView> dashboard() {
        DashboardView view = dashboard.view();
        return ResponseEntity.status(view.outage() == null ? HttpStatus.OK : HttpStatus.SERVICE_UNAVAILABLE)
                .body(view);
    }
}
