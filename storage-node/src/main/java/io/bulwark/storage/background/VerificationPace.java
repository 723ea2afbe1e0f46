package io.bulwark.storage.background;

/**
 * Timing of background verification.
 *
 * @param youngMillis time for which a block is left alone after its last write, as it may be written again, but at most
 *     ten times this since its first unverified version
 * @param patienceMillis time without word of the responsible nodes after which a block is verified here
 * @param retryMillis time before the first retry of a failed verification, which doubles with each retry; retries
 *     repair
 * @param atOnce verifications in flight at the same time
 */
public record VerificationPace(long youngMillis, long patienceMillis, long retryMillis, int atOnce) {
    public VerificationPace {
        if (youngMillis < 0 || patienceMillis < 0 || retryMillis < 1 || atOnce < 1) {
            throw new IllegalArgumentException("young for " + youngMillis + " ms, patience " + patienceMillis
                    + " ms, again after " + retryMillis + " ms, " + atOnce + " at once");
        }
    }

    /** 200 ms, 10 s, 1 s, 8. */
    public static VerificationPace standard() {
        return new VerificationPace(200, 10_000, 1_000, 8);
    }
}
