package io.bulwark.protocol.completion;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.id.BlockId;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.LongSupplier;

/**
 * Work on one placement group of registers whose epoch a node has not confirmed: the blocks of which it keeps anything,
 * in order. It retries failed blocks after all others. After a failure it begins nothing for a while: most often all
 * blocks fail then.
 */
final class RegisterWork {
    private final PendingSteps calls;
    private final Volume volume;
    private final int group;
    private final long retryMillis;
    private final LongSupplier clock;
    private final Deque<Long> again = new ArrayDeque<>();
    /** Counter of the block from which to look for the next one. */
    private long from;

    private final long end;
    /** The one that was found; -1 if none was yet. */
    private long found = -1;

    private boolean finding;
    private int inFlight;
    private long againMillis = Long.MIN_VALUE;
    private boolean changes;

    RegisterWork(PendingSteps calls, Volume volume, int group, long retryMillis, LongSupplier clock) {
        this.calls = calls;
        this.volume = volume;
        this.group = group;
        this.retryMillis = retryMillis;
        this.clock = clock;
        this.from = volume.firstRegister(group).counter();
        this.end = from + volume.blocks();
        hear(placement());
    }

    Volume volume() {
        return volume;
    }

    private PlacementGroup placement() {
        return volume.groups().get(group);
    }

    long epoch() {
        return placement().epoch();
    }

    /**
     * Takes the group's state from the map. Nobody serves an epoch that is to end, so no block can be settled in it.
     */
    void hear(PlacementGroup now) {
        changes = now.change().isPresent();
    }

    /** Returns whether all is done. */
    boolean done() {
        return from >= end && found < 0 && !finding && again.isEmpty() && inFlight == 0;
    }

    /**
     * Begins with one block, if one can be begun with now.
     *
     * @param over when that is over
     */
    boolean begin(long nowMillis, Runnable over) {
        if (changes || nowMillis < againMillis) {
            return false;
        }
        long block = found >= 0 ? found : next();
        found = -1;
        if (block >= 0) {
            settle(block, over);
        }
        find();
        return block >= 0;
    }

    /** Returns a block to retry once nothing else is left. */
    private long next() {
        return from < end || finding || again.isEmpty() ? -1 : again.remove();
    }

    private void settle(long block, Runnable over) {
        inFlight++;
        calls.settle(volume, BlockId.register(volume.id(), block), epoch(), done -> {
            inFlight--;
            if (!done) {
                again.add(block);
                rest();
            }
            over.run();
        });
    }

    private void find() {
        if (finding || from >= end) {
            return;
        }
        finding = true;
        calls.findRegister(
                volume,
                group,
                from,
                block -> {
                    finding = false;
                    found = block.map(BlockId::counter).orElse(-1L);
                    from = found < 0 ? end : found + 1;
                },
                () -> {
                    finding = false;
                    rest();
                });
    }

    private void rest() {
        againMillis = clock.getAsLong() + retryMillis;
    }
}
