package io.bulwark.console.audit;

import io.bulwark.console.http.Page;
import io.bulwark.console.job.Job;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** {@code /api/v1/audit}. */
@RestController
@RequestMapping("/api/v1/audit")
class AuditApi {
    /** Media type of lines of JSON. */
    static final String LINES = "application/jsonl";

    private final AuditTrail trail;

    AuditApi(AuditTrail trail) {
        this.trail = trail;
    }

    /** A verification to start; {@code head} is the digest of an earlier one, through which the chain must pass. */
    record NewVerification(@Nullable String head) {}

    @GetMapping
    @Operation(summary = "Administrative commands, the newest first")
    Page<AuditView> list(
            @RequestParam(required = false) @Nullable String by,
            @RequestParam(defaultValue = "100") int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        return trail.page(by, limit, cursor);
    }

    /** Sends the whole log, the oldest entry first, as lines of JSON. */
    @GetMapping(path = "/lines", produces = LINES)
    @Operation(summary = "The whole log, the oldest entry first, as lines of JSON")
    void lines(@RequestParam(required = false) @Nullable String by, HttpServletResponse response) throws IOException {
        AuditTrail.Lines lines = trail.lines(by);
        response.setContentType(LINES);
        response.setHeader("Content-Disposition", "attachment; filename=\"bulwark-audit.jsonl\"");
        lines.writeTo(response.getOutputStream());
    }

    @PostMapping("/verifications")
    @Operation(summary = "Verify the chain of the log, as a job")
    @ApiResponse(responseCode = "202", description = "A job has started; `Location` names it")
    ResponseEntity<Job.View> verify(@RequestBody(required = false) @Nullable NewVerification body) {
        Job job = trail.verify(body == null ? null : body.head());
        return ResponseEntity.accepted()
                .location(URI.create("/api/v1/jobs/" + job.id()))
                .body(job.view());
    }

    /** Returns the result of the verification that this job has done. */
    @GetMapping("/verifications/{job}")
    @Operation(summary = "Result of the verification that a job has done")
    VerificationView result(@PathVariable long job) {
        return trail.result(job);
    }
}
