package io.bulwark.protocol.metadata;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Tables.InSession;
import io.bulwark.protocol.metadata.Tables.Interval;
import io.bulwark.protocol.metadata.Tables.OwnedKey;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One session: its replies while it is open, and its used blocks as long as an inode references one of them. */
final class Session {
    final PrincipalId owner;
    final long number;
    final int volume;
    final Bytes nonce;
    private final Tables tables;

    boolean open = true;
    /** In served time. */
    long expiresMillis;
    /** Sequence number of the last opening or closing; 0 if nodes need not know. */
    long sequence;

    /** Pending uploads. */
    int pending;
    /** Intervals of freed or abandoned blocks. */
    private int freed;

    private long freedTotal;
    /** Intervals of used blocks. */
    private int used;

    private long usedTotal;
    private long lowestKept = 1;

    /** The digest of a command and its reply. */
    record Result(Bytes digest, Bytes reply) {
        void write(WireWriter out) {
            out.raw(digest).bytes(reply);
        }

        static Result read(WireReader in) {
            return new Result(in.raw(Hashes.LENGTH), in.bytes(Submission.BYTES_MAX));
        }
    }

    Session(Tables tables, PrincipalId owner, long number, int volume, Bytes nonce) {
        this.tables = tables;
        this.owner = owner;
        this.number = number;
        this.volume = volume;
        this.nonce = nonce;
    }

    OwnedKey key() {
        return new OwnedKey(owner, number);
    }

    /** The key of something of this session. */
    InSession key(long of) {
        return new InSession(owner, number, of);
    }

    /** Before all keys of the next session. */
    InSession end() {
        return new InSession(owner, number + 1, 0);
    }

    BlockRange range(long first, long count) {
        return new BlockRange(volume, owner, number, first, count);
    }

    /** Returns whether all ranges are of this session. */
    boolean owns(List<BlockRange> ranges) {
        return ranges.stream()
                .allMatch(range -> range.volume() == volume
                        && range.session() == number
                        && range.owner().equals(owner));
    }

    /**
     * Drops replies that the client does not need any more, and finds the reply to a command that is submitted again.
     *
     * @return empty if the command is to be executed
     */
    Optional<Bytes> replyTo(long command, long lowestUnanswered, Bytes digest) {
        if (lowestUnanswered > lowestKept) {
            lowestKept = lowestUnanswered;
            drop(key(lowestKept));
        }
        CommandRefusal.refuseUnless(command >= lowestKept, MetadataError.NUMBER_TOO_OLD, "number " + command);
        CommandRefusal.refuseUnless(
                command - lowestKept < Submission.WINDOW, MetadataError.WINDOW_EXCEEDED, "number " + command);
        Optional<Result> kept = tables.results.get(key(command));
        if (kept.isEmpty()) {
            return Optional.empty();
        }
        Result result = kept.get();
        CommandRefusal.refuseUnless(result.digest.equals(digest), MetadataError.NUMBER_REUSED, "number " + command);
        return Optional.of(result.reply);
    }

    void keep(long command, Bytes digest, Bytes reply) {
        tables.results.put(key(command), new Result(digest, reply));
        tables.weight.add(owner, Weight.RESULT_BYTES + reply.length());
    }

    void dropReplies() {
        drop(end());
    }

    private void drop(InSession below) {
        tables.results.range(key(0), below).forEach(result -> {
            tables.results.remove(result.key());
            tables.weight.add(owner, -Weight.RESULT_BYTES - result.value().reply.length());
        });
    }

