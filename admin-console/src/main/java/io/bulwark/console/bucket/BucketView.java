package io.bulwark.console.bucket;

import io.bulwark.client.BucketInfo;
import io.bulwark.protocol.metadata.Versioning;
import java.time.Instant;

/**
 * A bucket as the API shows it.
 *
 * @param versioning {@code off}, {@code keep} or {@code suspended}
 * @param quotaBytes 0 for none
 * @param objectLock whether versions may be locked against deletion
 * @param objects names with at least one version
 * @param bytes of all versions, as users count them
 */
public record BucketView(
        String name,
        String volume,
        String versioning,
        long quotaBytes,
        boolean objectLock,
        long objects,
        long bytes,
        Instant created) {
    public static BucketView of(BucketInfo bucket) {
        return new BucketView(
                bucket.name(),
                bucket.volume(),
                BucketSettingsView.word(bucket.versioning()),
                bucket.quotaBytes(),
                bucket.settings().objectLock(),
                bucket.objects(),
                bucket.bytes(),
                bucket.created());
    }

    /** Returns whether a put keeps the previous content as an older version. */
    public boolean keepsVersions() {
        return versioning.equals(BucketSettingsView.word(Versioning.KEEP_ALL));
    }

    /** Returns whether objects can have more than one version. */
    public boolean mayHaveVersions() {
        return !versioning.equals(BucketSettingsView.word(Versioning.LATEST_ONLY));
    }
}
