package io.bulwark.protocol.locking;

import io.bulwark.protocol.effect.DistantPast;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.RetryTimer;
import io.bulwark.protocol.kernel.Timeouts;

/** A log server as its holder knows it: how much of the log it has, and what it has yet to answer. */
final class LogPeer {
    private static final int BUSY_DOUBLINGS_MAX = 5;

    private final PrincipalId id;
    private final RetryTimer timer;

    /** Length that it has acknowledged, and the one that it has told otherwise, if that is greater. */
    private long stored;

    private long told;
    private long sent;
    private boolean hasRefused;
    private long gapMillis = DistantPast.MILLIS;
    private long busyUntilMillis = Long.MAX_VALUE;
    private int busyTimes;

    LogPeer(PrincipalId id, Timeouts times) {
        this.id = id;
        timer = new RetryTimer(times);
    }

    PrincipalId id() {
        return id;
    }

    /** Number of entries that have been sent. */
    long sent() {
        return sent;
    }

    /** It refuses the log for good. */
    void refuse() {
        hasRefused = true;
    }

    boolean hasRefused() {
        return hasRefused;
    }

    /** Returns whether it lacks entries, and has not too many to answer. */
    boolean canTake(long length) {
        return !hasRefused && sent < length && sent - told < LogLimits.OUTSTANDING_MAX;
    }

    void onSent(long nowMillis, long length) {
        sent = length;
        busyUntilMillis = Long.MAX_VALUE;
        if (!timer.waiting()) {
            timer.ask(nowMillis);
        }
    }

    /** It has the log up to this length. */
    void onStored(long length) {
        stored = Math.max(stored, length);
        told = Math.max(told, stored);
        sent = Math.max(sent, stored);
        busyTimes = 0;
        if (stored >= sent) {
            timer.answered();
        }
    }

    /**
     * Records where it stands, which acknowledges nothing. Returns whether to send what follows at once; a server that
     * repeats itself waits for the timer.
     */
    boolean onGap(long nowMillis, long length) {
        boolean isNew = length > told || nowMillis - gapMillis >= LogHolder.BUSY_MILLIS;
        if (length < stored || !isNew) {
            return false;
        }
        gapMillis = nowMillis;
        told = length;
        sent = length;
        return true;
    }

    /** It cannot take the batch yet. */
    void onBusy(long nowMillis) {
        if (busyUntilMillis == Long.MAX_VALUE) {
            busyUntilMillis = nowMillis + (LogHolder.BUSY_MILLIS << busyTimes);
            busyTimes = Math.min(busyTimes + 1, BUSY_DOUBLINGS_MAX);
        }
    }

    /** Returns whether to send again what it has not answered, and records that. */
    boolean repeat(long nowMillis) {
        boolean isDue = nowMillis >= busyUntilMillis || timer.again(nowMillis);
        if (isDue) {
            sent = stored;
        }
        return isDue;
    }
}
