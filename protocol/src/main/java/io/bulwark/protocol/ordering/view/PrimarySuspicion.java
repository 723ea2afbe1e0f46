package io.bulwark.protocol.ordering.view;

import io.bulwark.protocol.ordering.log.Slot;
import io.bulwark.protocol.ordering.log.SlotLog;
import io.bulwark.protocol.ordering.log.View;
import io.bulwark.protocol.ordering.message.ReplicaMessage.NewView;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.normal.Execution;
import io.bulwark.protocol.ordering.request.PendingRequest;
import io.bulwark.protocol.ordering.request.RequestPool;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Criteria by which a backup suspects the primary (docs/ordering). Timers: a request is timed from when it is due
 * ({@link RequestPool}), a number from its accepted PRE-PREPARE. Both restart with each view, and only execution here
 * stops the timer. Unfair primaries: a ready request stays without a number while batches of later requests get theirs.
 * Slow primaries: requests constantly wait for a number, and execution in that time falls below a share of the last
 * views' rate. The bounds of the latter two relax with each view change that they cause here, so that a slow group
 * stabilizes.
 */
final class PrimarySuspicion {
    private static final int PASSED_OVER_MAX = 32;
    private static final int SHARE = 4;
    private static final int RELAXED_MAX = 10;
    private static final int VIEWS = 8;
    private static final long WINDOW_MILLIS = 1_000;

    /**
     * Minimum time before a request without a number counts against the primary: vouches reach it later than this
     * replica.
     */
    private static final long SLACK_MILLIS = 250;

    /** Cost of a request beside its bytes. */
    private static final int REQUEST_BYTES = 512;

    /**
     * Bound on the time between two checks. A replica that did not check for longer was stalled itself, and the primary
     * is not to blame.
     */
    private static final long STILL_MILLIS = 500;

    private final View view;
    private final SlotLog log;
    private final RequestPool pool;
    private final Execution execution;
    private final Deque<Long> bestOfViews = new ArrayDeque<>();
    /** Since when the primary has been watched: the view was entered, or this replica woke up. */
    private long enteredMillis = -1;

    private long lastChosen;
    private long lookedMillis;
    /**
     * True if this replica was stalled and has executed nothing since. A second stall is no excuse, or pauses would
     * protect a silent primary for ever.
     */
    private boolean excused;

    private int unfairRelaxed;
    private int slowRelaxed;
    private long windowMillis;
    private long windowBytes;
    private boolean windowWaits = true;
    private long bestBytes;

    PrimarySuspicion(View view, SlotLog log, RequestPool pool, Execution execution) {
        this.view = view;
        this.log = log;
        this.pool = pool;
        this.execution = execution;
    }

    void enter(long nowMillis, NewView newView) {
        lastChosen = newView.checkpoint().sequence() + newView.chosen().size();
        excused = false;
        enteredMillis = nowMillis;
        bestOfViews.add(bestBytes);
        bestBytes = 0;
        if (bestOfViews.size() > VIEWS) {
            bestOfViews.remove();
        }
        beginWindow(nowMillis);
    }

    void onExecuted(Request request) {
        excused = false;
        windowBytes += REQUEST_BYTES + request.operation().length();
    }

    /** @param timeoutMillis how long a request may take in this view */
    boolean suspects(long nowMillis, long timeoutMillis) {
        boolean stoodStill = enteredMillis >= 0 && nowMillis - lookedMillis >= STILL_MILLIS && !excused;
        if (enteredMillis < 0 || stoodStill) {
            enteredMillis = nowMillis; // this life has just begun, or goes on after a pause
            excused = stoodStill;
            beginWindow(nowMillis);
        }
        lookedMillis = nowMillis;
        boolean slow = isSlow(nowMillis);
        if (!view.isActive() || view.isPrimary() || execution.isSuspended()) {
            return false;
        }
        if (nowMillis - Math.max(enteredMillis, waitingSinceMillis()) >= timeoutMillis) {
            return true;
        }
        if (slow) {
            slowRelaxed = Math.min(slowRelaxed + 1, RELAXED_MAX);
            return true;
        }
        if (isUnfair(nowMillis)) {
            unfairRelaxed = Math.min(unfairRelaxed + 1, RELAXED_MAX);
            return true;
        }
        return false;
    }

    /** Since when the request or number waits that has waited for longest; far in the future if there is none. */
    private long waitingSinceMillis() {
        long since = Long.MAX_VALUE / 2;
        for (PendingRequest entry : pool.due()) {
            since = Math.min(since, entry.sinceMillis);
        }
        for (Slot slot : log.slotsAbove(execution.executed())) {
            if (slot.accepted) {
                since = Math.min(since, slot.acceptedMillis);
            }
        }
        if (execution.executed() < Math.min(execution.fillUpTo(log.low()), log.high())) {
            // A recovery waits for numbers, which the primary is to fill.
            since = Math.min(since, execution.progressMillis());
        }
        return since;
    }

    private boolean isUnfair(long nowMillis) {
        for (PendingRequest entry : pool.due()) {
            if (!entry.proposed
                    && !pool.isCrowded(entry)
                    && entry.passedOver >= (PASSED_OVER_MAX << unfairRelaxed)
                    && nowMillis - Math.max(enteredMillis, entry.dueMillis) >= SLACK_MILLIS) {
                return true;
            }
        }
        return false;
    }

    private boolean isSlow(long nowMillis) {
        windowWaits &= isWaitingForNumbers(nowMillis);
        if (nowMillis - windowMillis < WINDOW_MILLIS) {
            return false;
        }
        bestBytes = Math.max(bestBytes, windowBytes);
        long best = bestBytes;
        for (long each : bestOfViews) {
            best = Math.max(best, each);
        }
        boolean slow = windowWaits && windowBytes < (best / SHARE) >> slowRelaxed;
        beginWindow(nowMillis);
        return slow;
    }

    /** The primary could give a number to a request that waits for one, and it has known that for a while. */
    private boolean isWaitingForNumbers(long nowMillis) {
        Slot last = log.peek(log.high());
        if (execution.executed() < lastChosen || (last != null && last.accepted)) {
            return false;
        }
        for (PendingRequest entry : pool.due()) {
            if (!entry.proposed) {
                return nowMillis - entry.dueMillis >= SLACK_MILLIS;
            }
        }
        return false;
    }

    private void beginWindow(long nowMillis) {
        windowMillis = nowMillis;
        windowBytes = 0;
        windowWaits = true;
    }
}
