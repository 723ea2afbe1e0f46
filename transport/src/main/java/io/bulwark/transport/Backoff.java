package io.bulwark.transport;

import java.util.random.RandomGenerator;

/** Exponential pauses with jitter, so that many links do not reconnect at once. */
final class Backoff {
    private Backoff() {}

    /** Between half and all of {@code min * 2^failures}, which is cut to {@code max}. */
    static long pauseMillis(int failures, long minMillis, long maxMillis, RandomGenerator random) {
        long full = minMillis;
        for (int i = 0; i < failures && full < maxMillis; i++) {
            full *= 2;
        }
        full = Math.min(full, maxMillis);
        return full - random.nextLong(full / 2 + 1);
    }
}
