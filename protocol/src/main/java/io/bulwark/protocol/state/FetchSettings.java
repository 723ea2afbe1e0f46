package io.bulwark.protocol.state;

/**
 * Limits on the fetching of pages.
 *
 * @param timeoutMillis how long one answer may take
 * @param quietMillisMax the longest pause for a replica that did not answer or sent a wrong page
 * @param requestsPerReplica outstanding at one replica, at most
 * @param pagesPerRequest at most
 */
public record FetchSettings(long timeoutMillis, long quietMillisMax, int requestsPerReplica, int pagesPerRequest) {
    /** Pages that one message asks for, or carries, at most. */
    public static final int PAGES_MAX = 64;

    /** The longest page: of one value with its key, and what says so. */
    public static final int PAGE_BYTES_MAX = KeyValueState.VALUE_BYTES_MAX + KeyValueState.KEY_BYTES_MAX + 15;

    public static final FetchSettings DEFAULT = new FetchSettings(1_000, 16_000, 2, 32);

    public FetchSettings {
        if (timeoutMillis < 1
                || quietMillisMax < timeoutMillis
                || requestsPerReplica < 1
                || pagesPerRequest < 1
                || pagesPerRequest > PAGES_MAX) {
            throw new IllegalArgumentException(timeoutMillis + " ms, " + quietMillisMax + " ms, " + requestsPerReplica
                    + " requests, " + pagesPerRequest + " pages");
        }
    }
}
