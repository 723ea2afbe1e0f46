package io.bulwark.console.live;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/** {@code GET /api/v1/events}, and {@code /events} for the pages. */
@RestController
class EventApi {
    private final EventStreams streams;
    private final StatusFeed feed;

    EventApi(EventStreams streams, StatusFeed feed) {
        this.streams = streams;
        this.feed = feed;
    }

    @GetMapping(
            path = {"/api/v1/events", "/events"},
            produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    @Operation(
            summary = "Server-sent events: `status` each time that the cluster's status changed",
            description = "At most one in two seconds. The stream ends after ten minutes and with the session.")
    @ApiResponse(responseCode = "200", description = "The stream")
    @ApiResponse(responseCode = "429", description = "Too many streams are open")
    SseEmitter events(HttpServletRequest request) {
        return streams.open(request, feed.source());
    }
}
