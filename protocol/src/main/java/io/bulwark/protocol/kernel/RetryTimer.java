package io.bulwark.protocol.kernel;

/** One request to one node: when it was sent, and whether its answer is overdue. */
public final class RetryTimer {
    private static final int BACKOFF_MAX = 3;
    private static final int LATE_RETRIES = 4;

    /** Number of retry times after which a node counts as slow although its connection moves all the time. */
    private static final int MOVING_FACTOR = 32;

    private final Timeouts times;
    private boolean waiting;
    private long askedMillis;
    /** Time at which it went out, or its connection was seen to move. */
    private long sinceMillis;

    private long sentMillis;
    private int tries;

    public RetryTimer(Timeouts times) {
        this.times = times;
    }

    /** Returns the patience for a request that goes out now. */
    public static RetryTimer asked(Timeouts times, long nowMillis) {
        RetryTimer retryTimer = new RetryTimer(times);
        retryTimer.ask(nowMillis);
        return retryTimer;
    }

    /** A new request goes out. */
    public void ask(long nowMillis) {
        waiting = true;
        askedMillis = nowMillis;
        sinceMillis = nowMillis;
        sentMillis = nowMillis;
        tries = 0;
    }

    /**
     * Records that the connection was moving at this time, as if the request had been sent then; the extension is
     * bounded.
     */
    public void onMovement(long atMillis) {
        sinceMillis = Math.max(sinceMillis, Math.min(atMillis, askedMillis + MOVING_FACTOR * times.retryMillis()));
    }

    /** The same request goes out again. */
    public void askAgain(long nowMillis) {
        sentMillis = nowMillis;
        tries = Math.min(tries + 1, BACKOFF_MAX);
    }

    public void answered() {
        waiting = false;
    }

    public boolean waiting() {
        return waiting;
    }

    public long askedMillis() {
        return askedMillis;
    }

    public boolean isSlow(long nowMillis) {
        return waiting && nowMillis - sinceMillis >= times.hedgeMillis();
    }

    /** Returns whether the answer is too late to wait for. */
    public boolean late(long nowMillis) {
        return waiting && nowMillis - sinceMillis >= LATE_RETRIES * times.retryMillis();
    }

    /** Returns whether to send the request again now, and records that. */
    public boolean again(long nowMillis) {
        boolean due = waiting && isRetryDue(nowMillis);
        if (due) {
            askAgain(nowMillis);
        }
        return due;
    }

    /** Returns whether another request may go out. */
    public boolean mayAskAgain(long nowMillis) {
        return nowMillis - sentMillis >= times.retryMillis();
    }

    /** Returns whether it is time to send again; the pause doubles with each retry. */
    public boolean isRetryDue(long nowMillis) {
        return nowMillis - sentMillis >= times.retryMillis() << tries;
    }

    public boolean hasRetried() {
        return tries > 0;
    }
}
