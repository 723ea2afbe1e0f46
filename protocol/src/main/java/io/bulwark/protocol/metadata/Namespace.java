package io.bulwark.protocol.metadata;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Bucket.Link;
import io.bulwark.protocol.metadata.ObjectEvent.Kind;
import io.bulwark.protocol.metadata.Tables.Name;
import io.bulwark.protocol.object.InlineContent;
import io.bulwark.protocol.object.Inode;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectLayout;
import io.bulwark.protocol.object.ObjectLock;
import io.bulwark.protocol.object.OwnContent;
import io.bulwark.protocol.object.VersionState;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.StreamSupport;

/** Buckets, names and versions: links to inodes (docs/protocols/extents.md, the inode is the commit; freeing). */
final class Namespace {
    static final int BUCKETS_MAX = 100_000;

    private final Tables tables;
    private final Volumes volumes;
    private final Inodes inodes;
    private final Replicas replicas;
    private final BucketEvents events;
    private final int bucketsMax;

    Namespace(Tables tables, Volumes volumes, Inodes inodes, Replicas replicas, BucketEvents events, int bucketsMax) {
        this.replicas = replicas;
        this.tables = tables;
        this.volumes = volumes;
        this.inodes = inodes;
        this.events = events;
        this.bucketsMax = bucketsMax;
    }

    /** A link of a name, as found. */
    record FoundLink(Bucket bucket, Bytes key, long version, Link link) {}

    void createBucket(Command.CreateBucket create, Authority by, long now) {
        PrincipalId owner = by.sender();
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
        Bucket.checkLock(create.versioning(), create.objectLock());
        put(new Bucket(
                tables,
                create.name(),
                new Bucket.Origin(owner, by.principal(), now),
                volume.volume().id(),
                new BucketSettings(
                        create.versioning(), create.quotaBytes(), create.objectLock(), DefaultRetention.NONE)));
        volume.usage().buckets++;
        volume.usage().locking += create.objectLock() ? 1 : 0;
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
        Volumes.Usage usage = volumes.byId(bucket.volume).usage();
        usage.buckets--;
        usage.locking -= bucket.settings().objectLock() ? 1 : 0;
    }

    void updateBucket(Command.UpdateBucket update) {
        Bucket bucket = bucket(update.name());
        boolean before = bucket.settings().objectLock();
        bucket.update(update.change());
        volumes.byId(bucket.volume).usage().locking +=
                !before && bucket.settings().objectLock() ? 1 : 0;
    }

    Bucket bucket(String name) {
        checkName(name);
        return tables.buckets.find(name).orElseThrow(() -> new CommandRefusal(MetadataError.NO_SUCH_BUCKET, name));
    }

    Reply.ObjectStored put(Command.PutObject put, Session session, long now) {
        Bucket bucket = bucket(put.bucket());
        Bytes key = key(put.key());
        OwnContent content = put.content();
        checkContent(bucket, session, content, put.epochs(), put.pending());
        checkCondition(bucket, key, put.condition());
        checkQuota(bucket, key, content.length());
        VersionState state = newState(bucket, put.attributes(), put.lock(), now);
        Inode inode = inodes.create(session, put.pending(), content, now);
        Link link = new Link(inode.id(), inode.content().length(), now, session.owner, state);
        return link(bucket, key, link, Kind.PUT);
    }

    /**
     * Checks that extents are stored where the bucket lies, by this session, and by holders of now; or that bytes may
     * stand in the inode.
     */
    void checkContent(Bucket bucket, Session session, OwnContent content, List<EpochClaim> epochs, List<Long> pending) {
        Volume volume = volumes.byId(bucket.volume).volume();
        checkExtents(volume, session, content, epochs, pending);
        if (content instanceof InlineContent) {
            replicas.requireInline(volume.policy());
            tables.supply().requireInline(session.owner);
        }
    }

    private static void checkExtents(
            Volume volume, Session session, OwnContent content, List<EpochClaim> epochs, List<Long> pending) {
        CommandRefusal.refuseUnless(
                content.volume() == volume.id()
                        && (!(content instanceof ObjectLayout layout)
                                || layout.blockBytes() == volume.policy().blockBytes()),
                MetadataError.WRONG_LAYOUT,
                "volume " + volume.id() + " has blocks of " + volume.policy().blockBytes() + " bytes");
        CommandRefusal.refuseUnless(
                session.owns(content.ranges()) && (pending.isEmpty() || session.volume == volume.id()),
                MetadataError.WRONG_SESSION,
                "session " + session.number + " for volume " + session.volume);
        if (!content.ranges().isEmpty()) {
            checkGeneration(volume, content.ranges());
            checkEpochs(volume, epochs);
        }
    }

