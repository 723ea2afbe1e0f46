package io.bulwark.protocol.pasis;

/**
 * Limits and timeouts of one server of a node (lazy verification paper, 3.3 and 3.4).
 *
 * @param possiblePerBlock possible versions of one sender in one block
 * @param possiblePerClient the same in all blocks
 * @param clientBytes the space for one sender's possible versions, whatever the blocks' sizes: each takes its fragment,
 *     and {@link #VERSION_BYTES}
 * @param poolBytes the greatest size of the history pool. If the clients' thresholds add up to more, each has an equal
 *     share of it; twice as much is never held
 * @param cooperative whether peers are notified of verified versions, and believed
 * @param asksPerSecond verifications, repairs and polls that one sender may cause, as a rate and as a burst
 * @param poolVerifications the number of blocks verified at once when the pool is full
 * @param blocksCached blocks whose state is kept in memory
 * @param waitingMax requests that wait for one block, one fact, or the pool
 * @param factMillis how long a grant, or the absence of a session, is believed before replicas are asked again
 * @param awaitMillis how long an answer to a peer that verifies at write time may wait for the version
 * @param verifyMillis how long one verification or repair may take
 */
public record PasisLimits(
        int possiblePerBlock,
        int possiblePerClient,
        long clientBytes,
        long poolBytes,
        boolean cooperative,
        int asksPerSecond,
        int poolVerifications,
        int blocksCached,
        int waitingMax,
        long factMillis,
        long awaitMillis,
        long verifyMillis) {
    /** Charge for a version beside the bytes of its fragment: its name and its account are in memory. */
    public static final int VERSION_BYTES = 512;

    /** However many clients there are, each may have so many possible versions. */
    public static final int CLIENT_VERSIONS_MIN = 4;

    public PasisLimits {
        if (possiblePerBlock < 1
                || possiblePerClient < possiblePerBlock
                || clientBytes < 1
                || poolBytes < 1
                || asksPerSecond < 1
                || poolVerifications < 1
                || blocksCached < 1
                || waitingMax < 1
                || factMillis < 1
                || awaitMillis < 0
                || verifyMillis < 1) {
            throw new IllegalArgumentException("limits out of bounds");
        }
    }

    /** Returns the charge for a version with such a fragment. */
    public static long charge(int fragmentBytes) {
        return fragmentBytes + (long) VERSION_BYTES;
    }

    /** Returns whether the node at this slot leads the block's verification: without cooperation it leads all. */
    boolean leads(PasisGroup group, int slot) {
        return !cooperative || group.isResponsible(slot);
    }

    /** The defaults: 8 possible versions per block and client, 65,536 per client, cooperative. */
    public static PasisLimits standard(long clientBytes, long poolBytes) {
        return new PasisLimits(8, 1 << 16, clientBytes, poolBytes, true, 200, 4, 8_192, 256, 10_000, 200, 10_000);
    }
}
