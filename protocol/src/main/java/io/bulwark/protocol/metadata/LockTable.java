package io.bulwark.protocol.metadata;

import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.locking.LogLimits;
import io.bulwark.protocol.locking.Subtree;
import io.bulwark.protocol.metadata.Holder.Stage;
import io.bulwark.protocol.metadata.Tables.ActForKey;
import io.bulwark.protocol.metadata.Tables.OwnedKey;
import io.bulwark.protocol.metadata.Tables.TimedSession;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Locks on subtrees, and the sessions that hold them (docs/protocols/locking.md). Locks are disjoint. Nobody executes a
 * command that touches what a log holds or relies on: it is refused, and opens the rounds of these logs.
 */
final class LockTable {
    static final int LOCKS_MAX = 16_384;
    static final int HOLDERS_MAX = 1_024;
    static final int HOLDERS_OF_ONE_MAX = 8;

    /** Served time after which a round closes a log. */
    static final long AGE_MILLIS = 60_000;

    /** Number of aged logs whose rounds one command opens. */
    private static final int AGED_PER_COMMAND = 4;

    private final Tables tables;
    private final SessionTable sessions;
    private final Volumes volumes;
    private final Contention contention;

    LockTable(Tables tables, SessionTable sessions, Volumes volumes) {
        this.tables = tables;
        this.sessions = sessions;
        this.volumes = volumes;
        contention = new Contention(tables, sessions, volumes);
    }

    /** Gives a session the locks, and takes the supply of its log out of the state. */
    Reply.Locked lock(Session session, Command.Lock lock) {
        Optional<Holder> before = tables.holders.find(session.key());
        if (before.isPresent() && before.get().hasLog()) {
            openRound(before.get(), RoundReason.UNLOCKED);
            throw new CommandRefusal(
                    MetadataError.LOCKED, before.get().subtrees.getFirst().toString());
        }
        List<Subtree> subtrees = lock.subtrees().stream().sorted().toList();
        Volumes.Entry volume = lockableVolume(session);
        subtrees.forEach(subtree -> requireLockable(session, subtree));
        requireFree(session, subtrees, before.isPresent());
        contention.requireNone(session, subtrees);
        return take(
                session,
                volume,
                new Holder(session.owner, session.number, tables.totals().commands, lock.key(), subtrees));
    }

    private Volumes.Entry lockableVolume(Session session) {
        refuseUnless(session.volume != 0, "the session is for no volume");
        Volumes.Entry entry = volumes.byId(session.volume);
        Volume volume = entry.volume();
        refuseUnless(volume.kind() == VolumeKind.OBJECT, volume.name() + " holds registers");
        refuseUnless(
                volume.groups().stream().allMatch(group -> group.change().isEmpty()),
                "the holders of placement groups of " + volume.name() + " are being changed");
        refuseUnless(session.owner.kind() == PrincipalKind.CLIENT, "only clients hold locks");
        return entry;
    }

    private void requireLockable(Session session, Subtree subtree) {
        Names.problemOfPrefix(subtree.prefix()).ifPresent(problem -> {
            throw new CommandRefusal(MetadataError.BAD_KEY, problem);
        });
        Bucket bucket = tables.buckets
                .find(subtree.bucket())
                .orElseThrow(() -> new CommandRefusal(MetadataError.NO_SUCH_BUCKET, subtree.bucket()));
        refuseUnless(
                bucket.volume == session.volume,
                "bucket " + bucket.name + " lies in another volume than the session writes to");
        // Time decides on what a lock allows, and the time of an entry is the holder's.
        refuseUnless(!bucket.settings().objectLock(), "bucket " + bucket.name + " has object lock");
    }

    private void requireFree(Session session, List<Subtree> subtrees, boolean isHolder) {
        int holders = tables.totals().holders;
        int own = tables.account(session.owner).holders;
        CommandRefusal.refuseUnless(
                isHolder || own < Math.min(HOLDERS_OF_ONE_MAX, HOLDERS_MAX - holders),
                MetadataError.LIMIT_REACHED,
                holders + " sessions with locks, " + own + " of them of " + session.owner);
        int locks = tables.totals().locks;
        CommandRefusal.refuseUnless(
                subtrees.size() <= LOCKS_MAX - locks, MetadataError.LIMIT_REACHED, locks + " locks");
        for (int i = 0; i < subtrees.size(); i++) {
            Subtree subtree = subtrees.get(i);
            CommandRefusal.refuseUnless(
                    i == 0 || !subtrees.get(i - 1).overlaps(subtree),
                    MetadataError.BAD_ARGUMENT,
                    "the subtrees overlap in " + subtree);
            CommandRefusal.refuseUnless(
                    SubtreeKey.anyOverlapping(tables.locks, SubtreeKey.of(subtree))
                            .isEmpty(),
                    MetadataError.LOCKED,
                    subtree.toString());
        }
    }