    /** New extents are put in the newest generation only: so a refill comes to an end. */
    static void checkGeneration(Volume volume, List<BlockRange> ranges) {
        CommandRefusal.refuseUnless(
                ranges.stream().allMatch(range -> range.isOf(volume.generation())),
                MetadataError.STALE_EPOCH,
                "the policy of volume " + volume.name() + " is "
                        + volume.policy().text() + " now");
    }

    /**
     * Puts other extents in the place of those of an inode, as its submitter says with the same bytes. As nobody can check that,
     * versions that may be locked keep their extents.
     */
    Reply.Refilled refill(Command.RefillInode refill, Session session, long now) {
        Volumes.Entry entry = volumes.byId(session.volume);
        Volume volume = entry.volume();
        CommandRefusal.refuseUnless(
                entry.usage().locking == 0,
                MetadataError.OBJECT_LOCKED,
                entry.usage().locking + " buckets of volume " + volume.name()
                        + " have object lock: what was put there before keeps its policy");
        checkExtents(volume, session, refill.content(), refill.epochs(), refill.pending());
        inodes.refill(refill, session, now);
        return new Reply.Refilled(refill.inode());
    }

    /** Makes an inode the latest version of a name, after all checks. */
    Reply.ObjectStored link(Bucket bucket, Bytes key, Link link, Kind kind) {
        long version = link(bucket, key, link);
        events.record(bucket, kind, new Name(bucket.name, key, version), link, link.length());
        return stored(link, version);
    }

    Reply.Deleted delete(Command.DeleteObject delete, PrincipalId by, long now) {
        Bucket bucket = bucket(delete.bucket());
        Bytes key = key(delete.key());
        if (delete.version() != 0) {
            return deleteVersion(bucket, key, delete, now);
        }
        boolean mayBeAbsent = delete.mode() == Command.DeleteMode.EVEN_IF_ABSENT;
        boolean visible = bucket.hasVisible(key);
        CommandRefusal.refuseUnless(
                visible || mayBeAbsent, MetadataError.NO_SUCH_OBJECT, delete.bucket() + "/" + delete.key());
        checkCondition(bucket, key, delete.condition());
        if (visible) {
            return hide(bucket, key, by, now);
        }
        if (bucket.versioning() == Versioning.LATEST_ONLY) {
            return new Reply.Deleted(0, false, true);
        }
        tables.supply().requireWeight(by);
        return hide(bucket, key, by, now);
    }

    private Reply.Deleted deleteVersion(Bucket bucket, Bytes key, Command.DeleteObject delete, long now) {
        long version = numberOf(bucket, key, delete.version());
        String name = delete.bucket() + "/" + delete.key() + " version " + version;
        Link link =
                bucket.link(key, version).orElseThrow(() -> new CommandRefusal(MetadataError.NO_SUCH_VERSION, name));
        checkCondition(delete.condition(), Optional.of(new Table.Entry<>(new Name(bucket.name, key, version), link)));
        ObjectLocks.requireDeletable(link, delete.mode() == Command.DeleteMode.BYPASS_GOVERNANCE, now);
        remove(bucket, key, version);
        events.record(bucket, Kind.DELETE, new Name(bucket.name, key, version), link, 0);
        return new Reply.Deleted(version, link.marker(), link.state().isNull());
    }

    /** Replaces the tags; the version is on the account of who does so from now on. */
    Reply.ObjectStored setTags(Command.SetTags set, PrincipalId by) {
        FoundLink found = find(set.bucket(), set.key(), set.version());
        VersionState state = found.link.state();
        Map<String, String> present = state.attributes().tags();
        CommandRefusal.refuseUnless(
                set.before().map(present::equals).orElse(true),
                MetadataError.CONDITION_FAILED,
                "the version has other tags now");
        Name name = new Name(found.bucket.name, found.key, found.version);
        Kind kind = set.tags().isEmpty() ? Kind.DELETE_TAGS : Kind.PUT_TAGS;
        events.record(found.bucket, kind, name, found.link, found.link.length());
        return replace(found, by, state.withAttributes(state.attributes().withTags(set.tags())));
    }

    Reply.ObjectStored setRetention(Command.SetRetention set, long now) {
        FoundLink found = findLockable(set.bucket(), set.key(), set.version());
        VersionState state = found.link.state();
        ObjectLocks.requireReplaceable(state.lock().retention(), set.retention(), set.bypassGovernance(), now);
        ObjectLock lock = new ObjectLock(set.retention(), state.lock().legalHold());
        return replace(found, found.link.owner(), state.withLock(lock));
    }

