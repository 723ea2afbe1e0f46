package io.bulwark.console.bucket;

import io.bulwark.client.BucketInfo;
import java.time.Instant;

/**
 * A bucket as the API shows it.
 *
 * @param keepsVersions whether a put keeps the previous content as an older version
 * @param quotaBytes 0 for none
 * @param objects names with at least one version
 * @param bytes of all versions, as users count them
 */
public record BucketView(
        String name, String volume, boolean keepsVersions, long quotaBytes, long objects, long bytes, Instant created) {
    public static BucketView of(BucketInfo bucket) {
        return new BucketView(
                bucket.name(),
                bucket.volume(),
                bucket.keepsVersions(),
                bucket.quotaBytes(),
                bucket.objects(),
                bucket.bytes(),
                bucket.created());
    }
}
