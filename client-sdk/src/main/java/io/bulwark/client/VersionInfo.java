package io.bulwark.client;

import io.bulwark.protocol.object.ObjectLock;
import io.bulwark.protocol.object.VersionState;
import java.time.Instant;
import java.util.SortedMap;

/**
 * One version of an object.
 *
 * @param deleteMarker whether this version marks the object as deleted; its length is 0
 * @param state attributes and lock of this version
 */
public record VersionInfo(
        String bucket,
        String key,
        long version,
        boolean latest,
        boolean deleteMarker,
        long length,
        Instant modified,
        VersionState state) {
    public String contentType() {
        return state.attributes().contentType();
    }

    /** Returns the user's tags, which may be changed later. */
    public SortedMap<String, String> tags() {
        return state.attributes().tags();
    }

    /** Returns the properties, which belong to this version for good. */
    public SortedMap<String, String> properties() {
        return state.attributes().properties();
    }

    /** Returns whether this is the null version: the only one that the bucket kept when it was made. */
    public boolean isNull() {
        return state.isNull();
    }

    public ObjectLock lock() {
        return state.lock();
    }
}
