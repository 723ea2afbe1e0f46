package io.bulwark.gateway.s3.upload;

import io.bulwark.client.Upload;
import io.bulwark.client.UploadPage;
import io.bulwark.gateway.s3.call.Call;
import io.bulwark.gateway.s3.listing.ListedNames;
import io.bulwark.gateway.s3.permission.Action;
import io.bulwark.gateway.s3.request.Times;
import io.bulwark.gateway.s3.xml.XmlWriter;
import java.util.Optional;

/** List of the uploads of a bucket that were neither completed nor aborted. */
public final class UploadLists {
    /** The highest character: a prefix with it comes behind nearly all keys with the prefix. */
    private static final String HIGHEST = Character.toString(Character.MAX_CODE_POINT);

    private static final int PAGE = 1000;

    private final Call call;
    private final ListedNames names;
    private final XmlWriter entries = new XmlWriter("ListMultipartUploadsResult");
    private int left;
    private String lastKey = "";
    private long lastUpload;
    private String lastPrefix = "";
    private boolean truncated;

    private UploadLists(Call call, ListedNames names) {
        this.call = call;
        this.names = names;
        this.left = names.limit();
    }

    /** Answers the operation. */
    public static void list(Call call) {
        ListedNames names = ListedNames.of(call, "max-uploads");
        call.authorization().require(Action.LIST_BUCKET_MULTIPART_UPLOADS);
        call.authorization().requirePrefix(names.prefix());
        new UploadLists(call, names).list();
    }

    private void list() {
        String keyMarker = call.query("key-marker").orElse("");
        String uploadMarker = call.query("upload-id-marker").orElse("");
        entries.element("Bucket", call.bucketName())
                .element("KeyMarker", names.text(keyMarker))
                .element("UploadIdMarker", uploadMarker)
                .element("Prefix", names.text(names.prefix()))
                .element("MaxUploads", names.limit());
        if (!names.delimiter().isEmpty()) {
            entries.element("Delimiter", names.text(names.delimiter()));
        }
        if (names.encoded()) {
            entries.element("EncodingType", "url");
        }
        if (names.isCommonPrefix(keyMarker)) {
            lastPrefix = keyMarker;
            collect(keyMarker + HIGHEST, 0);
        } else {
            collect(keyMarker, uploadMarker.matches("[1-9][0-9]{0,17}") ? Long.parseLong(uploadMarker) : 0);
        }
        entries.element("IsTruncated", truncated);
        if (truncated) {
            entries.element("NextKeyMarker", names.text(lastKey));
            if (lastUpload > 0) {
                entries.element("NextUploadIdMarker", lastUpload);
            }
        }
        call.respond(entries.toBytes());
    }

    private void collect(String afterKey, long afterUpload) {
        String key = afterKey;
        long upload = afterUpload;
        boolean more = left > 0;
        while (more && !truncated) {
            UploadPage page = call.bucket().uploads().list(names.prefix(), key, upload, PAGE);
            more = page.more() && !page.uploads().isEmpty();
            for (Upload one : page.uploads()) {
                key = one.key();
                upload = one.id();
                Optional<String> skipped = take(one);
                if (skipped.isPresent()) {
                    // The rest of the page may have the same prefix.
                    key = skipped.get() + HIGHEST;
                    upload = 0;
                    more = true;
                    break;
                }
                if (truncated) {
                    break;
                }
            }
        }
    }

    /** Takes one upload, and returns the common prefix that is to be skipped. */
    private Optional<String> take(Upload upload) {
        Optional<String> common = names.commonPrefix(upload.key());
        if (common.filter(lastPrefix::equals).isPresent()) {
            return Optional.empty();
        }
        if (left == 0) {
            truncated = true;
            return Optional.empty();
        }
        left--;
        if (common.isPresent()) {
            lastPrefix = common.get();
            lastKey = common.get();
            lastUpload = 0;
            entries.begin("CommonPrefixes")
                    .element("Prefix", names.text(common.get()))
                    .end();
            return common;
        }
        lastKey = upload.key();
        lastUpload = upload.id();
        String owner = MultipartUploads.ownerOf(call, upload.attributes());
        entries.begin("Upload").element("Key", names.text(upload.key())).element("UploadId", upload.id());
        writePerson(entries, "Initiator", owner);
        writePerson(entries, "Owner", owner);
        entries.element("StorageClass", "STANDARD")
                .element("Initiated", Times.iso(upload.begun()))
                .end();
        return Optional.empty();
    }

    static void writePerson(XmlWriter out, String element, String id) {
        out.begin(element).element("ID", id).element("DisplayName", id).end();
    }
}
