package io.bulwark.storage.node;

import java.util.concurrent.TimeUnit;

/**
 * Time of the last request of a client. The nodes of a process share one, since they share its processors: background work of
 * one waits for clients of all. Thread-safe.
 */
public final class ForegroundClock {
    private volatile long lastNanos;
    private volatile boolean seen;

    void onRequest() {
        lastNanos = System.nanoTime();
        seen = true;
    }

    /** Returns the time since the last request; long ago if there was none. */
    long sinceMillis() {
        return seen ? TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - lastNanos) : Long.MAX_VALUE / 2;
    }
}
