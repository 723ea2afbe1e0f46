package io.bulwark.protocol.ordering.log;

/** Clock for the time in batches, known from the driver's last report; timers use another clock that never jumps. */
public final class Clock {
    private long offsetMillis;

    public void set(long nowMillis, long wallMillis) {
        offsetMillis = wallMillis - nowMillis;
    }

    /** Milliseconds since 1970, at least 1: zero is the time of the null batch. */
    public long wallMillis(long nowMillis) {
        return Math.max(1, nowMillis + offsetMillis);
    }
}
