package io.bulwark.protocol.extent;

/**
 * Limits on the work that others can cause at a node.
 *
 * @param unreferencedBytesMax of each client, on this node; beyond, STORE is answered LIMIT
 * @param repairsMax repairs and judgements in progress at once
 * @param suspicionsPerTick hints of one asker that the node examines between two ticks
 * @param parkedBytesMax of all requests that wait for an answer of the replicas
 * @param repairTiming of the reads that repair and judge
 */
public record ExtentLimits(
        long unreferencedBytesMax,
        int repairsMax,
        int suspicionsPerTick,
        long parkedBytesMax,
        ExtentTiming repairTiming) {
    /** 1 GiB per client, 8 repairs, 1 hint per tick, 128 MiB of waiting requests, repairs give up after 15 s. */
    public static ExtentLimits standard() {
        return new ExtentLimits(
                1L << 30, 8, 1, 128L << 20, ExtentTiming.standard().withDeadlineMillis(15_000));
    }

    public ExtentLimits withUnreferencedBytesMax(long bytes) {
        return new ExtentLimits(bytes, repairsMax, suspicionsPerTick, parkedBytesMax, repairTiming);
    }
}
