package io.bulwark.console.bucket;

import io.bulwark.client.Bucket;
import io.bulwark.client.BucketInfo;
import io.bulwark.protocol.metadata.Versioning;
import java.util.List;

/**
 * Settings of a bucket as the API shows them. Objects that come and go do not change them, nor their entity tag.
 *
 * @param versioning {@code off}, {@code keep} or {@code suspended}
 * @param quotaBytes 0 for none
 * @param objectLock whether versions may be locked against deletion
 * @param documents names of the documents that gateways obey, such as {@code cors}
 */
public record BucketSettingsView(
        String versioning, long quotaBytes, boolean objectLock, RetentionView retention, List<String> documents) {
    static BucketSettingsView of(Bucket bucket) {
        BucketInfo info = bucket.info();
        return new BucketSettingsView(
                word(info.versioning()),
                info.quotaBytes(),
                info.settings().objectLock(),
                RetentionView.of(info.settings().retention()),
                bucket.settings());
    }

    static String word(Versioning versioning) {
        return switch (versioning) {
            case LATEST_ONLY -> "off";
            case KEEP_ALL -> "keep";
            case SUSPENDED -> "suspended";
        };
    }
}
