package io.bulwark.gateway.s3.upload;

import io.bulwark.client.ObjectInfo;
import io.bulwark.client.ObjectSlice;
import io.bulwark.client.PartPage;
import io.bulwark.client.PutOptions;
import io.bulwark.client.Upload;
import io.bulwark.client.UploadedPart;
import io.bulwark.gateway.s3.call.Call;
import io.bulwark.gateway.s3.call.EntityTags;
import io.bulwark.gateway.s3.call.VersionIds;
import io.bulwark.gateway.s3.object.ByteRange;
import io.bulwark.gateway.s3.object.CopySource;
import io.bulwark.gateway.s3.object.NewObject;
import io.bulwark.gateway.s3.object.ObjectWrites;
import io.bulwark.gateway.s3.object.PartSizes;
import io.bulwark.gateway.s3.permission.Action;
import io.bulwark.gateway.s3.permission.ObjectAccess;
import io.bulwark.gateway.s3.request.BodyDigests;
import io.bulwark.gateway.s3.request.ErrorCode;
import io.bulwark.gateway.s3.request.Hashes;
import io.bulwark.gateway.s3.request.Times;
import io.bulwark.gateway.s3.xml.XmlWriter;
import io.bulwark.protocol.object.ObjectAttributes;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Begins multipart uploads, and takes their parts. */
public final class MultipartUploads {
    private static final int PARTS_PER_PAGE = 1000;

    private MultipartUploads() {}

    /** Begins an upload. */
    public static void begin(Call call) {
        String key = ObjectWrites.checkedKey(call.key());
        call.authorization().require(Action.PUT_OBJECT, key);
        NewObject object = NewObject.of(call);
        Optional<UploadChecksum> checksum = UploadChecksum.ofHeaders(call);
        SortedMap<String, String> properties = new TreeMap<>(object.properties());
        checksum.ifPresent(known -> known.keep(properties));
        PutOptions options = object.options().withProperties(properties).withLock(ObjectWrites.lock(call));
        Upload upload = call.bucket().uploads().begin(key, options);
        SortedMap<String, String> headers = new TreeMap<>();
        checksum.ifPresent(known -> {
            headers.put("x-amz-checksum-algorithm", known.algorithm().name());
            headers.put("x-amz-checksum-type", known.type());
        });
        XmlWriter out = new XmlWriter("InitiateMultipartUploadResult")
                .element("Bucket", call.bucketName())
                .element("Key", key)
                .element("UploadId", upload.id());
        call.respond(out.toBytes(), headers);
    }

    /** Takes the body as a part. */
    public static void putPart(Call call) {
        call.authorization().require(Action.PUT_OBJECT, call.key());
        int number = partNumber(call);
        long length = ObjectWrites.checkedLength(call);
        NewObject.refuseEncryption(call.exchange());
        Upload upload = find(call);
        Optional<UploadChecksum> checksum =
                UploadChecksum.ofProperties(upload.attributes().properties());
        PutOptions options = PutOptions.DEFAULT.withExpectedLength(length).withFinalProperties(() -> {
            BodyDigests arrived = call.exchange().digests();
            checksum.ifPresent(known -> known.requirePart(arrived.checksums().keySet()));
            return ObjectWrites.digests(arrived);
        });
        call.bucket().uploads().put(upload, number, call.exchange().body(), options);
        BodyDigests digests = call.exchange().digests();
        SortedMap<String, String> headers = ObjectWrites.checksumHeaders(digests);
        headers.remove("x-amz-checksum-type");
        headers.put("etag", EntityTags.quoted(HexFormat.of().formatHex(digests.md5())));
        call.respond(200, headers);
    }

