package io.bulwark.protocol.metadata;

import io.bulwark.protocol.metadata.Bucket.Link;
import io.bulwark.protocol.metadata.Tables.Name;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.VersionState;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/**
 * Lists of a bucket's objects and versions, page by page. The search for a page is bounded, so that a bucket full of
 * delete markers blocks nobody.
 */
final class Listing {
    private static final int SEARCH_MAX = 20_000;
    private static final int ENTRY_BYTES = 64;

    private Listing() {}

    /** No key has the byte 0xFF, so a prefix with 0xFF behind it comes after all keys with this prefix. */
    private static Bytes behind(Bytes prefix) {
        byte[] bytes = new byte[prefix.length() + 1];
        prefix.copyTo(0, bytes, 0, prefix.length());
        bytes[prefix.length()] = (byte) 0xFF;
        return Bytes.of(bytes);
    }

    /** Walks the latest versions of keys: reads on while keys have few versions, and searches anew otherwise. */
    private static final class KeyCursor {
        private static final int SKIPPED_MAX = 4;

        private final Bucket bucket;
        private Iterator<Table.Entry<Name, Link>> records = Collections.emptyIterator();

        private KeyCursor(Bucket bucket) {
            this.bucket = bucket;
        }

        Optional<Table.Entry<Name, Link>> seek(Name place) {
            records = bucket.from(place).iterator();
            return records.hasNext() ? Optional.of(records.next()) : Optional.empty();
        }

        Optional<Table.Entry<Name, Link>> behind(Bytes key) {
            for (int skipped = 0; skipped <= SKIPPED_MAX && records.hasNext(); skipped++) {
                Table.Entry<Name, Link> next = records.next();
                if (next.key().key().compareTo(key) > 0) {
                    return Optional.of(next);
                }
            }
            return records.hasNext() ? seek(bucket.behind(key)) : Optional.empty();
        }
    }

    static Reply.ObjectList objects(Bucket bucket, Query.ListObjects query) {
        Bytes prefix = prefix(query.prefix());
        Bytes delimiter = Names.utf8(query.delimiter());
        List<Reply.ObjectEntry> objects = new ArrayList<>();
        List<String> commonPrefixes = new ArrayList<>();
        Bytes at = query.after();
        int bytes = 0;
        KeyCursor keys = new KeyCursor(bucket);
        Optional<Table.Entry<Name, Link>> entry =
                keys.seek(start(bucket, prefix, afterCommonPrefix(at, prefix, delimiter)));
        for (int searched = 0; entry.isPresent(); searched++) {
            Table.Entry<Name, Link> latest = entry.get();
            Bytes key = latest.key().key();
            if (!startsWith(key, prefix)) {
                return new Reply.ObjectList(objects, commonPrefixes, Bytes.EMPTY);
            }
            if (objects.size() + commonPrefixes.size() == query.limit()
                    || bytes > Query.PAGE_BYTES_MAX
                    || searched == SEARCH_MAX) {
                return new Reply.ObjectList(objects, commonPrefixes, at);
            }
            at = key;
            if (!latest.value().marker()) {
                int end = endOfCommonPrefix(key, prefix, delimiter);
                if (end > 0) {
                    Bytes common = key.slice(0, end);
                    commonPrefixes.add(Names.text(common));
                    bytes += ENTRY_BYTES + end;
                    at = behind(common);
                } else {
                    Reply.ObjectEntry object = object(latest, query.withAttributes());
                    objects.add(object);
                    bytes += ENTRY_BYTES + key.length() + object.attributes().encodedBytes();
                }
            }
            entry = keys.behind(at);
        }
        return new Reply.ObjectList(objects, commonPrefixes, Bytes.EMPTY);
    }

