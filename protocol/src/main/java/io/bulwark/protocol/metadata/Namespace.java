package io.bulwark.protocol.metadata;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Bucket.Link;
import io.bulwark.protocol.object.Inode;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectLayout;
import io.bulwark.protocol.object.ObjectLock;
import io.bulwark.protocol.object.VersionState;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.stream.StreamSupport;

/** Buckets, names and versions: links to inodes (docs/protocols/extents.md, the inode is the commit; freeing). */
final class Namespace {
    static final int BUCKETS_MAX = 100_000;

    private final Tables tables;
    private final Volumes volumes;
    private final Inodes inodes;
    private final int bucketsMax;

    Namespace(Tables tables, Volumes volumes, Inodes inodes, int bucketsMax) {
        this.tables = tables;
        this.volumes = volumes;
        this.inodes = inodes;
        this.bucketsMax = bucketsMax;
    }

    /** A link of a name, as found. */
    record FoundLink(Bucket bucket, Bytes key, long version, Link link) {}

    void createBucket(Command.CreateBucket create, PrincipalId owner, long now) {
        checkName(create.name());
        Volumes.Entry volume = volumes.byName(create.volume());
        CommandRefusal.refuseUnless(
                volume.volume().kind() == VolumeKind.OBJECT,
                MetadataError.BAD_ARGUMENT,
                create.volume() + " holds registers, not objects");
        CommandRefusal.refuseUnless(
                tables.buckets.find(create.name()).isEmpty(), MetadataError.BUCKET_EXISTS, create.name());
        // A client may use no more than its bound, so that one client cannot take all buckets.
        int own = tables.account(owner).buckets;
        CommandRefusal.refuseUnless(
                own < bucketsMax - bucketCount(),
                MetadataError.LIMIT_REACHED,
                bucketCount() + " buckets, " + own + " of them of " + owner);
        put(new Bucket(
                tables, create.name(), owner, volume.volume().id(), create.versioning(), create.quotaBytes(), now));
        volume.usage().buckets++;
    }

    private void put(Bucket bucket) {
        tables.buckets.add(bucket.name, bucket);
        count(bucket, 1);
    }

    private void count(Bucket bucket, int change) {
        tables.totals().buckets += change;
        tables.account(bucket.owner).buckets += change;
        tables.weight.add(bucket.owner, (long) change * Weight.BUCKET_BYTES);
    }

    void deleteBucket(String name) {
        Bucket bucket = bucket(name);
        CommandRefusal.refuseUnless(bucket.isEmpty(), MetadataError.BUCKET_NOT_EMPTY, name);
        CommandRefusal.refuseUnless(
                bucket.uploads == 0, MetadataError.BUCKET_NOT_EMPTY, name + " has " + bucket.uploads + " uploads");
        tables.buckets.remove(name);
        count(bucket, -1);
        volumes.byId(bucket.volume).usage().buckets--;
    }

    Bucket bucket(String name) {
        checkName(name);
        return tables.buckets.find(name).orElseThrow(() -> new CommandRefusal(MetadataError.NO_SUCH_BUCKET, name));
    }

    Reply.ObjectStored put(Command.PutObject put, Session session, long now) {
        Bucket bucket = bucket(put.bucket());
        Bytes key = key(put.key());
        ObjectLayout layout = put.layout();
        checkLayout(bucket, session, layout, put.epochs(), put.pending());
        checkCondition(bucket, key, put.condition());
        checkQuota(bucket, key, layout.length());
        Inode inode = inodes.create(session, put.pending(), layout, now);
        return link(bucket, key, inode.id(), put.attributes(), session.owner, now);
    }

    /** Checks that extents are stored where the bucket lies, by this session, and by holders of now. */
    void checkLayout(
            Bucket bucket, Session session, ObjectLayout layout, List<EpochClaim> epochs, List<Long> pending) {
        Volume volume = volumes.byId(bucket.volume).volume();
        CommandRefusal.refuseUnless(
                layout.volume() == volume.id()
                        && layout.blockBytes() == volume.policy().blockBytes(),
                MetadataError.WRONG_LAYOUT,
                "bucket " + bucket.name + " lies in volume " + volume.id() + " with blocks of "
                        + volume.policy().blockBytes() + " bytes");
        CommandRefusal.refuseUnless(
                session.owns(layout.ranges()) && (pending.isEmpty() || session.volume == volume.id()),
                MetadataError.WRONG_SESSION,
                "session " + session.number + " for volume " + session.volume);
        if (!layout.ranges().isEmpty()) {
            checkEpochs(volume, epochs);
        }
    }

