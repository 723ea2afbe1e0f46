package io.bulwark.client;

import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectLock;
import java.time.Instant;

/**
 * A multipart upload: an object that comes in parts. It belongs to the bucket and outlives its client.
 *
 * @param key of the object to be
 * @param id never reused
 * @param begun in the time that the replicas agreed on
 * @param attributes of the object to be
 * @param lock of the object to be
 */
public record Upload(String bucket, String key, long id, Instant begun, ObjectAttributes attributes, ObjectLock lock) {
    /** Returns an upload as the methods of {@link Uploads} need it: they look at its name alone. */
    public static Upload named(String bucket, String key, long id) {
        return new Upload(bucket, key, id, Instant.EPOCH, ObjectAttributes.NONE, ObjectLock.NONE);
    }
}
