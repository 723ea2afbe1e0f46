package io.bulwark.console.object;

import io.bulwark.client.VersionInfo;
import java.time.Instant;

/** A version of an object as the API shows it; a delete marker has no bytes. */
public record VersionView(
        String key, long version, boolean latest, boolean deleteMarker, long bytes, Instant modified) {
    static VersionView of(VersionInfo info) {
        return new VersionView(
                info.key(), info.version(), info.latest(), info.deleteMarker(), info.length(), info.modified());
    }
}
