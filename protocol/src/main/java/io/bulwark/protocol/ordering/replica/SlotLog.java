package io.bulwark.protocol.ordering.replica;

import java.util.Collection;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The log between the water marks (4.2, 4.3): h &lt; n &lt;= h + L. */
final class SlotLog {
    private final int logSize;
    private final TreeMap<Long, Slot> slots = new TreeMap<>();
    private long low;

    SlotLog(int logSize, long low) {
        this.logSize = logSize;
        this.low = low;
    }

    /** The low water mark h. */
    long low() {
        return low;
    }

    /** The high water mark H. */
    long high() {
        return low + logSize;
    }

    boolean covers(long sequence) {
        return sequence > low && sequence <= high();
    }

    /** The slot of a number between the water marks. */
    Slot slot(long sequence) {
        if (!covers(sequence)) {
            throw new IllegalArgumentException(sequence + " is not between the water marks " + low + ", " + high());
        }
        return slots.computeIfAbsent(sequence, Slot::new);
    }

    @Nullable
    Slot peek(long sequence) {
        return slots.get(sequence);
    }

    /** All slots above a number, in order. */
    Collection<Slot> above(long sequence) {
        return slots.tailMap(sequence, false).values();
    }

    /** In order. */
    Collection<Slot> all() {
        return slots.values();
    }

    /** The low water mark moves up. */
    void trim(long newLow) {
        if (newLow < low) {
            throw new IllegalArgumentException("the low water mark moves down");
        }
        low = newLow;
        slots.headMap(low, true).clear();
    }
}
