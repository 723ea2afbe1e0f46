package io.bulwark.client.locking;

import io.bulwark.protocol.locking.LogLimits;
import io.bulwark.protocol.locking.Subtree;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Choice of the subtrees to lock (thesis, 5.3.1): a directory that this client has accessed {@link #THRESHOLD} times
 * without contention is worth a lock. Counters are reset every {@link #RESET_OPERATIONS} operations, so that a contended
 * directory gets another chance. Single-threaded.
 */
final class LockPolicy {
    static final int THRESHOLD = 10;
    static final int RESET_OPERATIONS = 4_096;

    /** Number of directories with one parent from which on the parent is locked. */
    static final int SIBLINGS = 4;

    private static final int CONTENDED = Integer.MIN_VALUE;
    private static final int DIRECTORIES_MAX = 4_096;

    private final Map<Subtree, Integer> counters = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Subtree, Integer> eldest) {
            return size() > DIRECTORIES_MAX;
        }
    };

    private int operations;

    /** Returns the directory of a key: the part up to its last slash. */
    static Subtree directoryOf(String bucket, String key) {
        return new Subtree(bucket, key.substring(0, key.lastIndexOf('/') + 1));
    }

    /** Counts an access; returns the directory once it is worth a lock. */
    Optional<Subtree> onAccess(String bucket, String key) {
        if (++operations % RESET_OPERATIONS == 0) {
            counters.clear();
        }
        Subtree directory = directoryOf(bucket, key);
        int count =
                counters.merge(directory, 1, (before, one) -> before < 0 ? before : Math.min(before + one, THRESHOLD));
        return count == THRESHOLD ? Optional.of(directory) : Optional.empty();
    }

    /** Takes a subtree for one that others use, too, until the counters are reset. */
    void onContended(Subtree subtree) {
        counters.replaceAll((directory, count) -> subtree.overlaps(directory) ? CONTENDED : count);
        counters.put(subtree, CONTENDED);
    }

    /**
     * Adds a subtree to those that are held. Many neighbours become their parent, unless it is contended. Returns disjoint
     * subtrees, as many as a LOCK may name, the added one among them.
     */
    List<Subtree> with(List<Subtree> held, Subtree added) {
        TreeSet<Subtree> all = new TreeSet<>(held);
        all.add(added);
        Map<Subtree, Integer> children = new HashMap<>();
        for (Subtree subtree : all) {
            parentOf(subtree).ifPresent(parent -> children.merge(parent, 1, Integer::sum));
        }
        new TreeMap<>(children).forEach((parent, count) -> {
            if (count >= SIBLINGS && counters.getOrDefault(parent, 0) >= 0) {
                all.add(parent);
            }
        });
        List<Subtree> disjoint = new ArrayList<>();
        for (Subtree subtree : all) {
            if (disjoint.isEmpty() || !disjoint.getLast().overlaps(subtree)) {
                disjoint.add(subtree);
            }
        }
        while (disjoint.size() > LogLimits.SUBTREES_MAX) {
            disjoint.remove(disjoint.getFirst().overlaps(added) ? 1 : 0);
        }
        return disjoint;
    }

    private static Optional<Subtree> parentOf(Subtree subtree) {
        String prefix = subtree.prefix();
        if (prefix.isEmpty()) {
            return Optional.empty();
        }
        int slash = prefix.lastIndexOf('/', prefix.length() - 2);
        return Optional.of(new Subtree(subtree.bucket(), prefix.substring(0, slash + 1)));
    }
}
