package io.bulwark.storage.node;

import java.util.concurrent.TimeUnit;

/**
 * Time of the last request of a client. The nodes of a process share one, since they share its processors: background work of
 * one slows down for clients of all. Thread-safe.
 */
public final class ForegroundClock {
    private static final long LONG_AGO_DAYS = 1;

    private volatile long lastNanos = System.nanoTime() - TimeUnit.DAYS.toNanos(LONG_AGO_DAYS);

    void onRequest() {
        lastNanos = System.nanoTime();
    }

    /** Returns the time since the last request, or since a day before the start. */
    long sinceMillis() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - lastNanos);
    }
}
