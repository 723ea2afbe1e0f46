package io.bulwark.gateway.s3.object;

import io.bulwark.client.Bucket;
import io.bulwark.client.GetOptions;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.StoredObject;
import io.bulwark.client.VersionInfo;
import io.bulwark.client.error.InvalidNameException;
import io.bulwark.client.error.NoSuchKeyException;
import io.bulwark.gateway.s3.call.Call;
import io.bulwark.gateway.s3.call.EntityTags;
import io.bulwark.gateway.s3.call.VersionIds;
import io.bulwark.gateway.s3.permission.Action;
import io.bulwark.gateway.s3.request.ErrorCode;
import io.bulwark.gateway.s3.request.S3Exception;
import io.bulwark.gateway.s3.request.Times;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reads objects and their metadata. */
public final class ObjectReads {
    private static final String TYPE_UNKNOWN = "binary/octet-stream";
    private static final List<String> OVERRIDES = List.of(
            "content-type", "content-language", "expires", "cache-control", "content-disposition", "content-encoding");

    private ObjectReads() {}

    /** Answers with the content, or the asked part of it. */
    public static void get(Call call) {
        answer(call, true);
    }

    /** Answers with the headers alone. */
    public static void head(Call call) {
        answer(call, false);
    }

    /** Finds the version that a request is about, and refuses the action if it is not allowed. */
    public static ObjectInfo find(Call call, Action action) {
        return find(call, action, call.key(), call.versionId());
    }

    /** Finds a version, and refuses the action if it is not allowed. */
    public static ObjectInfo find(Call call, Action action, String key, Optional<String> versionId) {
        return open(call, action, key, versionId).info();
    }

    private static StoredObject open(Call call, Action action, String key, Optional<String> versionId) {
        Bucket bucket = call.bucket();
        long version = VersionIds.parse(versionId);
        StoredObject object;
        try {
            object = bucket.open(key, version);
        } catch (NoSuchKeyException _) {
            throw call.authorization().absent(key, absent(bucket, key, versionId));
        } catch (InvalidNameException _) {
            // There is no object of a name that none can have.
            throw call.authorization().absent(key, noSuchKey());
        }
        call.authorization().ofVersion(versionId).require(action, key, call.accessTo(object.info()));
        return object;
    }

    /** Returns the refusal for a version that is not there, which tells of delete markers. */
    private static S3Exception absent(Bucket bucket, String key, Optional<String> versionId) {
        SortedMap<String, String> headers = new TreeMap<>();
        long version = VersionIds.parse(versionId);
        Optional<VersionInfo> marker = VersionIds.find(bucket, key, version).filter(VersionInfo::deleteMarker);
        marker.ifPresent(found -> {
            headers.put("x-amz-delete-marker", "true");
            headers.put("x-amz-version-id", VersionIds.of(found.version(), found.isNull()));
        });
        if (versionId.isEmpty()) {
            return noSuchKey().withHeaders(headers);
        }
        return marker.isPresent()
                ? ErrorCode.METHOD_NOT_ALLOWED
                        .because("The specified method is not allowed against this resource.")
                        .withHeaders(headers)
                : ErrorCode.NO_SUCH_VERSION.because("The specified version does not exist.");
    }

    private static S3Exception noSuchKey() {
        return ErrorCode.NO_SUCH_KEY.because("The specified key does not exist.");
    }

    private static void answer(Call call, boolean withContent) {
        NewObject.refuseEncryption(call.exchange());
        Optional<String> version = call.versionId();
        StoredObject stored =
                open(call, version.isPresent() ? Action.GET_OBJECT_VERSION : Action.GET_OBJECT, call.key(), version);
        ObjectInfo object = stored.info();
        SortedMap<String, String> headers = headers(call, object);
        switch (Conditions.judge(call, "", object)) {
            case FAILED -> throw Conditions.failed();
            case NOT_MODIFIED -> {
                headers.remove("content-type");
                removeChecksums(headers);
                call.respond(304, headers);
                return;
            }
            case MET -> {}
        }
        Optional<ByteRange> range = range(call, object, headers);
        range.ifPresent(part -> {
            headers.put("content-range", part.contentRange(object.length()));
            // They are of the whole, and clients would compare them with the part.
            removeChecksums(headers);
        });
        long length = range.map(ByteRange::length).orElse(object.length());
        int status = range.isPresent() ? 206 : 200;
        if (withContent) {
            send(call, stored, range.orElse(new ByteRange(0, length)), status, headers);
        } else {
            call.respondToHead(status, headers, length);
        }
    }

