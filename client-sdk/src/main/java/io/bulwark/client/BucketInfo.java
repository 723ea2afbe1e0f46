package io.bulwark.client;

import io.bulwark.protocol.metadata.BucketSettings;
import io.bulwark.protocol.metadata.Versioning;
import java.time.Instant;

/**
 * A bucket as the metadata has it.
 *
 * @param settings versioning, quota and object lock
 * @param objects names with at least one version
 * @param bytes of all versions, as the user counts them
 */
public record BucketInfo(
        String name, String volume, BucketSettings settings, long objects, long bytes, Instant created) {
    public Versioning versioning() {
        return settings.versioning();
    }

    /** Returns whether a put keeps the previous content as an older version. */
    public boolean keepsVersions() {
        return settings.versioning() == Versioning.KEEP_ALL;
    }

    /** Returns the limit of the bytes of all versions; 0 for none. */
    public long quotaBytes() {
        return settings.quotaBytes();
    }
}
