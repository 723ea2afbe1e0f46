package io.bulwark.protocol.ordering.replica;

/** Clock for the time in batches, known from the driver's last report; timers use another clock that never jumps. */
final class Clock {
    private long offsetMillis;

    void set(long nowMillis, long wallMillis) {
        offsetMillis = wallMillis - nowMillis;
    }

    /** Milliseconds since 1970, at least 1: zero is the time of the null batch. */
    long wallMillis(long nowMillis) {
        return Math.max(1, nowMillis + offsetMillis);
    }
}
