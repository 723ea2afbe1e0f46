package io.bulwark.appliance.cluster;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Notices that something makes no progress any more: for a while nothing was seen of it that had not been seen before. How long it
 * takes altogether does not matter. Not thread-safe.
 */
public final class ProgressWatch {
    public static final Duration PATIENCE = Duration.ofMinutes(3);

    private static final int SEEN_MAX = 10_000;

    private final LongSupplier nanos;
    private final Set<String> seen = new HashSet<>();
    private long lastNanos;

    public ProgressWatch() {
        this(System::nanoTime);
    }

    ProgressWatch(LongSupplier nanos) {
        this.nanos = nanos;
        this.lastNanos = nanos.getAsLong();
    }

    /** Returns whether there has been no progress for too long. To be called often. */
    public boolean isStalled(String observed) {
        long now = nanos.getAsLong();
        if (seen.size() == SEEN_MAX) {
            seen.clear();
        }
        if (seen.add(observed)) {
            lastNanos = now;
        }
        return now - lastNanos > PATIENCE.toNanos();
    }
}
