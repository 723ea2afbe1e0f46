package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Tables.DueInode;
import io.bulwark.protocol.object.Composition;
import io.bulwark.protocol.object.InlineContent;
import io.bulwark.protocol.object.Inode;
import io.bulwark.protocol.object.ObjectLayout;
import io.bulwark.protocol.object.OwnContent;
import io.bulwark.protocol.object.Slice;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Inodes with their link counts, pending uploads, and the freeing of their ranges after a grace (docs/protocols/extents.md).
 * An inode stays known, for readers and for repair, until its ranges are freed.
 */
final class Inodes {
    /** Served time between the last unlinking and the freeing of the ranges: no jump of agreed time ends it. */
    static final long GRACE_MILLIS = 60_000;

    /** Pending uploads of one session, which end together. */
    static final int PENDING_MAX = 1_024;

    /** Number of inodes and slices that one command frees; the next commands free the other due ones. */
    static final int DUE_PER_COMMAND = 512;

    /**
     * Number of expired sessions that one command closes; the others serve nobody, and the next commands close them.
     */
    static final int SESSIONS_PER_COMMAND = 4;

    private static final int SEARCH_MAX = 20_000;

    private final Tables tables;
    private final SessionTable sessions;
    private final Volumes volumes;
    private final Compositions compositions;
    private final LockTable locks;

    sealed interface Entry {
        int volume();

        /** On whose account it is. */
        PrincipalId owner();

        /** Number under which nodes get its reference, in the order in which entries were stored. */
        long arrival();

        /** Returns the blocks that nodes must hold; empty for a composition, whose slices have them, and without blocks. */
        Optional<Reply.Reference> reference(long id);

        void write(WireWriter out);

        static Entry read(WireReader in) {
            int kind = in.u8();
            return switch (kind) {
                case 0 ->
                    new Pending(
                            in.i32(0, Integer.MAX_VALUE),
                            PrincipalId.read(in),
                            Lists.read(in, Command.RANGES_MAX, BlockRange::read),
                            in.nonNegative64());
                case 1 -> new Stored(Inode.read(in), PrincipalId.read(in), in.nonNegative64());
                case 2 ->
                    new Inline(
                            in.i32(0, Integer.MAX_VALUE),
                            in.i32(1, InlineContent.BYTES_MAX),
                            in.nonNegative64(),
                            PrincipalId.read(in),
                            in.nonNegative64());
                default -> throw new MalformedException("an inode of kind " + kind);
            };
        }
    }

    record Stored(Inode inode, PrincipalId owner, long arrival) implements Entry {
        @Override
        public int volume() {
            return inode.content().volume();
        }

        @Override
        public Optional<Reply.Reference> reference(long id) {
            return inode.content() instanceof ObjectLayout layout
                            && !layout.ranges().isEmpty()
                    ? Optional.of(new Reply.Reference(arrival, id, Optional.of(layout), List.of()))
                    : Optional.empty();
        }

        @Override
        public void write(WireWriter out) {
            inode.write(out.u8(1));
            owner.write(out);
            out.i64(arrival);
        }
    }

    /** Inode whose bytes stand in a table of their own, which lists and nodes need not read. */
    record Inline(int volume, int length, long modifiedMillis, PrincipalId owner, long arrival) implements Entry {
        @Override
        public Optional<Reply.Reference> reference(long id) {
            return Optional.empty();
        }

        @Override
        public void write(WireWriter out) {
            owner.write(out.u8(2).i32(volume).i32(length).i64(modifiedMillis));
            out.i64(arrival);
        }
    }

    record Pending(int volume, PrincipalId owner, List<BlockRange> ranges, long arrival) implements Entry {
        @Override
        public Optional<Reply.Reference> reference(long id) {
            return Optional.of(new Reply.Reference(arrival, id, Optional.empty(), ranges));
        }

        @Override
        public void write(WireWriter out) {
            owner.write(out.u8(0).i32(volume));
            Lists.write(ranges, out, BlockRange::write);
            out.i64(arrival);
        }
    }

    Inodes(Tables tables, SessionTable sessions, Volumes volumes, Compositions compositions, LockTable locks) {
        this.locks = locks;
        this.tables = tables;
        this.sessions = sessions;
        this.volumes = volumes;
        this.compositions = compositions;
    }

