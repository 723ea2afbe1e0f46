package io.bulwark.gateway.s3.object;

import io.bulwark.client.ReservedTags;
import io.bulwark.gateway.s3.request.ErrorCode;
import io.bulwark.gateway.s3.request.S3Exception;
import io.bulwark.gateway.s3.xml.XmlElement;
import io.bulwark.gateway.s3.xml.XmlWriter;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Tags of objects and buckets as requests and responses have them. */
public final class Tags {
    public static final int PER_OBJECT_MAX = 10;
    public static final int PER_BUCKET_MAX = 50;

    private static final int KEY_MAX = 128;
    private static final int VALUE_MAX = 256;

    private Tags() {}

    /** Reads a document of tags. */
    public static SortedMap<String, String> ofDocument(XmlElement root, int tagsMax) {
        SortedMap<String, String> tags = new TreeMap<>();
        for (XmlElement tag : root.required("TagSet").all("Tag")) {
            add(tags, tag.required("Key").text(), tag.required("Value").text(), tagsMax);
        }
        return tags;
    }

    /** Reads tags in the form {@code a=b&c=d} of a header. */
    static SortedMap<String, String> ofHeader(String header) {
        SortedMap<String, String> tags = new TreeMap<>();
        for (String pair : header.isEmpty() ? new String[0] : header.split("&", -1)) {
            int equals = pair.indexOf('=');
            add(
                    tags,
                    decoded(equals < 0 ? pair : pair.substring(0, equals)),
                    equals < 0 ? "" : decoded(pair.substring(equals + 1)),
                    PER_OBJECT_MAX);
        }
        return tags;
    }

    /** Writes the document. */
    public static byte[] document(Map<String, String> tags) {
        XmlWriter out = new XmlWriter("Tagging").begin("TagSet");
        tags.forEach((key, value) ->
                out.begin("Tag").element("Key", key).element("Value", value).end());
        return out.toBytes();
    }

    private static void add(SortedMap<String, String> tags, String key, String value, int tagsMax) {
        if (key.isEmpty() || key.codePointCount(0, key.length()) > KEY_MAX) {
            throw invalid("The TagKey you have provided is invalid");
        }
        if (value.codePointCount(0, value.length()) > VALUE_MAX) {
            throw invalid("The TagValue you have provided is invalid");
        }
        if (key.startsWith("aws:") || ReservedTags.isReserved(key)) {
            throw invalid("System tags cannot be set");
        }
        if (tags.put(key, value) != null) {
            throw invalid("Cannot provide multiple Tags with the same key");
        }
        if (tags.size() > tagsMax) {
            throw invalid("Object tags cannot be greater than " + tagsMax);
        }
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException _) {
            throw ErrorCode.INVALID_ARGUMENT.because("The header 'x-amz-tagging' shall be encoded as UTF-8 then "
                    + "URLEncoded URL query parameters without tag name duplicates.");
        }
    }

    private static S3Exception invalid(String message) {
        return ErrorCode.INVALID_TAG.because(message);
    }
}
