package io.bulwark.protocol.metadata;

import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Session.FreedInterval;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of all principals and what nodes must know of them (PROTOCOLS sections 4 and 6). Closed sessions without
 * references collapse into intervals of session numbers, in the end one per owner.
 */
final class Sessions {
    /** Open sessions of one principal. */
    static final int OPEN_MAX = 64;

    /** Served time after which a session without commands expires. */
    static final long TTL_MILLIS = 600_000;

    /** A step of agreed time counts as at most this much served time, so that an outage expires nothing. */
    private static final long STEP_MILLIS_MAX = 10_000;

    private final Weight weight;
    private final TreeMap<PrincipalId, Owner> owners = new TreeMap<>();
    private long servedMillis;
    private long sequence;

    /** Follows from the rest: the current changes, each under its sequence number. */
    private final TreeMap<Long, SessionChange> changes = new TreeMap<>();

    /** Follows from the rest: the open sessions, the first to expire first. */
    private final TreeSet<Expiry> expiries = new TreeSet<>();

    private static final class Owner {
        private long last;
        /** The open ones of those kept, which may be many more. */
        private final TreeMap<Long, Session> open = new TreeMap<>();

        private final TreeMap<Long, Session> kept = new TreeMap<>();
        /** By first session number. */
        private final TreeMap<Long, Collapsed> collapsed = new TreeMap<>();
    }

    Sessions(Weight weight) {
        this.weight = weight;
    }

    private record Collapsed(long last, long sequence) {}

    private record Expiry(long atMillis, PrincipalId owner, long session) implements Comparable<Expiry> {
        private static final Comparator<Expiry> ORDER = Comparator.comparingLong(Expiry::atMillis)
                .thenComparing(Expiry::owner)
                .thenComparingLong(Expiry::session);

        @Override
        public int compareTo(Expiry other) {
            return ORDER.compare(this, other);
        }
    }

    /** Serves for a step of agreed time. */
    void serve(long stepMillis) {
        servedMillis += Math.min(stepMillis, STEP_MILLIS_MAX);
    }

    /** The steps of agreed time, none counted as more than a few seconds. */
    long servedMillis() {
        return servedMillis;
    }

    /** A session that has expired and is to be closed. */
    Optional<Session> expired() {
        return expiries.isEmpty() || expiries.first().atMillis > servedMillis
                ? Optional.empty()
                : Optional.of(require(expiries.first().owner, expiries.first().session));
    }

    /** Opens a session, or finds the open one that was opened with the same nonce. */
    Session open(PrincipalId principal, Bytes nonce, int volume) {
        Owner owner = owners.computeIfAbsent(principal, _ -> new Owner());
        for (Session session : owner.open.values()) {
            if (session.nonce.equals(nonce) && session.volume == volume && session.expiresMillis > servedMillis) {
                renew(session);
                return session;
            }
        }
        Refusal.unless(
                owner.open.size() < OPEN_MAX, MetadataError.TOO_MANY_SESSIONS, owner.open.size() + " of " + principal);
        Session session = new Session(principal, ++owner.last, volume, nonce, weight);
        owner.kept.put(session.number, session);
        owner.open.put(session.number, session);
        if (volume != 0) {
            session.sequence = ++sequence;
            changes.put(sequence, changeOf(session));
        }
        session.expiresMillis = servedMillis + TTL_MILLIS;
        expiries.add(expiryOf(session));
        return session;
    }

    /** An open session of this principal. */
    Session openSession(PrincipalId principal, long number) {
        SessionState state = state(0, principal, number, true);
        Refusal.unless(state != SessionState.UNKNOWN, MetadataError.SESSION_UNKNOWN, principal + "." + number);
        Refusal.unless(state != SessionState.CLOSED, MetadataError.SESSION_CLOSED, principal + "." + number);
        Session session = require(principal, number);
        Refusal.unless(
                session.expiresMillis > servedMillis,
                MetadataError.SESSION_CLOSED,
                principal + "." + number + " expired");
        return session;
    }

    /** What nodes are told; a session for another volume is as good as closed, and stays so. */
    SessionState state(int volume, PrincipalId principal, long number) {
        return state(volume, principal, number, false);
    }

    private SessionState state(int volume, PrincipalId principal, long number, boolean anyVolume) {
        Owner owner = owners.get(principal);
        if (owner == null || number < 1 || number > owner.last) {
            return SessionState.UNKNOWN;
        }
        Session session = owner.kept.get(number);
        return session != null && session.open && (anyVolume || session.volume == volume)
                ? SessionState.OPEN
                : SessionState.CLOSED;
    }

    /** A session that is open or has references. */
    Session require(PrincipalId principal, long number) {
        Owner owner = owners.get(principal);
        Session session = owner == null ? null : owner.kept.get(number);
        if (session == null) {
            throw new IllegalStateException("session " + principal + "." + number + " is not kept");
        }
        return session;
    }

    void renew(Session session) {
        expiries.remove(expiryOf(session));
        session.expiresMillis = servedMillis + TTL_MILLIS;
        expiries.add(expiryOf(session));
    }

    /** All open sessions for a volume, by owner and number. */
    List<Session> openFor(int volume) {
        return owners.values().stream()
                .flatMap(owner -> owner.open.values().stream())
                .filter(session -> session.volume == volume)
                .toList();
    }

    int openCount() {
        return expiries.size();
    }