    /** Registers ranges of a session that is for an object volume. */
    long registerPending(Session session, List<BlockRange> ranges) {
        Volumes.Entry volume = volumes.byId(session.volume);
        Namespace.checkGeneration(volume.volume(), ranges);
        CommandRefusal.refuseUnless(
                session.pending < PENDING_MAX,
                MetadataError.LIMIT_REACHED,
                session.pending + " pending uploads in session " + session.number);
        long bytes = pendingBytes(volume, ranges);
        tables.supply().requireRoom(volume, bytes);
        session.use(ranges, List.of());
        volume.charge(bytes);
        long id = tables.supply().nextInode();
        putPending(session, id, ranges);
        return id;
    }

    private void putPending(Session session, long id, List<BlockRange> ranges) {
        put(id, new Pending(session.volume, session.owner, ranges, nextArrival()));
        tables.pendings.put(session.key(id), true);
        session.pending++;
    }

    private void removePending(Session session, long id) {
        remove(id);
        tables.pendings.remove(session.key(id));
        session.pending--;
    }

    /** The pending uploads of this session with these ids, each named once. */
    List<BlockRange> rangesOfPending(Session session, List<Long> ids) {
        List<BlockRange> ranges = new ArrayList<>();
        TreeSet<Long> seen = new TreeSet<>();
        for (long id : ids) {
            CommandRefusal.refuseUnless(
                    tables.pendings.contains(session.key(id)) && seen.add(id),
                    MetadataError.NO_SUCH_PENDING,
                    "pending " + id);
            ranges.addAll(pending(id).ranges);
        }
        return ranges;
    }

    /** Checks the quota and the ranges, consumes the pending uploads, and makes an inode without links. */
    Inode create(Session session, List<Long> pendingIds, OwnContent content, long now) {
        Volumes.Entry volume = volumes.byId(content.volume());
        List<BlockRange> ofPending = rangesOfPending(session, pendingIds);
        long added = content.length() - pendingBytes(volume, ofPending);
        tables.supply().requireRoom(volume, added);
        if (!content.ranges().isEmpty() || !ofPending.isEmpty()) {
            IntervalSet left = session.use(content.ranges(), ofPending);
            left.ranges(session).forEach(range -> free(session, range));
        }
        volume.charge(added);
        if (content instanceof InlineContent) {
            volume.usage().inline += content.length();
        }
        pendingIds.forEach(id -> removePending(session, id));
        Inode inode = new Inode(tables.supply().nextInode(), content, now);
        if (content instanceof InlineContent inline) {
            tables.inlineBytes.put(inode.id(), inline.bytes());
            put(inode.id(), new Inline(volume.volume().id(), (int) inline.length(), now, session.owner, nextArrival()));
        } else {
            put(inode.id(), new Stored(inode, session.owner, nextArrival()));
        }
        return inode;
    }

    /**
     * Gives an inode the content of a new one, which gets the old content and is freed after the grace, as if its last link
     * was gone.
     */
    void refill(Command.RefillInode refill, Session session, long now) {
        Optional<Stored> found = tables.inodes
                .get(refill.inode())
                .filter(Stored.class::isInstance)
                .map(Stored.class::cast);
        int newest = volumes.byId(session.volume).volume().generation();
        CommandRefusal.refuseUnless(
                found.filter(each -> each.volume() == session.volume
                                && linksOf(refill.inode()) > 0
                                && refill.content() instanceof ObjectLayout
                                && each.inode.content() instanceof ObjectLayout old
                                && old.length() == refill.content().length()
                                && old.ranges().stream().anyMatch(range -> range.generation() < newest))
                        .isPresent(),
                MetadataError.NO_SUCH_OBJECT,
                "inode " + refill.inode() + " has no " + refill.content().length() + " bytes under an older policy");
        Stored old = found.orElseThrow();
        Inode made = create(session, refill.pending(), refill.content(), now);
        Stored fresh = (Stored) entry(made.id());
        remove(made.id());
        remove(refill.inode());
        Inode refilled = new Inode(refill.inode(), fresh.inode.content(), old.inode.modifiedMillis());
        put(refill.inode(), new Stored(refilled, old.owner, nextArrival()));
        put(made.id(), new Stored(new Inode(made.id(), old.inode.content(), now), fresh.owner, nextArrival()));
        tables.dues.put(new DueInode(sessions.servedMillis() + GRACE_MILLIS, made.id()), true);
    }

    /** Frees all ranges of pending uploads. */
    void dropPending(Session session, List<Long> ids) {
        for (long id : ids) {
            Pending pending = pending(id);
            Volumes.Entry volume = volumes.byId(session.volume);
            volume.charge(-pendingBytes(volume, pending.ranges));
            removePending(session, id);
            pending.ranges.forEach(range -> free(session, range));
        }
    }

