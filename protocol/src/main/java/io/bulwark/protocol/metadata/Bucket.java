package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One bucket: its names in byte order, and the links that each has had. */
final class Bucket {
    final String name;
    final PrincipalId owner;
    final int volume;
    final Versioning versioning;
    final long quotaBytes;
    final long createdMillis;

    /** Of all versions. */
    long bytes;

    /** Names that no delete marker hides. */
    long visible;

    /** By key in UTF-8, then by version number; never an empty map. */
    final NavigableMap<Bytes, NavigableMap<Long, Link>> names = new TreeMap<>();

    /**
     * One version of a name.
     *
     * @param inode 0 for a delete marker
     * @param owner who made it, on whose account it is
     */
    record Link(long inode, long linkedMillis, PrincipalId owner) {
        boolean marker() {
            return inode == 0;
        }
    }

    Bucket(String name, PrincipalId owner, int volume, Versioning versioning, long quotaBytes, long createdMillis) {
        this.name = name;
        this.owner = owner;
        this.volume = volume;
        this.versioning = versioning;
        this.quotaBytes = quotaBytes;
        this.createdMillis = createdMillis;
    }

    /** Whether plain reads find something under the key. */
    boolean shows(Bytes key) {
        NavigableMap<Long, Link> versions = names.get(key);
        return versions != null && !versions.lastEntry().getValue().marker();
    }

    /** The number of the latest version, delete markers included; 0 if there is none. */
    long latest(Bytes key) {
        NavigableMap<Long, Link> versions = names.get(key);
        return versions == null ? 0 : versions.lastKey();
    }

    @Nullable
    Link link(Bytes key, long version) {
        NavigableMap<Long, Link> versions = names.get(key);
        return versions == null ? null : versions.get(version);
    }

    void add(Bytes key, long version, Link link) {
        boolean before = shows(key);
        names.computeIfAbsent(key, _ -> new TreeMap<>()).put(version, link);
        countVisible(before, key);
    }

    void remove(Bytes key, long version) {
        boolean before = shows(key);
        NavigableMap<Long, Link> versions = names.get(key);
        if (versions == null || versions.remove(version) == null) {
            throw new IllegalStateException("version " + version + " is not there");
        }
        if (versions.isEmpty()) {
            names.remove(key);
        }
        countVisible(before, key);
    }

    private void countVisible(boolean before, Bytes key) {
        visible += (shows(key) ? 1 : 0) - (before ? 1 : 0);
    }

    void write(WireWriter out) {
        owner.write(out.string(name));
        out.i32(volume).u8(versioning.ordinal()).i64(quotaBytes).i64(createdMillis);
        out.i64(bytes).i32(names.size());
        names.forEach((key, versions) -> {
            out.bytes(key).i32(versions.size());
            versions.forEach((version, link) ->
                    link.owner.write(out.i64(version).i64(link.inode).i64(link.linkedMillis)));
        });
    }

    static Bucket read(WireReader in) {
        Bucket bucket = new Bucket(
                in.string(Names.NAME_LENGTH_MAX),
                PrincipalId.read(in),
                in.i32(),
                CommandCodec.readVersioning(in),
                in.nonNegative64(),
                in.nonNegative64());
        bucket.bytes = in.nonNegative64();
        Snapshots.times(in, () -> {
            Bytes key = Snapshots.copy(in.bytes(Names.KEY_BYTES_MAX));
            Snapshots.times(in, () -> {
                long version = in.nonNegative64();
                bucket.add(key, version, new Link(in.nonNegative64(), in.nonNegative64(), PrincipalId.read(in)));
            });
        });
        return bucket;
    }
}
