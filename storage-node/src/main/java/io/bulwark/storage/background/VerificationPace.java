package io.bulwark.storage.background;

/**
 * When versions are verified in the background.
 *
 * @param youngMillis a block is left alone for so long after its last write, as it may be written again, but not longer than ten times
 *     this since its first unverified version
 * @param patienceMillis a block for which other nodes are responsible is verified here if their word has not come for so long
 * @param retryMillis a verification that came to nothing is tried again after so long, then after twice as long, and so on, with repair
 * @param atOnce verifications under way at the same time
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
