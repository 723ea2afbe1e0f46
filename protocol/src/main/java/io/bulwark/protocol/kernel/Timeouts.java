package io.bulwark.protocol.kernel;

/**
 * Timing of a client's operation.
 *
 * @param hedgeMillis a node that has not answered for so long is slow, and another is asked too
 * @param retryMillis interval of retries of a request without an answer, or with an answer that may change
 * @param helpMillis time for which a write continues after its outcome, so that slow nodes take it too
 * @param timeoutMillis the operation fails after so long without an outcome
 */
public record Timeouts(long hedgeMillis, long retryMillis, long helpMillis, long timeoutMillis) {
    public Timeouts {
        if (hedgeMillis < 1 || retryMillis < 1 || helpMillis < 0 || timeoutMillis < 1) {
            throw new IllegalArgumentException("hedge " + hedgeMillis + ", retry " + retryMillis + ", help "
                    + helpMillis + ", timeout " + timeoutMillis + " ms");
        }
    }

    public static Timeouts standard() {
        return new Timeouts(150, 500, 3_000, 30_000);
    }
}
