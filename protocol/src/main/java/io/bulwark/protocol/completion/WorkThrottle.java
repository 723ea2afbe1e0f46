package io.bulwark.protocol.completion;

/**
 * Permission to begin work on fragments that nobody waits for: by a rate, or by the scheduler of all such work of a
 * node.
 */
public interface WorkThrottle {
    /** Returns whether one more may begin now. */
    boolean open(long nowMillis);

    /**
     * One begins, after {@link #open} has let it.
     *
     * @param bytes the length of its fragment
     */
    void begin(long nowMillis, long bytes);

    /** One that began is over. */
    void end();

    /** False if nothing may ever begin, so that it is not worth looking for work. */
    default boolean canEverBegin() {
        return true;
    }

    /** Never. */
    WorkThrottle NEVER = new WorkThrottle() {
        @Override
        public boolean canEverBegin() {
            return false;
        }

        @Override
        public boolean open(long nowMillis) {
            return false;
        }

        @Override
        public void begin(long nowMillis, long bytes) {}

        @Override
        public void end() {}
    };

    /** Returns an allowance of this many per second, a tenth of them at once. */
    static WorkThrottle perSecond(int count) {
        TokenBucket bucket = new TokenBucket(count, Math.max(1, count / 10));
        return new WorkThrottle() {
            @Override
            public boolean open(long nowMillis) {
                return bucket.left(nowMillis) >= 1;
            }

            @Override
            public void begin(long nowMillis, long bytes) {
                bucket.take(1);
            }

            @Override
            public void end() {}
        };
    }
}