    private Reply.Locked take(Session session, Volumes.Entry volume, Holder holder) {
        dropOutcomes(session);
        Totals totals = tables.totals();
        if (tables.holders.find(session.key()).isEmpty()) {
            count(session.owner, 1);
        } else {
            tables.holders.remove(session.key());
        }
        tables.holders.add(session.key(), holder);
        holder.dueMillis = sessions.servedMillis() + AGE_MILLIS;
        tables.lockDues.put(holder.dueKey(), true);
        holder.subtrees.forEach(subtree -> {
            tables.locks.put(SubtreeKey.of(subtree), holder.id());
            countLock(holder, subtree, 1);
        });
        Grant grant = Grant.of(totals);
        grant.volumeBytes =
                Grant.escrow(volume.limit() - volume.usage().bytes - volume.usage().escrow, volume.usage().escrow);
        volume.usage().escrow += grant.volumeBytes;
        grant.weight = tables.weight.escrowFor(session.owner);
        grant.inline = tables.weight.hasInlineRoom(session.owner);
        tables.weight.escrow(session.owner, grant.weight);
        holder.subtrees.stream().map(Subtree::bucket).distinct().forEach(name -> {
            Bucket bucket = tables.buckets.find(name).orElseThrow();
            long bytes = Grant.escrow(bucket.limit() - bucket.bytes - bucket.escrow, bucket.escrow);
            bucket.escrow += bytes;
            grant.buckets.put(name, bytes);
        });
        tables.grantsOfLogs.add(holder.id(), grant);
        return new Reply.Locked(
                holder.log(),
                grant.lockedMillis,
                grant.firstInode,
                grant.firstVersion,
                grant.volumeBytes,
                grant.weight);
    }

    /** Opens the round of a session's log, if it has one. */
    void unlock(Session session) {
        tables.holders
                .find(session.key())
                .filter(Holder::hasLog)
                .ifPresent(holder -> openRound(holder, RoundReason.UNLOCKED));
    }

    /** Opens the rounds of the logs that hold a part of a subtree. */
    void openRounds(Subtree subtree) {
        touch(new Touch.OfSubtree(subtree));
    }

    /** Answers with a page of locks. */
    Reply.LockList list(Query.ListLocks query, PrincipalId asker, boolean all) {
        List<Reply.LockEntry> page = new ArrayList<>();
        Iterable<Table.Entry<SubtreeKey, OwnedKey>> entries = query.after()
                .map(after -> tables.locks.from(SubtreeKey.of(after)))
                .orElseGet(tables.locks::all);
        for (Table.Entry<SubtreeKey, OwnedKey> entry : entries) {
            Subtree subtree = entry.key().subtree();
            boolean isNext = query.after().filter(subtree::equals).isEmpty();
            if (isNext && (all || entry.value().owner().equals(asker))) {
                if (page.size() == query.limit()) {
                    return new Reply.LockList(page, true);
                }
                Holder holder = tables.holders.find(entry.value()).orElseThrow();
                page.add(new Reply.LockEntry(subtree, holder.log(), ageOf(holder), holder.openRound()));
            }
        }
        return new Reply.LockList(page, false);
    }

    /** Counts the logs whose entries are not all executed. */
    Reply.OpenLogs openLogs() {
        long oldest = 0;
        for (Table<TimedSession, Boolean> oldestFirst : List.of(tables.lockDues, tables.rounds)) {
            Optional<TimedSession> first = oldestFirst.first().map(Table.Entry::key);
            if (first.isPresent()) {
                OwnedKey key = new OwnedKey(first.get().owner(), first.get().session());
                oldest = Math.max(oldest, ageOf(tables.holders.find(key).orElseThrow()));
            }
        }
        return new Reply.OpenLogs(withLogs().size(), tables.totals().locks, oldest);
    }

