package io.bulwark.console.object;

import io.bulwark.client.VersionInfo;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A version of an object as the API shows it; a delete marker has no bytes.
 *
 * @param nullVersion whether it was made while the bucket kept only one such version
 * @param lock null if there is none
 */
public record VersionView(
        String key,
        long version,
        boolean latest,
        boolean deleteMarker,
        boolean nullVersion,
        long bytes,
        Instant modified,
        @Nullable LockView lock) {
    static VersionView of(VersionInfo info) {
        return new VersionView(
                info.key(),
                info.version(),
                info.latest(),
                info.deleteMarker(),
                info.isNull(),
                info.length(),
                info.modified(),
                LockView.of(info.lock()));
    }
}
