package io.bulwark.protocol.ordering.membership;

import io.bulwark.protocol.id.PrincipalId;
import java.util.HashMap;
import java.util.Map;

/**
 * Rate limit for each sender, across all subjects that it asks about: a burst, then one action each {@link
 * #EACH_MILLIS}.
 */
final class SenderRateLimit {
    static final long EACH_MILLIS = 20;

    /**
     * Maximum number of senders remembered. While all of them have asked recently, requests of other senders are
     * ignored.
     */
    private static final int SENDERS_MAX = 4_096;

    private final long aheadMillisMax;
    /** Until when what was done for a sender lasts, had it not been done at once. */
    private final Map<PrincipalId, Long> lastsMillis = new HashMap<>();

    SenderRateLimit(int atOnce) {
        aheadMillisMax = (atOnce - 1) * EACH_MILLIS;
    }

    boolean allows(long nowMillis, PrincipalId sender) {
        long lasts = Math.max(nowMillis, lastsMillis.getOrDefault(sender, nowMillis));
        if (lasts - nowMillis > aheadMillisMax) {
            return false;
        }
        if (lastsMillis.size() >= SENDERS_MAX) {
            lastsMillis.values().removeIf(until -> until <= nowMillis);
            if (lastsMillis.size() >= SENDERS_MAX && !lastsMillis.containsKey(sender)) {
                return false;
            }
        }
        lastsMillis.put(sender, lasts + EACH_MILLIS);
        return true;
    }

    /** Nobody waits any more. */
    void clear() {
        lastsMillis.clear();
    }
}
