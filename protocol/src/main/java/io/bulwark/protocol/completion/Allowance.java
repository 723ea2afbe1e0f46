package io.bulwark.protocol.completion;

/** Lets work on fragments begin that nobody waits for: by a rate, or as whoever schedules all such work of a node decides. */
public interface Allowance {
    /** Whether one more may begin now. */
    boolean open(long nowMillis);

    /**
     * One begins, after {@link #open} has let it; or is over, where only then it is known what it took.
     *
     * @param bytes the length of its fragment
     */
    void begin(long nowMillis, long bytes);

    /** One that began is over. */
    void end();

    /** False if nothing may ever begin, so that it is not worth looking for work. */
    default boolean ever() {
        return true;
    }

    /** Never. */
    Allowance NEVER = new Allowance() {
        @Override
        public boolean ever() {
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

    /** So many in a second, a tenth of them at once. */
    static Allowance perSecond(int count) {
        return new Allowance() {
            private double credit = 1;
            private long creditedMillis;

            @Override
            public boolean open(long nowMillis) {
                credit = Math.min(Math.max(1, count / 10), credit + (nowMillis - creditedMillis) * count / 1000.0);
                creditedMillis = nowMillis;
                return credit >= 1;
            }

            @Override
            public void begin(long nowMillis, long bytes) {
                credit--;
            }

            @Override
            public void end() {}
        };
    }

    /** So many bytes in a second, a tenth of them at once. Who has taken more than there was has a debt: until it is paid nothing begins. */
    static Allowance bytesPerSecond(long rate) {
        return new Allowance() {
            private double left = rate / 10.0;
            private long creditedMillis;

            @Override
            public boolean open(long nowMillis) {
                left = Math.min(rate / 10.0, left + Math.max(0, nowMillis - creditedMillis) * (rate / 1000.0));
                creditedMillis = nowMillis;
                return left > 0;
            }

            @Override
            public void begin(long nowMillis, long bytes) {
                boolean _ = open(nowMillis);
                left -= bytes;
            }

            @Override
            public void end() {}
        };
    }
}
