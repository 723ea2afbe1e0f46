package io.bulwark.client;

/**
 * Specification of a new bucket.
 *
 * @param volume the object volume that keeps its extents
 * @param keepVersions whether a put keeps the previous content as an older version
 * @param quotaBytes quota for the bytes of all versions; 0 for none
 * @param objectLock whether versions may have a lock; it stays for good, and keeps versions
 */
public record BucketSpec(String name, String volume, boolean keepVersions, long quotaBytes, boolean objectLock) {
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
        return new BucketSpec(name, DEFAULT_VOLUME, false, 0, false);
    }

    public BucketSpec inVolume(String name) {
        return new BucketSpec(this.name, name, keepVersions, quotaBytes, objectLock);
    }

    public BucketSpec keepingVersions() {
        return new BucketSpec(name, volume, true, quotaBytes, objectLock);
    }

    public BucketSpec withQuota(long bytes) {
        return new BucketSpec(name, volume, keepVersions, bytes, objectLock);
    }

    /** Lets versions have a lock, and keeps all of them. */
    public BucketSpec withObjectLock() {
        return new BucketSpec(name, volume, true, quotaBytes, true);
    }
}