    private static void removeChecksums(SortedMap<String, String> headers) {
        headers.keySet().removeIf(name -> name.startsWith(Properties.CHECKSUM));
    }

    private static void send(
            Call call, StoredObject object, ByteRange range, int status, SortedMap<String, String> headers) {
        try (InputStream content = object.content(GetOptions.DEFAULT.withRange(range.offset(), range.length()))) {
            // Whatever hinders the read shows before the response begins, as long as that is possible.
            int first = range.length() == 0 ? -1 : content.read();
            try (OutputStream out = call.exchange().respond(status, headers, OptionalLong.of(range.length()))) {
                if (first >= 0) {
                    out.write(first);
                    content.transferTo(out);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Optional<ByteRange> range(Call call, ObjectInfo object, SortedMap<String, String> headers) {
        Optional<String> part = call.query("partNumber");
        Optional<String> header = call.header("range");
        if (part.isPresent()) {
            if (header.isPresent()) {
                throw ErrorCode.INVALID_REQUEST.because(
                        "Cannot specify both Range header and partNumber query parameter");
            }
            Optional<PartSizes> sizes = PartSizes.of(object.properties());
            sizes.ifPresent(known -> headers.put("x-amz-mp-parts-count", Integer.toString(known.count())));
            int number = call.number("partNumber", 1, 1, PartSizes.PARTS_MAX);
            return Optional.of(sizes.orElseGet(() -> PartSizes.single(object.length()))
                            .range(number))
                    .filter(found -> found.length() > 0);
        }
        boolean stillFits = call.header("if-range")
                .map(tag -> EntityTags.isNamed(tag, EntityTags.of(object)))
                .orElse(true);
        return header.filter(_ -> stillFits).flatMap(text -> ByteRange.of(text, object.length()));
    }

    private static SortedMap<String, String> headers(Call call, ObjectInfo object) {
        boolean withChecksums = call.header("x-amz-checksum-mode")
                .filter("ENABLED"::equalsIgnoreCase)
                .isPresent();
        SortedMap<String, String> headers = Properties.headers(object.properties(), withChecksums);
        String type = object.contentType();
        headers.put("content-type", type.isEmpty() || !Properties.isPrintable(type) ? TYPE_UNKNOWN : type);
        headers.put("etag", EntityTags.quoted(EntityTags.of(object)));
        headers.put("last-modified", Times.http(object.modified()));
        headers.put("accept-ranges", "bytes");
        if (!object.isNull()) {
            headers.put("x-amz-version-id", VersionIds.of(object.version(), false));
        }
        int tags = call.accessTo(object).tags().size();
        if (tags > 0) {
            headers.put("x-amz-tagging-count", Integer.toString(tags));
        }
        headers.putAll(Locks.headers(object.lock()));
        call.rules()
                .lifecycle()
                .flatMap(rules ->
                        rules.header(object.key(), call.accessTo(object).tags(), object.length(), object.modified()))
                .ifPresent(expiry -> headers.put("x-amz-expiration", expiry));
        override(call, headers);
        return headers;
    }

    /** Sets the headers that a signed request wants to see. */
    private static void override(Call call, SortedMap<String, String> headers) {
        for (String name : OVERRIDES) {
            Optional<String> value = call.query("response-" + name);
            if (value.isPresent()) {
                if (call.person().isEmpty()) {
                    throw ErrorCode.INVALID_REQUEST.because(
                            "Request specific response headers cannot be used for anonymous GET requests.");
                }
                if (!Properties.isPrintable(value.get())) {
                    throw ErrorCode.INVALID_ARGUMENT.because("A header has no control characters.");
                }
                headers.put(name, value.get());
            }
        }
    }
}
