package io.bulwark.storage.background;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/** Recent shortage of the history pool, and the size that it needs (lazy verification paper, 3.4). Thread-safe. */
final class PoolShortage {
    private static final long LASTS_NANOS = TimeUnit.MINUTES.toNanos(1);
    /** Settings are in such units. */
    private static final long MIB = 1 << 20;

    /**
     * The greatest shortage that was met.
     *
     * @param nanos when it was last met
     * @param saidNanos when the log last had a word of a shortage
     */
    private record LargestShortage(long neededBytes, long nanos, long saidNanos) {
        boolean isOver(long now) {
            return now - nanos >= LASTS_NANOS;
        }
    }

    private final LongSupplier nanos;
    private final AtomicReference<LargestShortage> met;

    PoolShortage(LongSupplier nanos) {
        this.nanos = nanos;
        long before = nanos.getAsLong() - LASTS_NANOS;
        met = new AtomicReference<>(new LargestShortage(0, before, before));
    }

    /** Notes one; true if it is to be said in the log, which it is once in a minute. */
    boolean note(long neededBytes) {
        long now = nanos.getAsLong();
        LargestShortage before = met.getAndUpdate(last -> {
            boolean greatest = last.isOver(now) || neededBytes >= last.neededBytes();
            return new LargestShortage(
                    greatest ? neededBytes : last.neededBytes(),
                    greatest ? now : last.nanos(),
                    now - last.saidNanos() >= LASTS_NANOS ? now : last.saidNanos());
        });
        return now - before.saidNanos() >= LASTS_NANOS;
    }

    /** Returns the needed bytes in whole MiB; 0 if no shortage was met for a minute. */
    long neededBytes() {
        LargestShortage last = met.get();
        return last.isOver(nanos.getAsLong()) ? 0 : (last.neededBytes() + MIB - 1) / MIB * MIB;
    }
}
