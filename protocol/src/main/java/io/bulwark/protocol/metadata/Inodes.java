package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.object.Inode;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectLayout;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Inodes with their link counts, pending uploads, and the freeing of their ranges after a grace (PROTOCOLS section 4).
 * An inode stays known, for readers and for repair, until its ranges are freed.
 */
final class Inodes {
    /** Served time between the last unlinking and the freeing of the ranges: no jump of agreed time ends it. */
    static final long GRACE_MILLIS = 60_000;

    /** Pending uploads of one session, which end together. */
    static final int PENDING_MAX = 1_024;

    /** Inodes that one command frees; what is due beyond is left to the next commands. */
    static final int DUE_PER_COMMAND = 512;

    /** Expired sessions that one command closes; the others serve nobody, and are closed by the next commands. */
    static final int SESSIONS_PER_COMMAND = 4;

    private static final int SEARCH_MAX = 20_000;

    private final Sessions sessions;
    private final Volumes volumes;
    private final Weight weight;
    private final TreeMap<Long, Entry> entries = new TreeMap<>();
    private long last;

    /** Follows from the rest: inodes without links, the first to be freed first. */
    private final TreeSet<Due> dues = new TreeSet<>();

    private sealed interface Entry {
        int volume();

        /** On whose account it is. */
        PrincipalId owner();

        Reply.Reference reference(long id);
    }

    private static final class Stored implements Entry {
        private final Inode inode;
        private final PrincipalId owner;
        private int links;
        private long freedAtMillis;

        private Stored(Inode inode, PrincipalId owner) {
            this.inode = inode;
            this.owner = owner;
        }

        @Override
        public PrincipalId owner() {
            return owner;
        }

        @Override
        public int volume() {
            return inode.layout().volume();
        }

        @Override
        public Reply.Reference reference(long id) {
            return new Reply.Reference(id, Optional.of(inode.layout()), List.of());
        }
    }

    private record Pending(Session session, List<BlockRange> ranges) implements Entry {
        @Override
        public PrincipalId owner() {
            return session.owner;
        }

        @Override
        public int volume() {
            return session.volume;
        }

        @Override
        public Reply.Reference reference(long id) {
            return new Reply.Reference(id, Optional.empty(), ranges);
        }
    }

    private record Due(long atMillis, long inode) implements Comparable<Due> {
        private static final Comparator<Due> ORDER =
                Comparator.comparingLong(Due::atMillis).thenComparingLong(Due::inode);

        @Override
        public int compareTo(Due other) {
            return ORDER.compare(this, other);
        }
    }

    Inodes(Sessions sessions, Volumes volumes, Weight weight) {
        this.sessions = sessions;
        this.volumes = volumes;
        this.weight = weight;
    }

    /** Registers ranges of a session that is for an object volume. */
    long registerPending(Session session, List<BlockRange> ranges) {
        Volumes.Entry volume = volumes.byId(session.volume);
        Refusal.unless(
                session.pending.size() < PENDING_MAX,
                MetadataError.LIMIT_REACHED,
                session.pending.size() + " pending uploads in session " + session.number);
        long bytes = pendingBytes(volume, ranges);
        volume.checkQuota(bytes);
        session.use(ranges, List.of());
        volume.charge(bytes);
        long id = ++last;
        put(id, new Pending(session, ranges));
        session.pending.add(id);
        return id;
    }

    /** The pending uploads of this session with these ids, each named once. */
    List<BlockRange> rangesOfPending(Session session, List<Long> ids) {
        List<BlockRange> ranges = new ArrayList<>();
        TreeSet<Long> seen = new TreeSet<>();
        for (long id : ids) {
            Refusal.unless(
                    session.pending.contains(id) && seen.add(id), MetadataError.NO_SUCH_PENDING, "pending " + id);
            ranges.addAll(pending(id).ranges);
        }
        return ranges;
    }

