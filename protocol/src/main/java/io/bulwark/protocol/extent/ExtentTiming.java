package io.bulwark.protocol.extent;

/**
 * Timeouts of an operation on an extent.
 *
 * @param hedgeMillis after this silence of a slot, while others answer, another slot is asked for help; sooner if the others
 *     answered soon
 * @param retryMillis time after which a request is sent again
 * @param deadlineMillis time after which the operation ends, whatever is missing
 * @param lingerMillis time for which a completed write continues to send to slow nodes
 */
public record ExtentTiming(long hedgeMillis, long retryMillis, long deadlineMillis, long lingerMillis) {
    /** A slot is late only if it takes so many times as long as those that answered. */
    private static final int LATE_FACTOR = 3;

    /** After the time of a retry, a slot is late if it takes so many times as long as those that answered. */
    private static final int BUSY_FACTOR = 2;

    /** A slot whose connection moves all the time is late after so many times the time of a retry. */
    private static final int MOVING_FACTOR = 8;

    /** Another slot is asked in place of a silent one after this part of the time of a hedge at the earliest. */
    private static final int EARLY_DIVISOR = 8;

    public ExtentTiming {
        if (hedgeMillis < 1 || retryMillis < 1 || deadlineMillis < 1 || lingerMillis < 0) {
            throw new IllegalArgumentException("timing with a time of zero or less");
        }
    }

    /** Help after 0.5 s, again after 2 s, 60 s in all, 10 s for slow nodes. */
    public static ExtentTiming standard() {
        return new ExtentTiming(500, 2_000, 60_000, 10_000);
    }

    public ExtentTiming withDeadlineMillis(long millis) {
        return new ExtentTiming(hedgeMillis, retryMillis, millis, lingerMillis);
    }

    /**
     * Returns whether another slot may be asked in place of a silent one, which is not called slow yet. It is asked once the silent one
     * takes several times as long as the others, at the latest when it may count as late.
     *
     * @param silentMillis time for which it is silent, and its connection has not moved
     * @param slowestAnswerMillis time that the slowest of the others took to answer the like, 0 if none did
     */
    boolean isHedged(long silentMillis, long slowestAnswerMillis) {
        return silentMillis
                >= Math.min(hedgeMillis, Math.max(hedgeMillis / EARLY_DIVISOR, LATE_FACTOR * slowestAnswerMillis));
    }

    /**
     * Returns whether a silent slot should get help. If more slots are silent than it can do without, or the others took nearly as
     * long, the likelier cause is load, which help would only increase. The operation then waits for the time of a
     * retry, from the last movement of the slot's connection.
     *
     * @param stillMillis time since the request for which its connection has not moved
     * @param slack slots without which the operation can do
     * @param silentSlots number of silent slots that have got no help yet
     * @param slowestAnswerMillis time that the slowest of the others took to answer, 0 if none did
     */
    boolean isLate(long silentMillis, long stillMillis, long silentSlots, int slack, long slowestAnswerMillis) {
        boolean alone = silentSlots <= slack
                && (silentMillis >= LATE_FACTOR * slowestAnswerMillis
                        || silentMillis >= Math.max(retryMillis, BUSY_FACTOR * slowestAnswerMillis));
        return stillMillis >= retryMillis
                || silentMillis >= MOVING_FACTOR * retryMillis
                || (silentMillis >= hedgeMillis && alone);
    }
}