    /** Makes an inode the latest version of a name, after all checks. */
    Reply.ObjectStored link(
            Bucket bucket, Bytes key, long inode, ObjectAttributes attributes, PrincipalId owner, long now) {
        Link link = new Link(inode, now, owner, state(bucket, attributes));
        return stored(link, link(bucket, key, link));
    }

    Reply.Deleted delete(Command.DeleteObject delete, PrincipalId by, long now) {
        Bucket bucket = bucket(delete.bucket());
        Bytes key = key(delete.key());
        if (delete.version() != 0) {
            CommandRefusal.refuseUnless(
                    bucket.link(key, delete.version()).isPresent(),
                    MetadataError.NO_SUCH_VERSION,
                    delete.bucket() + "/" + delete.key() + " version " + delete.version());
            Link link = remove(bucket, key, delete.version());
            return new Reply.Deleted(delete.version(), link.marker(), link.state().isNull());
        }
        FoundLink found = find(delete.bucket(), delete.key(), 0);
        boolean keeps = bucket.versioning == Versioning.KEEP_ALL;
        return new Reply.Deleted(hide(found, by, now), keeps, !keeps);
    }

    Reply.ObjectStored rename(Command.RenameObject rename, PrincipalId by, long now) {
        FoundLink from = find(rename.bucket(), rename.key(), 0);
        Bucket to = bucket(rename.toBucket());
        Bytes toKey = key(rename.toKey());
        CommandRefusal.refuseUnless(
                to != from.bucket || !toKey.equals(from.key), MetadataError.BAD_ARGUMENT, "both names are the same");
        boolean addsBytes = to != from.bucket || to.versioning == Versioning.KEEP_ALL;
        Link link = new Link(from.link.inode(), now, by, state(to, from.link.state().attributes()));
        long version = relink(from, to, toKey, rename.condition(), addsBytes, link);
        hide(from, by, now);
        return stored(link, version);
    }

    Reply.ObjectStored copy(Command.CopyObject copy, PrincipalId by, long now) {
        FoundLink from = find(copy.bucket(), copy.key(), copy.version());
        Bucket to = bucket(copy.toBucket());
        Link link = new Link(from.link.inode(), now, by, state(to, from.link.state().attributes()));
        long version = relink(from, to, key(copy.toKey()), copy.condition(), true, link);
        return stored(link, version);
    }

    /** A version that is not a delete marker; the latest for 0. */
    FoundLink find(String bucketName, String keyName, long version) {
        Bucket bucket = bucket(bucketName);
        Bytes key = key(keyName);
        String name = bucketName + "/" + keyName;
        CommandRefusal.refuseUnless(version != 0 || bucket.hasVisible(key), MetadataError.NO_SUCH_OBJECT, name);
        long number = version == 0 ? bucket.latest(key) : version;
        return bucket.link(key, number)
                .filter(link -> !link.marker())
                .map(link -> new FoundLink(bucket, key, number, link))
                .orElseThrow(() -> new CommandRefusal(MetadataError.NO_SUCH_VERSION, name + " version " + number));
    }

    private static Reply.ObjectStored stored(Link link, long version) {
        VersionState state = link.state();
        return new Reply.ObjectStored(link.inode(), version, link.linkedMillis(), state.isNull(), state.lock());
    }

    int bucketCount() {
        return tables.totals().buckets;
    }

    /** Names that no delete marker hides. */
    long visibleCount() {
        return tables.totals().visible;
    }

    Reply.BucketList list(Query.ListBuckets query) {
        List<Reply.BucketEntry> page = StreamSupport.stream(
                        tables.bucketsByName.from(query.after() + '\0').spliterator(), false)
                .map(Table.Entry::value)
                .limit(query.limit() + 1L)
                .map(bucket -> new Reply.BucketEntry(
                        bucket.name,
                        bucket.volume,
                        bucket.versioning,
                        bucket.quotaBytes,
                        bucket.visible,
                        bucket.bytes,
                        bucket.createdMillis))
                .toList();
        return page.size() <= query.limit()
                ? new Reply.BucketList(page, "")
                : new Reply.BucketList(
                        page.subList(0, query.limit()),
                        page.get(query.limit() - 1).name());
    }

    private long relink(FoundLink from, Bucket to, Bytes toKey, Condition condition, boolean addsBytes, Link link) {
        CommandRefusal.refuseUnless(
                to.volume == from.bucket.volume, MetadataError.OTHER_VOLUME, from.bucket.name + " and " + to.name);
        checkCondition(to, toKey, condition);
        checkQuota(to, toKey, addsBytes ? lengthOf(from.link) : 0);
        return link(to, toKey, link);
    }

