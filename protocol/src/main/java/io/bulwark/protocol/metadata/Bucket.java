package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Tables.Name;
import io.bulwark.protocol.object.VersionState;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.Optional;

/** One bucket: its settings, and its names with the links that each has had. */
final class Bucket {
    final String name;
    final PrincipalId owner;
    final int volume;
    final Versioning versioning;
    final long quotaBytes;
    final long createdMillis;

    /** Bytes of all versions and of the parts of uploads. */
    long bytes;

    /** Names that no delete marker hides. */
    long visible;

    /** Uploads that were neither completed nor aborted; their parts are among the bytes. */
    int uploads;

    private final Tables tables;
    /** The key that was looked for last, for the same command; none is empty. */
    private Bytes newestOf = Bytes.EMPTY;

    private Optional<Table.Entry<Name, Link>> newest = Optional.empty();

    /**
     * One version of a name.
     *
     * @param inode 0 for a delete marker
     * @param owner who made it, on whose account it is
     */
    record Link(long inode, long linkedMillis, PrincipalId owner, VersionState state) {
        boolean marker() {
            return inode == 0;
        }

        void write(WireWriter out) {
            owner.write(out.i64(inode).i64(linkedMillis));
            state.write(out);
        }

        static Link read(WireReader in) {
            return new Link(in.nonNegative64(), in.nonNegative64(), PrincipalId.read(in), VersionState.read(in));
        }
    }

    Bucket(
            Tables tables,
            String name,
            PrincipalId owner,
            int volume,
            Versioning versioning,
            long quotaBytes,
            long createdMillis) {
        this.tables = tables;
        this.name = name;
        this.owner = owner;
        this.volume = volume;
        this.versioning = versioning;
        this.quotaBytes = quotaBytes;
        this.createdMillis = createdMillis;
    }

    /** Returns whether plain reads find something under the key. */
    boolean hasVisible(Bytes key) {
        return newest(key).filter(entry -> !entry.value().marker()).isPresent();
    }

    /** The number of the latest version, delete markers included; 0 if there is none. */
    long latest(Bytes key) {
        return newest(key).map(entry -> entry.key().version()).orElse(0L);
    }

    private Optional<Table.Entry<Name, Link>> newest(Bytes key) {
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

    void add(Bytes key, long version, Link link) {
        boolean before = hasVisible(key);
        tables.names.put(new Name(name, key, version), link);
        countVisible(before, key);
    }

    void remove(Bytes key, long version) {
        boolean before = hasVisible(key);
        tables.names.remove(new Name(name, key, version));
        countVisible(before, key);
    }

    private void countVisible(boolean before, Bytes key) {
        newestOf = Bytes.EMPTY;
        newest = Optional.empty();
        int change = (hasVisible(key) ? 1 : 0) - (before ? 1 : 0);
        visible += change;
        tables.totals().visible += change;
    }

    void write(WireWriter out) {
        owner.write(out.string(name));
        out.i32(volume).u8(versioning.ordinal()).i64(quotaBytes).i64(createdMillis);
        out.i64(bytes).i64(visible).i32(uploads);
    }

    static Bucket read(Tables tables, WireReader in) {
        Bucket bucket = new Bucket(
                tables,
                in.string(Names.NAME_LENGTH_MAX),
                PrincipalId.read(in),
                in.i32(0, Integer.MAX_VALUE),
                CommandCodec.readVersioning(in),
                in.nonNegative64(),
                in.nonNegative64());
        bucket.bytes = in.nonNegative64();
        bucket.visible = in.nonNegative64();
        bucket.uploads = in.i32(0, Integer.MAX_VALUE);
        return bucket;
    }
}
