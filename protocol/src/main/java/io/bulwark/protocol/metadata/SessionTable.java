package io.bulwark.protocol.metadata;

import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Tables.InSession;
import io.bulwark.protocol.metadata.Tables.Interval;
import io.bulwark.protocol.metadata.Tables.OwnedKey;
import io.bulwark.protocol.metadata.Tables.TimedSession;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The sessions of all principals and what nodes must know of them (docs/protocols/extents.md, docs/protocols/metadata.md). Closed sessions without
 * references collapse into intervals of session numbers, in the end one per owner.
 */
final class SessionTable {
    /** Open sessions of one principal. */
    static final int OPEN_MAX = 64;

    /** Served time after which a session without commands expires. */
    static final long TTL_MILLIS = 600_000;

    /** A step of agreed time counts as at most this much served time, so that an outage expires nothing. */
    private static final long STEP_MILLIS_MAX = 10_000;

    private final Tables tables;

    SessionTable(Tables tables) {
        this.tables = tables;
    }

    /** Serves for a step of agreed time. */
    void serve(long stepMillis) {
        tables.totals().servedMillis += Math.min(stepMillis, STEP_MILLIS_MAX);
    }

    /** The steps of agreed time, none counted as more than a few seconds. */
    long servedMillis() {
        return tables.totals().servedMillis;
    }

    /** A session that has expired and is to be closed. */
    Optional<Session> expired() {
        return tables.expiries
                .first()
                .map(Table.Entry::key)
                .filter(expiry -> expiry.atMillis() <= servedMillis())
                .map(expiry -> require(expiry.owner(), expiry.session()));
    }

    /** Opens a session, or finds the open one that was opened with the same nonce. */
    Session open(PrincipalId principal, Bytes nonce, int volume) {
        for (Table.Entry<OwnedKey, Boolean> open : tables.open.range(new OwnedKey(principal, 0), lastOf(principal))) {
            Session session = require(principal, open.key().number());
            if (session.nonce.equals(nonce) && session.volume == volume && session.expiresMillis > servedMillis()) {
                renew(session);
                return session;
            }
        }
        Account account = tables.account(principal);
        CommandRefusal.refuseUnless(
                account.openSessions < OPEN_MAX,
                MetadataError.TOO_MANY_SESSIONS,
                account.openSessions + " of " + principal);
        Session session = new Session(tables, principal, ++account.lastSession, volume, nonce);
        session.expiresMillis = servedMillis() + TTL_MILLIS;
        if (volume != 0) {
            session.sequence = nextSequence();
        }
        put(session);
        return session;
    }

    /** Stores a session with its blocks, and the facts about it that nodes receive. */
    private void put(Session session) {
        tables.sessions.add(session.key(), session);
        tables.weight.add(session.owner, Weight.SESSION_BYTES);
        if (session.open) {
            tables.open.put(session.key(), true);
            tables.expiries.put(expiryOf(session), true);
            tables.account(session.owner).openSessions++;
            tables.totals().openSessions++;
        }
        if (session.sequence != 0) {
            tables.changes.put(session.sequence, changeOf(session));
        }
    }

    /** An open session of this principal. */
    Session openSession(PrincipalId principal, long number) {
        SessionState state = state(0, principal, number, true);
        CommandRefusal.refuseUnless(
                state != SessionState.UNKNOWN, MetadataError.SESSION_UNKNOWN, principal + "." + number);
        CommandRefusal.refuseUnless(
                state != SessionState.CLOSED, MetadataError.SESSION_CLOSED, principal + "." + number);
        Session session = require(principal, number);
        CommandRefusal.refuseUnless(
                session.expiresMillis > servedMillis(),
                MetadataError.SESSION_CLOSED,
                principal + "." + number + " expired");
        return session;
    }

    /** Returns the state that nodes get; a session for another volume counts as closed, and stays so. */
    SessionState state(int volume, PrincipalId principal, long number) {
        return state(volume, principal, number, false);
    }

    private SessionState state(int volume, PrincipalId principal, long number, boolean anyVolume) {
        long last = tables.accounts
                .find(principal)
                .map(account -> account.lastSession)
                .orElse(0L);
        if (number < 1 || number > last) {
            return SessionState.UNKNOWN;
        }
        Optional<Session> kept = tables.sessions.find(new OwnedKey(principal, number));
        return kept.filter(session -> session.open && (anyVolume || session.volume == volume))
                        .isPresent()
                ? SessionState.OPEN
                : SessionState.CLOSED;
    }

    /** A session that is open or has references. */
    Session require(PrincipalId principal, long number) {
        return tables.sessions
                .find(new OwnedKey(principal, number))
                .orElseThrow(() -> new IllegalStateException("session " + principal + "." + number + " is not kept"));
    }

    void renew(Session session) {
        long expiresMillis = servedMillis() + TTL_MILLIS;
        if (session.expiresMillis != expiresMillis) {
            tables.expiries.remove(expiryOf(session));
            session.expiresMillis = expiresMillis;
            tables.expiries.put(expiryOf(session), true);
        }
    }

