package io.bulwark.console.principal;

import io.bulwark.console.http.EntityTag;
import io.bulwark.console.http.Page;
import io.bulwark.console.http.Paging;
import io.bulwark.console.job.Job;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Rights;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** {@code /api/v1/principals} and {@code /api/v1/suspensions}. */
@RestController
@RequestMapping("/api/v1")
class PrincipalApi {
    private final PrincipalDirectory directory;

    PrincipalApi(PrincipalDirectory directory) {
        this.directory = directory;
    }

    /** A new principal with its public key in Base64. */
    record NewPrincipal(
            @Nullable String principal, @Nullable String key) {}

    /**
     * An invitation to make.
     *
     * @param hours validity, from 1 to 720; 24 if it is missing
     */
    record NewInvitation(
            @Nullable String principal, @Nullable Integer hours) {}

    /**
     * Another key for a principal.
     *
     * @param keepOld whether its newest key so far stays valid, until a change without this
     */
    record NewKey(@Nullable String key, @Nullable Boolean keepOld) {}

    /** Rights that a client has on behalf of a person at most, of {@code read}, {@code write}, {@code administer}. */
    record Ceiling(@Nullable List<String> rights) {}

    @GetMapping("/principals")
    @Operation(summary = "Principals: clients, nodes and replicas with their keys")
    Page<PrincipalView> list(
            @RequestParam(required = false) @Nullable String kind,
            @RequestParam(defaultValue = "100") int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        return Paging.of(directory.list(kind).principals(), PrincipalView::id, limit, cursor);
    }

    @PostMapping("/principals")
    @Operation(summary = "Register a client or node with its public key")
    @ApiResponse(responseCode = "201", description = "The principal")
    ResponseEntity<PrincipalDetail> add(@RequestBody NewPrincipal body) {
        PrincipalId id = PrincipalDirectory.named("principal", body.principal());
        directory.add(id, body.key());
        PrincipalDetail added = directory.find(id);
        return ResponseEntity.created(URI.create("/api/v1/principals/" + id))
                .eTag(EntityTag.of(added).text())
                .body(added);
    }

    @PostMapping("/principals/invitations")
    @Operation(summary = "Invite a client or node, which makes its key itself")
    @ApiResponse(responseCode = "201", description = "The invitation; its token is shown this once")
    ResponseEntity<Invitation> invite(@RequestBody NewInvitation body) {
        PrincipalId id = PrincipalDirectory.named("principal", body.principal());
        Integer hours = body.hours();
        Invitation made = directory.invite(id, Duration.ofHours(hours == null ? 24 : hours));
        return ResponseEntity.created(URI.create("/api/v1/principals/" + id))
                .header("Cache-Control", "no-store")
                .body(made);
    }

    @GetMapping("/principals/{id}")
    @Operation(summary = "A principal with its grants")
    ResponseEntity<PrincipalDetail> find(@PathVariable String id) {
        return tagged(directory.find(PrincipalDirectory.named(null, id)));
    }

    @PutMapping("/principals/{id}/key")
    @Operation(summary = "Give a principal another key")
    ResponseEntity<PrincipalDetail> rotate(
            @PathVariable String id,
            @RequestBody NewKey body,
            @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch) {
        boolean keepOld = Boolean.TRUE.equals(body.keepOld());
        return tagged(directory.rotate(PrincipalDirectory.named(null, id), body.key(), keepOld, ifMatch));
    }

    /** Shows what a revocation would do, without doing it. */
    @GetMapping("/principals/{id}/revocation")
    @Operation(summary = "Consequences of a revocation; nothing changes")
    Revocation preview(@PathVariable String id) {
        return directory.preview(PrincipalDirectory.named(null, id));
    }

    /** Revokes a client or node for good, as a job that waits for the nodes. */
    @DeleteMapping("/principals/{id}")
    @Operation(summary = "Revoke a client or node for good, as a job that waits for the nodes")
    @ApiResponse(responseCode = "202", description = "A job waits for the nodes; `Location` names it")
    ResponseEntity<Job.View> revoke(
            @PathVariable String id,
            @RequestParam(defaultValue = "60") long wait,
            @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch) {
        Job job = directory.revoke(PrincipalDirectory.named(null, id), Duration.ofSeconds(wait), ifMatch);
        return ResponseEntity.accepted()
                .location(URI.create("/api/v1/jobs/" + job.id()))
                .body(job.view());
    }

    /** Lets a client act on behalf of a person, within a ceiling of rights. */
    @PutMapping("/principals/{id}/act-for/{person}")
    @Operation(summary = "Let a client act on behalf of a person, within a ceiling of rights")
    ResponseEntity<PrincipalDetail> actFor(
            @PathVariable String id,
            @PathVariable String person,
            @RequestBody Ceiling body,
            @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch) {
        return setActFor(id, person, GrantView.rights(body.rights()), ifMatch);
    }

    @DeleteMapping("/principals/{id}/act-for/{person}")
    @Operation(summary = "End that a client acts on behalf of a person")
    ResponseEntity<PrincipalDetail> withdrawActFor(
            @PathVariable String id,
            @PathVariable String person,
            @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch) {
        return setActFor(id, person, Rights.NONE, ifMatch);
    }

    private ResponseEntity<PrincipalDetail> setActFor(
            String door, String person, Rights ceiling, @Nullable String ifMatch) {
        return tagged(directory.setActFor(
                PrincipalDirectory.named(null, door), PrincipalDirectory.named(null, person), ceiling, ifMatch));
    }

    @GetMapping("/suspensions")
    @Operation(summary = "Suspended clients, with the reports against them")
    Page<PrincipalView.SuspensionView> suspensions(
            @RequestParam(defaultValue = "100") int limit, @RequestParam(required = false) @Nullable String cursor) {
        List<PrincipalView.SuspensionView> all = directory.suspensions();
        return Paging.of(all, PrincipalView.SuspensionView::client, limit, cursor);
    }

    /** Lifts the suspension of a client: what it wrote until now no longer counts against it. */
    @DeleteMapping("/suspensions/{id}")
    @Operation(summary = "Lift the suspension of a client")
    @ApiResponse(responseCode = "204", description = "It is lifted")
    ResponseEntity<Void> lift(
            @PathVariable String id, @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch) {
        directory.lift(PrincipalDirectory.named(null, id), ifMatch);
        return ResponseEntity.noContent().build();
    }

    private static ResponseEntity<PrincipalDetail> tagged(PrincipalDetail detail) {
        return ResponseEntity.ok().eTag(EntityTag.of(detail).text()).body(detail);
    }
}
