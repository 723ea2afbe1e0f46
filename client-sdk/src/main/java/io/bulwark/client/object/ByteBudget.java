package io.bulwark.client.object;

import io.bulwark.client.error.Subject;
import io.bulwark.protocol.bucket.ObjectGet;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Budget for the bytes of blocks that all operations of a client may have in flight. First come, first served. */
public final class ByteBudget implements ObjectGet.ReadAheadQuota {
    private static final int UNIT_BYTES = 1024;

    private final int unitsMax;
    private final Semaphore units;

    public ByteBudget(long bytes) {
        this.unitsMax = Math.clamp(bytes / UNIT_BYTES, 1, Integer.MAX_VALUE);
        this.units = new Semaphore(unitsMax, true);
    }

    /** Waits for room. A wish for more than all of it is one for all of it. */
    void acquire(int bytes, Deadline deadline, Subject subject) {
        try {
            if (!units.tryAcquire(unitsOf(bytes), deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
                throw deadline.exceeded(subject);
            }
        } catch (InterruptedException e) {
            throw Deadline.interrupted(subject, e);
        }
    }

    @Override
    public boolean take(int bytes) {
        return units.tryAcquire(unitsOf(bytes));
    }

    @Override
    public void giveBack(int bytes) {
        release(bytes);
    }

    void release(int bytes) {
        units.release(unitsOf(bytes));
    }

    /** Returns the free bytes of the budget. */
    public long freeBytes() {
        return (long) units.availablePermits() * UNIT_BYTES;
    }

    private int unitsOf(int bytes) {
        return Math.min(unitsMax, Math.ceilDiv(bytes, UNIT_BYTES));
    }
}
