package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.locking.Subtree;
import io.bulwark.protocol.metadata.Tables.ActForKey;
import io.bulwark.protocol.metadata.Tables.DueSubtree;
import io.bulwark.protocol.metadata.Tables.Pause;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Marks where no lock is given for a while. A subtree is marked when its log was closed because others needed a name of
 * it, for longer each time. A principal, a volume or a bucket is marked while a command about it waits for rounds: else
 * new logs could keep it waiting for good. All times are served time.
 */
final class Contention {
    static final int MARKS_MAX = 65_536;
    static final long MARK_MILLIS = 1_000;

    /** The time of a mark doubles at most so often. */
    static final int DOUBLINGS_MAX = 9;

    /** Time after a mark without contention, after which it is forgotten. */
    static final long MEMORY_MILLIS = 600_000;

    /** Time in which who was refused asks again. */
    static final long PAUSE_MILLIS = 30_000;

    /** Number of marks that one command forgets. */
    private static final int FORGOTTEN_PER_COMMAND = 8;

    /** A subtree with more marks below it, in force or remembered, counts as contended. */
    private static final int BELOW_MAX = 1_024;

    private final Tables tables;
    private final SessionTable sessions;
    private final Volumes volumes;

    /**
     * A mark on a subtree.
     *
     * @param rounds contended ones, since it was forgotten last
     * @param account that its weight is charged to
     */
    record Mark(long untilMillis, long forgottenMillis, int rounds, PrincipalId account) {
        void write(WireWriter out) {
            account.write(out.i64(untilMillis).i64(forgottenMillis).i32(rounds));
        }

        static Mark read(WireReader in) {
            return new Mark(in.nonNegative64(), in.nonNegative64(), in.i32(0, Integer.MAX_VALUE), PrincipalId.read(in));
        }
    }

    Contention(Tables tables, SessionTable sessions, Volumes volumes) {
        this.tables = tables;
        this.sessions = sessions;
        this.volumes = volumes;
    }

    /** Refuses a lock where there is a mark. */
    void requireNone(Session session, List<Subtree> subtrees) {
        CommandRefusal.refuseUnless(
                tables.totals().marks < MARKS_MAX, MetadataError.LIMIT_REACHED, MARKS_MAX + " contended subtrees");
        long now = sessions.servedMillis();
        for (Subtree subtree : subtrees) {
            requireNone(subtree, now);
        }
        List<Pause> over = new ArrayList<>();
        for (Table.Entry<Pause, Long> pause : tables.pauses.all()) {
            if (pause.value() <= now) {
                over.add(pause.key());
            } else {
                CommandRefusal.refuseUnless(
                        !concerns(pause.key(), session),
                        MetadataError.LOCKED,
                        "a command waits that changes the rights or the volume of the log");
            }
        }
        over.forEach(tables.pauses::remove);
    }

    private void requireNone(Subtree subtree, long now) {
        SubtreeKey key = SubtreeKey.of(subtree);
        boolean marked =
                SubtreeKey.allCovering(tables.marks, key).stream().anyMatch(mark -> mark.value().untilMillis > now);
        int below = 0;
        for (Table.Entry<SubtreeKey, Mark> mark : SubtreeKey.below(tables.marks, key)) {
            marked |= mark.value().untilMillis > now || ++below > BELOW_MAX;
            if (marked) {
                break;
            }
        }
        CommandRefusal.refuseUnless(!marked, MetadataError.LOCKED, subtree.toString());
    }

    private boolean concerns(Pause pause, Session session) {
        return switch (pause.principal().kind()) {
            case NONE -> pause.volume() == 0 || pause.volume() == session.volume;
            default ->
                pause.principal().equals(session.owner)
                        || tables.actFor.contains(new ActForKey(session.owner, pause.principal()));
        };
    }

    /** Marks a subtree after a contended round. */
    void mark(Subtree subtree, PrincipalId account) {
        SubtreeKey key = SubtreeKey.of(subtree);
        long now = sessions.servedMillis();
        // Wider and narrower locks than before inherit: the place is contended, not its name.
        int rounds = 0;
        for (Table.Entry<SubtreeKey, Mark> mark : SubtreeKey.allCovering(tables.marks, key)) {
            rounds = Math.max(rounds, mark.value().rounds);
        }
        int below = 0;
        for (Table.Entry<SubtreeKey, Mark> mark : SubtreeKey.below(tables.marks, key)) {
            rounds = Math.max(rounds, mark.value().rounds);
            if (++below == BELOW_MAX) {
                break;
            }
        }
        long until = now + (MARK_MILLIS << Math.min(rounds, DOUBLINGS_MAX));
        put(key, new Mark(until, until + MEMORY_MILLIS, rounds + 1, account));
    }

    /** Gives no locks where a command waits, so that it finds none when it is given again. */
    void pause(Touch touch, PrincipalId account) {
        long until = sessions.servedMillis() + PAUSE_MILLIS;
        switch (touch) {
            case Touch.OfKey ignored -> {}
            case Touch.OfSubtree ignored -> {}
            case Touch.OfBucket of -> {
                SubtreeKey key = new SubtreeKey(of.bucket(), Bytes.EMPTY);
                Optional<Mark> before = tables.marks.get(key);
                int rounds = before.map(Mark::rounds).orElse(0);
                long forgotten =
                        Math.max(until, before.map(Mark::forgottenMillis).orElse(0L));
                long marked = Math.max(until, before.map(Mark::untilMillis).orElse(0L));
                put(key, new Mark(marked, forgotten, rounds, account));
            }
            case Touch.OfVolume of ->
                volumes.idOf(of.volume()).ifPresent(id -> tables.pauses.put(new Pause(id, PrincipalId.NOBODY), until));
            case Touch.OfPrincipal of -> tables.pauses.put(new Pause(0, of.principal()), until);
            case Touch.Everything ignored -> tables.pauses.put(new Pause(0, PrincipalId.NOBODY), until);
        }
    }

    /** Forgets marks, up to a bound. */
    void settleDue() {
        for (int forgotten = 0; forgotten < FORGOTTEN_PER_COMMAND; forgotten++) {
            Optional<DueSubtree> due = tables.markDues.first().map(Table.Entry::key);
            if (due.isEmpty() || due.get().atMillis() > sessions.servedMillis()) {
                return;
            }
            remove(due.get().subtree());
        }
    }

    private void put(SubtreeKey key, Mark mark) {
        remove(key);
        tables.marks.put(key, mark);
        tables.markDues.put(new DueSubtree(mark.forgottenMillis, key), true);
        count(key, mark, 1);
    }

    private void remove(SubtreeKey key) {
        tables.marks.get(key).ifPresent(mark -> {
            tables.marks.remove(key);
            tables.markDues.remove(new DueSubtree(mark.forgottenMillis, key));
            count(key, mark, -1);
        });
    }

    private void count(SubtreeKey key, Mark mark, int change) {
        tables.totals().marks += change;
        tables.weight.add(
                mark.account, change * ((long) Weight.MARK_BYTES + key.prefix().length()));
    }
}