    /** Makes a part of an object, or of bytes of one, without moving them. */
    public static void copyPart(Call call) {
        call.authorization().require(Action.PUT_OBJECT, call.key());
        int number = partNumber(call);
        NewObject.refuseEncryption(call.exchange());
        Upload upload = find(call);
        ObjectInfo source = CopySource.of(call).find();
        if (source.encrypted()) {
            throw ErrorCode.INVALID_REQUEST.because(
                    "The object was encrypted by a client: its bytes cannot become part of another one.");
        }
        ByteRange range = call.header("x-amz-copy-source-range")
                .map(text -> ByteRange.ofCopy(text, source.length()))
                .orElse(new ByteRange(0, source.length()));
        if (range.length() > ObjectWrites.BYTES_MAX) {
            throw ErrorCode.INVALID_REQUEST.because(
                    "The specified copy source is larger than the maximum allowable size");
        }
        String tag = tagOf(source, range);
        UploadedPart part = call.bucket()
                .uploads()
                .copy(
                        upload,
                        number,
                        ObjectSlice.of(source).withRange(range.offset(), range.length()),
                        PutOptions.DEFAULT.withProperties(Map.of(EntityTags.PROPERTY, tag)));
        XmlWriter out = new XmlWriter("CopyPartResult")
                .element("LastModified", Times.iso(Times.wholeSeconds(part.stored())))
                .element("ETag", EntityTags.quoted(tag));
        SortedMap<String, String> headers = new TreeMap<>();
        if (!source.isNull()) {
            headers.put("x-amz-copy-source-version-id", VersionIds.of(source.version(), false));
        }
        call.respond(out.toBytes(), headers);
    }

    /** A whole object gives its own tag. No bytes are read of a range, so that its tag is made of what it is cut from. */
    private static String tagOf(ObjectInfo source, ByteRange range) {
        String tag = EntityTags.of(source);
        if (range.length() == source.length() && tag.indexOf('-') < 0) {
            return tag;
        }
        String description = tag + " " + source.version() + " " + range.offset() + " " + range.length();
        return HexFormat.of().formatHex(Hashes.md5().digest(description.getBytes(StandardCharsets.UTF_8)));
    }

    /** Answers with the parts. */
    public static void listParts(Call call) {
        call.authorization().require(Action.LIST_MULTIPART_UPLOAD_PARTS, call.key());
        int after = call.number("part-number-marker", 0, 0, Integer.MAX_VALUE);
        int limit = Math.min(call.number("max-parts", PARTS_PER_PAGE, 0, Integer.MAX_VALUE), PARTS_PER_PAGE);
        Upload upload = find(call);
        PartPage page = call.bucket().uploads().parts(upload, Math.min(after, PartSizes.PARTS_MAX), Math.max(1, limit));
        String owner = ownerOf(call, upload.attributes());
        XmlWriter out = new XmlWriter("ListPartsResult")
                .element("Bucket", call.bucketName())
                .element("Key", call.key())
                .element("UploadId", upload.id());
        UploadLists.writePerson(out, "Initiator", owner);
        UploadLists.writePerson(out, "Owner", owner);
        out.element("StorageClass", "STANDARD")
                .element("PartNumberMarker", after)
                .element("MaxParts", limit)
                .element("IsTruncated", page.more() && limit > 0);
        if (page.more() && limit > 0) {
            out.element("NextPartNumberMarker", page.parts().getLast().number());
        }
        if (limit > 0) {
            page.parts().forEach(part -> write(out, part));
        }
        call.respond(out.toBytes());
    }

    private static void write(XmlWriter out, UploadedPart part) {
        out.begin("Part")
                .element("PartNumber", part.number())
                .element("LastModified", Times.iso(Times.wholeSeconds(part.stored())))
                .element("ETag", EntityTags.quoted(tagOf(part)))
                .element("Size", part.length());
        CompletedParts.writeChecksums(out, part.properties());
        out.end();
    }

    /** Ends an upload. */
    public static void abort(Call call) {
        call.authorization().require(Action.ABORT_MULTIPART_UPLOAD, call.key());
        call.bucket().uploads().abort(find(call));
        call.respond(204);
    }

    /** Finds the upload that the request names. */
    static Upload find(Call call) {
        return call.bucket().uploads().find(call.key(), uploadId(call));
    }

    static long uploadId(Call call) {
        String id = call.query("uploadId").orElse("");
        if (!id.matches("[1-9][0-9]{0,17}")) {
            throw ErrorCode.NO_SUCH_UPLOAD.because("The specified upload does not exist. The upload ID may be invalid, "
                    + "or the upload may have been aborted or completed.");
        }
        return Long.parseLong(id);
    }

    /** Returns the tag of a part, without quotes. */
    static String tagOf(UploadedPart part) {
        return EntityTags.of(part.id().id(), part.properties());
    }

    static String ownerOf(Call call, ObjectAttributes attributes) {
        return ObjectAccess.of(call.rules(), attributes.properties(), Map.of()).owner();
    }

    private static int partNumber(Call call) {
        return call.number("partNumber", 0, 1, PartSizes.PARTS_MAX);
    }
}
