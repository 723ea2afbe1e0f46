package io.bulwark.client;

import java.time.Instant;

/**
 * A bucket as the metadata has it.
 *
 * @param objects names with at least one version
 * @param bytes of all versions, as the user counts them
 */
public record BucketInfo(
        String name,
        String volume,
        boolean keepsVersions,
        long quotaBytes,
        long objects,
        long bytes,
        Instant created) {}