    /** Closes an open session whose pending uploads are gone. */
    void close(Session session) {
        if (!session.pending.isEmpty()) {
            throw new IllegalStateException("session " + session.number + " has pending uploads");
        }
        expiries.remove(expiryOf(session));
        session.open = false;
        session.dropReplies();
        ownerOf(session).open.remove(session.number);
        if (!collapsed(session)) {
            changes.remove(session.sequence);
            session.sequence = ++sequence;
            changes.put(sequence, changeOf(session));
        }
    }

    /** These used blocks are freed or abandoned. */
    void free(Session session, long firstFreed, long endFreed) {
        long first = firstFreed;
        long end = endFreed;
        Map.@Nullable Entry<Long, FreedInterval> before = session.freed.floorEntry(first);
        if (before != null && before.getKey() + before.getValue().count() == first) {
            first = before.getKey();
            changes.remove(before.getValue().sequence());
        }
        FreedInterval after = session.removeFreed(end);
        if (after != null) {
            end += after.count();
            changes.remove(after.sequence());
        }
        sequence++;
        session.putFreed(first, new FreedInterval(end - first, sequence));
        session.freedTotal += endFreed - firstFreed;
        changes.put(sequence, new SessionChange.Freed(sequence, session.range(first, end - first)));
        if (!session.open) {
            collapsed(session);
        }
    }

    /** A page of the changes after a sequence number. */
    Reply.SessionChanges changesAfter(long after, int limit) {
        List<SessionChange> page = new ArrayList<>();
        int bytes = 0;
        long next = after;
        for (SessionChange change : changes.tailMap(after, false).values()) {
            if (page.size() == limit || bytes > Query.PAGE_BYTES_MAX) {
                return new Reply.SessionChanges(page, next, true);
            }
            page.add(change);
            bytes += change instanceof SessionChange.Closed closed
                    ? closed.used().size() * 33
                    : 40;
            next = change.sequence();
        }
        return new Reply.SessionChanges(page, next, false);
    }

    private boolean collapsed(Session session) {
        if (!session.unreferenced()) {
            return false;
        }
        Owner owner = ownerOf(session);
        owner.kept.remove(session.number);
        session.forget();
        changes.remove(session.sequence);
        session.freed.values().forEach(interval -> changes.remove(interval.sequence()));
        long first = session.number;
        long last = session.number;
        Map.@Nullable Entry<Long, Collapsed> before = owner.collapsed.lowerEntry(first);
        if (before != null && before.getValue().last == first - 1) {
            first = before.getKey();
            changes.remove(before.getValue().sequence);
        }
        Collapsed after = owner.collapsed.remove(last + 1);
        if (after != null) {
            last = after.last;
            changes.remove(after.sequence);
        }
        owner.collapsed.put(first, new Collapsed(last, ++sequence));
        changes.put(sequence, new SessionChange.Collapsed(sequence, session.owner, first, last));
        return true;
    }

    private Owner ownerOf(Session session) {
        Owner owner = owners.get(session.owner);
        if (owner == null) {
            throw new IllegalStateException(session.owner + " has no sessions");
        }
        return owner;
    }

    private static SessionChange changeOf(Session session) {
        return session.open
                ? new SessionChange.Opened(session.sequence, session.owner, session.number, session.volume)
                : new SessionChange.Closed(
                        session.sequence, session.owner, session.number, session.volume, session.used.ranges(session));
    }

    private static Expiry expiryOf(Session session) {
        return new Expiry(session.expiresMillis, session.owner, session.number);
    }

    void write(WireWriter out) {
        out.i64(servedMillis).i64(sequence).i32(owners.size());
        owners.forEach((principal, owner) -> {
            principal.write(out);
            out.i64(owner.last).i32(owner.kept.size());
            owner.kept.values().forEach(session -> session.write(out));
            out.i32(owner.collapsed.size());
            owner.collapsed.forEach(
                    (first, interval) -> out.i64(first).i64(interval.last).i64(interval.sequence));
        });
    }

    static Sessions read(WireReader in, Weight weight) {
        Sessions sessions = new Sessions(weight);
        sessions.servedMillis = in.nonNegative64();
        sessions.sequence = in.nonNegative64();
        Snapshots.times(in, () -> {
            PrincipalId principal = PrincipalId.read(in);
            Owner owner = new Owner();
            sessions.owners.put(principal, owner);
            owner.last = in.nonNegative64();
            Snapshots.times(in, () -> sessions.restore(owner, Session.read(principal, in, weight)));
            Snapshots.times(in, () -> {
                long first = in.nonNegative64();
                Collapsed interval = new Collapsed(in.nonNegative64(), in.nonNegative64());
                owner.collapsed.put(first, interval);
                sessions.changes.put(
                        interval.sequence,
                        new SessionChange.Collapsed(interval.sequence, principal, first, interval.last));
            });
        });
        return sessions;
    }

    private void restore(Owner owner, Session session) {
        owner.kept.put(session.number, session);
        if (session.open) {
            owner.open.put(session.number, session);
            expiries.add(expiryOf(session));
        }
        if (session.sequence != 0) {
            changes.put(session.sequence, changeOf(session));
        }
        session.freed.forEach((first, interval) -> changes.put(
                interval.sequence(),
                new SessionChange.Freed(interval.sequence(), session.range(first, interval.count()))));
    }
}
