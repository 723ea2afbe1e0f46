package io.bulwark.gateway.s3.listing;

import io.bulwark.client.Bucket;
import io.bulwark.client.VersionInfo;
import io.bulwark.gateway.s3.call.Call;
import io.bulwark.gateway.s3.call.EntityTags;
import io.bulwark.gateway.s3.call.Times;
import io.bulwark.gateway.s3.call.VersionIds;
import io.bulwark.gateway.s3.permission.Action;
import io.bulwark.gateway.s3.permission.ObjectAccess;
import io.bulwark.gateway.s3.request.ErrorCode;
import io.bulwark.gateway.s3.xml.XmlWriter;
import io.bulwark.protocol.metadata.Versioning;
import java.util.Iterator;
import java.util.Optional;
import java.util.stream.Stream;

/** List of all versions and delete markers of a bucket: by key, the newest first. */
public final class VersionLists {
    /** The highest character: a prefix with it comes behind nearly all keys with the prefix. */
    private static final String HIGHEST = Character.toString(Character.MAX_CODE_POINT);

    private final Call call;
    private final ListedNames names;
    private final XmlWriter entries = new XmlWriter("ListVersionsResult");
    private int left;
    private String lastKey = "";
    private Optional<VersionInfo> lastVersion = Optional.empty();
    private String lastPrefix = "";
    private boolean truncated;

    private VersionLists(Call call, ListedNames names) {
        this.call = call;
        this.names = names;
        this.left = names.limit();
    }

    /** Answers the operation. */
    public static void list(Call call) {
        ListedNames names = ListedNames.of(call, "max-keys");
        call.authorization().require(Action.LIST_BUCKET_VERSIONS);
        call.authorization().requirePrefix(names.prefix());
        new VersionLists(call, names).list();
    }

    private void list() {
        Bucket bucket = call.bucket();
        String keyMarker = call.query("key-marker").orElse("");
        Optional<String> versionMarker = call.query("version-id-marker");
        if (versionMarker.isPresent() && keyMarker.isEmpty()) {
            throw ErrorCode.INVALID_ARGUMENT.because("A version-id marker cannot be specified without a key marker.");
        }
        entries.element("Name", call.bucketName())
                .element("Prefix", names.text(names.prefix()))
                .element("KeyMarker", names.text(keyMarker))
                .element("VersionIdMarker", versionMarker.orElse(""))
                .element("MaxKeys", names.limit());
        if (!names.delimiter().isEmpty()) {
            entries.element("Delimiter", names.text(names.delimiter()));
        }
        if (names.encoded()) {
            entries.element("EncodingType", "url");
        }
        String after = keyMarker;
        long before = versionBehind(bucket, keyMarker, versionMarker);
        if (names.isCommonPrefix(keyMarker)) {
            lastPrefix = keyMarker;
            after = keyMarker + HIGHEST;
            before = 0;
        }
        if (left > 0) {
            collect(bucket, after, before);
        }
        entries.element("IsTruncated", truncated);
        if (truncated) {
            entries.element("NextKeyMarker", names.text(lastKey));
            lastVersion.ifPresent(version ->
                    entries.element("NextVersionIdMarker", VersionIds.of(version.version(), version.isNull())));
        }
        call.respond(entries.toBytes());
    }

    /** Returns the number of the version behind which the list goes on; 0 for the next key. */
    private static long versionBehind(Bucket bucket, String key, Optional<String> id) {
        long version = VersionIds.parse(id);
        return version == Versioning.NULL_VERSION
                ? VersionIds.find(bucket, key, version).map(VersionInfo::version).orElse(0L)
                : version;
    }

    private void collect(Bucket bucket, String afterKey, long beforeVersion) {
        String after = afterKey;
        long before = beforeVersion;
        Optional<String> skipped;
        do {
            skipped = Optional.empty();
            try (Stream<VersionInfo> versions = bucket.versions(names.prefix(), after, before)) {
                Iterator<VersionInfo> all = versions.iterator();
                while (skipped.isEmpty() && !truncated && all.hasNext()) {
                    skipped = take(all.next());
                }
            }
            after = skipped.orElse("") + HIGHEST;
            before = 0;
        } while (skipped.isPresent() && !truncated);
    }

    /** Takes one version, and returns the common prefix that is to be skipped. */
    private Optional<String> take(VersionInfo version) {
        Optional<String> common = names.commonPrefix(version.key());
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
            lastVersion = Optional.empty();
            entries.begin("CommonPrefixes").element("Prefix", names.text(common.get())).end();
            return common;
        }
        lastKey = version.key();
        lastVersion = Optional.of(version);
        write(version);
        return Optional.empty();
    }

    private void write(VersionInfo version) {
        entries.begin(version.deleteMarker() ? "DeleteMarker" : "Version")
                .element("Key", names.text(version.key()))
                .element("VersionId", VersionIds.of(version.version(), version.isNull()))
                .element("IsLatest", version.latest())
                .element("LastModified", Times.iso(Times.wholeSeconds(version.modified())));
        if (!version.deleteMarker()) {
            entries.element("ETag", EntityTags.quoted(EntityTags.of(version.version(), version.properties())))
                    .element("Size", version.length())
                    .element("StorageClass", "STANDARD");
        }
        String owner = ObjectAccess.of(call.rules(), version.properties(), version.tags()).owner();
        ObjectLists.writeOwner(entries, owner);
        entries.end();
    }
}
