package io.bulwark.protocol.extent;

import io.bulwark.protocol.cluster.CollapsedSessions;
import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * ExtentSessions that a node currently uses, with the state that 2f+1 replicas reported for each and the blocks that are
 * freed. The freed blocks are on disk before anything is deleted. Unused sessions are evicted from memory, the least
 * recently used first.
 */
final class ExtentSessions {
    private static final int KEPT_MAX = 4096;
    /**
     * Bound on the sessions that 2f+1 replicas reported as open. They are kept apart, so that bogus session numbers
     * cannot evict them.
     */
    private static final int OPEN_MAX = 16_384;

    /** An owner has at most 64 open; some more were closed without this node having been told. */
    private static final int OPEN_PER_OWNER_MAX = 128;

    /** Number of the least recently used sessions examined each time. */
    private static final int EVICT_STEPS = 8;

    private static final int PAGE = 256;

    /** Action on each extent on disk that a fact is about; it reports its end. */
    interface ExtentVisitor {
        void visit(ServerCall turn, Session session, BlockId block, BlockQueues.CompletionCallback done);
    }

    /** Goes on once the session's record is here. */
    interface SessionCallback {
        void ready(ServerCall turn, Session session);
    }

    record Key(int volume, PrincipalId owner, long session) implements Comparable<Key> {
        private static final Comparator<Key> ORDER =
                Comparator.comparingInt(Key::volume).thenComparing(Key::owner).thenComparingLong(Key::session);

        @Override
        public int compareTo(Key other) {
            return ORDER.compare(this, other);
        }

        static Key of(BlockId block) {
            return new Key(block.volume(), block.owner(), block.session());
        }
    }

    /** State of one session. */
    static final class Session {
        final Key key;
        /** True if it had collapsed before it was loaded: it has nothing on disk, and must get nothing there. */
        final boolean collapsed;

        SessionState state = SessionState.UNKNOWN;

        @Nullable
        SessionRecord record;

        int users;
        private final List<SessionCallback> waiting = new ArrayList<>();
        private final NavigableMap<Long, Long> pending = new TreeMap<>();
        private final Deque<long[]> toSweep = new ArrayDeque<>();
        private boolean loading;
        private boolean storing;
        private boolean dirty;
        private int sweeps;
        /** The counters between which something freed could not be deleted; none if first is above last. */
        private long undeletedFirst = Long.MAX_VALUE;

        private long undeletedLast = -1;

        Session(Key key, boolean collapsed) {
            this.key = key;
            this.collapsed = collapsed;
        }

        boolean isFreed(BlockId block) {
            return collapsed || (record != null && record.isFreed(block.counter()));
        }

        /** Returns whether a pending upload has registered it, as far as this node has heard since it started. */
        boolean pending(BlockId block) {
            Map.Entry<Long, Long> below = pending.floorEntry(block.counter());
            return below != null && block.counter() < below.getValue();
        }

        /** Returns whether nothing may be stored any more, including when it is not known which extents were freed. */
        boolean closed() {
            return state == SessionState.CLOSED || collapsed || (record != null && record.closed()) || forgotten();
        }

        /** Returns whether its record was damaged, so that its freed ranges are unknown. */
        boolean forgotten() {
            return record != null && record.forgotten();
        }

        /** The disk failed to delete it: it is tried again, in this life or the next. */
        void onDeleteFailed(BlockId block) {
            undeletedFirst = Math.min(undeletedFirst, block.counter());
            undeletedLast = Math.max(undeletedLast, block.counter());
        }

        private boolean hasUndeleted() {
            return undeletedFirst <= undeletedLast;
        }

        boolean isIdle() {
            return users == 0 && waiting.isEmpty() && !loading && !storing && !dirty && sweeps == 0 && !hasUndeleted();
        }
    }

    private final CollapsedSessions collapsed = new CollapsedSessions();
    private final Map<Key, Session> others = new LinkedHashMap<>(64, 0.75f, true);
    private final Map<Key, Session> open = new LinkedHashMap<>(64, 0.75f, true);
    private final Map<PrincipalId, Map<Key, Session>> openOf = new HashMap<>();
    private final PrincipalId self;
    private final Continuations continuations;
    private final ExtentVisitor discard;
    private final ExtentVisitor reference;

    ExtentSessions(PrincipalId self, Continuations continuations, ExtentVisitor discard, ExtentVisitor reference) {
        this.self = self;
        this.continuations = continuations;
        this.discard = discard;
        this.reference = reference;
    }