    /** Ends the time of a session that stays open for its log: it serves nobody any more, and is not closed as expired. */
    void expire(Session session) {
        tables.expiries.remove(expiryOf(session));
        session.expiresMillis = Math.min(session.expiresMillis, servedMillis());
    }

    /** All open sessions for a volume, by owner and number. */
    List<Session> openFor(int volume) {
        List<Session> sessions = new ArrayList<>();
        for (Table.Entry<OwnedKey, Boolean> open : tables.open.all()) {
            Session session = require(open.key().owner(), open.key().number());
            if (session.volume == volume) {
                sessions.add(session);
            }
        }
        return sessions;
    }

    /** All open sessions of a principal, by number. */
    boolean hasOpen(PrincipalId principal) {
        return tables.open.first(new OwnedKey(principal, 0), lastOf(principal)).isPresent();
    }

    List<Session> openOf(PrincipalId principal) {
        List<Session> sessions = new ArrayList<>();
        for (Table.Entry<OwnedKey, Boolean> open : tables.open.range(new OwnedKey(principal, 0), lastOf(principal))) {
            sessions.add(require(principal, open.key().number()));
        }
        return sessions;
    }

    int openCount() {
        return tables.totals().openSessions;
    }

    /** Closes an open session whose pending uploads are gone. */
    void close(Session session) {
        if (session.pending != 0) {
            throw new IllegalStateException("session " + session.number + " has pending uploads");
        }
        tables.expiries.remove(expiryOf(session));
        session.open = false;
        session.dropReplies();
        tables.open.remove(session.key());
        tables.account(session.owner).openSessions--;
        tables.totals().openSessions--;
        if (!collapsed(session)) {
            tables.changes.remove(session.sequence);
            session.sequence = nextSequence();
            tables.changes.put(session.sequence, changeOf(session));
        }
    }

    /** These used blocks are freed or abandoned. */
    void free(Session session, long firstFreed, long endFreed) {
        long first = firstFreed;
        long end = endFreed;
        Optional<Interval> before = tables.freed.get(session.key(first));
        if (before.isPresent()) {
            session.removeFreed(before.get().first(), first);
            tables.changes.remove(before.get().sequence());
            first = before.get().first();
        }
        Optional<Table.Entry<InSession, Interval>> after = tables.freed
                .first(session.key(end), session.end())
                .filter(interval -> interval.value().first() == endFreed);
        if (after.isPresent()) {
            end = after.get().key().number();
            session.removeFreed(endFreed, end);
            tables.changes.remove(after.get().value().sequence());
        }
        putFreed(session, session.range(first, end - first), nextSequence());
        if (!session.open) {
            collapsed(session);
        }
    }

    /** Stores an interval of freed blocks, which nodes receive as a fact. */
    private void putFreed(Session session, BlockRange range, long sequence) {
        session.putFreed(range.first(), range.first() + range.count(), sequence);
        tables.changes.put(sequence, new SessionChange.Freed(sequence, range));
    }

    /** A page of the changes after a sequence number. */
    Reply.SessionChanges changesAfter(long after, int limit) {
        List<SessionChange> page = new ArrayList<>();
        int bytes = 0;
        long next = after;
        for (Table.Entry<Long, SessionChange> entry : tables.changes.from(after + 1)) {
            SessionChange change = entry.value();
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
        if (!session.isUnreferenced()) {
            return false;
        }
        session.forget();
        long first = session.number;
        long last = session.number;
        Optional<Interval> before = tables.collapsed.get(new OwnedKey(session.owner, first - 1));
        if (before.isPresent()) {
            tables.collapsed.remove(new OwnedKey(session.owner, first - 1));
            tables.changes.remove(before.get().sequence());
            first = before.get().first();
        }
        Optional<Table.Entry<OwnedKey, Interval>> after = tables.collapsed
                .first(session.key(), lastOf(session.owner))
                .filter(interval -> interval.value().first() == session.number + 1);
        if (after.isPresent()) {
            last = after.get().key().number();
            tables.changes.remove(after.get().value().sequence());
        }
        putCollapsed(session.owner, first, last, nextSequence());
        return true;
    }

    private void putCollapsed(PrincipalId owner, long first, long last, long sequence) {
        tables.collapsed.put(new OwnedKey(owner, last), new Interval(first, sequence));
        tables.changes.put(sequence, new SessionChange.Collapsed(sequence, owner, first, last));
    }

    private long nextSequence() {
        return ++tables.totals().sequence;
    }

    private static OwnedKey lastOf(PrincipalId owner) {
        return new OwnedKey(owner, Long.MAX_VALUE);
    }

    private static SessionChange changeOf(Session session) {
        return session.open
                ? new SessionChange.Opened(session.sequence, session.owner, session.number, session.volume)
                : new SessionChange.Closed(
                        session.sequence, session.owner, session.number, session.volume, session.usedRanges());
    }

    private static TimedSession expiryOf(Session session) {
        return new TimedSession(session.expiresMillis, session.owner, session.number);
    }
}
