package io.bulwark.console.object;

import io.bulwark.client.ObjectInfo;
import java.time.Instant;
import java.util.SortedMap;

/**
 * Metadata of one version of an object, as the API shows it.
 *
 * @param bytes its length; of an encrypted object that of what servers hold
 * @param encrypted whether a client has encrypted it with a key of its own
 */
public record ObjectView(
        String bucket,
        String key,
        long version,
        long bytes,
        Instant modified,
        String contentType,
        SortedMap<String, String> tags,
        boolean encrypted) {
    static ObjectView of(ObjectInfo object) {
        return new ObjectView(
                object.bucket(),
                object.key(),
                object.version(),
                object.length(),
                object.modified(),
                object.contentType(),
                object.tags(),
                object.encrypted());
    }

    /** Returns the tag of this version: its number, which is never used again. */
    public String tag() {
        return VersionTags.of(version);
    }
}
