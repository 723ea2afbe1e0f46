package io.bulwark.console.volume;

import io.bulwark.console.http.EntityTag;
import io.bulwark.console.http.Page;
import io.bulwark.console.http.Paging;
import io.bulwark.console.job.Job;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** {@code /api/v1/volumes}. */
@RestController
@RequestMapping("/api/v1/volumes")
class VolumeApi {
    private final Volumes volumes;

    VolumeApi(Volumes volumes) {
        this.volumes = volumes;
    }

    @GetMapping
    @Operation(summary = "Lists the volumes by name")
    Page<VolumeView> list(
            @RequestParam(defaultValue = "100") int limit, @RequestParam(required = false) @Nullable String cursor) {
        return Paging.of(volumes.list(), VolumeView::name, limit, cursor);
    }

    @GetMapping("/{name}")
    @Operation(summary = "Shows a volume, its groups and its present state")
    @ApiResponse(responseCode = "404", description = "There is no such volume")
    @ApiResponse(responseCode = "200", description = "The volume; its `ETag` is for `If-Match`")
    ResponseEntity<VolumeDetail> find(@PathVariable String name) {
        VolumeDetail detail = volumes.find(name);
        return ResponseEntity.ok().eTag(EntityTag.of(detail.volume()).text()).body(detail);
    }

    @PostMapping
    @Operation(summary = "Creates a volume over all nodes")
    @ApiResponse(responseCode = "400", description = "A field is wrong")
    @ApiResponse(responseCode = "409", description = "There is a volume of this name")
    @ApiResponse(responseCode = "201", description = "The volume")
    ResponseEntity<VolumeView> create(@RequestBody Volumes.Creation wanted) {
        VolumeView made = volumes.create(wanted);
        return ResponseEntity.created(URI.create("/api/v1/volumes/" + made.name()))
                .eTag(EntityTag.of(made).text())
                .body(made);
    }

    @PatchMapping("/{name}")
    @ResponseStatus(HttpStatus.ACCEPTED)
    @Operation(
            summary = "Gives a volume another policy",
            description = "New objects have it at once; a refill moves the others. Blocks of a register volume have it"
                + " from their next write on. Under masking or pasis the faults alone change for all blocks, where n"
                + " suffices: the volume shows the number once it is in force, and the present number gives a change"
                + " up.")
    @ApiResponse(responseCode = "400", description = "The volume cannot tolerate so many, or the sums fail")
    @ApiResponse(responseCode = "412", description = "The volume has changed since the client read it")
    @ApiResponse(responseCode = "202", description = "The volume as it is now")
    VolumeView change(
            @PathVariable String name,
            @RequestBody Volumes.Change wanted,
            @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch) {
        return volumes.change(name, wanted, ifMatch);
    }

    @PostMapping("/{name}/refill")
    @Operation(summary = "Rewrites what stands under older policies of an object volume")
    @ApiResponse(responseCode = "202", description = "A job has started; Location names it")
    @ApiResponse(responseCode = "404", description = "There is no such volume")
    ResponseEntity<Job.View> refill(@PathVariable String name) {
        Job job = volumes.refill(name);
        return ResponseEntity.accepted()
                .location(URI.create("/api/v1/jobs/" + job.id()))
                .body(job.view());
    }

    @DeleteMapping("/{name}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    @Operation(summary = "Deletes a volume that has no buckets and no objects")
    @ApiResponse(responseCode = "409", description = "The volume is in use")
    @ApiResponse(responseCode = "412", description = "The volume has changed since the client read it")
    void delete(
            @PathVariable String name, @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch) {
        volumes.delete(name, ifMatch);
    }
}
