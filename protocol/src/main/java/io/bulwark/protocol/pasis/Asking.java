package io.bulwark.protocol.pasis;

import io.bulwark.protocol.fp.FpTimes;

/** One request to one node: when it was sent, and whether its answer is overdue. */
final class Asking {
    private static final int BACKOFF_MAX = 3;
    private static final int LATE_RETRIES = 4;

    /** Who moves all the time is slow after so many times the time of a retry. */
    private static final int MOVING_FACTOR = 32;

    private final FpTimes times;
    private final long movingUntilMillis;
    /** When it was sent first, or its connection was seen to move. */
    private long sinceMillis;

    private long sentMillis;
    private int tries;
    private boolean answered;

    Asking(FpTimes times, long nowMillis) {
        this.times = times;
        this.movingUntilMillis = nowMillis + MOVING_FACTOR * times.retryMillis();
        this.sinceMillis = nowMillis;
        this.sentMillis = nowMillis;
    }

    /** Its connection was moving at this time. */
    void moving(long atMillis) {
        sinceMillis = Math.max(sinceMillis, Math.min(atMillis, movingUntilMillis));
    }

    void answered() {
        answered = true;
    }

    boolean waiting() {
        return !answered;
    }

    boolean slow(long nowMillis) {
        return !answered && nowMillis - sinceMillis >= times.hedgeMillis();
    }

    /** Whether it is not worth waiting for any more. */
    boolean late(long nowMillis) {
        return !answered && nowMillis - sinceMillis >= LATE_RETRIES * times.retryMillis();
    }

    /** Whether to send it again now; the pause doubles with each time. */
    boolean again(long nowMillis) {
        boolean due = !answered && nowMillis - sentMillis >= times.retryMillis() << tries;
        if (due) {
            sentMillis = nowMillis;
            tries = Math.min(tries + 1, BACKOFF_MAX);
        }
        return due;
    }
}
