package io.bulwark.protocol.fp;

/**
 * Timing of a client's operation.
 *
 * @param hedgeMillis a node that has not answered for so long is slow, and another is asked too
 * @param retryMillis interval of retries of a request without an answer, or with an answer that may change
 * @param helpMillis time for which a write continues after its outcome, so that slow nodes take it too
 * @param timeoutMillis the operation fails after so long without an outcome
 */
public record FpTimes(long hedgeMillis, long retryMillis, long helpMillis, long timeoutMillis) {
    public FpTimes {
        if (hedgeMillis < 1 || retryMillis < 1 || helpMillis < 0 || timeoutMillis < 1) {
            throw new IllegalArgumentException("hedge " + hedgeMillis + ", retry " + retryMillis + ", help "
                    + helpMillis + ", timeout " + timeoutMillis + " ms");
        }
    }

    public static FpTimes standard() {
        return new FpTimes(150, 500, 3_000, 30_000);
    }
}
