package io.bulwark.storage.background;

import io.bulwark.protocol.id.BlockId;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The high-write-count table (lazy verification paper, 3.4 and 4): blocks with unverified versions, those with most versions first, as
 * verifying one of them rids the node of most; among equals those first that are still in the write-back cache. Blocks that were
 * written a moment ago wait, and so do those for which other nodes are responsible. Not thread-safe.
 */
final class WriteCountTable {
    /** Largest number of blocks; the table drops further ones until there is room again. */
    static final int BLOCKS_MAX = 1 << 16;

    /** Number of blocks with equally many versions that are tested for being in the cache. */
    private static final int CACHE_LOOKS_MAX = 32;

    private static final int REWRITES_MAX = 10;

    /** Between two tries at most so many times the time before the second. */
    private static final int RETRY_FACTOR_MAX = 64;

    /** Number of blocks from which down there is room again. */
    private static final int BLOCKS_ROOM = BLOCKS_MAX / 4 * 3;

    private final VerificationPace pace;
    private boolean turnedAway;
    private long forgotten;
    private final Map<BlockId, Entry> entries = new HashMap<>();
    private final TreeSet<Entry> waiting =
            new TreeSet<>(Comparator.comparingLong(Entry::dueMillis).thenComparing(Entry::block));
    /** Blocks whose verification failed: they are not taken before their time. */
    private final TreeSet<Entry> resting =
            new TreeSet<>(Comparator.comparingLong(Entry::dueMillis).thenComparing(Entry::block));

    private final TreeSet<Entry> ready = new TreeSet<>(Comparator.comparingInt(Entry::versions)
            .reversed()
            .thenComparingLong(Entry::dueMillis)
            .thenComparing(Entry::block));

    private static final class Entry {
        private final BlockId block;
        private int versions;
        private boolean responsible;
        private long sinceMillis;
        private long writtenMillis;
        private long notBeforeMillis;
        private long dueMillis;
        private boolean inFlight;
        /** Number of failed verifications in a row. */
        private int fruitless;

        Entry(BlockId block, long nowMillis) {
            this.block = block;
            this.sinceMillis = nowMillis;
            this.notBeforeMillis = nowMillis;
        }

        BlockId block() {
            return block;
        }

        int versions() {
            return versions;
        }

        long dueMillis() {
            return dueMillis;
        }
    }

    WriteCountTable(VerificationPace pace) {
        this.pace = pace;
    }

    /**
     * Records the number of unverified versions of a block; returns whether there are more than before, so that it was
     * written.
     */
    boolean possible(long nowMillis, BlockId block, int versions, boolean responsible) {
        Entry entry = entries.get(block);
        if (versions == 0) {
            if (entry != null) {
                leave(entry);
                entries.remove(block);
                if (turnedAway && entries.size() <= BLOCKS_ROOM) {
                    turnedAway = false;
                    forgotten++;
                }
            }
            return false;
        }
        if (entry == null) {
            if (entries.size() >= BLOCKS_MAX) {
                turnedAway = true;
                return true;
            }
            entry = new Entry(block, nowMillis);
            entries.put(block, entry);
        } else {
            leave(entry);
        }
        boolean written = versions > entry.versions;
        if (written) {
            entry.writtenMillis = nowMillis;
            entry.fruitless = 0;
        } else if (versions < entry.versions) {
            entry.sinceMillis = nowMillis;
        }
        entry.versions = versions;
        entry.responsible = responsible;
        enter(entry);
        return written;
    }

    /** Returns how often there was room again after blocks were dropped: the table must then be told of them again. */
    long forgotten() {
        return forgotten;
    }

    /**
     * Takes the block whose verification is worth most; {@link #recordAttempt} must follow.
     *
     * @param pressed whether waiting blocks are taken too, if there are no others. Blocks without a result last time
     *     are left out: they may fill the whole pool, and may never have one
     * @param cached whether a block's versions are still in the write-back cache
     */
    Optional<DueVerification> next(long nowMillis, boolean pressed, Predicate<BlockId> cached) {
        toReady(waiting, nowMillis);
        toReady(resting, nowMillis);
        Entry best = best(cached);
        if (best == null && pressed) {
            best = first(waiting);
        }
        if (best == null) {
            return Optional.empty();
        }
        leave(best);
        best.inFlight = true;
        return Optional.of(new DueVerification(best.block, best.fruitless > 0));
    }

    private void toReady(SortedSet<Entry> from, long nowMillis) {
        for (Entry due = first(from); due != null && due.dueMillis <= nowMillis; due = first(from)) {
            from.remove(due);
            ready.add(due);
        }
    }

    /**
     * Ends a verification.
     *
     * @param settled whether it had a result; if not, the block rests for a while, longer each time
     */
    void recordAttempt(long nowMillis, BlockId block, boolean settled) {
        Entry entry = entries.get(block);
        if (entry != null && entry.inFlight) {
            entry.inFlight = false;
            entry.notBeforeMillis = settled ? nowMillis : nowMillis + pace.retryMillis() * factor(entry.fruitless);
            entry.fruitless = settled ? 0 : entry.fruitless + 1;
            enter(entry);
        }
    }

    private static int factor(int fruitless) {
        return Math.min(RETRY_FACTOR_MAX, 1 << Math.min(fruitless, Integer.SIZE - 2));
    }

    /** Returns the time until a block can be taken, unless one is written; a very long time if there is none. */
    long waitMillis(long nowMillis) {
        if (!ready.isEmpty()) {
            return 0;
        }
        return Math.min(waitMillis(waiting, nowMillis), waitMillis(resting, nowMillis));
    }

    private static long waitMillis(SortedSet<Entry> of, long nowMillis) {
        Entry due = first(of);
        return due == null ? Long.MAX_VALUE / 2 : Math.max(0, due.dueMillis - nowMillis);
    }

    private @Nullable Entry best(Predicate<BlockId> cached) {
        Entry best = first(ready);
        int looked = 0;
        for (Entry entry : ready) {
            if (best == null || entry.versions < best.versions || looked++ == CACHE_LOOKS_MAX) {
                break;
            }
            if (cached.test(entry.block)) {
                return entry;
            }
        }
        return best;
    }

    private void enter(Entry entry) {
        if (!entry.inFlight) {
            long rested = Math.min(
                    entry.writtenMillis + pace.youngMillis(), entry.sinceMillis + REWRITES_MAX * pace.youngMillis());
            long mine = entry.responsible ? rested : Math.max(rested, entry.sinceMillis + pace.patienceMillis());
            entry.dueMillis = Math.max(mine, entry.notBeforeMillis);
            (entry.fruitless > 0 ? resting : waiting).add(entry);
        }
    }

    private void leave(Entry entry) {
        waiting.remove(entry);
        resting.remove(entry);
        ready.remove(entry);
    }

    private static @Nullable Entry first(SortedSet<Entry> entries) {
        return entries.isEmpty() ? null : entries.first();
    }
}