    /**
     * Takes ranges into use, those of consumed pending uploads among them.
     *
     * @return what the pending uploads had and the ranges do not
     */
    IntervalSet use(List<BlockRange> ranges, List<BlockRange> ofPending) {
        IntervalSet before = new IntervalSet();
        ranges.forEach(range -> includeUsed(range, before));
        ofPending.forEach(range -> includeUsed(range, before));
        IntervalSet next = before.copy();
        IntervalSet left = new IntervalSet();
        for (BlockRange range : ofPending) {
            next.remove(range);
            left.add(range);
        }
        for (BlockRange range : ranges) {
            CommandRefusal.refuseUnless(
                    !next.overlaps(range),
                    MetadataError.RANGE_USED,
                    range.first() + " + " + range.count() + " of session " + number);
            next.add(range);
            left.remove(range);
        }
        left.ranges(this).forEach(next::add);
        int intervals = used + next.size() - before.size();
        CommandRefusal.refuseUnless(
                intervals <= SessionChange.INTERVALS_MAX,
                MetadataError.TOO_MANY_RANGES,
                intervals + " intervals in session " + number);
        next.missingFrom(before, (first, end) -> tables.used.remove(key(end)));
        before.missingFrom(next, this::putUsed);
        tables.weight.add(owner, (long) Weight.INTERVAL_BYTES * (intervals - used));
        used = intervals;
        usedTotal += next.total() - before.total();
        return left;
    }

    /** The used intervals that overlap a range or are next to it. */
    private void includeUsed(BlockRange range, IntervalSet set) {
        for (Table.Entry<InSession, Long> interval : tables.used.range(key(range.first()), end())) {
            if (interval.value() > range.first() + range.count()) {
                return;
            }
            set.include(interval.value(), interval.key().number());
        }
    }

    private void putUsed(long first, long end) {
        tables.used.put(key(end), first);
    }

    /** The intervals of used blocks, in order. */
    List<BlockRange> usedRanges() {
        List<BlockRange> ranges = new ArrayList<>();
        tables.used
                .range(key(0), end())
                .forEach(interval ->
                        ranges.add(range(interval.value(), interval.key().number() - interval.value())));
        return ranges;
    }

    /** An interval of freed or abandoned blocks. */
    void putFreed(long first, long end, long changeSequence) {
        tables.freed.put(key(end), new Interval(first, changeSequence));
        tables.weight.add(owner, Weight.INTERVAL_BYTES);
        freed++;
        freedTotal += end - first;
    }

    void removeFreed(long first, long end) {
        tables.freed.remove(key(end));
        tables.weight.add(owner, -Weight.INTERVAL_BYTES);
        freed--;
        freedTotal -= end - first;
    }

    /** Removes the session, and the facts about it that nodes receive. */
    void forget() {
        tables.weight.add(owner, -Weight.SESSION_BYTES - (long) Weight.INTERVAL_BYTES * (used + freed));
        tables.used.range(key(0), end()).forEach(interval -> tables.used.remove(interval.key()));
        tables.freed.range(key(0), end()).forEach(interval -> {
            tables.freed.remove(interval.key());
            tables.changes.remove(interval.value().sequence());
        });
        tables.changes.remove(sequence);
        tables.sessions.remove(key());
    }

    boolean isUnreferenced() {
        return freedTotal == usedTotal;
    }

    void write(WireWriter out) {
        owner.write(out);
        out.i64(number).i32(volume).raw(nonce).bool(open).i64(expiresMillis).i64(sequence);
        out.i64(freedTotal).i32(freed).i32(pending).i32(used).i64(usedTotal).i64(lowestKept);
    }

    static Session read(Tables tables, WireReader in) {
        Session session = new Session(
                tables,
                PrincipalId.read(in),
                in.nonNegative64(),
                in.i32(0, Integer.MAX_VALUE),
                in.raw(Submission.OpenSession.NONCE_BYTES));
        session.open = in.bool();
        session.expiresMillis = in.nonNegative64();
        session.sequence = in.nonNegative64();
        session.freedTotal = in.nonNegative64();
        session.freed = in.i32(0, Integer.MAX_VALUE);
        session.pending = in.i32(0, Inodes.PENDING_MAX);
        session.used = in.i32(0, SessionChange.INTERVALS_MAX);
        session.usedTotal = in.nonNegative64();
        session.lowestKept = in.nonNegative64();
        return session;
    }
}
