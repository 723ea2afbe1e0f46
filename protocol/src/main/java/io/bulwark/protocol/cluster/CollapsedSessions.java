package io.bulwark.protocol.cluster;

import io.bulwark.protocol.id.PrincipalId;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The sessions of which 2f+1 replicas said that they are closed, and that nothing of them is referenced. They are intervals of each
 * owner's numbers, which grow together. Of too many the lowest of an owner are forgotten, and the owners longest unused.
 */
public final class CollapsedSessions {
    static final int OF_ONE_OWNER_MAX = 1_024;
    private static final int OWNERS_MAX = 4_096;

    /** By owner the last number of each interval by its first. */
    private final Map<PrincipalId, NavigableMap<Long, Long>> intervals = new LinkedHashMap<>(16, 0.75f, true);

    /** Keeps what the replicas said. */
    public void learn(Fact.Collapsed told) {
        NavigableMap<Long, Long> known = intervals.computeIfAbsent(told.owner(), ignored -> new TreeMap<>());
        long first = told.firstSession();
        long last = told.lastSession();
        for (Map.Entry<Long, Long> before = known.floorEntry(last);
                before != null && before.getValue() >= first;
                before = known.floorEntry(last)) {
            first = Math.min(first, before.getKey());
            last = Math.max(last, before.getValue());
            known.remove(before.getKey());
        }
        known.put(first, last);
        if (known.size() > OF_ONE_OWNER_MAX) {
            known.pollFirstEntry();
        }
        if (intervals.size() > OWNERS_MAX) {
            intervals.remove(intervals.keySet().iterator().next());
        }
    }

    /** Returns whether this session has collapsed. */
    public boolean covers(PrincipalId owner, long session) {
        NavigableMap<Long, Long> known = intervals.get(owner);
        Map.Entry<Long, Long> below = known == null ? null : known.floorEntry(session);
        return below != null && session <= below.getValue();
    }
}
