package io.bulwark.client;

import io.bulwark.client.error.Subject;
import io.bulwark.protocol.object.ObjectLock;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Options of a put. Immutable; begin with {@link #DEFAULT}.
 *
 * @param contentType a media type, or empty
 * @param tags the user's own, which can be changed later; at most 64, together at most 8 KiB
 * @param properties of this version for good, such as headers and checksums; at most 64, together at most 8 KiB
 * @param finalProperties further properties that are known only when the content has ended, such as a checksum of its
 *     bytes; asked for once, after the last byte was read
 * @param lock protection against deletion; if there is none, the bucket's default retention applies
 * @param precondition condition on the name
 * @param progress receives the number of bytes that are safely stored
 * @param deadline for the whole operation; zero for none
 * @param expectedLength number of bytes that a stream or channel has, for buffers that fit; -1 if it is not known
 */
public record PutOptions(
        String contentType,
        SortedMap<String, String> tags,
        SortedMap<String, String> properties,
        Supplier<Map<String, String>> finalProperties,
        ObjectLock lock,
        Precondition precondition,
        ProgressListener progress,
        Duration deadline,
        long expectedLength) {
    public static final PutOptions DEFAULT = new PutOptions(
            "",
            new TreeMap<>(),
            new TreeMap<>(),
            Map::of,
            ObjectLock.NONE,
            Precondition.NONE,
            ProgressListener.NONE,
            Duration.ZERO,
            -1);

    public PutOptions {
        tags = Collections.unmodifiableSortedMap(new TreeMap<>(tags));
        properties = Collections.unmodifiableSortedMap(new TreeMap<>(properties));
        if (deadline.isNegative()) {
            throw new IllegalArgumentException("deadline " + deadline);
        }
    }

    public PutOptions withContentType(String type) {
        return new PutOptions(
                type, tags, properties, finalProperties, lock, precondition, progress, deadline, expectedLength);
    }

    /**
     * Returns the same with tags of the user.
     *
     * @throws io.bulwark.client.error.InvalidRequestException if one has a reserved name ({@link ReservedTags})
     */
    public PutOptions withTags(Map<String, String> all) {
        ReservedTags.refuse(all, Subject.NONE);
        return withAllTags(all);
    }

    /** Returns the same with tags that a door has chosen, or that a version has: reserved ones may be among them. */
    public PutOptions withAllTags(Map<String, String> all) {
        return new PutOptions(
                contentType,
                new TreeMap<>(all),
                properties,
                finalProperties,
                lock,
                precondition,
                progress,
                deadline,
                expectedLength);
    }

    public PutOptions withProperties(Map<String, String> all) {
        return new PutOptions(
                contentType,
                tags,
                new TreeMap<>(all),
                finalProperties,
                lock,
                precondition,
                progress,
                deadline,
                expectedLength);
    }

    /**
     * Returns the same with properties that are known only when the content has ended. None of them may be among the
     * other properties.
     *
     * @param known called once, after the last byte was read; if it throws, nothing is put
     */
    public PutOptions withFinalProperties(Supplier<Map<String, String>> known) {
        return new PutOptions(
                contentType, tags, properties, known, lock, precondition, progress, deadline, expectedLength);
    }

    public PutOptions withLock(ObjectLock other) {
        return new PutOptions(
                contentType,
                tags,
                properties,
                finalProperties,
                other,
                precondition,
                progress,
                deadline,
                expectedLength);
    }

    public PutOptions withPrecondition(Precondition condition) {
        return new PutOptions(
                contentType, tags, properties, finalProperties, lock, condition, progress, deadline, expectedLength);
    }

    public PutOptions withProgress(ProgressListener listener) {
        return new PutOptions(
                contentType, tags, properties, finalProperties, lock, precondition, listener, deadline, expectedLength);
    }

    public PutOptions withDeadline(Duration limit) {
        return new PutOptions(
                contentType, tags, properties, finalProperties, lock, precondition, progress, limit, expectedLength);
    }

    /** Returns the same for a stream of this length. A wrong one does no harm. */
    public PutOptions withExpectedLength(long bytes) {
        return new PutOptions(
                contentType, tags, properties, finalProperties, lock, precondition, progress, deadline, bytes);
    }
}
