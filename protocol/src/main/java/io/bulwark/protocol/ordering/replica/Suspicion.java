package io.bulwark.protocol.ordering.replica;

/**
 * When a backup suspects the primary (PROTOCOLS section 7, timers). A request is timed from 2f+1 vouches on, a number from its
 * accepted PRE-PREPARE on, both anew with each view, and only its execution here stops the timer.
 */
final class Suspicion {
    private final View view;
    private final SlotLog log;
    private final RequestPool pool;
    private final Execution execution;
    private long enteredMillis;

    Suspicion(View view, SlotLog log, RequestPool pool, Execution execution) {
        this.view = view;
        this.log = log;
        this.pool = pool;
        this.execution = execution;
    }

    void enter(long nowMillis) {
        enteredMillis = nowMillis;
    }

    /** @param timeoutMillis how long a request may take in this view */
    boolean suspects(long nowMillis, long timeoutMillis) {
        if (!view.isActive() || view.isPrimary() || execution.isSuspended()) {
            return false;
        }
        return nowMillis - Math.max(enteredMillis, waitingSinceMillis()) >= timeoutMillis;
    }

    /** Since when the request or number waits that has waited for longest; far in the future if there is none. */
    private long waitingSinceMillis() {
        long since = Long.MAX_VALUE / 2;
        for (RequestPool.Entry entry : pool.ready()) {
            since = entry.readyMillis;
            break;
        }
        for (Slot slot : log.above(execution.executed())) {
            if (slot.accepted) {
                since = Math.min(since, slot.acceptedMillis);
            }
        }
        return since;
    }
}
