package io.bulwark.gateway.s3.upload;

import io.bulwark.client.ObjectInfo;
import io.bulwark.client.PartId;
import io.bulwark.client.PartPage;
import io.bulwark.client.PutOptions;
import io.bulwark.client.Upload;
import io.bulwark.client.UploadedPart;
import io.bulwark.client.error.NoSuchKeyException;
import io.bulwark.client.error.NoSuchUploadException;
import io.bulwark.client.error.PreconditionFailedException;
import io.bulwark.gateway.s3.body.ChecksumAlgorithm;
import io.bulwark.gateway.s3.call.Call;
import io.bulwark.gateway.s3.call.EntityTags;
import io.bulwark.gateway.s3.object.Conditions;
import io.bulwark.gateway.s3.object.ObjectWrites;
import io.bulwark.gateway.s3.object.PartSizes;
import io.bulwark.gateway.s3.permission.Action;
import io.bulwark.gateway.s3.request.ErrorCode;
import io.bulwark.gateway.s3.request.Hashes;
import io.bulwark.gateway.s3.request.S3Exception;
import io.bulwark.gateway.s3.xml.XmlElement;
import io.bulwark.gateway.s3.xml.XmlWriter;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Completes multipart uploads: the named parts become an object in one step. */
public final class CompletedParts {
    private static final List<ChecksumAlgorithm> CHECKSUMS = List.of(ChecksumAlgorithm.values());

    /** Property with the upload from which an object came, by which a repeated completion knows it. */
    private static final String UPLOAD = "s3-upload";

    private static final long PART_BYTES_MIN = 5 << 20;
    private static final int PAGE = 1000;

    private final Call call;

    private CompletedParts(Call call) {
        this.call = call;
    }

    /** Completes the upload that the request names. */
    public static void complete(Call call) {
        call.authorization().require(Action.PUT_OBJECT, call.key());
        XmlElement root = call.document("CompleteMultipartUpload");
        root.allowOnly("Part");
        List<XmlElement> named = root.all("Part");
        if (named.isEmpty() || named.size() > PartSizes.PARTS_MAX) {
            throw XmlElement.malformed("it names 1 to " + PartSizes.PARTS_MAX + " parts");
        }
        new CompletedParts(call).complete(named);
    }

    private void complete(List<XmlElement> named) {
        try {
            Upload upload = MultipartUploads.find(call);
            List<UploadedPart> parts = select(named, stored(upload));
            SortedMap<String, String> properties = properties(upload, parts);
            PutOptions options =
                    PutOptions.DEFAULT.withProperties(properties).withPrecondition(Conditions.ofWrite(call));
            List<PartId> ids = parts.stream().map(UploadedPart::id).toList();
            ObjectInfo object = call.bucket().uploads().complete(upload, ids, options);
            respond(object, properties);
        } catch (NoSuchUploadException | PreconditionFailedException | S3Exception e) {
            if (e instanceof S3Exception refusal && !refusal.code().equals(ErrorCode.PRECONDITION_FAILED.code())) {
                throw e;
            }
            // The same request may have completed it before, or meanwhile.
            ObjectInfo object = completedBefore().orElseThrow(() -> e);
            requireSame(named, object);
            respond(object, object.properties());
        }
    }

    /** Refuses a repetition that names other parts than those of which the object was made. */
    private static void requireSame(List<XmlElement> named, ObjectInfo object) {
        int last = 0;
        List<String> tags = new ArrayList<>();
        for (XmlElement element : named) {
            int number = numberOf(element);
            if (number <= last) {
                throw wrongOrder();
            }
            last = number;
            tags.add(EntityTags.bare(element.required("ETag").text()));
        }
        if (!tagOf(tags).equals(EntityTags.of(object))) {
            throw unknownPart();
        }
    }

    private static int numberOf(XmlElement part) {
        String number = part.required("PartNumber").text().strip();
        if (!number.matches("[0-9]{1,9}")) {
            throw XmlElement.malformed("a part number is none");
        }
        return Integer.parseInt(number);
    }

    private static S3Exception unknownPart() {
        return ErrorCode.INVALID_PART.because("One or more of the specified parts could not be found. The part "
                + "may not have been uploaded, or the specified entity tag may not match the part's entity tag.");
    }

    private static S3Exception wrongOrder() {
        return ErrorCode.INVALID_PART_ORDER.because(
                "The list of parts was not in ascending order. Parts must be ordered by part number.");
    }

