package io.bulwark.storage.background;

import java.util.Arrays;

/**
 * Sum of a quantity over the last ten seconds. Time is an argument, in milliseconds on any clock that never steps. Not
 * thread-safe.
 */
final class SlidingWindow {
    private static final int SECONDS = 10;

    /** Sum of each second; the current second's slot was overwritten last. */
    private final long[] sums = new long[SECONDS];

    private long second;

    SlidingWindow(long nowMillis) {
        second = nowMillis / 1_000;
    }

    void add(long nowMillis, long amount) {
        pass(nowMillis);
        sums[(int) (second % SECONDS)] += amount;
    }

    /** Returns the average. */
    long perSecond(long nowMillis) {
        pass(nowMillis);
        return Arrays.stream(sums).sum() / SECONDS;
    }

    private void pass(long nowMillis) {
        long now = nowMillis / 1_000;
        for (long next = Math.max(second + 1, now - SECONDS + 1); next <= now; next++) {
            sums[(int) (next % SECONDS)] = 0;
        }
        second = Math.max(second, now);
    }
}