    /** Closes a session; its log and its pending uploads end first. */
    void close(Session session) {
        if (locks.postponesClosing(session)) {
            return;
        }
        locks.forget(session);
        List<Long> pending = new ArrayList<>();
        tables.pendings
                .range(session.key(0), session.end())
                .forEach(entry -> pending.add(entry.key().number()));
        dropPending(session, pending);
        sessions.close(session);
    }

    void link(long id) {
        tables.links.put(id, linksOf(id) + 1);
    }

    void unlink(long id) {
        int links = linksOf(id) - 1;
        if (links == 0) {
            tables.links.remove(id);
            tables.dues.put(new DueInode(sessions.servedMillis() + GRACE_MILLIS, id), true);
        } else {
            tables.links.put(id, links);
        }
    }

    private int linksOf(long id) {
        return tables.links.get(id).orElse(0);
    }

    /** Closes expired sessions and frees due inodes, up to a bound for each. */
    void settleDue() {
        for (int closed = 0; closed < SESSIONS_PER_COMMAND; closed++) {
            Optional<Session> expired = sessions.expired();
            if (expired.isEmpty()) {
                break;
            }
            close(expired.get());
        }
        for (int freed = 0; freed < DUE_PER_COMMAND; ) {
            Optional<DueInode> due = tables.dues.first().map(Table.Entry::key);
            if (due.isEmpty() || due.get().atMillis() > sessions.servedMillis()) {
                return;
            }
            freed += free(due.get());
        }
    }

    /** Frees the unlinked inodes of a volume that is being deleted. */
    void freeAllOf(int volume) {
        List<DueInode> ofVolume = dueOf(volume);
        // What compositions have sliced becomes due when they are freed.
        while (!ofVolume.isEmpty()) {
            ofVolume.forEach(this::free);
            ofVolume = dueOf(volume);
        }
    }

    private List<DueInode> dueOf(int volume) {
        List<DueInode> ofVolume = new ArrayList<>();
        for (Table.Entry<DueInode, Boolean> due : tables.dues.all()) {
            if (entry(due.key().inode()).volume() == volume) {
                ofVolume.add(due.key());
            }
        }
        return ofVolume;
    }

    /** Makes an inode without links of slices that have links already. */
    Inode compose(int volume, Compositions.SliceSequence content, PrincipalId owner, long now) {
        List<Slice> slices = content.slices();
        Composition composition = new Composition(volume, content.length(), slices.size());
        Inode inode = new Inode(tables.supply().nextInode(), composition, now);
        put(inode.id(), new Stored(inode, owner, nextArrival()));
        compositions.put(inode.id(), slices);
        return inode;
    }

    Inode inode(long id) {
        return switch (entry(id)) {
            case Stored stored -> stored.inode;
            case Inline inline ->
                new Inode(
                        id,
                        new InlineContent(
                                inline.volume, tables.inlineBytes.get(id).orElseThrow()),
                        inline.modifiedMillis);
            case Pending ignored -> throw new IllegalStateException("inode " + id + " is a pending upload");
        };
    }

    /** Returns the content of an inode that is sliced. */
    OwnContent own(long id) {
        if (inode(id).content() instanceof OwnContent own) {
            return own;
        }
        throw new IllegalStateException("inode " + id + " has no content of its own");
    }

    Reply.InodeFound find(Query.FindInode query) {
        return tables.inodes
                .get(query.inode())
                .filter(entry -> !(entry instanceof Pending))
                .map(entry -> new Reply.InodeFound(true, linksOf(query.inode()) > 0, names(entry, query.block())))
                .orElse(Reply.InodeFound.GONE);
    }

    private static boolean names(Entry entry, BlockId block) {
        return entry instanceof Stored stored
                && stored.inode.content() instanceof ObjectLayout layout
                && layout.ranges().stream().anyMatch(range -> range.contains(block));
    }

    int count() {
        return tables.totals().inodes;
    }

    /** A page of the references of a volume. */
    Reply.References references(int volume, long after, int limit) {
        List<Reply.Reference> page = new ArrayList<>();
        int bytes = 0;
        int searched = 0;
        long next = after;
        for (Table.Entry<Long, Tables.Arrival> arrival : tables.arrivals.from(after + 1)) {
            if (page.size() == limit || bytes > Query.PAGE_BYTES_MAX || searched == SEARCH_MAX) {
                return new Reply.References(page, next, true, tables.totals().lastArrival);
            }
            next = arrival.key();
            searched++;
            long id = arrival.value().inode();
            Optional<Reply.Reference> found =
                    arrival.value().volume() == volume ? entry(id).reference(id) : Optional.empty();
            if (found.isPresent()) {
                Reply.Reference reference = found.get();
                page.add(reference);
                bytes += 64
                        + 33 * reference.pendingRanges().size()
                        + reference.layout().map(Inodes::bytesOf).orElse(0);
            }
        }
        // The last to arrive may be gone, or have no blocks: a node must not wait for it.
        long last = tables.totals().lastArrival;
        return new Reply.References(page, Math.max(next, last), false, last);
    }

