package io.bulwark.console.object;

import io.bulwark.client.ObjectInfo;
import java.time.Instant;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Metadata of one version of an object, as the API shows it.
 *
 * @param bytes its length; of an encrypted object that of what servers hold
 * @param tags may be changed later
 * @param properties belong to the version for good, such as the ETag and the headers that a gateway got
 * @param encrypted whether a client has encrypted it with a key of its own
 * @param nullVersion whether it was made while the bucket kept only one such version
 * @param lock null if there is none
 */
public record ObjectView(
        String bucket,
        String key,
        long version,
        long bytes,
        Instant modified,
        String contentType,
        SortedMap<String, String> tags,
        SortedMap<String, String> properties,
        boolean encrypted,
        boolean nullVersion,
        @Nullable LockView lock) {
    static ObjectView of(ObjectInfo object) {
        return new ObjectView(
                object.bucket(),
                object.key(),
                object.version(),
                object.length(),
                object.modified(),
                object.contentType(),
                object.tags(),
                object.properties(),
                object.encrypted(),
                object.isNull(),
                LockView.of(object.lock()));
    }

    /** Returns the tag of this version: its number, which is never used again. */
    public String tag() {
        return VersionTags.of(version);
    }
}