    static Reply.VersionList versions(Bucket bucket, Query.ListVersions query) {
        Bytes prefix = prefix(query.prefix());
        Bytes delimiter = Names.utf8(query.delimiter());
        Bytes after = Names.utf8(query.afterKey());
        long before =
                query.beforeVersion() == Versioning.NULL_VERSION ? bucket.nullVersion(after) : query.beforeVersion();
        boolean within = before != 0 && bucket.latest(after) != 0;
        if (within && !startsWith(after, prefix)) {
            return new Reply.VersionList(List.of(), List.of(), false, "", 0);
        }
        VersionPage page = new VersionPage(query);
        Name start = within
                ? new Name(bucket.name, after, before - 1)
                : start(bucket, prefix, afterCommonPrefix(after, prefix, delimiter));
        Iterator<Table.Entry<Name, Link>> entries = bucket.from(start).iterator();
        Bytes current = within ? after : Bytes.EMPTY;
        long latest = within ? bucket.latest(after) : 0;
        while (entries.hasNext()) {
            Table.Entry<Name, Link> entry = entries.next();
            Bytes key = entry.key().key();
            long version = entry.key().version();
            if (!startsWith(key, prefix)) {
                break;
            }
            if (page.isFull()) {
                return page.list(true);
            }
            if (!key.equals(current)) {
                current = key;
                latest = version;
            }
            int end = endOfCommonPrefix(key, prefix, delimiter);
            if (end > 0) {
                Bytes common = key.slice(0, end);
                page.add(Names.text(common));
                entries = bucket.from(bucket.behind(behind(common))).iterator();
            } else {
                page.add(version(entry, version == latest, query.withAttributes()));
            }
        }
        return page.list(false);
    }

    /** A page of versions that grows. */
    private static final class VersionPage {
        private final Query.ListVersions query;
        private final List<Reply.VersionEntry> versions = new ArrayList<>();
        private final List<String> commonPrefixes = new ArrayList<>();
        private int bytes;
        private String lastKey = "";
        private long lastVersion;

        private VersionPage(Query.ListVersions query) {
            this.query = query;
        }

        private boolean isFull() {
            return versions.size() + commonPrefixes.size() == query.limit() || bytes > Query.PAGE_BYTES_MAX;
        }

        private void add(Reply.VersionEntry entry) {
            versions.add(entry);
            bytes += ENTRY_BYTES
                    + entry.key().length()
                    + entry.state().attributes().encodedBytes();
            lastKey = entry.key();
            lastVersion = entry.version();
        }

        private void add(String commonPrefix) {
            commonPrefixes.add(commonPrefix);
            bytes += ENTRY_BYTES + commonPrefix.length();
            lastKey = commonPrefix;
            lastVersion = 0;
        }

        private Reply.VersionList list(boolean more) {
            return new Reply.VersionList(versions, commonPrefixes, more, more ? lastKey : "", more ? lastVersion : 0);
        }
    }

    private static Reply.ObjectEntry object(Table.Entry<Name, Link> latest, boolean withAttributes) {
        return new Reply.ObjectEntry(
                Names.text(latest.key().key()),
                latest.key().version(),
                latest.value().inode(),
                latest.value().length(),
                latest.value().linkedMillis(),
                state(latest.value(), withAttributes));
    }

    private static VersionState state(Link link, boolean withAttributes) {
        VersionState state = link.state();
        return withAttributes
                ? state
                : state.withAttributes(
                        ObjectAttributes.ofType(state.attributes().contentType()));
    }

    private static Reply.VersionEntry version(Table.Entry<Name, Link> entry, boolean latest, boolean withAttributes) {
        Link link = entry.value();
        return new Reply.VersionEntry(
                Names.text(entry.key().key()),
                entry.key().version(),
                latest,
                link.inode(),
                link.length(),
                link.linkedMillis(),
                state(link, withAttributes));
    }

    private static Name start(Bucket bucket, Bytes prefix, Bytes after) {
        return after.compareTo(prefix) < 0 ? bucket.at(prefix) : bucket.behind(after);
    }

    /** A place that is a common prefix stands for all keys that it rolls up. */
    private static Bytes afterCommonPrefix(Bytes after, Bytes prefix, Bytes delimiter) {
        return !after.isEmpty()
                        && startsWith(after, prefix)
                        && endOfCommonPrefix(after, prefix, delimiter) == after.length()
                ? behind(after)
                : after;
    }

    static Bytes prefix(String prefix) {
        Bytes bytes = Names.utf8(prefix);
        CommandRefusal.refuseUnless(
                bytes.length() <= Names.KEY_BYTES_MAX,
                MetadataError.BAD_ARGUMENT,
                "a prefix of " + bytes.length() + " bytes");
        return bytes;
    }

    static boolean startsWith(Bytes key, Bytes prefix) {
        return key.length() >= prefix.length() && key.slice(0, prefix.length()).equals(prefix);
    }

    /** Returns the end of the first delimiter behind the prefix; 0 if there is none. */
    private static int endOfCommonPrefix(Bytes key, Bytes prefix, Bytes delimiter) {
        if (delimiter.isEmpty()) {
            return 0;
        }
        for (int at = prefix.length(); at + delimiter.length() <= key.length(); at++) {
            if (key.slice(at, delimiter.length()).equals(delimiter)) {
                return at + delimiter.length();
            }
        }
        return 0;
    }
}