    private long nextArrival() {
        return ++tables.totals().lastArrival;
    }

    private void put(long id, Entry entry) {
        tables.inodes.put(id, entry);
        // Nodes page through arrivals: each that tells them nothing would be read by all of them, at several replicas.
        if (entry.reference(id).isPresent()) {
            tables.arrivals.put(entry.arrival(), new Tables.Arrival(id, entry.volume()));
        }
        tables.totals().inodes++;
        tables.weight.add(entry.owner(), weightOf(entry));
        volumes.byId(entry.volume()).usage().count(rangesOf(entry), 1);
    }

    private static List<BlockRange> rangesOf(Entry entry) {
        return switch (entry) {
            case Stored stored -> stored.inode.content() instanceof ObjectLayout layout ? layout.ranges() : List.of();
            case Inline ignored -> List.of();
            case Pending pending -> pending.ranges;
        };
    }

    private void remove(long id) {
        Entry removed = entry(id);
        tables.inodes.remove(id);
        if (removed instanceof Inline) {
            tables.inlineBytes.remove(id);
        }
        if (removed.reference(id).isPresent()) {
            tables.arrivals.remove(removed.arrival());
        }
        tables.totals().inodes--;
        tables.weight.add(removed.owner(), -weightOf(removed));
        volumes.byId(removed.volume()).usage().count(rangesOf(removed), -1);
    }

    private static long weightOf(Entry entry) {
        return Weight.INODE_BYTES
                + switch (entry) {
                    case Stored stored ->
                        switch (stored.inode.content()) {
                            case ObjectLayout layout ->
                                (long) Weight.RANGE_BYTES * layout.ranges().size()
                                        + layout.pins().length();
                            case InlineContent ignored ->
                                throw new IllegalStateException("inline bytes in the table of inodes");
                            case Composition composition -> (long) Weight.SLICE_BYTES * composition.slices();
                        };
                    case Inline inline -> inline.length;
                    case Pending pending -> (long) Weight.RANGE_BYTES * pending.ranges.size();
                };
    }

    static int bytesOf(OwnContent content) {
        return switch (content) {
            case ObjectLayout layout ->
                33 * layout.ranges().size() + layout.pins().length();
            case InlineContent inline -> inline.bytes().length();
        };
    }

    /** Frees an inode, or some slices of a composition, which is then still due; returns how many links or inodes. */
    private int free(DueInode due) {
        Inode inode = inode(due.inode());
        List<Slice> slices = compositions.take(inode.id());
        if (!slices.isEmpty()) {
            slices.forEach(slice -> unlink(slice.inode()));
            return slices.size();
        }
        tables.dues.remove(due);
        remove(inode.id());
        if (inode.content() instanceof OwnContent content) {
            Volumes.Entry volume = volumes.byId(content.volume());
            volume.charge(-content.length());
            if (content instanceof InlineContent) {
                volume.usage().inline -= content.length();
            }
            for (BlockRange range : content.ranges()) {
                free(sessions.require(range.owner(), range.session()), range);
            }
        }
        return 1;
    }

    private void free(Session session, BlockRange range) {
        sessions.free(session, range.first(), range.first() + range.count());
    }

    /** Returns the bytes charged for pending ranges: whole blocks, since their use is not known yet. */
    private static long pendingBytes(Volumes.Entry volume, List<BlockRange> ranges) {
        long blocks = 0;
        for (BlockRange range : ranges) {
            CommandRefusal.refuseUnless(
                    range.count()
                            <= ObjectLayout.LENGTH_MAX
                                    / volume.volume().policy().blockBytes(),
                    MetadataError.BAD_ARGUMENT,
                    "a range of " + range.count() + " blocks");
            blocks += range.count();
        }
        return blocks * volume.volume().policy().blockBytes();
    }

    private Entry entry(long id) {
        return tables.inodes.get(id).orElseThrow(() -> new IllegalStateException("inode " + id + " is not there"));
    }

    private Pending pending(long id) {
        return (Pending) entry(id);
    }
}