    /** Calls at once if the session's record is in memory. */
    void with(ServerCall turn, Key key, SessionCallback ready) {
        Session known = known(key);
        Session session = known == null ? new Session(key, collapsed.covers(key.owner(), key.session())) : known;
        if (known == null) {
            others.put(key, session);
        }
        if (session.record != null) {
            ready.ready(turn, session);
            return;
        }
        session.waiting.add(ready);
        if (!session.loading) {
            session.loading = true;
            continuations.loadMeta(
                    turn,
                    SessionRecord.key(key.volume(), key.owner(), key.session()),
                    (next, metas) -> loaded(next, session, metas));
        }
        evict(others, KEPT_MAX);
    }

    private @Nullable Session known(Key key) {
        Session session = open.get(key);
        if (session == null) {
            return others.get(key);
        }
        // Touches the order of its owner's, too.
        Map<Key, Session> owners = openOf.get(key.owner());
        return owners == null ? session : owners.getOrDefault(key, session);
    }

    private void loaded(ServerCall turn, Session session, Loaded.Metas metas) {
        session.loading = false;
        List<Bytes> pages = SessionRecord.in(metas);
        try {
            session.record = SessionRecord.decode(pages);
        } catch (MalformedException e) {
            // The node still serves and repairs the fragments that it has; the owner opens another session. All is
            // known again once the replicas report the references of this session at its end.
            session.record = SessionRecord.forgotten(pages);
            Key key = session.key;
            turn.add(new Effect.Evidence(
                    self,
                    new BlockId(key.volume(), key.owner(), key.session(), 0),
                    Verdict.DAMAGED,
                    "record of the session: " + e.getMessage()));
        }
        if (session.record.isSweeping()) {
            session.toSweep.add(new long[] {0, Long.MAX_VALUE});
            sweepNext(turn, session);
        }
        List<SessionCallback> waiting = List.copyOf(session.waiting);
        session.waiting.clear();
        waiting.forEach(ready -> ready.ready(turn, session));
    }

    /** Takes a session's state from 2f+1 replicas. A closed session never opens again. */
    void learn(Fact.OfSession fact) {
        Session session = known(new Key(fact.volume(), fact.owner(), fact.session()));
        if (session != null && session.state != SessionState.CLOSED) {
            session.state = fact.state();
            sort(session);
        }
    }

    /** Puts the session where it belongs now. */
    private void sort(Session session) {
        Key key = session.key;
        if (session.state == SessionState.OPEN) {
            others.remove(key);
            open.put(key, session);
            Map<Key, Session> owners =
                    openOf.computeIfAbsent(key.owner(), ignored -> new LinkedHashMap<>(16, 0.75f, true));
            owners.put(key, session);
            evict(owners, OPEN_PER_OWNER_MAX);
            evict(open, OPEN_MAX);
        } else if (forgetOpen(key)) {
            others.put(key, session);
        }
    }

    private boolean forgetOpen(Key key) {
        Map<Key, Session> owners = openOf.get(key.owner());
        if (owners != null && owners.remove(key) != null && owners.isEmpty()) {
            openOf.remove(key.owner());
        }
        return open.remove(key) != null;
    }

    void learn(ServerCall turn, Fact.Pending fact) {
        BlockRange range = fact.range();
        Key key = new Key(range.volume(), range.owner(), range.session());
        with(turn, key, (next, session) -> {
            long last = range.first() + range.count() - 1;
            session.pending.merge(range.first(), last + 1, Math::max);
            if (session.pending.size() > SessionRecord.INTERVALS_MAX) {
                session.pending.pollFirstEntry();
            }
            visit(next, session, range.first(), last, ignored -> true, reference, ignored -> {});
        });
    }

    void learn(ServerCall turn, Fact.Freed fact) {
        BlockRange range = fact.range();
        with(turn, new Key(range.volume(), range.owner(), range.session()), (next, session) -> {
            if (session.record != null && session.record.free(range.first(), range.first() + range.count())) {
                session.toSweep.add(new long[] {range.first(), range.first() + range.count() - 1});
                save(next, session);
            }
        });
    }

