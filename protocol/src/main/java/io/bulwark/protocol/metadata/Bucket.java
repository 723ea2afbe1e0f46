package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Tables.Name;
import io.bulwark.protocol.metadata.Tables.NullKey;
import io.bulwark.protocol.object.VersionState;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.Optional;

/** One bucket: its settings, and its names with the links that each has had. */
final class Bucket {
    final String name;
    /** On whose account it is. */
    final PrincipalId owner;
    /** By whose rights it was made. */
    final PrincipalId creator;

    final int volume;
    final long createdMillis;

    /** Bytes of all versions and of the parts of uploads. */
    long bytes;

    /** Part of the quota that logs may draw. */
    long escrow;

    /** Names that no delete marker hides. */
    long visible;

    /** Uploads that were neither completed nor aborted; their parts are among the bytes. */
    int uploads;

    /** Says that it has an event log. */
    boolean recordsEvents;

    private final Tables tables;
    private BucketSettings settings;
    /** The key that was looked for last, for the same command; none is empty. */
    private Bytes newestOf = Bytes.EMPTY;

    private Optional<Table.Entry<Name, Link>> newest = Optional.empty();

    /** Maker of a bucket, and the agreed time then. */
    record Origin(PrincipalId owner, PrincipalId creator, long createdMillis) {}

    /**
     * One version of a name.
     *
     * @param inode 0 for a delete marker
     * @param length that of the inode's content, so that lists need not read inodes
     * @param owner who made it, on whose account it is
     */
    record Link(long inode, long length, long linkedMillis, PrincipalId owner, VersionState state) {
        boolean marker() {
            return inode == 0;
        }

        void write(WireWriter out) {
            owner.write(out.i64(inode).i64(length).i64(linkedMillis));
            state.write(out);
        }

        static Link read(WireReader in) {
            return new Link(
                    in.nonNegative64(),
                    in.nonNegative64(),
                    in.nonNegative64(),
                    PrincipalId.read(in),
                    VersionState.read(in));
        }
    }

    Bucket(Tables tables, String name, Origin origin, int volume, BucketSettings settings) {
        this.tables = tables;
        this.name = name;
        this.owner = origin.owner;
        this.creator = origin.creator;
        this.createdMillis = origin.createdMillis;
        this.volume = volume;
        this.settings = settings;
    }

    BucketSettings settings() {
        return settings;
    }

    Versioning versioning() {
        return settings.versioning();
    }

    /** Returns the quota. Without one a bound keeps the sum of many copies in its range. */
    long limit() {
        return settings.quotaBytes() == 0 ? Volumes.BYTES_MAX : settings.quotaBytes();
    }

    boolean keepsAll() {
        return settings.versioning() == Versioning.KEEP_ALL;
    }

    /** Changes settings. Object lock stays once it is there, and all versions with it. */
    void update(BucketChange change) {
        Versioning next = change.versioning().orElse(settings.versioning());
        boolean lock = settings.objectLock() || change.objectLock();
        DefaultRetention retention = change.retention().orElse(settings.retention());
        CommandRefusal.refuseUnless(
                settings.versioning().mayBecome(next),
                MetadataError.BAD_BUCKET_STATE,
                "versioning " + settings.versioning() + " does not become " + next);
        checkLock(next, lock);
        CommandRefusal.refuseUnless(
                lock || retention.equals(DefaultRetention.NONE),
                MetadataError.BAD_BUCKET_STATE,
                "default retention needs object lock");
        settings = new BucketSettings(next, change.quotaBytes().orElse(settings.quotaBytes()), lock, retention);
    }

    /** Refuses object lock with versions that may be replaced. */
    static void checkLock(Versioning versioning, boolean lock) {
        CommandRefusal.refuseUnless(
                !lock || versioning == Versioning.KEEP_ALL,
                MetadataError.BAD_BUCKET_STATE,
                "object lock needs versioning KEEP_ALL, not " + versioning);
    }

    /** Returns whether plain reads find something under the key. */
    boolean hasVisible(Bytes key) {
        return newest(key).filter(entry -> !entry.value().marker()).isPresent();
    }

    /** The number of the latest version, delete markers included; 0 if there is none. */
    long latest(Bytes key) {
        return newest(key).map(entry -> entry.key().version()).orElse(0L);
    }

