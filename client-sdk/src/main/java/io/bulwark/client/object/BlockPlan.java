package io.bulwark.client.object;

import io.bulwark.client.error.Subject;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Reply;
import java.util.ArrayList;
import java.util.List;

/**
 * The block ids of one object that is being written: taken in chunks that grow, so that few ranges suffice for a stream
 * of unknown length. Ranges beyond the first few blocks are registered as a pending upload before they are used, since
 * nodes bound what is not referenced. Not thread-safe.
 */
final class BlockPlan {
    private static final long CHUNK_FIRST = 16;
    private static final long CHUNK_MAX = 1 << 16;
    /** So much may stay unregistered. */
    private static final long UNREGISTERED_BYTES_MAX = 32 << 20;

    private final Sessions.Lease lease;
    private final int blockBytes;
    private final Deadline deadline;
    private final Subject subject;
    private final List<BlockRange> ranges = new ArrayList<>();
    private final List<BlockRange> unregistered = new ArrayList<>();
    private final List<Long> pending = new ArrayList<>();
    private long taken;
    private long used;
    private long usedOfLast;

    BlockPlan(Sessions.Lease lease, int blockBytes, Deadline deadline, Subject subject) {
        this.lease = lease;
        this.blockBytes = blockBytes;
        this.deadline = deadline;
        this.subject = subject;
    }

    /** Takes ids for at least so many extents in one piece. */
    void expect(long extents) {
        if (extents > 0) {
            take(extents);
        }
    }

    BlockId next() {
        if (used == taken) {
            take(Math.clamp(taken, CHUNK_FIRST, CHUNK_MAX));
        }
        BlockId id = ranges.getLast().at(usedOfLast);
        used++;
        usedOfLast++;
        return id;
    }

    /** The ids that were used, in order, as few ranges as possible. */
    List<BlockRange> used() {
        List<BlockRange> all = new ArrayList<>();
        for (BlockRange range : ranges) {
            appendUsed(all, range);
        }
        return all;
    }

    /** Pending uploads that the used ranges belong to. */
    List<Long> pending() {
        return List.copyOf(pending);
    }

    boolean isEmpty() {
        return ranges.isEmpty();
    }

    /** Gives back what was taken and not used. What is registered ends with the command that names the upload. */
    void giveBackUnused() {
        if (ranges.isEmpty() || usedOfLast == ranges.getLast().count()) {
            return;
        }
        BlockRange last = ranges.getLast();
        if (unregistered.remove(last)) {
            long left = last.count() - usedOfLast;
            lease.blocks()
                    .giveBack(new BlockRange(
                            last.volume(), last.owner(), last.session(), last.first() + usedOfLast, left));
            ranges.removeLast();
            if (usedOfLast > 0) {
                ranges.add(head(last, usedOfLast));
                unregistered.add(head(last, usedOfLast));
            }
            taken -= left;
        }
    }

    /** Gives all of it up, in the background: nodes may then free what was stored. */
    void abandon() {
        giveBackUnused();
        List<BlockRange> stored = new ArrayList<>();
        for (BlockRange range : unregistered) {
            appendUsed(stored, range);
        }
        if (!stored.isEmpty() || !pending.isEmpty()) {
            var _ = lease.session().submit(new Command.AbandonRanges(stored, pending));
        }
    }

    private void take(long count) {
        BlockRange range = lease.blocks().take(count);
        ranges.add(range);
        taken += count;
        usedOfLast = 0;
        if (taken <= UNREGISTERED_BYTES_MAX / blockBytes) {
            unregistered.add(range);
            return;
        }
        Reply reply = deadline.await(lease.session().submit(new Command.RegisterPending(List.of(range))), subject);
        pending.add(
                Refusals.expect(Reply.PendingRegistered.class, reply, subject).pending());
    }

    private static BlockRange head(BlockRange range, long count) {
        return new BlockRange(range.volume(), range.owner(), range.session(), range.first(), count);
    }

    private void appendUsed(List<BlockRange> all, BlockRange range) {
        long count = range.equals(ranges.getLast()) ? Math.min(usedOfLast, range.count()) : range.count();
        if (count == 0) {
            return;
        }
        if (!all.isEmpty()) {
            BlockRange last = all.getLast();
            if (last.first() + last.count() == range.first()) {
                all.removeLast();
                all.add(head(last, last.count() + count));
                return;
            }
        }
        all.add(head(range, count));
    }
}
