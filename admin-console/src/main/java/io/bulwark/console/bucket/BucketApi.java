package io.bulwark.console.bucket;

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

/** {@code /api/v1/buckets}. */
@RestController
@RequestMapping("/api/v1/buckets")
class BucketApi {
    private final Buckets buckets;

    BucketApi(Buckets buckets) {
        this.buckets = buckets;
    }

    @GetMapping
    @Operation(summary = "Lists the buckets by name, with their usage")
    Page<BucketView> list(
            @RequestParam(defaultValue = "100") int limit, @RequestParam(required = false) @Nullable String cursor) {
        return Paging.of(buckets.list(), BucketView::name, limit, cursor);
    }

    @GetMapping("/{bucket}")
    @Operation(summary = "Shows a bucket's settings and usage")
    @ApiResponse(responseCode = "404", description = "There is no such bucket")
    @ApiResponse(responseCode = "200", description = "The bucket; its `ETag` is for `If-Match`")
    ResponseEntity<BucketView> find(@PathVariable String bucket) {
        BucketView found = buckets.find(bucket);
        return ResponseEntity.ok().eTag(EntityTag.of(found).text()).body(found);
    }

    @PostMapping
    @Operation(
            summary = "Creates a bucket",
            description = "Encryption is no setting of a bucket: clients encrypt with keys that never leave them.")
    @ApiResponse(responseCode = "400", description = "A field is wrong")
    @ApiResponse(responseCode = "404", description = "There is no such volume")
    @ApiResponse(responseCode = "409", description = "There is a bucket of this name")
    @ApiResponse(responseCode = "201", description = "The bucket")
    ResponseEntity<BucketView> create(@RequestBody Buckets.Creation wanted) {
        BucketView made = buckets.create(wanted);
        return ResponseEntity.created(URI.create("/api/v1/buckets/" + made.name()))
                .eTag(EntityTag.of(made).text())
                .body(made);
    }

    @GetMapping("/{bucket}/settings")
    @Operation(summary = "Shows a bucket's settings, whose `ETag` does not change with its objects")
    @ApiResponse(responseCode = "200", description = "The settings; the `ETag` is for `If-Match`")
    ResponseEntity<BucketSettingsView> settings(@PathVariable String bucket) {
        return tagged(buckets.settings(bucket));
    }

    @PatchMapping("/{bucket}/settings")
    @Operation(
            summary = "Changes settings of a bucket",
            description =
                    "Fields that are left out stay. The quota needs the right to administer the bucket; the others"
                            + " need that, or to write and to have created it.")
    @ApiResponse(responseCode = "409", description = "The other settings do not allow this one")
    @ApiResponse(responseCode = "200", description = "The settings after the change")
    ResponseEntity<BucketSettingsView> change(
            @PathVariable String bucket,
            @RequestBody BucketSettingsChange wanted,
            @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch) {
        return tagged(buckets.change(bucket, wanted, ifMatch));
    }

    private static ResponseEntity<BucketSettingsView> tagged(BucketSettingsView settings) {
        return ResponseEntity.ok().eTag(EntityTag.of(settings).text()).body(settings);
    }

    @DeleteMapping("/{bucket}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    @Operation(summary = "Deletes an empty bucket")
    @ApiResponse(responseCode = "409", description = "The bucket is not empty")
    @ApiResponse(responseCode = "412", description = "The bucket has changed since the client read it")
    void delete(
            @PathVariable String bucket, @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch) {
        buckets.delete(bucket, ifMatch);
    }

    @PostMapping("/{bucket}/verifications")
    @Operation(summary = "Reads an object or all objects below a prefix, checks every byte, and reports bad fragments")
    @ApiResponse(responseCode = "202", description = "A job has started; Location names it")
    @ApiResponse(responseCode = "404", description = "There is no such bucket or object")
    ResponseEntity<Job.View> verify(@PathVariable String bucket, @RequestBody Buckets.Verification wanted) {
        Job job = buckets.verify(bucket, wanted);
        return ResponseEntity.accepted()
                .location(URI.create("/api/v1/jobs/" + job.id()))
                .body(job.view());
    }
}
