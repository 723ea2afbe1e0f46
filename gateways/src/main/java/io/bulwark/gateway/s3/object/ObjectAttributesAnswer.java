package io.bulwark.gateway.s3.object;

import io.bulwark.client.ObjectInfo;
import io.bulwark.gateway.s3.body.ChecksumAlgorithm;
import io.bulwark.gateway.s3.call.Call;
import io.bulwark.gateway.s3.call.EntityTags;
import io.bulwark.gateway.s3.permission.Action;
import io.bulwark.gateway.s3.request.ErrorCode;
import io.bulwark.gateway.s3.request.Times;
import io.bulwark.gateway.s3.xml.XmlWriter;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** Answer to {@code GetObjectAttributes}: what is known of an object without its content. */
public final class ObjectAttributesAnswer {
    private static final Set<String> KNOWN = Set.of("ETag", "Checksum", "ObjectParts", "StorageClass", "ObjectSize");

    private ObjectAttributesAnswer() {}

    /** Answers the operation. */
    public static void answer(Call call) {
        ObjectInfo object = ObjectReads.find(call, Action.GET_OBJECT_ATTRIBUTES);
        Set<String> wanted = new HashSet<>();
        for (String header : call.exchange().headers("x-amz-object-attributes")) {
            for (String name : header.split(",", -1)) {
                wanted.add(name.strip());
            }
        }
        if (wanted.isEmpty() || !KNOWN.containsAll(wanted)) {
            throw ErrorCode.INVALID_ARGUMENT.because("Invalid attribute name specified.");
        }
        XmlWriter out = new XmlWriter("GetObjectAttributesResponse");
        if (wanted.contains("ETag")) {
            out.element("ETag", EntityTags.of(object));
        }
        if (wanted.contains("Checksum")) {
            writeChecksums(out, object.properties());
        }
        Optional<PartSizes> parts = PartSizes.of(object.properties());
        if (wanted.contains("ObjectParts") && parts.isPresent()) {
            writeParts(out, call, parts.get());
        }
        if (wanted.contains("StorageClass")) {
            out.element("StorageClass", "STANDARD");
        }
        if (wanted.contains("ObjectSize")) {
            out.element("ObjectSize", object.length());
        }
        SortedMap<String, String> headers = new TreeMap<>(ObjectWrites.written(object));
        headers.put("last-modified", Times.http(object.modified()));
        call.respond(out.toBytes(), headers);
    }

    private static void writeChecksums(XmlWriter out, Map<String, String> properties) {
        Map<String, String> found = new TreeMap<>();
        for (ChecksumAlgorithm algorithm : ChecksumAlgorithm.values()) {
            Optional.ofNullable(properties.get(algorithm.header()))
                    .ifPresent(value -> found.put(algorithm.element(), value));
        }
        if (!found.isEmpty()) {
            out.begin("Checksum");
            found.forEach(out::element);
            out.element("ChecksumType", properties.getOrDefault(Properties.CHECKSUM_TYPE, "FULL_OBJECT"));
            out.end();
        }
    }

    private static void writeParts(XmlWriter out, Call call, PartSizes parts) {
        int after = call.header("x-amz-part-number-marker")
                .map(ObjectAttributesAnswer::number)
                .orElse(0);
        int limit = Math.min(
                1000,
                call.header("x-amz-max-parts")
                        .map(ObjectAttributesAnswer::number)
                        .orElse(1000));
        List<Long> sizes = parts.sizes();
        int from = Math.min(after, sizes.size());
        int to = Math.min(from + limit, sizes.size());
        out.begin("ObjectParts")
                .element("TotalPartsCount", sizes.size())
                .element("PartNumberMarker", after)
                .element("NextPartNumberMarker", to)
                .element("MaxParts", limit)
                .element("IsTruncated", to < sizes.size());
        for (int i = from; i < to; i++) {
            out.begin("Part")
                    .element("PartNumber", i + 1)
                    .element("Size", sizes.get(i))
                    .end();
        }
        out.end();
    }

    private static int number(String text) {
        if (!text.matches("[0-9]{1,9}")) {
            throw ErrorCode.INVALID_ARGUMENT.because("A number is expected.");
        }
        return Integer.parseInt(text);
    }
}