    void learn(ServerCall turn, Fact.ClosedWith fact) {
        Key key = new Key(fact.volume(), fact.owner(), fact.session());
        NavigableMap<Long, Long> referenced = new TreeMap<>();
        for (BlockRange range : fact.referenced()) {
            if (key.equals(new Key(range.volume(), range.owner(), range.session()))) {
                referenced.merge(range.first(), range.first() + range.count(), Math::max);
            }
        }
        with(turn, key, (next, session) -> {
            session.state = SessionState.CLOSED;
            sort(session);
            if (session.record != null && session.record.close(referenced)) {
                session.toSweep.add(new long[] {0, Long.MAX_VALUE});
                save(next, session);
            }
        });
    }

    /** Marks the sessions in memory and those loaded later. {@link Fact.ClosedWith} covers the others on disk. */
    void learn(ServerCall turn, Fact.Collapsed fact) {
        collapsed.learn(fact);
        for (Session session : all()) {
            Key key = session.key;
            if (fact.covers(key.owner(), key.session())) {
                learn(turn, new Fact.ClosedWith(key.volume(), key.owner(), key.session(), List.of()));
            }
        }
    }

    private List<Session> all() {
        List<Session> all = new ArrayList<>(others.values());
        all.addAll(open.values());
        return all;
    }

    /** Tries again what the disk had no space for, or failed to do. */
    void onTick(ServerCall turn) {
        for (Session session : all()) {
            if (session.hasUndeleted() && session.sweeps == 0 && session.record != null) {
                session.toSweep.add(new long[] {session.undeletedFirst, session.undeletedLast});
                session.undeletedFirst = Long.MAX_VALUE;
                session.undeletedLast = -1;
                session.dirty = true;
            }
            if (session.dirty && !session.storing) {
                save(turn, session);
            }
        }
        evict(others, KEPT_MAX);
    }

    private void save(ServerCall turn, Session session) {
        session.dirty = true;
        SessionRecord record = session.record;
        if (session.storing || record == null) {
            return;
        }
        session.storing = true;
        session.dirty = false;
        record.setSweeping(!session.toSweep.isEmpty() || session.sweeps > 0 || session.hasUndeleted());
        Key key = session.key;
        List<Bytes> pages = record.encoded();
        List<Mutation> changes = record.changes(SessionRecord.key(key.volume(), key.owner(), key.session()), pages);
        int covered = session.toSweep.size();
        continuations.store(turn, changes, (next, stored) -> {
            session.storing = false;
            if (stored != Stored.DURABLE) {
                session.dirty = true;
                return;
            }
            record.stored(pages);
            for (int i = 0; i < covered; i++) {
                sweepNext(next, session);
            }
            if (session.dirty) {
                save(next, session);
            }
        });
    }

    private void sweepNext(ServerCall turn, Session session) {
        long[] range = session.toSweep.removeFirst();
        session.sweeps++;
        visit(turn, session, range[0], range[1], session::isFreed, discard, next -> {
            if (--session.sweeps == 0 && session.toSweep.isEmpty()) {
                save(next, session);
            }
        });
    }

    /** Page by page; the next one only when all of this are done. */
    private void visit(
            ServerCall turn,
            Session session,
            long first,
            long last,
            Predicate<BlockId> which,
            ExtentVisitor visit,
            BlockQueues.CompletionCallback over) {
        Key key = session.key;
        BlockId from = new BlockId(key.volume(), key.owner(), key.session(), first);
        BlockId to = new BlockId(key.volume(), key.owner(), key.session(), last);
        continuations.scan(turn, RecordKind.EXTENT, from, to, PAGE, (next, metas) -> {
            List<BlockId> found =
                    metas.records().stream().map(meta -> meta.key().block()).toList();
            List<BlockId> chosen = found.stream().filter(which).toList();
            BlockQueues.CompletionCallback after =
                    found.size() < PAGE || found.getLast().counter() == last
                            ? over
                            : later -> visit(later, session, found.getLast().counter() + 1, last, which, visit, over);
            int[] left = {chosen.size()};
            chosen.forEach(block -> visit.visit(next, session, block, later -> {
                if (--left[0] == 0) {
                    after.done(later);
                }
            }));
            if (chosen.isEmpty()) {
                after.done(next);
            }
        });
    }

    /** Evicts sessions in a few steps only; those in use move to the end, so that the next call examines others. */
    private void evict(Map<Key, Session> from, int max) {
        if (from.size() <= max) {
            return;
        }
        List<Session> eldest = from.values().stream().limit(EVICT_STEPS).toList();
        for (Session session : eldest) {
            if (!session.isIdle()) {
                from.get(session.key);
            } else if (from.size() > max && !forgetOpen(session.key)) {
                from.remove(session.key);
            }
        }
    }
}
