package io.bulwark.gateway.s3.listing;

import io.bulwark.client.Bucket;
import io.bulwark.client.VersionInfo;
import io.bulwark.client.VersionListOptions;
import io.bulwark.client.VersionPage;
import io.bulwark.client.error.InvalidNameException;
import io.bulwark.gateway.s3.call.Call;
import io.bulwark.gateway.s3.call.EntityTags;
import io.bulwark.gateway.s3.call.VersionIds;
import io.bulwark.gateway.s3.permission.Action;
import io.bulwark.gateway.s3.permission.ObjectAccess;
import io.bulwark.gateway.s3.request.ErrorCode;
import io.bulwark.gateway.s3.request.Times;
import io.bulwark.gateway.s3.xml.XmlWriter;
import io.bulwark.protocol.metadata.Versioning;
import java.util.List;
import java.util.Optional;

/** List of all versions and delete markers of a bucket: by key, the newest first. */
public final class VersionLists {
    private final Call call;
    private final ListedNames names;
    private final XmlWriter out = new XmlWriter("ListVersionsResult");

    private VersionLists(Call call, ListedNames names) {
        this.call = call;
        this.names = names;
    }

    /** Answers the operation. */
    public static void list(Call call) {
        ListedNames names = ListedNames.of(call, "max-keys");
        call.authorization().require(Action.LIST_BUCKET_VERSIONS);
        call.authorization().requirePrefix(names.prefix());
        new VersionLists(call, names).list();
    }

    private void list() {
        String keyMarker = call.query("key-marker").orElse("");
        Optional<String> versionMarker = call.query("version-id-marker");
        if (versionMarker.isPresent() && keyMarker.isEmpty()) {
            throw ErrorCode.INVALID_ARGUMENT.because("A version-id marker cannot be specified without a key marker.");
        }
        out.element("Name", call.bucketName())
                .element("Prefix", names.text(names.prefix()))
                .element("KeyMarker", names.text(keyMarker))
                .element("VersionIdMarker", versionMarker.orElse(""))
                .element("MaxKeys", names.limit());
        if (!names.delimiter().isEmpty()) {
            out.element("Delimiter", names.text(names.delimiter()));
        }
        if (names.encoded()) {
            out.element("EncodingType", "url");
        }
        String key = keyMarker;
        long version = versionBehind(call.bucket(), keyMarker, versionMarker);
        int left = names.limit();
        boolean last = left == 0;
        while (left > 0 && !last) {
            VersionPage page = page(new VersionListOptions(names.prefix(), names.delimiter(), key, version, left));
            page.versions().forEach(this::write);
            page.commonPrefixes()
                    .forEach(prefix -> out.begin("CommonPrefixes")
                            .element("Prefix", names.text(prefix))
                            .end());
            left -= page.versions().size() + page.commonPrefixes().size();
            key = page.nextKey();
            version = page.nextVersion();
            last = page.last();
        }
        out.element("IsTruncated", !last);
        if (!last) {
            out.element("NextKeyMarker", names.text(key));
            if (version != 0) {
                out.element("NextVersionIdMarker", version);
            }
        }
        call.respond(out.toBytes());
    }

    private VersionPage page(VersionListOptions options) {
        try {
            return call.bucket().listVersions(options);
        } catch (InvalidNameException _) {
            // No key can begin so.
            return new VersionPage(List.of(), List.of(), true, "", 0);
        }
    }

    /** Returns the number of the version behind which the list goes on; 0 for the next key. */
    private static long versionBehind(Bucket bucket, String key, Optional<String> id) {
        long version = VersionIds.parse(id);
        return version == Versioning.NULL_VERSION
                ? VersionIds.find(bucket, key, version)
                        .map(VersionInfo::version)
                        .orElse(0L)
                : version;
    }

    private void write(VersionInfo version) {
        out.begin(version.deleteMarker() ? "DeleteMarker" : "Version")
                .element("Key", names.text(version.key()))
                .element("VersionId", VersionIds.of(version.version(), version.isNull()))
                .element("IsLatest", version.latest())
                .element("LastModified", Times.iso(Times.wholeSeconds(version.modified())));
        if (!version.deleteMarker()) {
            out.element("ETag", EntityTags.quoted(EntityTags.of(version.version(), version.properties())))
                    .element("Size", version.length())
                    .element("StorageClass", "STANDARD");
        }
        String owner = ObjectAccess.of(call.rules(), version.properties(), version.tags())
                .owner();
        ObjectLists.writeOwner(out, owner);
        out.end();
    }
}
