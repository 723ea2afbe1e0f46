package io.bulwark.client;

/**
 * Specification of a new bucket.
 *
 * @param volume the object volume that keeps its extents
 * @param keepVersions whether a put keeps the previous content as an older version
 * @param quotaBytes quota for the bytes of all versions; 0 for none
 */
public record BucketSpec(String name, String volume, boolean keepVersions, long quotaBytes) {
    /** The volume that an appliance makes when it is first started. */
    public static final String DEFAULT_VOLUME = "default";

    public BucketSpec {
        if (quotaBytes < 0) {
            throw new IllegalArgumentException("quota of " + quotaBytes + " bytes");
        }
    }

    /** In the default volume, with the latest version of each object only. */
    public static BucketSpec of(String name) {
        return new BucketSpec(name, DEFAULT_VOLUME, false, 0);
    }

    public BucketSpec inVolume(String name) {
        return new BucketSpec(this.name, name, keepVersions, quotaBytes);
    }

    public BucketSpec keepingVersions() {
        return new BucketSpec(name, volume, true, quotaBytes);
    }

    public BucketSpec withQuota(long bytes) {
        return new BucketSpec(name, volume, keepVersions, bytes);
    }
}