    Reply.ObjectStored setLegalHold(Command.SetLegalHold set) {
        FoundLink found = findLockable(set.bucket(), set.key(), set.version());
        VersionState state = found.link.state();
        ObjectLock lock = new ObjectLock(state.lock().retention(), set.held());
        return replace(found, found.link.owner(), state.withLock(lock));
    }

    private FoundLink findLockable(String bucket, String key, long version) {
        FoundLink found = find(bucket, key, version);
        CommandRefusal.refuseUnless(
                found.bucket.settings().objectLock(),
                MetadataError.BAD_BUCKET_STATE,
                "bucket " + bucket + " has no object lock");
        return found;
    }

    private Reply.ObjectStored replace(FoundLink found, PrincipalId owner, VersionState state) {
        Link link = new Link(found.link.inode(), found.link.length(), found.link.linkedMillis(), owner, state);
        tables.weight.add(found.link.owner(), -weightOf(found.key, found.link));
        found.bucket.replace(found.key, found.version, link);
        tables.weight.add(owner, weightOf(found.key, link));
        return stored(link, found.version);
    }

    Reply.ObjectStored rename(Command.RenameObject rename, PrincipalId by, long now) {
        FoundLink from = find(rename.bucket(), rename.key(), 0);
        Bucket to = bucket(rename.toBucket());
        Bytes toKey = key(rename.toKey());
        CommandRefusal.refuseUnless(
                to != from.bucket || !toKey.equals(from.key), MetadataError.BAD_ARGUMENT, "both names are the same");
        boolean leavesOld = from.bucket.keepsAll() || !from.link.state().isNull();
        VersionState state = newState(to, from.link.state().attributes(), ObjectLock.NONE, now);
        Link link = new Link(from.link.inode(), from.link.length(), now, by, state);
        Reply.ObjectStored reply = relink(from, to, toKey, rename.condition(), to != from.bucket || leavesOld, link);
        hide(from.bucket, from.key, by, now);
        return reply;
    }

    Reply.ObjectStored copy(Command.CopyObject copy, PrincipalId by, long now) {
        FoundLink from = find(copy.bucket(), copy.key(), copy.version());
        Bucket to = bucket(copy.toBucket());
        ObjectAttributes attributes = copy.attributes().orElse(from.link.state().attributes());
        VersionState state = newState(to, attributes, copy.lock(), now);
        Link link = new Link(from.link.inode(), from.link.length(), now, by, state);
        return relink(from, to, key(copy.toKey()), copy.condition(), true, link);
    }

    /** A version that is not a delete marker; the latest for 0, or the null version. */
    FoundLink find(String bucketName, String keyName, long version) {
        Bucket bucket = bucket(bucketName);
        Bytes key = key(keyName);
        String name = bucketName + "/" + keyName;
        CommandRefusal.refuseUnless(version != 0 || bucket.hasVisible(key), MetadataError.NO_SUCH_OBJECT, name);
        long number = version == 0 ? bucket.latest(key) : numberOf(bucket, key, version);
        Link found = bucket.link(key, number)
                .orElseThrow(() -> new CommandRefusal(MetadataError.NO_SUCH_VERSION, name + " version " + number));
        CommandRefusal.refuseUnless(!found.marker(), MetadataError.IS_DELETE_MARKER, name + " version " + number);
        return new FoundLink(bucket, key, number, found);
    }

