package io.bulwark.transport;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Log of rejected parties. A party that was removed, or is not admitted yet, retries as long as it runs. It is logged
 * once, and again after an absence. Thread-safe.
 */
final class RefusedIdentityLog {
    static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(10);

    /** Anybody can claim to be many. */
    static final int CLAIMS_MAX = 256;

    private final Map<String, Long> lastNanos = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > CLAIMS_MAX;
        }
    };

    /** Records a refusal; returns whether it is worth a line in the log. */
    synchronized boolean isNews(String claim, long nowNanos) {
        Long last = lastNanos.put(claim, nowNanos);
        return last == null || nowNanos - last >= QUIET_NANOS;
    }

    /** It could not be said now, so it is worth a line the next time. */
    synchronized void forget(String claim) {
        lastNanos.remove(claim);
    }
}
