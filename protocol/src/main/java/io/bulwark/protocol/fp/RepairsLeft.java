package io.bulwark.protocol.fp;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What repairs have staged, once for all rounds that wait for it: each has a number, later ones greater ones, and a round waits for those below its
 * own. So a round costs no more than that, however much is staged.
 */
final class RepairsLeft {
    /** Those of one volume. */
    private static final class Numbers {
        private final Map<StagedIndex.Entry, Long> of = new HashMap<>();
        /** Ascending; made anew when somebody wants it, and something has changed. */
        private long[] sorted = {};

        private boolean changed;

        long[] sorted() {
            if (changed) {
                changed = false;
                sorted =
                        of.values().stream().mapToLong(Long::longValue).sorted().toArray();
            }
            return sorted;
        }
    }

    private final Map<Integer, Numbers> volumes = new HashMap<>();
    private long last;

    /** A number above all that were given, and below all that will be. */
    long mark() {
        return ++last;
    }

    /** What is there already keeps its number. */
    void add(StagedIndex.Entry entry) {
        Numbers numbers = volumes.computeIfAbsent(entry.block().volume(), _ -> new Numbers());
        numbers.of.computeIfAbsent(entry, _ -> ++last);
        numbers.changed = true;
    }

    /** No round of now waits for it any more, but later ones do. */
    void renew(StagedIndex.Entry entry) {
        Numbers numbers = volumes.get(entry.block().volume());
        if (numbers != null && numbers.of.computeIfPresent(entry, (_, _) -> ++last) != null) {
            numbers.changed = true;
        }
    }

    void remove(StagedIndex.Entry entry) {
        Numbers numbers = volumes.get(entry.block().volume());
        if (numbers != null) {
            numbers.of.remove(entry);
            numbers.changed = true;
            if (numbers.of.isEmpty()) {
                volumes.remove(entry.block().volume());
            }
        }
    }

    Set<Integer> volumes() {
        return Set.copyOf(volumes.keySet());
    }

    /** How many of a volume a round of that number waits for. */
    int before(int volume, long mark) {
        Numbers numbers = volumes.get(volume);
        return numbers == null ? 0 : -1 - Arrays.binarySearch(numbers.sorted(), mark);
    }

    /** Those for which a round of that number waits. */
    Collection<StagedIndex.Entry> before(long mark) {
        List<StagedIndex.Entry> all = new ArrayList<>();
        volumes.values()
                .forEach(numbers -> numbers.of.forEach((entry, number) -> {
                    if (number < mark) {
                        all.add(entry);
                    }
                }));
        return all;
    }
}
