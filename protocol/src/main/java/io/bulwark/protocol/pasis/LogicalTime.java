package io.bulwark.protocol.pasis;

/** Bounds on the distance between logical times. They are unsigned. */
final class LogicalTime {
    /**
     * Distance above the known time beyond which a time is refused, so that a faulty client cannot exhaust the times.
     */
    static final long FAR = 1L << 16;

    /** A writer takes a time only if N - b nodes are so near to it: well within {@link #FAR}, whatever was written meanwhile. */
    static final long NEAR = 1L << 15;

    private LogicalTime() {}

    /** Returns whether {@code time} is more than {@code distance} above {@code known}. */
    static boolean far(long known, long time, long distance) {
        return Long.compareUnsigned(time, known) > 0 && Long.compareUnsigned(time - known, distance) > 0;
    }

    static long later(long a, long b) {
        return Long.compareUnsigned(a, b) >= 0 ? a : b;
    }
}
