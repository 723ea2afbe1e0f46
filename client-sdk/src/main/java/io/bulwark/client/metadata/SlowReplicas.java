package io.bulwark.client.metadata;

import io.bulwark.protocol.id.PrincipalId;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The replicas that kept calls waiting for a whole reply. For a while, which grows while that continues, calls ask
 * other replicas for it. So a replica that is dead or withholds its replies delays few calls. Thread-safe.
 */
final class SlowReplicas {
    private static final long PAUSE_FIRST_MILLIS = 1_000;
    private static final long PAUSE_MAX_MILLIS = 32_000;

    private record Pause(long untilMillis, long millis) {
        /** Returns the next pause, or this one while it lasts; a pause long ago no longer counts. */
        private Pause next(long nowMillis) {
            if (nowMillis < untilMillis) {
                return this;
            }
            return nowMillis < untilMillis + millis
                    ? begun(nowMillis, Math.min(2 * millis, PAUSE_MAX_MILLIS))
                    : first(nowMillis);
        }

        private static Pause first(long nowMillis) {
            return begun(nowMillis, PAUSE_FIRST_MILLIS);
        }

        private static Pause begun(long nowMillis, long millis) {
            return new Pause(nowMillis + millis, millis);
        }
    }

    private final Map<PrincipalId, Pause> pauses = new ConcurrentHashMap<>();

    /** Returns the replicas that must not be chosen as replier now. */
    Set<PrincipalId> late() {
        if (pauses.isEmpty()) {
            return Set.of();
        }
        long nowMillis = nowMillis();
        Set<PrincipalId> late = new HashSet<>();
        pauses.forEach((replica, pause) -> {
            if (nowMillis < pause.untilMillis()) {
                late.add(replica);
            }
        });
        return late;
    }

    void onLate(Set<PrincipalId> replicas) {
        long nowMillis = nowMillis();
        replicas.forEach(
                replica -> pauses.merge(replica, Pause.first(nowMillis), (before, ignored) -> before.next(nowMillis)));
    }

    private static long nowMillis() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }
}