    private long ageOf(Holder holder) {
        return Math.max(0, sessions.servedMillis() - (holder.dueMillis - AGE_MILLIS));
    }

    /** Refuses what touches a log, after it has opened its round. */
    void requireFree(List<Touch> touches) {
        Optional<Subtree> held = Optional.empty();
        for (Touch touch : touches) {
            Optional<Subtree> touched = touch(touch);
            held = held.or(() -> touched);
        }
        held.ifPresent(LockTable::refuse);
    }

    /** Refuses a query that touches a log, and changes nothing. */
    void requireFreeToRead(List<Touch> touches) {
        if (tables.totals().locks > 0) {
            touches.forEach(touch ->
                    heldNames(touch).ifPresent(lock -> refuse(lock.key().subtree())));
        }
    }

    private static void refuse(Subtree held) {
        throw new CommandRefusal(MetadataError.LOCKED, held.toString());
    }

    /** Opens the rounds of the logs that are touched; returns a subtree of one of them. */
    private Optional<Subtree> touch(Touch touch) {
        boolean contends = touch instanceof Touch.OfKey || touch instanceof Touch.OfSubtree;
        Optional<Subtree> held = Optional.empty();
        for (OwnedKey key : holdersOf(touch)) {
            Holder holder = tables.holders.find(key).orElseThrow();
            openRound(holder, contends ? RoundReason.CONTENDED : RoundReason.FROZEN);
            holder.contended |= contends ? contendedBy(touch, holder) : 0;
            if (held.isEmpty()) {
                contention.pause(touch, holder.owner);
                held = heldNames(touch)
                        .map(lock -> lock.key().subtree())
                        .or(() -> Optional.of(holder.subtrees.getFirst()));
            }
        }
        return held;
    }

    private static long contendedBy(Touch touch, Holder holder) {
        long contended = 0;
        for (int i = 0; i < holder.subtrees.size(); i++) {
            Subtree subtree = holder.subtrees.get(i);
            boolean isTouched = switch (touch) {
                case Touch.OfKey of -> subtree.contains(of.bucket(), of.key());
                case Touch.OfSubtree of -> subtree.overlaps(of.subtree());
                default -> false;
            };
            contended |= isTouched ? 1L << i : 0;
        }
        return contended;
    }

    /** Returns a lock on touched names. */
    private Optional<Table.Entry<SubtreeKey, OwnedKey>> heldNames(Touch touch) {
        return switch (touch) {
            case Touch.OfKey of -> SubtreeKey.covering(tables.locks, SubtreeKey.of(new Subtree(of.bucket(), of.key())));
            case Touch.OfSubtree of -> SubtreeKey.anyOverlapping(tables.locks, SubtreeKey.of(of.subtree()));
            case Touch.OfBucket of ->
                SubtreeKey.anyOverlapping(tables.locks, SubtreeKey.of(new Subtree(of.bucket(), "")));
            case Touch.OfVolume ignored -> Optional.empty();
            case Touch.OfPrincipal ignored -> Optional.empty();
            case Touch.Everything ignored -> Optional.empty();
        };
    }

    /** Returns the holders whose logs hold or rely on this. */
    private NavigableSet<OwnedKey> holdersOf(Touch touch) {
        NavigableSet<OwnedKey> found = new TreeSet<>();
        if (tables.totals().locks == 0) {
            return found;
        }
        switch (touch) {
            case Touch.OfKey ignored -> heldNames(touch).ifPresent(lock -> found.add(lock.value()));
            case Touch.OfSubtree of -> addOverlapping(of.subtree(), found);
            case Touch.OfBucket of -> addOverlapping(new Subtree(of.bucket(), ""), found);
            case Touch.OfVolume of ->
                volumes.idOf(of.volume()).ifPresent(id -> {
                    for (OwnedKey key : withLogs()) {
                        if (sessions.require(key.owner(), key.number()).volume == id) {
                            found.add(key);
                        }
                    }
                });
            case Touch.OfPrincipal of ->
                withLogs().stream()
                        .filter(key -> key.owner().equals(of.principal())
                                || tables.actFor.contains(new ActForKey(key.owner(), of.principal())))
                        .forEach(found::add);
            case Touch.Everything ignored -> found.addAll(withLogs());
        }
        return found;
    }

