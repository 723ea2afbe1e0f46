package io.bulwark.console.replica;

import io.bulwark.client.error.BulwarkException;
import io.bulwark.console.http.ApiException;
import io.bulwark.console.job.Job;
import io.bulwark.console.live.Outages;
import io.bulwark.console.replica.ReplicaChanges.Newcomer;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** {@code /api/v1/replicas}. The entity tag of a replica is the number of the configuration. */
@RestController
@RequestMapping("/api/v1/replicas")
class ReplicaApi {
    private final ReplicaInventory inventory;
    private final ReplicaChanges changes;
    private final Outages outages;

    ReplicaApi(ReplicaInventory inventory, ReplicaChanges changes, Outages outages) {
        this.inventory = inventory;
        this.changes = changes;
        this.outages = outages;
    }

    /** Three replicas to add. */
    record Additions(@Nullable List<Newcomer> replicas) {}

    /** Three replicas to remove, such as {@code replica-4}. */
    record Removals(@Nullable List<String> replicas) {}

    /** Answer of a supervisor. */
    record Outcome(String message) {}

    @GetMapping
    @Operation(summary = "The replicas that order the metadata, their leader, and their recoveries")
    @ApiResponse(responseCode = "200", description = "All replicas; the `ETag` is for `If-Match` of the actions")
    @ApiResponse(responseCode = "503", description = "The cluster does not answer since `since`")
    ResponseEntity<ReplicaInventory.Inventory> list() {
        ReplicaInventory.Inventory now = inventory.now();
        return ResponseEntity.ok().eTag(Long.toString(now.configuration())).body(now);
    }

    @GetMapping("/{replica}")
    @Operation(summary = "One replica")
    @ApiResponse(responseCode = "200", description = "The replica; its `ETag` is for `If-Match` of the actions")
    @ApiResponse(responseCode = "400", description = "This is no name of a replica")
    @ApiResponse(responseCode = "404", description = "It is not one of the replicas")
    @ApiResponse(responseCode = "503", description = "The cluster does not answer since `since`")
    ResponseEntity<ReplicaView> find(@PathVariable String replica) {
        ReplicaInventory.Inventory now = inventory.now();
        return ResponseEntity.ok()
                .eTag(Long.toString(now.configuration()))
                .body(now.replica(ReplicaChanges.replica("replica", replica).number()));
    }

    @PostMapping("/{replica}/replace")
    @Operation(summary = "Replace a replica, which may be down, by a new one that runs already")
    @ApiResponse(responseCode = "202", description = "A job waits for the change; `Location` names it")
    @ApiResponse(responseCode = "400", description = "A field is wrong; `field` names it")
    @ApiResponse(responseCode = "404", description = "It is not one of the replicas")
    @ApiResponse(responseCode = "412", description = "The replicas have changed since `If-Match`")
    ResponseEntity<Job.View> replace(
            @PathVariable String replica,
            @RequestBody Newcomer fresh,
            @RequestHeader(value = "If-Match", required = false) @Nullable String ifMatch) {
        return accepted(changes.replace(ReplicaChanges.replica("replica", replica), fresh, configuration(ifMatch)));
    }

    @PostMapping
    @Operation(summary = "Add three replicas that run already: one more may be faulty then")
    @ApiResponse(responseCode = "202", description = "A job waits for the change; `Location` names it")
    @ApiResponse(responseCode = "400", description = "A field is wrong; `field` names it")
    @ApiResponse(responseCode = "412", description = "The replicas have changed since `If-Match`")
    ResponseEntity<Job.View> add(
            @RequestBody Additions body,
            @RequestHeader(value = "If-Match", required = false) @Nullable String ifMatch) {
        return accepted(changes.add(body.replicas() == null ? List.of() : body.replicas(), configuration(ifMatch)));
    }

    @PostMapping("/remove")
    @Operation(summary = "Remove three replicas for good: one less may be faulty then")
    @ApiResponse(responseCode = "202", description = "A job waits for the change; `Location` names it")
    @ApiResponse(responseCode = "400", description = "A field is wrong; `field` names it")
    @ApiResponse(responseCode = "404", description = "One of them is not a replica")
    @ApiResponse(responseCode = "409", description = "Fewer than four would remain")
    @ApiResponse(responseCode = "412", description = "The replicas have changed since `If-Match`")
    ResponseEntity<Job.View> remove(
            @RequestBody Removals body, @RequestHeader(value = "If-Match", required = false) @Nullable String ifMatch) {
        List<String> given = body.replicas() == null ? List.of() : body.replicas();
        if (given.size() > ReplicaChanges.STEP) {
            throw ApiException.badField("replicas", "three different replicas are removed at once");
        }
        return accepted(changes.remove(
                given.stream()
                        .map(text -> ReplicaChanges.replica("replicas", text))
                        .toList(),
                configuration(ifMatch)));
    }

    @PostMapping("/{replica}/recover")
    @Operation(
            summary = "Ask the supervisor of a replica for a recovery now",
            description = "Only where the console runs beside the supervisor, as in `bulwark up`.")
    @ApiResponse(responseCode = "200", description = "The recovery begins")
    @ApiResponse(responseCode = "404", description = "It is not one of the replicas")
    @ApiResponse(responseCode = "409", description = "The supervisor is not reached, or refuses; the detail says why")
    Outcome recover(@PathVariable String replica, HttpServletRequest request) {
        return new Outcome(changes.recover(ReplicaChanges.replica("replica", replica), request.getRemoteAddr()));
    }

    @ExceptionHandler
    ProblemDetail failed(BulwarkException failure) {
        return outages.problem(failure);
    }

    static Optional<Long> configuration(@Nullable String ifMatch) {
        if (ifMatch == null || ifMatch.isBlank() || ifMatch.strip().equals("*")) {
            return Optional.empty();
        }
        String text = ifMatch.strip();
        if (!text.matches("\"?[0-9]{1,18}\"?")) {
            throw ApiException.changedMeanwhile("this entity tag is none of the replicas");
        }
        return Optional.of(Long.parseLong(text.replace("\"", "")));
    }

    private static ResponseEntity<Job.View> accepted(Job job) {
        return ResponseEntity.accepted()
                .location(URI.create("/api/v1/jobs/" + job.id()))
                .body(job.view());
    }
}
