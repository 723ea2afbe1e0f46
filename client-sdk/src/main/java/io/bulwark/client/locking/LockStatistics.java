package io.bulwark.client.locking;

import java.util.concurrent.atomic.LongAdder;

/** Counts of one client's operations by their way. Thread-safe. */
public final class LockStatistics {
    private final LongAdder logged = new LongAdder();
    private final LongAdder ordered = new LongAdder();

    void onLogged() {
        logged.increment();
    }

    void onOrdered() {
        ordered.increment();
    }

    /** Returns the number of operations that a log has taken. */
    public long logged() {
        return logged.sum();
    }

    /** Returns the number of lockable operations that were ordered. */
    public long ordered() {
        return ordered.sum();
    }
}
