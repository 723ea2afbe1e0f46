package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** One session: its replies while it is open, and its used blocks as long as an inode references one of them. */
final class Session {
    final PrincipalId owner;
    final long number;
    final int volume;
    final Bytes nonce;
    private final Weight weight;

    boolean open = true;
    /** In served time. */
    long expiresMillis;
    /** Of the last opening or closing; 0 if nodes need not know. */
    long sequence;
    /** By first counter. */
    final TreeMap<Long, FreedInterval> freed = new TreeMap<>();

    long freedTotal;
    /** Inode ids of the pending uploads. */
    final TreeSet<Long> pending = new TreeSet<>();

    IntervalSet used = new IntervalSet();
    private long lowestKept = 1;
    private final TreeMap<Long, Result> results = new TreeMap<>();

    /** Freed or abandoned blocks; the sequence number is that of the last change of this interval. */
    record FreedInterval(long count, long sequence) {}

    /** The digest of a command and its reply. */
    private record Result(Bytes digest, Bytes reply) {}

    Session(PrincipalId owner, long number, int volume, Bytes nonce, Weight weight) {
        this.owner = owner;
        this.number = number;
        this.volume = volume;
        this.nonce = nonce;
        this.weight = weight;
        weight.add(owner, Weight.SESSION_BYTES);
    }

    BlockRange range(long first, long count) {
        return new BlockRange(volume, owner, number, first, count);
    }

    /** Whether all ranges are of this session. */
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
        lowestKept = Math.max(lowestKept, lowestUnanswered);
        drop(results.headMap(lowestKept));
        Refusal.unless(command >= lowestKept, MetadataError.NUMBER_TOO_OLD, "number " + command);
        Refusal.unless(command - lowestKept < Submission.WINDOW, MetadataError.WINDOW_EXCEEDED, "number " + command);
        Result result = results.get(command);
        if (result == null) {
            return Optional.empty();
        }
        Refusal.unless(result.digest.equals(digest), MetadataError.NUMBER_REUSED, "number " + command);
        return Optional.of(result.reply);
    }

    void keep(long command, Bytes digest, Bytes reply) {
        results.put(command, new Result(digest, reply));
        weight.add(owner, Weight.RESULT_BYTES + reply.length());
    }

    void dropReplies() {
        drop(results);
    }

    private void drop(Map<Long, Result> dropped) {
        dropped.values().forEach(result -> weight.add(owner, -Weight.RESULT_BYTES - result.reply.length()));
        dropped.clear();
    }

    /**
     * Takes ranges into use, those of consumed pending uploads among them.
     *
     * @return what the pending uploads had and the ranges do not
     */
    IntervalSet use(List<BlockRange> ranges, List<BlockRange> ofPending) {
        IntervalSet next = used.copy();
        IntervalSet left = new IntervalSet();
        for (BlockRange range : ofPending) {
            next.remove(range);
            left.add(range);
        }
        for (BlockRange range : ranges) {
            Refusal.unless(
                    !next.overlaps(range),
                    MetadataError.RANGE_USED,
                    range.first() + " + " + range.count() + " of session " + number);
            next.add(range);
            left.remove(range);
        }
        left.ranges(this).forEach(next::add);
        Refusal.unless(
                next.size() <= SessionChange.INTERVALS_MAX,
                MetadataError.TOO_MANY_RANGES,
                next.size() + " intervals in session " + number);
        weight.add(owner, (long) Weight.INTERVAL_BYTES * (next.size() - used.size()));
        used = next;
        return left;
    }

    /** Freed or abandoned blocks that no other freed interval names. */
    void putFreed(long first, FreedInterval interval) {
        if (freed.put(first, interval) == null) {
            weight.add(owner, Weight.INTERVAL_BYTES);
        }
    }

    @Nullable
    FreedInterval removeFreed(long first) {
        FreedInterval removed = freed.remove(first);
        if (removed != null) {
            weight.add(owner, -Weight.INTERVAL_BYTES);
        }
        return removed;
    }

    /** The session is kept no longer. */
    void forget() {
        weight.add(owner, -Weight.SESSION_BYTES - (long) Weight.INTERVAL_BYTES * (used.size() + freed.size()));
    }

    boolean unreferenced() {
        return freedTotal == used.total();
    }

    void write(WireWriter out) {
        out.i64(number).i32(volume).bytes(nonce).bool(open).i64(expiresMillis).i64(sequence);
        used.write(out);
        out.i32(freed.size());
        freed.forEach((first, interval) -> out.i64(first).i64(interval.count).i64(interval.sequence));
        out.i64(lowestKept).i32(results.size());
        results.forEach((command, result) -> out.i64(command).raw(result.digest).bytes(result.reply));
    }

    /** Reads all but the pending uploads, which the inodes know. */
    static Session read(PrincipalId owner, WireReader in, Weight weight) {
        Session session = new Session(
                owner, in.nonNegative64(), in.i32(), Snapshots.copy(in.bytes(Submission.BYTES_MAX)), weight);
        session.open = in.bool();
        session.expiresMillis = in.nonNegative64();
        session.sequence = in.nonNegative64();
        session.used = IntervalSet.read(in);
        weight.add(owner, (long) Weight.INTERVAL_BYTES * session.used.size());
        Snapshots.times(in, () -> {
            long first = in.nonNegative64();
            FreedInterval interval = new FreedInterval(in.nonNegative64(), in.nonNegative64());
            session.putFreed(first, interval);
            session.freedTotal += interval.count;
        });
        session.lowestKept = in.nonNegative64();
        Snapshots.times(in, () -> {
            long command = in.nonNegative64();
            Bytes digest = Snapshots.copy(in.raw(Snapshots.DIGEST_BYTES));
            session.keep(command, digest, Snapshots.copy(in.bytes(Submission.BYTES_MAX)));
        });
        return session;
    }
}
