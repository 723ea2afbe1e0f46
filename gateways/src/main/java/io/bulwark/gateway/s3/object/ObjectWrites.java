package io.bulwark.gateway.s3.object;

import io.bulwark.client.CopyOptions;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.PutOptions;
import io.bulwark.gateway.s3.call.Call;
import io.bulwark.gateway.s3.call.EntityTags;
import io.bulwark.gateway.s3.call.VersionIds;
import io.bulwark.gateway.s3.permission.Action;
import io.bulwark.gateway.s3.permission.ObjectAccess;
import io.bulwark.gateway.s3.permission.RequestTerms;
import io.bulwark.gateway.s3.request.BodyDigests;
import io.bulwark.gateway.s3.request.ErrorCode;
import io.bulwark.gateway.s3.request.Times;
import io.bulwark.gateway.s3.xml.XmlWriter;
import io.bulwark.protocol.metadata.Names;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectLock;
import io.bulwark.protocol.object.Retention;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;

/** Puts and copies objects. */
public final class ObjectWrites {
    /** As S3 bounds what is put in one piece. */
    public static final long BYTES_MAX = 5L << 30;

    private ObjectWrites() {}

    /** Puts the body of the request. */
    public static void put(Call call) {
        String key = checkedKey(call.key());
        call.authorization().require(Action.PUT_OBJECT, key);
        long length = checkedLength(call);
        NewObject object = NewObject.of(call);
        ObjectLock lock = lock(call);
        PutOptions options = object.options()
                .withLock(lock)
                .withPrecondition(Conditions.ofWrite(call))
                .withExpectedLength(length)
                .withFinalProperties(() -> digests(call.exchange().digests()));
        ObjectInfo stored = call.bucket().put(key, call.exchange().body(), options);
        SortedMap<String, String> headers = written(stored);
        headers.put(
                "etag",
                EntityTags.quoted(
                        HexFormat.of().formatHex(call.exchange().digests().md5())));
        headers.putAll(checksumHeaders(call.exchange().digests()));
        call.rules()
                .lifecycle()
                .flatMap(rules ->
                        rules.header(key, ObjectAccess.userTags(object.tags()), stored.length(), stored.modified()))
                .ifPresent(expiry -> headers.put("x-amz-expiration", expiry));
        call.respond(200, headers);
    }

    /** Copies an object without moving bytes, where source and target lie in one volume. */
    public static void copy(Call call) {
        String key = checkedKey(call.key());
        CopySource from = CopySource.of(call);
        boolean replaces = directive(call, "x-amz-metadata-directive");
        boolean replacesTags = directive(call, "x-amz-tagging-directive");
        ObjectInfo source = from.find();
        if (!replacesTags) {
            copyTags(call, from, source);
        }
        call.authorization().require(Action.PUT_OBJECT, key);
        NewObject headers = NewObject.of(call);
        boolean ontoItself = from.call().bucketName().equals(call.bucketName())
                && from.key().equals(key)
                && from.versionId().isEmpty();
        if (ontoItself && !replaces && !replacesTags) {
            throw ErrorCode.INVALID_REQUEST.because(
                    "This copy request is illegal because it is trying to copy an object to itself without changing "
                            + "the object's metadata, storage class, website redirect location or encryption "
                            + "attributes.");
        }
        ObjectAttributes attributes = attributes(call, source, headers, replaces, replacesTags);
        CopyOptions options = CopyOptions.DEFAULT
                .withPrecondition(Conditions.ofWrite(call))
                .withAttributes(attributes)
                .withLock(lock(call));
        ObjectInfo copied = from.call().bucket().copy(from.key(), source.version(), call.bucket(), key, options);
        SortedMap<String, String> answer = written(copied);
        if (!source.isNull()) {
            answer.put("x-amz-copy-source-version-id", VersionIds.of(source.version(), false));
        }
        String tag = attributes.properties().getOrDefault(EntityTags.PROPERTY, EntityTags.of(copied));
        XmlWriter out = new XmlWriter("CopyObjectResult")
                .element("LastModified", Times.iso(Times.wholeSeconds(copied.modified())))
                .element("ETag", EntityTags.quoted(tag));
        call.respond(out.toBytes(), answer);
    }

