package io.bulwark.protocol.extent;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The sessions that this node has to do with now: what f+1 replicas said of each, and what is freed of it, which is on disk
 * before anything is deleted. Sessions that nobody uses are dropped from memory, the longest unused first.
 */
final class Sessions {
    private static final int KEPT_MAX = 4096;
    private static final int PAGE = 256;

    /** What is done with each extent on disk that a fact is about; says when it is done. */
    interface Visit {
        void visit(Turn turn, BlockId block, BlockQueues.Done done);
    }

    /** Goes on once the session's record is here. */
    interface Ready {
        void ready(Turn turn, Session session);
    }

    record Key(int volume, PrincipalId owner, long session) {
        static Key of(BlockId block) {
            return new Key(block.volume(), block.owner(), block.session());
        }
    }

    /** Of one session. */
    static final class Session {
        final Key key;
        SessionState state = SessionState.UNKNOWN;

        @Nullable
        SessionRecord record;

        int users;
        private final List<Ready> waiting = new ArrayList<>();
        private final NavigableMap<Long, Long> pending = new TreeMap<>();
        private final Deque<long[]> toSweep = new ArrayDeque<>();
        private boolean loading;
        private boolean storing;
        private boolean dirty;
        private int sweeps;

        Session(Key key) {
            this.key = key;
        }

        boolean freed(BlockId block) {
            return record != null && record.freed(block.counter());
        }

        /** Whether a pending upload has registered it, as far as this node was told since it started. */
        boolean pending(BlockId block) {
            Map.Entry<Long, Long> below = pending.floorEntry(block.counter());
            return below != null && block.counter() < below.getValue();
        }

        boolean closed() {
            return state == SessionState.CLOSED || (record != null && record.closed());
        }

        boolean idle() {
            return users == 0 && waiting.isEmpty() && !loading && !storing && !dirty && sweeps == 0;
        }
    }

    private final Map<Key, Session> sessions = new LinkedHashMap<>(64, 0.75f, true);
    private final Continuations continuations;
    private final Visit discard;
    private final Visit reference;

    Sessions(Continuations continuations, Visit discard, Visit reference) {
        this.continuations = continuations;
        this.discard = discard;
        this.reference = reference;
    }

    /** Calls at once if the session's record is in memory. */
    void with(Turn turn, Key key, Ready ready) {
        Session session = sessions.computeIfAbsent(key, Session::new);
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
        evict();
    }

    private void loaded(Turn turn, Session session, Loaded.Metas metas) {
        session.loading = false;
        session.record = new SessionRecord();
        Optional<Bytes> meta = SessionRecord.in(metas);
        try {
            meta.ifPresent(found -> session.record = SessionRecord.decode(found));
        } catch (MalformedException e) {
            // What was freed is forgotten, which wastes space until the replicas tell it again, and loses nothing.
            session.record = new SessionRecord();
        }
        if (session.record.sweeping()) {
            session.toSweep.add(new long[] {0, Long.MAX_VALUE});
            sweepNext(turn, session);
        }
        List<Ready> waiting = List.copyOf(session.waiting);
        session.waiting.clear();
        waiting.forEach(ready -> ready.ready(turn, session));
    }

    /** What f+1 replicas say of the session. A closed one never opens again. */
    void learn(Fact.OfSession fact) {
        Session session = sessions.get(new Key(fact.volume(), fact.owner(), fact.session()));
        if (session != null && session.state != SessionState.CLOSED) {
            session.state = fact.state();
        }
    }

    void learn(Turn turn, Fact.Pending fact) {
        BlockRange range = fact.range();
        Key key = new Key(range.volume(), range.owner(), range.session());
        with(turn, key, (next, session) -> {
            long last = range.first() + range.count() - 1;
            session.pending.merge(range.first(), last + 1, Math::max);
            if (session.pending.size() > SessionRecord.INTERVALS_MAX) {
                session.pending.pollFirstEntry();
            }
            visit(next, key, range.first(), last, _ -> true, reference, _ -> {});
        });
    }