    /** Returns the number of the version that a request names; 0 if there is no null version. */
    private static long numberOf(Bucket bucket, Bytes key, long version) {
        return version == Versioning.NULL_VERSION ? bucket.nullVersion(key) : version;
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
                        bucket.creator,
                        bucket.volume,
                        bucket.settings(),
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

    private Reply.ObjectStored relink(
            FoundLink from, Bucket to, Bytes toKey, Condition condition, boolean addsBytes, Link link) {
        CommandRefusal.refuseUnless(
                to.volume == from.bucket.volume, MetadataError.OTHER_VOLUME, from.bucket.name + " and " + to.name);
        checkCondition(to, toKey, condition);
        checkQuota(to, toKey, addsBytes ? from.link.length() : 0);
        return link(to, toKey, link, Kind.COPY);
    }

    /** Adds the new link before it removes the old one, so that a renamed inode always has a link. */
    private long link(Bucket bucket, Bytes key, Link link) {
        long replaced = link.state().isNull() ? bucket.nullVersion(key) : 0;
        long version = tables.supply().nextVersion();
        if (!link.marker()) {
            inodes.link(link.inode());
        }
        putLink(bucket, key, version, link);
        bucket.bytes += link.length();
        if (replaced != 0) {
            remove(bucket, key, replaced);
        }
        return version;
    }

    /** Takes the latest version out of sight. */
    private Reply.Deleted hide(Bucket bucket, Bytes key, PrincipalId by, long now) {
        if (bucket.versioning() == Versioning.LATEST_ONLY) {
            Table.Entry<Name, Link> latest = bucket.newest(key).orElseThrow();
            long version = latest.key().version();
            remove(bucket, key, version);
            events.record(bucket, Kind.DELETE, latest.key(), latest.value(), 0);
            return new Reply.Deleted(version, false, true);
        }
        boolean isNull = !bucket.keepsAll();
        Link link = new Link(0, 0, now, by, VersionState.ofMarker(isNull));
        long marker = link(bucket, key, link);
        events.record(bucket, Kind.DELETE_MARKER, new Name(bucket.name, key, marker), link, 0);
        return new Reply.Deleted(marker, true, isNull);
    }

    private void putLink(Bucket bucket, Bytes key, long version, Link link) {
        bucket.add(key, version, link);
        tables.weight.add(link.owner(), weightOf(key, link));
    }

    private void remove(Bucket bucket, Bytes key, long version) {
        Link link = bucket.link(key, version)
                .orElseThrow(() -> new IllegalStateException("version " + version + " is not there"));
        bucket.remove(key, version, link);
        tables.weight.add(link.owner(), -weightOf(key, link));
        bucket.bytes -= link.length();
        if (!link.marker()) {
            inodes.unlink(link.inode());
        }
    }

    private static long weightOf(Bytes key, Link link) {
        return (long) Weight.LINK_BYTES
                + key.length()
                + link.state().attributes().encodedBytes();
    }

    /** Returns the state of a new version in a bucket; refuses a lock that the bucket does not allow. */
    static VersionState newState(Bucket bucket, ObjectAttributes attributes, ObjectLock wanted, long now) {
        return new VersionState(!bucket.keepsAll(), attributes, ObjectLocks.ofNew(bucket, wanted, now));
    }

    void checkQuota(Bucket bucket, Bytes key, long addedBytes) {
        long nullVersion = bucket.keepsAll() ? 0 : bucket.nullVersion(key);
        long replaced = nullVersion == 0
                ? 0
                : bucket.link(key, nullVersion).map(Link::length).orElse(0L);
        checkRoom(bucket, addedBytes - replaced);
    }

    /** Refuses bytes that do not fit into the quota. */
    void checkRoom(Bucket bucket, long added) {
        tables.supply().requireRoom(bucket, added);
    }

    static void checkCondition(Bucket bucket, Bytes key, Condition condition) {
        checkCondition(condition, bucket.newest(key));
    }

    private static void checkCondition(Condition condition, Optional<Table.Entry<Name, Link>> found) {
        long version = found.map(entry -> entry.key().version()).orElse(0L);
        Optional<Link> object = found.map(Table.Entry::value).filter(link -> !link.marker());
        boolean holds = switch (condition.kind()) {
            case NONE -> true;
            case IF_ABSENT -> object.isEmpty();
            case IF_PRESENT -> object.isPresent();
            case IF_VERSION -> version == condition.version();
            case IF_PROPERTY ->
                object.map(link -> link.state().attributes().properties().get(condition.property()))
                        .filter(condition.value()::equals)
                        .isPresent();
        };
        CommandRefusal.refuseUnless(
                holds,
                MetadataError.CONDITION_FAILED,
                condition.kind() + (version == 0 ? ", there is no version" : ", the version is " + version));
    }

    private static void checkEpochs(Volume volume, List<EpochClaim> claims) {
        List<PlacementGroup> newest = volume.newestGroups();
        int group = 0;
        for (EpochClaim claim : claims) {
            int end = group + claim.groups();
            CommandRefusal.refuseUnless(
                    end <= newest.size(), MetadataError.BAD_ARGUMENT, "epochs of " + end + " groups");
            for (PlacementGroup claimed : newest.subList(group, end)) {
                CommandRefusal.refuseUnless(
                        claimed.epoch() == claim.epoch(),
                        MetadataError.STALE_EPOCH,
                        "a group is in epoch " + claimed.epoch() + ", claimed " + claim.epoch());
            }
            group = end;
        }
        CommandRefusal.refuseUnless(
                group == newest.size(),
                MetadataError.BAD_ARGUMENT,
                "epochs of " + group + " groups out of " + newest.size());
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
