package io.bulwark.protocol.completion;

/**
 * Limit on the bytes of fragments that a node may rebuild per second, for whatever reason. The size of a rebuild is
 * known only afterwards, so each is charged then. While there is a debt, nothing begins that may rebuild another
 * fragment.
 */
public interface RebuildRate {
    /** Returns whether work that may rebuild a fragment may begin now. */
    boolean open(long nowMillis);

    /**
     * A fragment was made, or is going to be.
     *
     * @param bytes its length
     */
    void charge(long nowMillis, long bytes);

    /** Returns a rate of this many bytes per second, a tenth of them at once. */
    static RebuildRate of(long bytesPerSecond) {
        TokenBucket bucket = new TokenBucket((double) bytesPerSecond, bytesPerSecond / 10.0);
        return new RebuildRate() {
            @Override
            public boolean open(long nowMillis) {
                return bucket.left(nowMillis) > 0;
            }

            @Override
            public void charge(long nowMillis, long bytes) {
                double unused = bucket.left(nowMillis);
                bucket.take((double) bytes);
            }
        };
    }
}