    /** Adds the new link before it removes the old one, so that a renamed inode always has a link. */
    private long link(Bucket bucket, Bytes key, Link link) {
        long replaced = bucket.versioning == Versioning.LATEST_ONLY ? bucket.latest(key) : 0;
        long version = ++tables.totals().lastVersion;
        inodes.link(link.inode());
        putLink(bucket, key, version, link);
        bucket.bytes += lengthOf(link);
        if (replaced != 0) {
            remove(bucket, key, replaced);
        }
        return version;
    }

    /** Takes a latest version out of sight; the number of the delete marker, or of the version that is gone. */
    private long hide(FoundLink found, PrincipalId by, long now) {
        if (found.bucket.versioning == Versioning.KEEP_ALL) {
            long marker = ++tables.totals().lastVersion;
            putLink(found.bucket, found.key, marker, new Link(0, now, by, VersionState.ofMarker(false)));
            return marker;
        }
        remove(found.bucket, found.key, found.version);
        return found.version;
    }

    private void putLink(Bucket bucket, Bytes key, long version, Link link) {
        bucket.add(key, version, link);
        tables.weight.add(link.owner(), weightOf(key, link));
    }

    private Link remove(Bucket bucket, Bytes key, long version) {
        Link link = bucket.link(key, version)
                .orElseThrow(() -> new IllegalStateException("version " + version + " is not there"));
        bucket.remove(key, version);
        tables.weight.add(link.owner(), -weightOf(key, link));
        bucket.bytes -= lengthOf(link);
        if (!link.marker()) {
            inodes.unlink(link.inode());
        }
        return link;
    }

    private static long weightOf(Bytes key, Link link) {
        return (long) Weight.LINK_BYTES
                + key.length()
                + link.state().attributes().encodedBytes();
    }

    /** Returns the state of a new version in a bucket. */
    private static VersionState state(Bucket bucket, ObjectAttributes attributes) {
        return new VersionState(bucket.versioning != Versioning.KEEP_ALL, attributes, ObjectLock.NONE);
    }

    private long lengthOf(Link link) {
        return link.marker() ? 0 : inodes.inode(link.inode()).content().length();
    }

    void checkQuota(Bucket bucket, Bytes key, long addedBytes) {
        long replaced = bucket.versioning == Versioning.LATEST_ONLY
                ? bucket.link(key, bucket.latest(key)).map(this::lengthOf).orElse(0L)
                : 0;
        checkRoom(bucket, addedBytes - replaced);
    }

    /** Refuses bytes that do not fit into the quota. Without one a bound keeps the sum of many copies in its range. */
    void checkRoom(Bucket bucket, long added) {
        long limit = bucket.quotaBytes == 0 ? Volumes.BYTES_MAX : bucket.quotaBytes;
        CommandRefusal.refuseUnless(
                added <= 0 || added <= limit - bucket.bytes,
                MetadataError.QUOTA_EXCEEDED,
                "bucket " + bucket.name + " holds " + bucket.bytes + " of " + limit + " bytes");
    }

    static void checkCondition(Bucket bucket, Bytes key, Condition condition) {
        boolean holds = switch (condition.kind()) {
            case NONE -> true;
            case IF_ABSENT -> !bucket.hasVisible(key);
            case IF_VERSION -> bucket.latest(key) == condition.version();
        };
        CommandRefusal.refuseUnless(
                holds, MetadataError.CONDITION_FAILED, condition.kind() + ", the latest is " + bucket.latest(key));
    }

    private static void checkEpochs(Volume volume, List<EpochClaim> claims) {
        int group = 0;
        for (EpochClaim claim : claims) {
            int end = group + claim.groups();
            CommandRefusal.refuseUnless(
                    end <= volume.groups().size(), MetadataError.BAD_ARGUMENT, "epochs of " + end + " groups");
            for (PlacementGroup claimed : volume.groups().subList(group, end)) {
                CommandRefusal.refuseUnless(
                        claimed.epoch() == claim.epoch(),
                        MetadataError.STALE_EPOCH,
                        "a group is in epoch " + claimed.epoch() + ", claimed " + claim.epoch());
            }
            group = end;
        }
        CommandRefusal.refuseUnless(
                group == volume.groups().size(),
                MetadataError.BAD_ARGUMENT,
                "epochs of " + group + " groups out of " + volume.groups().size());
    }

    static Bytes key(String key) {
        Names.problemOfKey(key).ifPresent(problem -> {
            throw new CommandRefusal(MetadataError.BAD_KEY, problem);
        });
        return Names.utf8(key);
    }

    private static void checkName(String name) {
        Names.problemOfName(name).ifPresent(problem -> {
            throw new CommandRefusal(MetadataError.BAD_NAME, problem);
        });
    }
}
