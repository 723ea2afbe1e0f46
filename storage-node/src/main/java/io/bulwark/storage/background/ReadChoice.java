package io.bulwark.storage.background;

/**
 * Choice whether a node verifies a version before it answers a read, so that this client and later ones need not (lazy
 * verification paper, 3.1). It does in a workload of mostly reads while the load is light. Otherwise the clients
 * verify, which costs the system less. Time is an argument, in milliseconds. Not thread-safe.
 */
final class ReadChoice {
    /** Age at which an event counts half. */
    private static final double HALF_MILLIS = 5_000;

    /** Requests in processing that are not much. */
    private static final int LIGHT_LOAD_MAX = 8;

    private double reads;
    private double writes;
    private long countedMillis;

    void onWrite(long nowMillis) {
        fade(nowMillis);
        writes++;
    }

    /** Counts a read of an unverified version, and decides it. */
    boolean verifies(long nowMillis, int requestsInProcessing) {
        fade(nowMillis);
        reads++;
        return reads > writes && requestsInProcessing <= LIGHT_LOAD_MAX;
    }

    private void fade(long nowMillis) {
        double factor = Math.pow(0.5, Math.max(0, nowMillis - countedMillis) / HALF_MILLIS);
        reads *= factor;
        writes *= factor;
        countedMillis = Math.max(countedMillis, nowMillis);
    }
}
