package io.bulwark.storage.completion;

import java.util.concurrent.TimeUnit;

/** Lets so many pass per second, evenly. Used by one thread. */
final class Pace {
    private final long intervalNanos;
    private long nextNanos = System.nanoTime();

    Pace(int perSecond) {
        intervalNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
    }

    void await() throws InterruptedException {
        long now = System.nanoTime();
        if (nextNanos - now > 0) {
            TimeUnit.NANOSECONDS.sleep(nextNanos - now);
        }
        nextNanos = Math.max(nextNanos, now - TimeUnit.MILLISECONDS.toNanos(100)) + intervalNanos;
    }
}