    /** Has the tags that travel judged as tags that are read, and as those of the new object instead of a header. */
    private static void copyTags(Call call, CopySource from, ObjectInfo source) {
        SortedMap<String, String> tags = ObjectAccess.userTags(source.tags());
        if (!tags.isEmpty()) {
            from.requireTags(source);
        }
        call.judgeBy(RequestTerms.ofTags(tags));
        NewObject.requireTagging(call, tags);
    }

    private static ObjectAttributes attributes(
            Call call, ObjectInfo source, NewObject headers, boolean replaces, boolean replacesTags) {
        SortedMap<String, String> tags = new TreeMap<>();
        SortedMap<String, String> properties = new TreeMap<>();
        NewObject.addAccess(call, tags, properties);
        SortedMap<String, String> userTags = ObjectAccess.userTags(replacesTags ? headers.tags() : source.tags());
        tags.putAll(userTags);
        SortedMap<String, String> all = Properties.ofContent(source.properties());
        // The tag of an object that another door has put is made of its version, and a copy keeps it.
        all.put(EntityTags.PROPERTY, EntityTags.of(source));
        all.putAll(replaces ? headers.properties() : Properties.ofUser(source.properties()));
        all.putAll(properties);
        return new ObjectAttributes(replaces ? headers.contentType() : source.contentType(), tags, all);
    }

    /** Returns the headers that tell of a version that was made. */
    public static SortedMap<String, String> written(ObjectInfo stored) {
        SortedMap<String, String> headers = new TreeMap<>();
        if (!stored.isNull()) {
            headers.put("x-amz-version-id", VersionIds.of(stored.version(), false));
        }
        return headers;
    }

    /** Returns the properties that the digests of a body become. */
    public static SortedMap<String, String> digests(BodyDigests digests) {
        SortedMap<String, String> properties = new TreeMap<>(checksumHeaders(digests));
        properties.put(EntityTags.PROPERTY, HexFormat.of().formatHex(digests.md5()));
        return properties;
    }

    /** Returns the headers with the checksums of a body. */
    public static SortedMap<String, String> checksumHeaders(BodyDigests digests) {
        SortedMap<String, String> headers = new TreeMap<>();
        digests.checksums()
                .forEach((name, value) -> headers.put(Properties.CHECKSUM + name.toLowerCase(Locale.ROOT), value));
        if (!headers.isEmpty()) {
            headers.put(Properties.CHECKSUM_TYPE, "FULL_OBJECT");
        }
        return headers;
    }

    /** Returns the length of the body; refuses one without, or a too long one. */
    public static long checkedLength(Call call) {
        long length = call.exchange()
                .contentLength()
                .orElseThrow(() ->
                        ErrorCode.MISSING_CONTENT_LENGTH.because("You must provide the Content-Length HTTP header."));
        if (length > BYTES_MAX) {
            throw ErrorCode.ENTITY_TOO_LARGE.because("Your proposed upload exceeds the maximum allowed size");
        }
        return length;
    }

    /** Returns the lock that the headers ask for, which the bucket must know. */
    public static ObjectLock lock(Call call) {
        ObjectLock lock = Locks.ofHeaders(call);
        if (!lock.isNone() && !call.bucket().info().settings().objectLock()) {
            throw Locks.notConfigured();
        }
        if (!lock.retention().equals(Retention.NONE)) {
            NewObject.require(call, Action.PUT_OBJECT_RETENTION);
        }
        if (lock.legalHold()) {
            NewObject.require(call, Action.PUT_OBJECT_LEGAL_HOLD);
        }
        return lock;
    }

    /** Returns a key that can be one. */
    public static String checkedKey(String key) {
        if (key.getBytes(StandardCharsets.UTF_8).length > Names.KEY_BYTES_MAX) {
            throw ErrorCode.KEY_TOO_LONG.because("Your key is too long");
        }
        return key;
    }

    private static boolean directive(Call call, String header) {
        return switch (call.header(header).orElse("COPY")) {
            case "COPY" -> false;
            case "REPLACE" -> true;
            default -> throw ErrorCode.INVALID_ARGUMENT.because("Unknown metadata directive.");
        };
    }
}
