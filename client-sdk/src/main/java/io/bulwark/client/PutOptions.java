package io.bulwark.client;

import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Options of a put. Immutable; begin with {@link #DEFAULT}.
 *
 * @param contentType a media type, or empty
 * @param tags the user's own, at most 64, together at most 8 KiB
 * @param precondition condition on the name
 * @param progress receives the number of bytes that are safely stored
 * @param deadline for the whole operation; zero for none
 */
public record PutOptions(
        String contentType,
        SortedMap<String, String> tags,
        Precondition precondition,
        ProgressListener progress,
        Duration deadline) {
    public static final PutOptions DEFAULT =
            new PutOptions("", new TreeMap<>(), Precondition.NONE, ProgressListener.NONE, Duration.ZERO);

    public PutOptions {
        tags = Collections.unmodifiableSortedMap(new TreeMap<>(tags));
        if (deadline.isNegative()) {
            throw new IllegalArgumentException("deadline " + deadline);
        }
    }

    public PutOptions withContentType(String type) {
        return new PutOptions(type, tags, precondition, progress, deadline);
    }

    public PutOptions withTags(Map<String, String> all) {
        return new PutOptions(contentType, new TreeMap<>(all), precondition, progress, deadline);
    }

    public PutOptions withPrecondition(Precondition condition) {
        return new PutOptions(contentType, tags, condition, progress, deadline);
    }

    public PutOptions withProgress(ProgressListener listener) {
        return new PutOptions(contentType, tags, precondition, listener, deadline);
    }

    public PutOptions withDeadline(Duration limit) {
        return new PutOptions(contentType, tags, precondition, progress, limit);
    }
}
