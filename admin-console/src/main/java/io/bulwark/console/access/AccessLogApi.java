package io.bulwark.console.access;

import io.bulwark.console.account.AccessLog;
import io.bulwark.console.http.Page;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** {@code GET /api/v1/access-log}, for administrators. */
@RestController
class AccessLogApi {
    private final AccessLog log;

    AccessLogApi(AccessLog log) {
        this.log = log;
    }

    @GetMapping("/api/v1/access-log")
    @Operation(
            summary = "Last sign-ins and changes of accounts, the newest first",
            description = "This is the console's word alone; commands are in the cluster's audit log.")
    @ApiResponse(responseCode = "403", description = "The person is no administrator.")
    @ApiResponse(responseCode = "200", description = "The last entries")
    Page<AccessLog.Entry> list() {
        return Page.whole(log.last());
    }
}