    private void addOverlapping(Subtree subtree, NavigableSet<OwnedKey> found) {
        SubtreeKey key = SubtreeKey.of(subtree);
        SubtreeKey.covering(tables.locks, key).ifPresent(lock -> found.add(lock.value()));
        SubtreeKey.below(tables.locks, key).forEach(lock -> found.add(lock.value()));
    }

    private List<OwnedKey> withLogs() {
        List<OwnedKey> keys = new ArrayList<>();
        tables.logGrants.all().forEach(grant -> keys.add(grant.key()));
        return keys;
    }

    private void openRound(Holder holder, RoundReason reason) {
        if (holder.stage == Stage.OPEN) {
            tables.lockDues.remove(holder.dueKey());
            holder.stage = Stage.COLLECTING;
            holder.reason = reason;
            holder.round = tables.totals().commands;
            tables.rounds.put(holder.roundKey(), true);
        }
    }

    /** Returns whether a session closes only with the round of its log, which opens. */
    boolean postponesClosing(Session session) {
        Optional<Holder> holder = tables.holders.find(session.key()).filter(Holder::hasLog);
        holder.ifPresent(found -> {
            openRound(found, RoundReason.ENDED);
            found.closing = true;
            sessions.expire(session);
        });
        return holder.isPresent();
    }

    /** Forgets a session that is closed now. */
    void forget(Session session) {
        tables.holders.find(session.key()).ifPresent(holder -> {
            dropOutcomes(session);
            tables.holders.remove(session.key());
            count(session.owner, -1);
        });
    }

    /** Returns whether a session has a log, open or being closed. */
    boolean hasLog(Session session) {
        return tables.holders.find(session.key()).filter(Holder::hasLog).isPresent();
    }

    /** Opens the rounds of aged logs, and forgets marks, up to a bound for each. */
    void settleDue() {
        for (int opened = 0; opened < AGED_PER_COMMAND; opened++) {
            Optional<TimedSession> due = tables.lockDues.first().map(Table.Entry::key);
            if (due.isEmpty() || due.get().atMillis() > sessions.servedMillis()) {
                break;
            }
            OwnedKey key = new OwnedKey(due.get().owner(), due.get().session());
            openRound(tables.holders.find(key).orElseThrow(), RoundReason.AGED);
        }
        contention.settleDue();
    }

    /** Ends a log whose entries are executed: its locks go, and the rest of the room that it might have drawn. */
    void release(Holder holder) {
        Session session = sessions.require(holder.owner, holder.session);
        Grant grant = tables.grantsOfLogs.find(holder.id()).orElseThrow();
        tables.grantsOfLogs.remove(holder.id());
        volumes.byId(session.volume).usage().escrow -= grant.volumeBytes;
        tables.weight.escrow(holder.owner, -grant.weight);
        grant.buckets.forEach((name, left) -> tables.buckets.find(name).orElseThrow().escrow -= left);
        tables.rounds.remove(holder.roundKey());
        for (int i = 0; i < holder.subtrees.size(); i++) {
            Subtree subtree = holder.subtrees.get(i);
            tables.locks.remove(SubtreeKey.of(subtree));
            countLock(holder, subtree, -1);
            // The holder may have the others again at once.
            if ((holder.contended >>> i & 1) == 1) {
                contention.mark(subtree, holder.owner);
            }
        }
        holder.subtrees = List.of();
        holder.stage = Stage.IDLE;
    }

    private void count(PrincipalId owner, int change) {
        tables.totals().holders += change;
        tables.account(owner).holders += change;
        tables.weight.add(owner, (long) change * Weight.HOLDER_BYTES);
    }

    private void countLock(Holder holder, Subtree subtree, int change) {
        tables.totals().locks += change;
        tables.weight.add(
                holder.owner,
                change
                        * ((long) Weight.LOCK_BYTES
                                + Names.utf8(subtree.prefix()).length()));
    }

    private void dropOutcomes(Session session) {
        tables.outcomes.list(session.key(0), session.end()).forEach(outcome -> {
            tables.outcomes.remove(outcome.key());
            tables.weight.add(
                    session.owner, -Weight.OUTCOME_BYTES - outcome.value().length());
        });
    }

    private static void refuseUnless(boolean condition, String detail) {
        CommandRefusal.refuseUnless(condition, MetadataError.NOT_LOCKABLE, detail);
    }

    static int outcomesFrom(Holder holder) {
        return Math.max(1, holder.length - LogLimits.OUTSTANDING_MAX + 1);
    }
}
