package io.bulwark.protocol.completion;

/**
 * Token bucket with a rate per second and a maximum. A caller that takes more than there is leaves a debt, which is
 * paid first.
 */
public final class TokenBucket {
    private final double perMilli;
    private final double most;
    private double left;
    private long filledMillis;

    /**
     * Creates a full bucket.
     *
     * @param perSecond rate of the refill
     * @param most capacity
     */
    public TokenBucket(double perSecond, double most) {
        this.perMilli = perSecond / 1_000;
        this.most = most;
        this.left = most;
    }

    /** Returns the tokens at this time; less than zero for a debt. */
    public double left(long nowMillis) {
        fill((double) Math.max(0, nowMillis - filledMillis));
        filledMillis = nowMillis;
        return left;
    }

    /** Returns the tokens as of the last update. */
    public double left() {
        return left;
    }

    /** Lets so much time pass, for those who do not count all of it. */
    public void fill(double millis) {
        left = Math.min(most, left + millis * perMilli);
    }

    public void take(double tokens) {
        left -= tokens;
    }
}
