package io.bulwark.protocol.ordering.log;

import java.util.Collection;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The log between the water marks (4.2, 4.3): h &lt; n &lt;= h + L. */
public final class SlotLog {
    private final int logSize;
    private final TreeMap<Long, Slot> slots = new TreeMap<>();
    private long low;
    private long ceiling = Long.MAX_VALUE;
    private long floor;

    public SlotLog(int logSize, long low) {
        this.logSize = logSize;
        this.low = low;
    }

    /** The low water mark h. */
    public long low() {
        return low;
    }

    /** The high water mark H; while a recovery is open and has not come to H_M, that at most. */
    public long high() {
        return Math.max(low, Math.min(ceiling, end()));
    }

    /** Returns the value of H without a recovery: the log may contain entries up to here. */
    public long end() {
        return low + logSize;
    }

    /** Nothing above this number is taken, or sent, until it is raised again. */
    public void setCeiling(long newCeiling) {
        ceiling = newCeiling;
    }

    public long ceiling() {
        return ceiling;
    }

    /** This replica has forgotten what it promised up to this number, and does not vote on it. */
    public void setFloor(long newFloor) {
        floor = newFloor;
    }

    public long floor() {
        return floor;
    }

    /** Discards everything above a number, as it may be wrong. */
    public void discardAbove(long sequence) {
        slots.tailMap(sequence, false).clear();
    }

    public boolean covers(long sequence) {
        return sequence > low && sequence <= high();
    }

    /** The slot of a number between the water marks. */
    public Slot slot(long sequence) {
        if (!covers(sequence)) {
            throw new IllegalArgumentException(sequence + " is not between the water marks " + low + ", " + high());
        }
        return slots.computeIfAbsent(sequence, Slot::new);
    }

    public @Nullable Slot peek(long sequence) {
        return slots.get(sequence);
    }

    /** All slots above a number, in order. */
    public Collection<Slot> slotsAbove(long sequence) {
        return slots.tailMap(sequence, false).values();
    }

    /** In order. */
    public Collection<Slot> all() {
        return slots.values();
    }

    /** The low water mark moves up. */
    public void trim(long newLow) {
        if (newLow < low) {
            throw new IllegalArgumentException("the low water mark moves down");
        }
        low = newLow;
        slots.headMap(low, true).clear();
    }
}
