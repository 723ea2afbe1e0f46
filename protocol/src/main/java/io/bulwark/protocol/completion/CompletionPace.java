package io.bulwark.protocol.completion;

/**
 * Rate of a node's background work.
 *
 * @param pollMillis interval at which the node asks the metadata for changes
 * @param atOnce number of extents examined at the same time
 * @param extentsPerSecond maximum rate while the node learns which extents are referenced
 * @param retryMillis time after which an extent that could not be completed is tried again
 * @param restMillis as {@code pollMillis}, once nothing has changed and no client has asked for {@link #REST_AFTER_MILLIS}
 */
public record CompletionPace(long pollMillis, int atOnce, int extentsPerSecond, long retryMillis, long restMillis) {
    /** Time without a change or a client after which a node rests. */
    public static final long REST_AFTER_MILLIS = 30_000;

    private static final int SCRUB_REST = 20;
    private static final long SCRUB_PAUSE_MAX_MILLIS = 6L * 60 * 60 * 1_000;

    public CompletionPace {
        if (pollMillis < 1 || atOnce < 1 || extentsPerSecond < 1 || retryMillis < 1 || restMillis < pollMillis) {
            throw new IllegalArgumentException("completion that never works");
        }
    }

    /** Creates the pace of a node that never rests. */
    public CompletionPace(long pollMillis, int atOnce, int extentsPerSecond, long retryMillis) {
        this(pollMillis, atOnce, extentsPerSecond, retryMillis, pollMillis);
    }

    /** Returns the interval at which the metadata is asked, by the time since the last change or request of a client. */
    public long askMillis(long sinceMillis) {
        return sinceMillis < REST_AFTER_MILLIS ? pollMillis : restMillis;
    }

    /**
     * Returns the pause between two rounds of scrubbing: 20 times as long as the last round took, at most 6 hours. So a node
     * with little data does not scrub all the time.
     */
    public long scrubPauseMillis(long roundMillis) {
        return Math.clamp(roundMillis * SCRUB_REST, 2 * Math.max(pollMillis, retryMillis), SCRUB_PAUSE_MAX_MILLIS);
    }
}