    /** Checks the quota and the ranges, consumes the pending uploads, and makes an inode without links. */
    Inode create(Session session, List<Long> pendingIds, ObjectLayout layout, ObjectAttributes attributes, long now) {
        Volumes.Entry volume = volumes.byId(layout.volume());
        List<BlockRange> ofPending = rangesOfPending(session, pendingIds);
        long added = layout.length() - pendingBytes(volume, ofPending);
        volume.checkQuota(added);
        if (!layout.ranges().isEmpty() || !ofPending.isEmpty()) {
            IntervalSet left = session.use(layout.ranges(), ofPending);
            left.ranges(session).forEach(range -> free(session, range));
        }
        volume.charge(added);
        for (long id : pendingIds) {
            session.pending.remove(id);
            remove(id);
        }
        Inode inode = detached(new Inode(++last, layout, attributes, now));
        put(inode.id(), new Stored(inode, session.owner));
        return inode;
    }

    /** Frees all ranges of pending uploads. */
    void dropPending(Session session, List<Long> ids) {
        for (long id : ids) {
            Pending pending = pending(id);
            Volumes.Entry volume = volumes.byId(session.volume);
            volume.charge(-pendingBytes(volume, pending.ranges));
            remove(id);
            session.pending.remove(id);
            pending.ranges.forEach(range -> free(session, range));
        }
    }

    /** Closes a session; its pending uploads end first. */
    void close(Session session) {
        dropPending(session, List.copyOf(session.pending));
        sessions.close(session);
    }

    void link(long id) {
        stored(id).links++;
    }

    void unlink(long id) {
        Stored stored = stored(id);
        stored.links--;
        if (stored.links == 0) {
            stored.freedAtMillis = sessions.servedMillis() + GRACE_MILLIS;
            dues.add(new Due(stored.freedAtMillis, id));
        }
    }

    /** Closes sessions that have expired and frees what is due, so much of each. */
    void settleDue() {
        for (int closed = 0; closed < SESSIONS_PER_COMMAND; closed++) {
            Optional<Session> expired = sessions.expired();
            if (expired.isEmpty()) {
                break;
            }
            close(expired.get());
        }
        for (int freed = 0; freed < DUE_PER_COMMAND && !dues.isEmpty(); freed++) {
            if (dues.first().atMillis > sessions.servedMillis()) {
                return;
            }
            free(dues.first());
        }
    }

    /** Frees the unlinked inodes of a volume that is being deleted. */
    void freeAllOf(int volume) {
        dues.stream()
                .filter(due -> stored(due.inode).volume() == volume)
                .toList()
                .forEach(this::free);
    }

    Inode inode(long id) {
        return stored(id).inode;
    }

    Optional<Inode> find(long id) {
        return entries.get(id) instanceof Stored stored ? Optional.of(stored.inode) : Optional.empty();
    }

    int count() {
        return entries.size();
    }

    /** A page of the references of a volume. */
    Reply.References references(int volume, long after, int limit) {
        List<Reply.Reference> page = new ArrayList<>();
        int bytes = 0;
        int searched = 0;
        long next = after;
        for (Map.Entry<Long, Entry> entry : entries.tailMap(after, false).entrySet()) {
            if (page.size() == limit || bytes > Query.PAGE_BYTES_MAX || searched == SEARCH_MAX) {
                return new Reply.References(page, next, true);
            }
            next = entry.getKey();
            searched++;
            if (entry.getValue().volume() == volume) {
                Reply.Reference reference = entry.getValue().reference(next);
                page.add(reference);
                bytes += 64
                        + 33 * reference.pendingRanges().size()
                        + reference.layout().map(Inodes::bytesOf).orElse(0);
            }
        }
        return new Reply.References(page, next, false);
    }

    private void put(long id, Entry entry) {
        entries.put(id, entry);
        weight.add(entry.owner(), weightOf(entry));
    }

    private void remove(long id) {
        Entry removed = entries.remove(id);
        if (removed != null) {
            weight.add(removed.owner(), -weightOf(removed));
        }
    }