    /** Returns the number of the null version; 0 if there is none. */
    long nullVersion(Bytes key) {
        Optional<Table.Entry<Name, Link>> latest = newest(key);
        if (latest.isEmpty()) {
            return 0;
        }
        return latest.filter(entry -> entry.value().state().isNull())
                .map(entry -> entry.key().version())
                .or(() -> tables.nulls.get(new NullKey(name, key)))
                .orElse(0L);
    }

    /** Returns the latest version, delete markers included. */
    Optional<Table.Entry<Name, Link>> newest(Bytes key) {
        if (!key.equals(newestOf)) {
            newest = tables.names
                    .first(at(key), behind(key))
                    .filter(entry -> entry.key().key().equals(key));
            newestOf = key;
        }
        return newest;
    }

    /**
     * Returns the place where the versions of a key begin, the latest first, or those of the next key if it is not
     * there.
     */
    Name at(Bytes key) {
        return new Name(name, readUntilZero(key), Long.MAX_VALUE);
    }

    /** Returns the place where the versions of the next key begin. */
    Name behind(Bytes key) {
        return new Name(name, readUntilZero(key), 0);
    }

    /** From a place on: the versions of a key, the latest first, then those of the next. */
    Iterable<Table.Entry<Name, Link>> from(Name place) {
        return tables.names.range(place, end());
    }

    Optional<Table.Entry<Name, Link>> first(Name place) {
        return tables.names.first(place, end());
    }

    /** No key has a byte 0, so those behind something with one are behind what stands before it. */
    static Bytes readUntilZero(Bytes key) {
        int length = 0;
        while (length < key.length() && key.get(length) != 0) {
            length++;
        }
        return key.slice(0, length);
    }

    /** No key has the byte 0xFF. */
    private Name end() {
        return new Name(name, Bytes.of((byte) 0xFF), 0);
    }

    Optional<Link> link(Bytes key, long version) {
        return tables.names.get(new Name(name, key, version));
    }

    boolean isEmpty() {
        return first(at(Bytes.EMPTY)).isEmpty();
    }

    /** Adds the latest version. The caller removes the null version before it if this is one. */
    void add(Bytes key, long version, Link link) {
        boolean before = hasVisible(key);
        if (!link.state.isNull()) {
            newest(key)
                    .filter(entry -> entry.value().state.isNull())
                    .ifPresent(covered -> tables.nulls.put(
                            new NullKey(name, key), covered.key().version()));
        }
        Name added = new Name(name, key, version);
        tables.names.put(added, link);
        newestOf = key;
        newest = Optional.of(new Table.Entry<>(added, link));
        countVisible(before, key);
    }

    void remove(Bytes key, long version, Link link) {
        boolean before = hasVisible(key);
        boolean isNewest = latest(key) == version;
        tables.names.remove(new Name(name, key, version));
        if (isNewest) {
            forgetNewest();
            countVisible(before, key);
        }
        if (link.state.isNull()
                || newest(key).filter(entry -> entry.value().state.isNull()).isPresent()) {
            tables.nulls.remove(new NullKey(name, key));
        }
    }

    /** Puts another link, of the same inode, in the place of a version's. */
    void replace(Bytes key, long version, Link link) {
        tables.names.put(new Name(name, key, version), link);
        forgetNewest();
    }

    private void forgetNewest() {
        newestOf = Bytes.EMPTY;
        newest = Optional.empty();
    }

    private void countVisible(boolean before, Bytes key) {
        int change = (hasVisible(key) ? 1 : 0) - (before ? 1 : 0);
        visible += change;
        tables.totals().visible += change;
    }

    void write(WireWriter out) {
        owner.write(out.string(name));
        creator.write(out);
        settings.write(out.i64(createdMillis).i32(volume));
        out.i64(bytes).i64(escrow).i64(visible).i32(uploads).bool(recordsEvents);
    }

    static Bucket read(Tables tables, WireReader in) {
        Bucket bucket = new Bucket(
                tables,
                in.string(Names.NAME_LENGTH_MAX),
                new Origin(PrincipalId.read(in), PrincipalId.read(in), in.nonNegative64()),
                in.i32(0, Integer.MAX_VALUE),
                BucketSettings.read(in));
        bucket.bytes = in.nonNegative64();
        bucket.escrow = in.nonNegative64();
        bucket.visible = in.nonNegative64();
        bucket.uploads = in.i32(0, Integer.MAX_VALUE);
        bucket.recordsEvents = in.bool();
        return bucket;
    }
}
