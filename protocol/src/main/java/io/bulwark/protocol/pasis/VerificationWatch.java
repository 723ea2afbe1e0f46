package io.bulwark.protocol.pasis;

import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;

/**
 * Policy for the background verification of blocks in volumes with lazy verification. Called from within the server.
 */
public interface VerificationWatch {
    /** Watch of nobody: blocks are verified when a bound is hit. */
    VerificationWatch NONE = new VerificationWatch() {};

    /**
     * Receives the event that a version was written, verified or collected, and the versions found after a restart.
     *
     * @param versions how many possible versions of the block this node holds now
     * @param responsible whether this node is one of the b + 1 that lead the verification of this block
     */
    default void possible(long nowMillis, BlockId block, int versions, boolean responsible) {}

    /**
     * Returns a number that rises when the watch needs blocks again that it had no room for: all are reported again,
     * from {@link #possible} on.
     */
    default long forgotten() {
        return 0;
    }

    /**
     * Receives the event that a client with write rights has learnt the time of a block from this node, so that its
     * write follows.
     */
    default void writeBegins(PrincipalId client, BlockId block) {}

    /** Reports that this write has come. */
    default void writeCame(PrincipalId client, BlockId block) {}

    /**
     * Reports that the history pool has no room for a few versions of this volume from each client: faulty clients can
     * fill it.
     *
     * @param neededBytes the pool size of this server that would suffice
     */
    default void poolIsShort(int volume, long neededBytes) {}

    /** A client reads, and the greatest version is not verified: whether this node shall verify before it answers (3.1). */
    default boolean mustVerifyBeforeRead(long nowMillis, BlockId block) {
        return false;
    }

    /** The counters of a volume have changed. */
    default void onCountersChanged(int volume, PasisCounters counters) {}
}
