package io.bulwark.protocol.epoch;

import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.Outbox;
import io.bulwark.protocol.effect.Stored;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Records of a register block on the device from before this node took its slot: they do not count, and the node
 * deletes them. It loads and deletes again after a while those that it could not delete.
 */
public final class PastRecords {
    private final Outbox out;
    private final long retryMillis;
    private final LongSupplier taken;
    private final LongSupplier epoch;
    /** Epoch in which this node had taken its slot when the block was loaded; 0 for none. */
    private long loadedFor;
    /** It has taken or lost one since, or there is something to be cleared again. */
    private boolean outdated;

    private boolean left;
    private long againMillis;

    /**
     * Creates the past records of one block.
     *
     * @param taken epoch in which this node took its slot, as {@link Seals#taken} says; 0 if it has none
     * @param epoch that of the block's group, as this node knows it
     */
    public PastRecords(Outbox out, long retryMillis, LongSupplier taken, LongSupplier epoch) {
        this.out = out;
        this.retryMillis = retryMillis;
        this.taken = taken;
        this.epoch = epoch;
    }

    /** The block's records are here, as they are for the slot of now. */
    public void loaded() {
        loadedFor = taken.getAsLong();
        outdated = false;
    }

    /** The group is another one now. */
    public void onGroup() {
        outdated |= taken.getAsLong() != loadedFor;
    }

    /** Returns whether the block must be loaded again. */
    public boolean isOutdated() {
        return outdated;
    }

    /**
     * Returns whether records kept for a slot taken in that epoch belong to no present slot. A group in an earlier
     * epoch does not show that.
     */
    public boolean isPast(long then) {
        return loadedFor == 0 ? epoch.getAsLong() >= then : loadedFor > then;
    }

    /** Returns whether some of the records are still there, as far as is known. */
    public boolean any() {
        return left;
    }

    /** Marks the block as outdated when it is time to clear the remaining records. */
    public void onTick(long nowMillis) {
        outdated |= left && nowMillis >= againMillis;
    }

    /**
     * Clears all remaining records, as they were loaded.
     *
     * @param cleared called when that is durable
     * @param then called when that has ended, successful or not
     * @return false if there is nothing to clear: nothing will be called
     */
    public boolean clear(List<Mutation> mutations, Runnable cleared, LongConsumer then) {
        left = !mutations.isEmpty();
        if (!left) {
            return false;
        }
        out.store(mutations, (now, stored) -> {
            if (stored == Stored.DURABLE) {
                left = false;
                cleared.run();
            } else {
                againMillis = now + retryMillis;
            }
            then.accept(now);
        });
        return true;
    }
}
