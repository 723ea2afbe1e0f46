package io.bulwark.protocol.completion;

/**
 * How many bytes of fragments a node may make again in a second, for whatever reason. What it made is known only once it is made, so each is charged then, and
 * nothing that may make another begins while there is a debt.
 */
public interface RebuildRate {
    /** Whether something may begin now that may make a fragment. */
    boolean open(long nowMillis);

    /**
     * A fragment was made, or is going to be.
     *
     * @param bytes its length
     */
    void charge(long nowMillis, long bytes);

    /** So many bytes in a second, a tenth of them at once. */
    static RebuildRate of(long bytesPerSecond) {
        TokenBucket bucket = new TokenBucket((double) bytesPerSecond, bytesPerSecond / 10.0);
        return new RebuildRate() {
            @Override
            public boolean open(long nowMillis) {
                return bucket.left(nowMillis) > 0;
            }

            @Override
            public void charge(long nowMillis, long bytes) {
                double _ = bucket.left(nowMillis);
                bucket.take((double) bytes);
            }
        };
    }
}