    private static long weightOf(Entry entry) {
        return Weight.INODE_BYTES
                + switch (entry) {
                    case Stored stored -> {
                        ObjectLayout layout = stored.inode.layout();
                        WireWriter attributes = new WireWriter();
                        stored.inode.attributes().write(attributes);
                        yield (long) Weight.RANGE_BYTES * layout.ranges().size()
                                + layout.pins().length()
                                + attributes.length();
                    }
                    case Pending pending -> (long) Weight.RANGE_BYTES * pending.ranges.size();
                };
    }

    private static int bytesOf(ObjectLayout layout) {
        return 33 * layout.ranges().size() + layout.pins().length();
    }

    private void free(Due due) {
        dues.remove(due);
        ObjectLayout layout = inode(due.inode).layout();
        remove(due.inode);
        volumes.byId(layout.volume()).charge(-layout.length());
        for (BlockRange range : layout.ranges()) {
            free(sessions.require(range.owner(), range.session()), range);
        }
    }

    private void free(Session session, BlockRange range) {
        sessions.free(session, range.first(), range.first() + range.count());
    }

    /** What pending ranges are charged: whole blocks, since their use is not known yet. */
    private static long pendingBytes(Volumes.Entry volume, List<BlockRange> ranges) {
        long blocks = 0;
        for (BlockRange range : ranges) {
            Refusal.unless(
                    range.count()
                            <= ObjectLayout.LENGTH_MAX / volume.volume.policy().blockBytes(),
                    MetadataError.BAD_ARGUMENT,
                    "a range of " + range.count() + " blocks");
            blocks += range.count();
        }
        return blocks * volume.volume.policy().blockBytes();
    }

    private Stored stored(long id) {
        if (entries.get(id) instanceof Stored stored) {
            return stored;
        }
        throw new IllegalStateException("inode " + id + " is not there");
    }

    private Pending pending(long id) {
        if (entries.get(id) instanceof Pending pending) {
            return pending;
        }
        throw new IllegalStateException("pending upload " + id + " is not there");
    }

    void write(WireWriter out) {
        out.i64(last).i32(entries.size());
        entries.forEach((id, entry) -> {
            switch (entry) {
                case Stored stored -> {
                    stored.inode.write(out.bool(true));
                    stored.owner.write(out);
                    out.i32(stored.links).i64(stored.freedAtMillis);
                }
                case Pending pending -> {
                    out.bool(false).i64(id);
                    pending.session.owner.write(out);
                    out.i64(pending.session.number);
                    Lists.write(pending.ranges, out, BlockRange::write);
                }
            }
        });
    }

    static Inodes read(Sessions sessions, Volumes volumes, WireReader in, Weight weight) {
        Inodes inodes = new Inodes(sessions, volumes, weight);
        inodes.last = in.nonNegative64();
        Snapshots.times(in, () -> inodes.readEntry(in));
        return inodes;
    }

    private void readEntry(WireReader in) {
        if (in.bool()) {
            Stored stored = new Stored(detached(Inode.read(in)), PrincipalId.read(in));
            stored.links = in.i32(0, Integer.MAX_VALUE);
            stored.freedAtMillis = in.nonNegative64();
            put(stored.inode.id(), stored);
            if (stored.links == 0) {
                dues.add(new Due(stored.freedAtMillis, stored.inode.id()));
            }
        } else {
            long id = in.nonNegative64();
            Session session = sessions.require(PrincipalId.read(in), in.nonNegative64());
            put(id, new Pending(session, Lists.read(in, Command.RANGES_MAX, BlockRange::read)));
            session.pending.add(id);
        }
    }

    /** The same without the message it came in. */
    private static Inode detached(Inode inode) {
        ObjectLayout layout = inode.layout();
        ObjectLayout copy = new ObjectLayout(
                layout.volume(), layout.blockBytes(), layout.length(), layout.ranges(), Snapshots.copy(layout.pins()));
        return new Inode(inode.id(), copy, inode.attributes(), inode.modifiedMillis());
    }
}
