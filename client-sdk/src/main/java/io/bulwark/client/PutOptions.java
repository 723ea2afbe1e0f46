package io.bulwark.client;

import io.bulwark.protocol.object.ObjectLock;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Options of a put. Immutable; begin with {@link #DEFAULT}.
 *
 * @param contentType a media type, or empty
 * @param tags the user's own, which can be changed later; at most 64, together at most 8 KiB
 * @param properties of this version for good, such as headers and checksums; at most 64, together at most 8 KiB
 * @param lock protection against deletion; if there is none, the bucket's default retention applies
 * @param precondition condition on the name
 * @param progress receives the number of bytes that are safely stored
 * @param deadline for the whole operation; zero for none
 */
public record PutOptions(
        String contentType,
        SortedMap<String, String> tags,
        SortedMap<String, String> properties,
        ObjectLock lock,
        Precondition precondition,
        ProgressListener progress,
        Duration deadline) {
    public static final PutOptions DEFAULT = new PutOptions(
            "",
            new TreeMap<>(),
            new TreeMap<>(),
            ObjectLock.NONE,
            Precondition.NONE,
            ProgressListener.NONE,
            Duration.ZERO);

    public PutOptions {
        tags = Collections.unmodifiableSortedMap(new TreeMap<>(tags));
        properties = Collections.unmodifiableSortedMap(new TreeMap<>(properties));
        if (deadline.isNegative()) {
            throw new IllegalArgumentException("deadline " + deadline);
        }
    }

    public PutOptions withContentType(String type) {
        return new PutOptions(type, tags, properties, lock, precondition, progress, deadline);
    }

    public PutOptions withTags(Map<String, String> all) {
        return new PutOptions(contentType, new TreeMap<>(all), properties, lock, precondition, progress, deadline);
    }

    public PutOptions withProperties(Map<String, String> all) {
        return new PutOptions(contentType, tags, new TreeMap<>(all), lock, precondition, progress, deadline);
    }

    public PutOptions withLock(ObjectLock other) {
        return new PutOptions(contentType, tags, properties, other, precondition, progress, deadline);
    }

    public PutOptions withPrecondition(Precondition condition) {
        return new PutOptions(contentType, tags, properties, lock, condition, progress, deadline);
    }

    public PutOptions withProgress(ProgressListener listener) {
        return new PutOptions(contentType, tags, properties, lock, precondition, listener, deadline);
    }

    public PutOptions withDeadline(Duration limit) {
        return new PutOptions(contentType, tags, properties, lock, precondition, progress, limit);
    }
}