    private SortedMap<String, String> properties(Upload upload, List<UploadedPart> parts) {
        SortedMap<String, String> properties = new TreeMap<>();
        UploadChecksum.ofProperties(upload.attributes().properties())
                .ifPresent(checksum -> properties.putAll(checksum.of(parts)));
        for (ChecksumAlgorithm algorithm : CHECKSUMS) {
            String property = algorithm.header();
            // The sender may name the algorithm now, and what it expects.
            Optional<String> expected = call.header(property);
            String known = properties.get(property);
            if (expected.isPresent()
                    && known != null
                    && !known.equals(expected.get())
                    && !known.replaceFirst("-[0-9]+$", "").equals(expected.get())) {
                throw ErrorCode.BAD_DIGEST.because("The checksum of the whole object does not match what was named.");
            }
            if (expected.isPresent() && known == null) {
                throw ErrorCode.INVALID_REQUEST.because("The upload was not begun with this checksum algorithm.");
            }
        }
        properties.put(
                EntityTags.PROPERTY,
                tagOf(parts.stream().map(MultipartUploads::tagOf).toList()));
        properties.put(UPLOAD, Long.toString(upload.id()));
        new PartSizes(parts.stream().map(UploadedPart::length).toList())
                .toText()
                .ifPresent(sizes -> properties.put(PartSizes.PROPERTY, sizes));
        return properties;
    }

    private static String tagOf(List<String> tagsOfParts) {
        ByteArrayOutputStream tags = new ByteArrayOutputStream();
        for (String tag : tagsOfParts) {
            tags.writeBytes(
                    tag.matches("[0-9a-f]{32}")
                            ? HexFormat.of().parseHex(tag)
                            : Hashes.md5().digest(tag.getBytes(StandardCharsets.UTF_8)));
        }
        return HexFormat.of().formatHex(Hashes.md5().digest(tags.toByteArray())) + "-" + tagsOfParts.size();
    }

    /** A client that did not get the first answer sends the request again. */
    private Optional<ObjectInfo> completedBefore() {
        try {
            return Optional.of(call.bucket().head(call.key()))
                    .filter(object -> Long.toString(MultipartUploads.uploadId(call))
                            .equals(object.properties().get(UPLOAD)));
        } catch (NoSuchKeyException _) {
            return Optional.empty();
        }
    }

    private Map<Integer, UploadedPart> stored(Upload upload) {
        Map<Integer, UploadedPart> all = new HashMap<>();
        int after = 0;
        PartPage page;
        do {
            page = call.bucket().uploads().parts(upload, after, PAGE);
            page.parts().forEach(part -> all.put(part.number(), part));
            after = page.parts().isEmpty() ? after : page.parts().getLast().number();
        } while (page.more() && !page.parts().isEmpty());
        return all;
    }

    private List<UploadedPart> select(List<XmlElement> named, Map<Integer, UploadedPart> stored) {
        List<UploadedPart> parts = new ArrayList<>();
        long total = 0;
        for (XmlElement element : named) {
            UploadedPart part = stored.get(numberOf(element));
            String tag = EntityTags.bare(element.required("ETag").text());
            if (part == null || !MultipartUploads.tagOf(part).equals(tag) || !fits(element, part)) {
                throw unknownPart();
            }
            if (!parts.isEmpty() && parts.getLast().number() >= part.number()) {
                throw wrongOrder();
            }
            if (!parts.isEmpty() && parts.getLast().length() < PART_BYTES_MIN) {
                throw ErrorCode.ENTITY_TOO_SMALL.because(
                        "Your proposed upload is smaller than the minimum allowed size");
            }
            parts.add(part);
            total += part.length();
        }
        long size = total;
        call.header("x-amz-mp-object-size")
                .filter(text -> !text.equals(Long.toString(size)))
                .ifPresent(_ -> {
                    throw ErrorCode.INVALID_REQUEST.because(
                            "The provided object size does not match that of the parts.");
                });
        return parts;
    }

    private static boolean fits(XmlElement element, UploadedPart part) {
        return CHECKSUMS.stream()
                .allMatch(checksum -> element.textOf(checksum.element())
                        .map(text -> text.equals(part.properties().get(checksum.header())))
                        .orElse(true));
    }

    private void respond(ObjectInfo object, Map<String, String> properties) {
        XmlWriter out = new XmlWriter("CompleteMultipartUploadResult")
                .element("Location", "/" + call.bucketName() + "/" + call.key())
                .element("Bucket", call.bucketName())
                .element("Key", call.key())
                .element("ETag", EntityTags.quoted(EntityTags.of(object.version(), properties)));
        writeChecksums(out, properties);
        out.optional("ChecksumType", Optional.ofNullable(properties.get("x-amz-checksum-type")));
        call.respond(out.toBytes(), ObjectWrites.written(object));
    }

    static void writeChecksums(XmlWriter out, Map<String, String> properties) {
        CHECKSUMS.forEach(
                checksum -> out.optional(checksum.element(), Optional.ofNullable(properties.get(checksum.header()))));
    }
}