    void learn(Turn turn, Fact.Freed fact) {
        BlockRange range = fact.range();
        with(turn, new Key(range.volume(), range.owner(), range.session()), (next, session) -> {
            if (session.record != null && session.record.free(range.first(), range.first() + range.count())) {
                session.toSweep.add(new long[] {range.first(), range.first() + range.count() - 1});
                save(next, session);
            }
        });
    }

    void learn(Turn turn, Fact.ClosedWith fact) {
        Key key = new Key(fact.volume(), fact.owner(), fact.session());
        NavigableMap<Long, Long> referenced = new TreeMap<>();
        for (BlockRange range : fact.referenced()) {
            if (key.equals(new Key(range.volume(), range.owner(), range.session()))) {
                referenced.merge(range.first(), range.first() + range.count(), Math::max);
            }
        }
        with(turn, key, (next, session) -> {
            session.state = SessionState.CLOSED;
            if (session.record != null && !session.record.closed()) {
                session.record.close(referenced);
                session.toSweep.add(new long[] {0, Long.MAX_VALUE});
                save(next, session);
            }
        });
    }

    /** Tries again what the disk had no space for. */
    void onTick(Turn turn) {
        for (Session session : List.copyOf(sessions.values())) {
            if (session.dirty && !session.storing) {
                save(turn, session);
            }
        }
        evict();
    }

    private void save(Turn turn, Session session) {
        session.dirty = true;
        SessionRecord record = session.record;
        if (session.storing || record == null) {
            return;
        }
        session.storing = true;
        session.dirty = false;
        record.setSweeping(!session.toSweep.isEmpty() || session.sweeps > 0);
        Key key = session.key;
        Mutation put = new Mutation.Put(
                SessionRecord.key(key.volume(), key.owner(), key.session()), record.encoded(), Bytes.EMPTY);
        int covered = session.toSweep.size();
        continuations.store(turn, put, (next, stored) -> {
            session.storing = false;
            if (stored != Stored.DURABLE) {
                session.dirty = true;
                return;
            }
            for (int i = 0; i < covered; i++) {
                sweepNext(next, session);
            }
            if (session.dirty) {
                save(next, session);
            }
        });
    }

    private void sweepNext(Turn turn, Session session) {
        long[] range = session.toSweep.removeFirst();
        session.sweeps++;
        visit(turn, session.key, range[0], range[1], session::freed, discard, next -> {
            if (--session.sweeps == 0 && session.toSweep.isEmpty()) {
                save(next, session);
            }
        });
    }

    /** Page by page; the next one only when all of this are done. */
    private void visit(
            Turn turn, Key key, long first, long last, Predicate<BlockId> which, Visit visit, BlockQueues.Done over) {
        BlockId from = new BlockId(key.volume(), key.owner(), key.session(), first);
        BlockId to = new BlockId(key.volume(), key.owner(), key.session(), last);
        continuations.scan(turn, RecordKind.EXTENT, from, to, PAGE, (next, metas) -> {
            List<BlockId> found =
                    metas.records().stream().map(meta -> meta.key().block()).toList();
            List<BlockId> chosen = found.stream().filter(which).toList();
            BlockQueues.Done after = found.size() < PAGE || found.getLast().counter() == last
                    ? over
                    : later -> visit(later, key, found.getLast().counter() + 1, last, which, visit, over);
            int[] left = {chosen.size()};
            chosen.forEach(block -> visit.visit(next, block, later -> {
                if (--left[0] == 0) {
                    after.done(later);
                }
            }));
            if (chosen.isEmpty()) {
                after.done(next);
            }
        });
    }

    private void evict() {
        Iterator<Session> eldest = sessions.values().iterator();
        while (sessions.size() > KEPT_MAX && eldest.hasNext()) {
            if (eldest.next().idle()) {
                eldest.remove();
            }
        }
    }
}
