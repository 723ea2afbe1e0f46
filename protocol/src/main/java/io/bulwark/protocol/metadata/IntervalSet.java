package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.BlockRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Block counters of one session as disjoint intervals, neighbours merged. */
final class IntervalSet {
    /** By first counter: the counter behind the last. */
    private final TreeMap<Long, Long> ends = new TreeMap<>();

    private long total;

    IntervalSet copy() {
        IntervalSet copy = new IntervalSet();
        copy.ends.putAll(ends);
        copy.total = total;
        return copy;
    }

    /** The number of intervals. */
    int size() {
        return ends.size();
    }

    /** The number of counters. */
    long total() {
        return total;
    }

    boolean overlaps(long first, long end) {
        Map.@Nullable Entry<Long, Long> before = ends.lowerEntry(end);
        return before != null && before.getValue() > first;
    }

    /** Adds an interval that overlaps none. */
    void add(long first, long end) {
        long from = first;
        long to = end;
        Map.@Nullable Entry<Long, Long> before = ends.floorEntry(first);
        if (before != null && before.getValue() == first) {
            from = before.getKey();
        }
        Long after = ends.remove(end);
        if (after != null) {
            to = after;
        }
        ends.put(from, to);
        total += end - first;
    }

    /** Adds an interval as it is, unless it is there. */
    void include(long first, long end) {
        if (ends.put(first, end) == null) {
            total += end - first;
        }
    }

    /** Shows the intervals that another set has and this has not: first counter, and the one behind the last. */
    void missingFrom(IntervalSet other, BiConsumer<Long, Long> seen) {
        other.ends.forEach((first, end) -> {
            if (!end.equals(ends.get(first))) {
                seen.accept(first, end);
            }
        });
    }

    /** Removes whatever lies in the interval. */
    void remove(long first, long end) {
        Map.@Nullable Entry<Long, Long> entry = ends.lowerEntry(end);
        while (entry != null && entry.getValue() > first) {
            long from = entry.getKey();
            long to = entry.getValue();
            ends.remove(from);
            total -= Math.min(to, end) - Math.max(from, first);
            if (from < first) {
                ends.put(from, first);
            }
            if (to > end) {
                ends.put(end, to);
            }
            entry = ends.lowerEntry(end);
        }
    }

    void add(BlockRange range) {
        add(range.first(), range.first() + range.count());
    }

    void remove(BlockRange range) {
        remove(range.first(), range.first() + range.count());
    }

    boolean overlaps(BlockRange range) {
        return overlaps(range.first(), range.first() + range.count());
    }

    /** The intervals in order, as ranges of a session. */
    List<BlockRange> ranges(Session session) {
        List<BlockRange> ranges = new ArrayList<>();
        ends.forEach((first, end) -> ranges.add(session.range(first, end - first)));
        return ranges;
    }
}
