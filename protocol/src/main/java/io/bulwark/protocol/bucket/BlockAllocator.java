package io.bulwark.protocol.bucket;

import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Allocator of the block ids of one session, without any request: (owner, session, counter). Ids under which nothing
 * was ever stored can be given back. They are given out again first, so that the used ranges keep few gaps.
 * Single-threaded.
 */
public final class BlockAllocator implements BlockIds {
    private final int volume;
    private final PrincipalId owner;
    private final long session;
    /** By generation of placement groups. */
    private final Map<Integer, Counters> generations = new TreeMap<>();

    private static final class Counters {
        /** Free ranges below {@code next}: first counter to count, never adjacent. */
        final TreeMap<Long, Long> free = new TreeMap<>();

        long next;

        Counters(int generation) {
            next = BlockId.firstOf(generation);
        }
    }

    public BlockAllocator(int volume, PrincipalId owner, long session) {
        this.volume = volume;
        this.owner = owner;
        this.session = session;
    }

    @Override
    public BlockRange take(int generation, long count) {
        Counters counters = generations.computeIfAbsent(generation, Counters::new);
        Optional<Map.Entry<Long, Long>> hole = counters.free.entrySet().stream()
                .filter(entry -> entry.getValue() >= count)
                .findFirst();
        if (hole.isPresent()) {
            long first = hole.get().getKey();
            long left = hole.get().getValue() - count;
            counters.free.remove(first);
            if (left > 0) {
                counters.free.put(first + count, left);
            }
            return new BlockRange(volume, owner, session, first, count);
        }
        BlockRange range = new BlockRange(volume, owner, session, counters.next, count);
        counters.next += count;
        return range;
    }

    @Override
    public void giveBack(BlockRange range) {
        Counters counters = generations.computeIfAbsent(range.generation(), Counters::new);
        long first = range.first();
        long count = range.count();
        Map.Entry<Long, Long> before = counters.free.lowerEntry(first);
        if (before != null && before.getKey() + before.getValue() == first) {
            counters.free.remove(before.getKey());
            first = before.getKey();
            count += before.getValue();
        }
        Long after = counters.free.remove(first + count);
        if (after != null) {
            count += after;
        }
        if (first + count == counters.next) {
            counters.next = first;
        } else {
            counters.free.put(first, count);
        }
    }
}
