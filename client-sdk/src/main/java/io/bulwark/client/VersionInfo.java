package io.bulwark.client;

import java.time.Instant;

/**
 * One version of an object.
 *
 * @param deleteMarker whether this version marks the object as deleted; its length is 0
 */
public record VersionInfo(
        String bucket, String key, long version, boolean latest, boolean deleteMarker, long length, Instant modified) {}
