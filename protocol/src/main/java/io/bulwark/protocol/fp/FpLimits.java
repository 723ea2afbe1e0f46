package io.bulwark.protocol.fp;

/**
 * Bounds (docs/protocols/fp.md) and timeouts of a node.
 *
 * @param stagedPerClient versions that one client may have staged at this node in open sessions before a PREPARE
 *     without ts is refused; one that names its ts is refused at twice as many
 * @param stagedPerBlock the same for one client in one block
 * @param keptPerBlock overwritten versions kept of one block for slow readers
 * @param keepMillis time for which they are kept
 * @param repairsPerSecond repairs that one asker may cause, as a rate and as a burst
 * @param blocksCached blocks whose state is kept in memory
 * @param waitingMax requests that wait for one block, one client or one fact
 * @param factMillis time for which a grant, or the absence of a session, is believed before replicas are asked again
 * @param repairMillis timeout of one step of a repair
 */
public record FpLimits(
        int stagedPerClient,
        int stagedPerBlock,
        int keptPerBlock,
        long keepMillis,
        int repairsPerSecond,
        int blocksCached,
        int waitingMax,
        long factMillis,
        long repairMillis) {
    public FpLimits {
        if (stagedPerClient < 1
                || stagedPerBlock < 1
                || keptPerBlock < 0
                || keepMillis < 0
                || repairsPerSecond < 1
                || blocksCached < 1
                || waitingMax < 1
                || factMillis < 1
                || repairMillis < 1) {
            throw new IllegalArgumentException("limits out of bounds");
        }
    }

    /**
     * Factor of the bound on leftovers of a client's closed sessions, beside the bound for its open ones. The unit is
     * the number that a PREPARE without ts may add.
     */
    private static final int LEFT_FACTOR = 4;

    /** Factor of the bound on all that a client has, including what it adds to free itself. */
    private static final int ALL_FACTOR = 12;

    /** Returns the number of versions left by closed sessions from which a client stages nothing in a block before these are decided. */
    int leftPerBlock() {
        return LEFT_FACTOR * stagedPerBlock;
    }

    /** Returns the number of versions left by closed sessions from which a client stages only where that frees it. */
    int leftPerClient() {
        return LEFT_FACTOR * stagedPerClient;
    }

    /** No client has more versions staged at this node in one block: what open sessions have may be left by closed ones. */
    public int allPerBlock() {
        return leftPerBlock() + 2 * stagedPerBlock;
    }

    /** Returns the number from which a client stages nothing before something is decided: no client has more versions staged at this node. */
    public int allPerClient() {
        return ALL_FACTOR * stagedPerClient;
    }

    /** The defaults: 64 staged versions per client and 4 per block, 2 overwritten ones for 3 s. */
    public static FpLimits standard() {
        return new FpLimits(64, 4, 2, 3_000, 50, 4_096, 256, 10_000, 10_000);
    }
}
