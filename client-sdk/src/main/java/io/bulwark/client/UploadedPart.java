package io.bulwark.client;

import io.bulwark.protocol.object.ObjectAttributes;
import java.time.Instant;
import java.util.SortedMap;

/**
 * A part of an upload.
 *
 * @param stored when it was put, in the time that the replicas agreed on
 * @param attributes those of the part
 */
public record UploadedPart(PartId id, long length, Instant stored, ObjectAttributes attributes) {
    public int number() {
        return id.number();
    }

    public SortedMap<String, String> properties() {
        return attributes.properties();
    }
}
