package io.bulwark.simulation.engine;

/**
 * A party's own clock.
 *
 * @param skewMillis what it shows at the beginning
 * @param driftPpm how many microseconds per second it is fast; slow if negative
 */
public record Clock(long skewMillis, int driftPpm) {
    public static final Clock TRUE = new Clock(0, 0);

    public Clock {
        if (skewMillis < 0 || Math.abs(driftPpm) > 900_000) {
            throw new IllegalArgumentException("no such clock: " + skewMillis + " ms, " + driftPpm + " ppm");
        }
    }

    /** Returns its reading at a virtual time. */
    long at(long millis) {
        return skewMillis + millis + millis * driftPpm / 1_000_000;
    }
}
