package io.bulwark.protocol.fp;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Versions staged by repairs, once for all rounds that wait for them. Each has a number, later ones greater numbers,
 * and a round waits for those below its own. A round therefore costs the same, however many versions are staged.
 */
final class OutstandingRepairs {
    /** Versions of one volume. */
    private static final class VolumeRepairs {
        private final Map<StagedIndex.Entry, Long> of = new HashMap<>();
        /** Numbers in ascending order; sorted again on demand after a change. */
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

    private final Map<Integer, VolumeRepairs> volumes = new HashMap<>();
    private long last;

    /** A number above all that were given, and below all that will be. */
    long mark() {
        return ++last;
    }

    /** Adds a version; one that is there already keeps its number. */
    void add(StagedIndex.Entry entry) {
        VolumeRepairs numbers = volumes.computeIfAbsent(entry.block().volume(), ignored -> new VolumeRepairs());
        numbers.of.computeIfAbsent(entry, ignored -> ++last);
        numbers.changed = true;
    }

    /** No round of now waits for it any more, but later ones do. */
    void renew(StagedIndex.Entry entry) {
        VolumeRepairs numbers = volumes.get(entry.block().volume());
        if (numbers != null && numbers.of.computeIfPresent(entry, (ignored1, ignored2) -> ++last) != null) {
            numbers.changed = true;
        }
    }

    void remove(StagedIndex.Entry entry) {
        VolumeRepairs numbers = volumes.get(entry.block().volume());
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

    /** Returns the number of a volume's versions that a round of that number waits for. */
    int before(int volume, long mark) {
        VolumeRepairs numbers = volumes.get(volume);
        return numbers == null ? 0 : -1 - Arrays.binarySearch(numbers.sorted(), mark);
    }

    /** Returns the versions for which a round of that number waits. */
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
