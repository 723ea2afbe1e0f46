package io.bulwark.console.job;

import io.bulwark.console.access.SignedIn;
import io.bulwark.console.account.Role;
import io.bulwark.console.http.Page;
import io.bulwark.console.live.EventStreams;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/** {@code /api/v1/jobs}. */
@RestController
@RequestMapping("/api/v1/jobs")
class JobApi {
    private final Jobs jobs;
    private final EventStreams streams;
    private final SignedIn signedIn;

    JobApi(Jobs jobs, EventStreams streams, SignedIn signedIn) {
        this.jobs = jobs;
        this.signedIn = signedIn;
        this.streams = streams;
    }

    @GetMapping
    @Operation(summary = "Jobs since this console started, the newest first")
    @ApiResponse(responseCode = "200", description = "All jobs")
    Page<Job.View> list() {
        return Page.whole(jobs.list());
    }

    @GetMapping("/{id}")
    @Operation(summary = "One job: its progress and what it reported")
    @ApiResponse(responseCode = "200", description = "The job")
    @ApiResponse(responseCode = "404", description = "There is no such job")
    Job.View find(@PathVariable long id) {
        return jobs.find(id).view();
    }

    @DeleteMapping("/{id}")
    @ResponseStatus(HttpStatus.ACCEPTED)
    @Operation(summary = "Ask a job to end; it does so at its next step")
    @ApiResponse(responseCode = "202", description = "It is asked")
    @ApiResponse(responseCode = "403", description = "It is another person's, and this one is no administrator")
    @ApiResponse(responseCode = "404", description = "There is no such job")
    @ApiResponse(responseCode = "409", description = "It has ended")
    void cancel(@PathVariable long id) {
        jobs.cancel(id, signedIn.name(), signedIn.has(Role.ADMINISTRATOR));
    }

    @GetMapping(path = "/{id}/events", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    @Operation(
            summary = "Server-sent events: `job` at each change of a job",
            description = "The stream ends when the job has ended.")
    @ApiResponse(responseCode = "200", description = "The stream")
    @ApiResponse(responseCode = "404", description = "There is no such job")
    @ApiResponse(responseCode = "429", description = "Too many streams are open")
    SseEmitter events(@PathVariable long id, HttpServletRequest request) {
        return streams.open(request, new JobEvents(jobs.find(id)));
    }
}
