package io.bulwark.console.object;

import io.bulwark.client.Bucket;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.PutOptions;
import io.bulwark.console.http.ApiException;
import io.bulwark.console.http.Page;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * Objects under {@code /api/v1/buckets/{bucket}}. The key is always the parameter {@code key}, percent-encoded once as
 * UTF-8: a path could not carry keys with {@code //}, {@code ..} or an encoded slash through every server and proxy.
 */
@RestController
@RequestMapping("/api/v1/buckets/{bucket}")
class ObjectApi {
    private final Objects objects;

    ObjectApi(Objects objects) {
        this.objects = objects;
    }

    @GetMapping("/objects")
    @Operation(summary = "Lists objects in the order of the bytes of their keys")
    @ApiResponse(responseCode = "400", description = "The limit or the cursor is wrong")
    @ApiResponse(responseCode = "404", description = "There is no such bucket")
    @ApiResponse(responseCode = "200", description = "A part of the objects")
    ObjectListing list(
            @PathVariable String bucket,
            @Parameter(description = "Only keys that begin so") @RequestParam(defaultValue = "") String prefix,
            @Parameter(description = "Keys that have this behind the prefix are rolled up into one folder")
                    @RequestParam(defaultValue = "")
                    String delimiter,
            @RequestParam(defaultValue = "100") int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        return objects.list(bucket, prefix, delimiter, limit, cursor);
    }

    @GetMapping("/versions")
    @Operation(summary = "Lists all versions, by key and newest first; of one object if key is given")
    Page<VersionView> versions(
            @PathVariable String bucket,
            @RequestParam(defaultValue = "") String prefix,
            @RequestParam(required = false) @Nullable String key,
            @RequestParam(defaultValue = "100") int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        if (key == null) {
            return objects.versions(bucket, prefix, limit, cursor);
        }
        if (!prefix.isEmpty()) {
            throw ApiException.badField("prefix", "give a key or a prefix, not both");
        }
        return objects.versionsOf(bucket, key, limit, cursor);
    }

    @GetMapping("/object/info")
    @Operation(summary = "Shows the metadata of an object")
    @ApiResponse(responseCode = "404", description = "There is no such bucket, object or version")
    @ApiResponse(responseCode = "200", description = "The metadata; the `ETag` is for `If-Match`")
    ResponseEntity<ObjectView> info(
            @PathVariable String bucket, @RequestParam String key, @RequestParam(defaultValue = "0") long version) {
        ObjectView found = objects.head(bucket, key, version);
        return ResponseEntity.ok().eTag(found.tag()).body(found);
    }

    @RequestMapping(
            path = "/object",
            method = {RequestMethod.GET, RequestMethod.HEAD})
    @Operation(
            summary = "Downloads an object, whole or one range of it",
            description = "The answer is always an attachment, in a sandbox, so that no page in a bucket can run.")
    @ApiResponse(responseCode = "200", description = "The whole object")
    @ApiResponse(responseCode = "206", description = "The wanted range")
    @ApiResponse(responseCode = "304", description = "The client has this version")
    @ApiResponse(responseCode = "404", description = "There is no such bucket, object or version")
    @ApiResponse(responseCode = "416", description = "The range lies outside the object")
    @ApiResponse(responseCode = "422", description = "The object is encrypted, and asStored was not given")
    void download(
            @PathVariable String bucket,
            @RequestParam String key,
            @RequestParam(defaultValue = "0") long version,
            @Parameter(description = "The bytes of an encrypted object as servers hold them")
                    @RequestParam(defaultValue = "false")
                    boolean asStored,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        Bucket in = objects.bucket(bucket);
        ObjectInfo object = in.head(key, Objects.checkedVersion(version));
        new Download(in, object, asStored).send(request, response);
    }

    @PutMapping(path = "/object", consumes = MediaType.ALL_VALUE)
    @ResponseStatus(HttpStatus.CREATED)
    @Operation(
            summary = "Uploads an object; the body is streamed to the nodes",
            description = "Tags are parameters of the form tag=name%3Dvalue. If the upload breaks, there is no object.")
    @ApiResponse(responseCode = "201", description = "The version that was made")
    @ApiResponse(responseCode = "400", description = "The key, a tag or a header is wrong, or the body is too short")
    @ApiResponse(
            responseCode = "412",
            description = "There is an object (If-None-Match: *), or another version (If-Match)")
    @ApiResponse(responseCode = "507", description = "A quota or the nodes' space is used up")
    ResponseEntity<ObjectView> upload(
            @PathVariable String bucket,
            @RequestParam String key,
            @RequestHeader(name = "Content-Type", required = false) @Nullable String contentType,
            @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch,
            @RequestHeader(name = "If-None-Match", required = false) @Nullable String ifNoneMatch,
            HttpServletRequest request)
            throws IOException {
        PutOptions options = PutOptions.DEFAULT
                .withContentType(contentType == null ? "" : contentType)
                .withTags(Objects.tags(request.getParameterValues("tag")))
                .withPrecondition(objects.precondition(bucket, key, ifMatch, ifNoneMatch));
        ObjectView made = ObjectView.of(
                objects.upload(bucket, key, request.getInputStream(), request.getContentLengthLong(), options));
        return ResponseEntity.status(HttpStatus.CREATED).eTag(made.tag()).body(made);
    }

    @DeleteMapping("/object")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    @Operation(summary = "Deletes an object, or one version of it for good")
    @ApiResponse(responseCode = "409", description = "The version is locked")
    @ApiResponse(responseCode = "404", description = "There is no such bucket, object or version")
    @ApiResponse(responseCode = "412", description = "The object has changed since the client read it")
    void delete(
            @PathVariable String bucket,
            @RequestParam String key,
            @RequestParam(defaultValue = "0") long version,
            @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch) {
        objects.delete(bucket, key, version, ifMatch);
    }

    /** All tags that an object has then. */
    record Tags(@Nullable Map<String, @Nullable String> tags) {
        SortedMap<String, String> wanted() {
            if (tags == null) {
                throw ApiException.badField("tags", "tags are missing; none are {}");
            }
            SortedMap<String, String> wanted = new TreeMap<>();
            tags.forEach((name, value) -> {
                if (value == null) {
                    throw ApiException.badField("tags", "the tag " + name + " has no value");
                }
                wanted.put(name, value);
            });
            return wanted;
        }
    }

    @PutMapping(path = "/object/tags")
    @Operation(summary = "Replaces the tags of an object or of one version of it")
    @ApiResponse(responseCode = "400", description = "A tag is too long, or there are too many")
    @ApiResponse(responseCode = "404", description = "There is no such bucket, object or version")
    @ApiResponse(responseCode = "412", description = "The object has another version since the client read it")
    @ApiResponse(responseCode = "200", description = "The object with its new tags")
    ResponseEntity<ObjectView> setTags(
            @PathVariable String bucket,
            @RequestParam String key,
            @RequestParam(defaultValue = "0") long version,
            @RequestBody Tags body,
            @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch) {
        ObjectView tagged = objects.setTags(bucket, key, version, body.wanted(), ifMatch);
        return ResponseEntity.ok().eTag(tagged.tag()).body(tagged);
    }

    @PostMapping("/object/copy")
    @Operation(summary = "Copies an object; within one volume no data moves")
    @ApiResponse(responseCode = "404", description = "There is no such bucket or object")
    @ApiResponse(responseCode = "412", description = "There is an object of the new key, and ifAbsent was given")
    @ApiResponse(responseCode = "201", description = "The new object")
    ResponseEntity<ObjectView> copy(@PathVariable String bucket, @RequestBody Objects.Target target) {
        ObjectView made = objects.copy(bucket, target);
        return ResponseEntity.status(HttpStatus.CREATED).eTag(made.tag()).body(made);
    }

    @PostMapping("/object/rename")
    @Operation(summary = "Renames an object; within one volume no data moves")
    @ApiResponse(responseCode = "404", description = "There is no such bucket or object")
    @ApiResponse(responseCode = "412", description = "There is an object of the new key, and ifAbsent was given")
    @ApiResponse(responseCode = "200", description = "The object under its new key")
    ResponseEntity<ObjectView> rename(@PathVariable String bucket, @RequestBody Objects.Target target) {
        ObjectView made = objects.rename(bucket, target);
        return ResponseEntity.ok().eTag(made.tag()).body(made);
    }

    @GetMapping("/object/fragments")
    @Operation(
            summary = "Asks each node for its fragment of some extents of an object, and judges it",
            description =
                    "The states are what this console saw. A limit of 1 to 64 extents; each costs one read per slot.")
    @ApiResponse(responseCode = "404", description = "There is no such bucket, object or version")
    @ApiResponse(responseCode = "200", description = "The fragments of these extents")
    FragmentView fragments(
            @PathVariable String bucket,
            @RequestParam String key,
            @RequestParam(defaultValue = "0") long version,
            @RequestParam(defaultValue = "16") int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        return objects.fragments(bucket, key, version, limit, cursor);
    }

    @RequestMapping(
            path = "/zip",
            method = {RequestMethod.GET, RequestMethod.POST},
            produces = "application/zip")
    @Operation(
            summary = "Downloads several objects as one archive",
            description = "Parameters key and prefix may be repeated. Paths in the archive leave out the beginning that"
                    + " base gives, and never lead out of the folder. An object that cannot be read ends the archive"
                    + " broken. At most 10000 objects.")
    @ApiResponse(responseCode = "404", description = "There is no such bucket or object, or no object was chosen")
    @ApiResponse(responseCode = "200", description = "The archive")
    void zip(
            @PathVariable String bucket,
            @RequestParam(defaultValue = "") String base,
            @RequestParam(defaultValue = "false") boolean asStored,
            @Parameter(description = "Keys of objects") @RequestParam(required = false) String @Nullable [] key,
            @Parameter(description = "Beginnings of keys") @RequestParam(required = false) String @Nullable [] prefix,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        // The arguments above are for the documentation: there a single value with commas would be several.
        ZipDownload.of(objects.bucket(bucket), base, asStored, request).send(bucket, base, response);
    }
}
