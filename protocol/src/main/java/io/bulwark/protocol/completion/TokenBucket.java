package io.bulwark.protocol.completion;

/** So much in a second, and no more than so much at once. Who has taken more than there was has a debt, which is paid first. */
public final class TokenBucket {
    private final double perMilli;
    private final double most;
    private double left;
    private long filledMillis;

    /**
     * Full.
     *
     * @param perSecond what comes
     * @param most what is there at most
     */
    public TokenBucket(double perSecond, double most) {
        this.perMilli = perSecond / 1_000;
        this.most = most;
        this.left = most;
    }

    /** What there is at this time; less than zero for a debt. */
    public double left(long nowMillis) {
        fill((double) Math.max(0, nowMillis - filledMillis));
        filledMillis = nowMillis;
        return left;
    }

    /** What there was last. */
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
