package io.bulwark.client;

import java.util.Optional;

/**
 * Specification of a new bucket.
 *
 * @param volume the object volume that keeps its extents
 * @param keepVersions whether a put keeps the previous content as an older version
 * @param quotaBytes quota for the bytes of all versions; 0 for none
 * @param objectLock whether versions may have a lock; it stays for good, and keeps versions
 * @param setting a document as {@link Bucket#putSetting} puts it, which the bucket has from the start
 */
public record BucketSpec(
        String name,
        String volume,
        boolean keepVersions,
        long quotaBytes,
        boolean objectLock,
        Optional<BucketDocument> setting) {
    /** The volume that an appliance makes when it is first started. */
    public static final String DEFAULT_VOLUME = "default";

    public BucketSpec {
        if (quotaBytes < 0) {
            throw new IllegalArgumentException("quota of " + quotaBytes + " bytes");
        }
        if (objectLock && !keepVersions) {
            throw new IllegalArgumentException("object lock needs a bucket that keeps versions");
        }
    }

    /** Returns a bucket in the default volume that keeps the latest version of each object only. */
    public static BucketSpec of(String name) {
        return new BucketSpec(name, DEFAULT_VOLUME, false, 0, false, Optional.empty());
    }

    public BucketSpec inVolume(String name) {
        return new BucketSpec(this.name, name, keepVersions, quotaBytes, objectLock, setting);
    }

    public BucketSpec keepingVersions() {
        return new BucketSpec(name, volume, true, quotaBytes, objectLock, setting);
    }

    public BucketSpec withQuota(long bytes) {
        return new BucketSpec(name, volume, keepVersions, bytes, objectLock, setting);
    }

    /** Lets versions have a lock, and keeps all of them. */
    public BucketSpec withObjectLock() {
        return new BucketSpec(name, volume, true, quotaBytes, true, setting);
    }

    /** Gives the bucket a document in the same step, so that nobody finds the bucket without it. */
    public BucketSpec withSetting(String document, byte[] content) {
        return new BucketSpec(
                name,
                volume,
                keepVersions,
                quotaBytes,
                objectLock,
                Optional.of(new BucketDocument(document, 0, content)));
    }
}
