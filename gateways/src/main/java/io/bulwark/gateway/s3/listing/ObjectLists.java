package io.bulwark.gateway.s3.listing;

import io.bulwark.client.ListOptions;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.ObjectPage;
import io.bulwark.client.error.InvalidNameException;
import io.bulwark.gateway.s3.call.Call;
import io.bulwark.gateway.s3.call.EntityTags;
import io.bulwark.gateway.s3.permission.Action;
import io.bulwark.gateway.s3.request.ErrorCode;
import io.bulwark.gateway.s3.request.Times;
import io.bulwark.gateway.s3.xml.XmlWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/** Lists of the objects of a bucket, in both versions of the operation. */
public final class ObjectLists {
    private ObjectLists() {}

    /** One page, collected from as many pages of the SDK as it takes. */
    private record Page(List<ObjectInfo> objects, List<String> commonPrefixes, String continuation) {
        /** Returns the name after which the next page begins. */
        String last() {
            String key = objects.isEmpty() ? "" : objects.getLast().key();
            String prefix = commonPrefixes.isEmpty() ? "" : commonPrefixes.getLast();
            return compare(key, prefix) < 0 ? prefix : key;
        }

        private static int compare(String a, String b) {
            return Arrays.compareUnsigned(a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Answers version 1 of the operation. */
    public static void listFirst(Call call) {
        ListedNames names = begin(call);
        String marker = call.query("marker").orElse("");
        Page page = page(call, names, after(names, marker));
        boolean truncated = !page.continuation().isEmpty();
        XmlWriter out = new XmlWriter("ListBucketResult")
                .element("Name", call.bucketName())
                .element("Prefix", names.text(names.prefix()))
                .element("Marker", names.text(marker))
                .element("MaxKeys", names.limit());
        writeForm(out, names);
        out.element("IsTruncated", truncated);
        if (truncated) {
            out.element("NextMarker", names.text(page.last()));
        }
        writeEntries(out, call, names, page, true);
        call.respond(out.toBytes());
    }

    /** Answers version 2 of the operation. */
    public static void listSecond(Call call) {
        ListedNames names = begin(call);
        String startAfter = call.query("start-after").orElse("");
        Optional<String> token = call.query("continuation-token");
        Page page = page(call, names, token.orElseGet(() -> after(names, startAfter)));
        boolean truncated = !page.continuation().isEmpty();
        XmlWriter out = new XmlWriter("ListBucketResult")
                .element("Name", call.bucketName())
                .element("Prefix", names.text(names.prefix()));
        if (call.hasQuery("continuation-token")) {
            out.element("ContinuationToken", token.orElse(""));
        }
        if (call.hasQuery("start-after")) {
            out.element("StartAfter", names.text(startAfter));
        }
        out.element("KeyCount", page.objects().size() + page.commonPrefixes().size())
                .element("MaxKeys", names.limit());
        writeForm(out, names);
        out.element("IsTruncated", truncated);
        if (truncated) {
            out.element("NextContinuationToken", page.continuation());
        }
        boolean owners = call.query("fetch-owner").filter("true"::equals).isPresent();
        writeEntries(out, call, names, page, owners);
        call.respond(out.toBytes());
    }

    private static ListedNames begin(Call call) {
        ListedNames names = ListedNames.of(call, "max-keys");
        call.authorization().require(Action.LIST_BUCKET);
        call.authorization().requirePrefix(names.prefix());
        return names;
    }

    /** Returns the continuation of the SDK that begins behind a key, or behind all keys with a common prefix. */
    private static String after(ListedNames names, String marker) {
        byte[] key = marker.getBytes(StandardCharsets.UTF_8);
        if (names.isCommonPrefix(marker)) {
            byte[] behind = Arrays.copyOf(key, key.length + 1);
            behind[key.length] = (byte) 0xFF;
            key = behind;
        }
        return Base64.getUrlEncoder().withoutPadding().encodeToString(key);
    }

    private static Page page(Call call, ListedNames names, String from) {
        List<ObjectInfo> objects = new ArrayList<>();
        List<String> commonPrefixes = new ArrayList<>();
        String continuation = names.limit() == 0 ? "" : from;
        int left = names.limit();
        while (left > 0) {
            ListOptions options = new ListOptions(names.prefix(), names.delimiter(), continuation, left);
            ObjectPage page = list(call, options);
            objects.addAll(page.objects());
            commonPrefixes.addAll(page.commonPrefixes());
            left -= page.objects().size() + page.commonPrefixes().size();
            continuation = page.continuation();
            if (page.last()) {
                break;
            }
        }
        return new Page(objects, commonPrefixes, continuation);
    }

    private static ObjectPage list(Call call, ListOptions options) {
        try {
            Base64.getUrlDecoder().decode(options.continuation());
        } catch (IllegalArgumentException _) {
            throw ErrorCode.INVALID_ARGUMENT.because("The continuation token provided is incorrect");
        }
        try {
            return call.bucket().list(options);
        } catch (InvalidNameException _) {
            // No key can begin so.
            return new ObjectPage(List.of(), List.of(), "");
        }
    }

    private static void writeForm(XmlWriter out, ListedNames names) {
        if (!names.delimiter().isEmpty()) {
            out.element("Delimiter", names.text(names.delimiter()));
        }
        if (names.encoded()) {
            out.element("EncodingType", "url");
        }
    }

    private static void writeEntries(XmlWriter out, Call call, ListedNames names, Page page, boolean owners) {
        for (ObjectInfo object : page.objects()) {
            out.begin("Contents")
                    .element("Key", names.text(object.key()))
                    .element("LastModified", Times.iso(Times.wholeSeconds(object.modified())))
                    .element("ETag", EntityTags.quoted(EntityTags.of(object)))
                    .element("Size", object.length())
                    .element("StorageClass", "STANDARD");
            if (owners) {
                writeOwner(out, call.accessTo(object).owner());
            }
            out.end();
        }
        for (String prefix : page.commonPrefixes()) {
            out.begin("CommonPrefixes").element("Prefix", names.text(prefix)).end();
        }
    }

    static void writeOwner(XmlWriter out, String owner) {
        out.begin("Owner").element("ID", owner).element("DisplayName", owner).end();
    }
}
