package io.bulwark.protocol.extent;

/**
 * How long an operation on an extent waits.
 *
 * @param hedgeMillis a slot that is silent for so long gets help from another one
 * @param retryMillis a request is sent again after so long
 * @param deadlineMillis the operation ends after so long, whatever is missing
 * @param lingerMillis a completed write goes on sending to slow nodes for so long
 */
public record ExtentTiming(long hedgeMillis, long retryMillis, long deadlineMillis, long lingerMillis) {
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
}
