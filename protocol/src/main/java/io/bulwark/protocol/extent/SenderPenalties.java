package io.bulwark.protocol.extent;

import io.bulwark.protocol.id.PrincipalId;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Senders whose stores were not consistent with their fpcc. To find that out costs as much as encoding a block, and no
 * correct client sends such a thing: each one keeps its sender out for a while, twice as long as the one before.
 */
final class SenderPenalties {
    private static final int SENDERS_MAX = 4096;
    private static final long FIRST_MILLIS = 250;
    private static final int DOUBLINGS_MAX = 8;
    private static final long FORGOTTEN_MILLIS = 600_000;

    private record Penalty(int count, long atMillis) {
        long untilMillis() {
            return atMillis + (FIRST_MILLIS << Math.min(count - 1, DOUBLINGS_MAX));
        }
    }

    private final Map<PrincipalId, Penalty> senders = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<PrincipalId, Penalty> eldest) {
            return size() > SENDERS_MAX;
        }
    };

    /** Returns whether nothing of this sender is checked now. */
    boolean isBarred(long nowMillis, PrincipalId sender) {
        Penalty struck = senders.get(sender);
        return struck != null && nowMillis < struck.untilMillis();
    }

    void strike(long nowMillis, PrincipalId sender) {
        Penalty before = senders.get(sender);
        int count = before == null || nowMillis - before.atMillis() >= FORGOTTEN_MILLIS ? 0 : before.count();
        senders.put(sender, new Penalty(count + 1, nowMillis));
    }
}
