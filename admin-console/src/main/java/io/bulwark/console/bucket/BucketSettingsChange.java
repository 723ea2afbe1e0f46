package io.bulwark.console.bucket;

import io.bulwark.console.http.ApiException;
import io.bulwark.protocol.metadata.BucketChange;
import io.bulwark.protocol.metadata.Versioning;
import org.jspecify.annotations.Nullable;

/**
 * Request to change settings of a bucket. A field that is left out stays as it is.
 *
 * @param versioning {@code keep} or {@code suspended}; it never becomes {@code off} again
 * @param quotaBytes 0 for none
 * @param objectLock true lets versions be locked, for good
 * @param retention default of new versions; needs object lock
 */
record BucketSettingsChange(
        @Nullable String versioning,
        @Nullable Long quotaBytes,
        @Nullable Boolean objectLock,
        @Nullable RetentionView retention) {
    /**
     * Returns the change of the SDK.
     *
     * @throws ApiException if a field is wrong, or there is none
     */
    BucketChange wanted() {
        BucketChange change = BucketChange.NONE;
        if (versioning != null) {
            change = change.withVersioning(state(versioning));
        }
        if (quotaBytes != null) {
            if (quotaBytes < 0) {
                throw ApiException.badField("quotaBytes", "a quota is not negative");
            }
            change = change.withQuota(quotaBytes);
        }
        if (objectLock != null) {
            if (!objectLock) {
                throw ApiException.badField("objectLock", "object lock stays once it is there");
            }
            change = change.withObjectLock();
        }
        if (retention != null) {
            change = change.withRetention(retention.wanted());
        }
        if (change.equals(BucketChange.NONE)) {
            throw ApiException.badField("versioning", "name at least one setting to change");
        }
        return change;
    }

    private static Versioning state(String word) {
        return switch (word) {
            case "keep" -> Versioning.KEEP_ALL;
            case "suspended" -> Versioning.SUSPENDED;
            default -> throw ApiException.badField("versioning", "versioning becomes keep or suspended");
        };
    }
}
