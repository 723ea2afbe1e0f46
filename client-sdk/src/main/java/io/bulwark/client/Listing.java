package io.bulwark.client;

import io.bulwark.client.error.InvalidRequestException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.object.Deadline;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.wire.Bytes;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** Listings, page by page. */
final class Listing {
    private Listing() {}

    static ObjectPage page(BulwarkClient client, String bucket, ListOptions options) {
        Bytes after;
        try {
            after = Bytes.of(Base64.getUrlDecoder().decode(options.continuation()));
        } catch (IllegalArgumentException e) {
            throw new InvalidRequestException("not a continuation of a listing", Subject.bucket(bucket), e);
        }
        Reply.ObjectList list = client.query(
                Reply.ObjectList.class,
                new Query.ListObjects(bucket, options.prefix(), options.delimiter(), after, options.limit(), true),
                Subject.bucket(bucket),
                Deadline.in(Duration.ZERO));
        return new ObjectPage(
                list.objects().stream().map(entry -> info(bucket, entry)).toList(),
                list.commonPrefixes(),
                Base64.getUrlEncoder()
                        .withoutPadding()
                        .encodeToString(list.next().toByteArray()));
    }

    static Stream<ObjectInfo> objects(BulwarkClient client, String bucket, String prefix) {
        return pages("", continuation -> {
            ObjectPage page =
                    page(client, bucket, ListOptions.DEFAULT.withPrefix(prefix).withContinuation(continuation));
            return new Page<>(page.objects(), page.last() ? null : page.continuation());
        });
    }

    /** Start of a page of versions. */
    private record Cursor(String key, long version) {}

    static Stream<VersionInfo> versions(
            BulwarkClient client, String bucket, String prefix, String afterKey, long beforeVersion) {
        return pages(new Cursor(afterKey, beforeVersion), cursor -> {
            VersionListOptions options =
                    VersionListOptions.DEFAULT.withPrefix(prefix).withAfter(cursor.key(), cursor.version());
            VersionPage page = versions(client, bucket, options);
            return new Page<>(page.versions(), page.last() ? null : new Cursor(page.nextKey(), page.nextVersion()));
        });
    }

    static VersionPage versions(BulwarkClient client, String bucket, VersionListOptions options) {
        Reply.VersionList list = client.query(
                Reply.VersionList.class,
                new Query.ListVersions(
                        bucket,
                        options.prefix(),
                        options.delimiter(),
                        options.afterKey(),
                        options.beforeVersion(),
                        options.limit(),
                        true),
                Subject.bucket(bucket),
                Deadline.in(Duration.ZERO));
        return new VersionPage(
                list.versions().stream().map(entry -> info(bucket, entry)).toList(),
                list.commonPrefixes(),
                !list.more(),
                list.nextKey(),
                list.nextVersion());
    }

    static <T> List<T> all(Function<String, Page<T, String>> fetch) {
        return pages("", fetch).toList();
    }

    /**
     * One page.
     *
     * @param next where the next begins; null if this is the last
     */
    record Page<T, C>(List<T> entries, @Nullable C next) {}

    static <T, C> Stream<T> pages(C first, Function<C, Page<T, C>> fetch) {
        Spliterator<T> entries = new Spliterators.AbstractSpliterator<>(Long.MAX_VALUE, Spliterator.ORDERED) {
            private @Nullable C next = first;
            private List<T> page = List.of();
            private int at;

            @Override
            public boolean tryAdvance(Consumer<? super T> action) {
                while (at == page.size()) {
                    C from = next;
                    if (from == null) {
                        return false;
                    }
                    Page<T, C> fetched = fetch.apply(from);
                    page = fetched.entries();
                    next = fetched.next();
                    at = 0;
                }
                action.accept(page.get(at++));
                return true;
            }
        };
        return StreamSupport.stream(entries, false);
    }

    private static ObjectInfo info(String bucket, Reply.ObjectEntry entry) {
        return new ObjectInfo(
                bucket,
                entry.key(),
                entry.version(),
                entry.length(),
                Instant.ofEpochMilli(entry.linkedMillis()),
                entry.state(),
                List.of());
    }

    private static VersionInfo info(String bucket, Reply.VersionEntry entry) {
        return new VersionInfo(
                bucket,
                entry.key(),
                entry.version(),
                entry.latest(),
                entry.deleteMarker(),
                entry.length(),
                Instant.ofEpochMilli(entry.linkedMillis()),
                entry.state());
    }
}
