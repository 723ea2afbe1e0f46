package io.bulwark.protocol.bucket;

import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.metadata.Command;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The block ids of one object that is being written, taken in growing chunks, so that few ranges suffice for a stream
 * of unknown length. Ranges beyond the first few blocks are registered as a pending upload before use, since nodes
 * bound unreferenced blocks.
 */
final class BlockPlan {
    private static final long CHUNK_FIRST = 16;
    private static final long CHUNK_MAX = 1 << 16;
    /** Limit of unregistered bytes. */
    private static final long UNREGISTERED_BYTES_MAX = 32 << 20;

    private final BlockIds ids;
    private final int generation;
    private final int blockBytes;
    private final List<BlockRange> ranges = new ArrayList<>();
    private final List<BlockRange> unregistered = new ArrayList<>();
    private final List<Long> pending = new ArrayList<>();
    private long taken;
    private long used;
    private long usedOfLast;

    /** @param generation of placement groups that the blocks are stored in */
    BlockPlan(BlockIds ids, int generation, int blockBytes) {
        this.ids = ids;
        this.generation = generation;
        this.blockBytes = blockBytes;
    }

    /** Returns whether the next id can be used now. */
    boolean hasNext() {
        return used < taken;
    }

    /**
     * Takes more ids, in one piece.
     *
     * @param expected how many will be needed in all, 0 if that is not known
     * @return what must be registered before it is used
     */
    Optional<BlockRange> extend(long expected) {
        long count = taken == 0 && expected > 0 ? expected : Math.clamp(taken, CHUNK_FIRST, CHUNK_MAX);
        BlockRange range = ids.take(generation, count);
        if ((taken + count) * blockBytes > UNREGISTERED_BYTES_MAX) {
            return Optional.of(range);
        }
        add(range);
        unregistered.add(range);
        return Optional.empty();
    }

    /** Marks a range from {@link #extend} as registered. */
    void onRegistered(BlockRange range, long upload) {
        add(range);
        pending.add(upload);
    }

    BlockId next() {
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

    /** Gives back the unused ids. Registered ranges end with the command that names the upload. */
    void giveBackUnused() {
        if (ranges.isEmpty() || usedOfLast == ranges.getLast().count()) {
            return;
        }
        BlockRange last = ranges.getLast();
        if (unregistered.remove(last)) {
            long left = last.count() - usedOfLast;
            ids.giveBack(new BlockRange(last.volume(), last.owner(), last.session(), last.first() + usedOfLast, left));
            ranges.removeLast();
            if (usedOfLast > 0) {
                ranges.add(head(last, usedOfLast));
                unregistered.add(head(last, usedOfLast));
            }
            taken -= left;
        }
    }

    /** Returns the command that lets nodes free everything stored; empty if there is nothing to free. */
    Optional<Command> abandoned() {
        giveBackUnused();
        List<BlockRange> stored = new ArrayList<>();
        for (BlockRange range : unregistered) {
            appendUsed(stored, range);
        }
        return stored.isEmpty() && pending.isEmpty()
                ? Optional.empty()
                : Optional.of(new Command.AbandonRanges(stored, pending));
    }

    private void add(BlockRange range) {
        ranges.add(range);
        taken += range.count();
        usedOfLast = 0;
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
