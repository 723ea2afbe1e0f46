package io.bulwark.protocol.pasis;

import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.kernel.ScrubMessage;
import io.bulwark.protocol.wire.Message;

/**
 * Requests of the node's own scheduler to verify and scrub blocks. These never travel, and are accepted from the node
 * itself only.
 */
public sealed interface PasisBackground extends Message {
    BlockId block();

    /**
     * Request to verify the block now: find its latest complete version, validate it, collect the older ones.
     *
     * @param repair whether repairable versions are repaired, and found poisonous where they are. Else incomplete
     *     versions are skipped, as their writer may still complete them
     */
    record Verify(BlockId block, boolean repair) implements PasisBackground {}

    /**
     * Answers {@link Verify}.
     *
     * @param freed possible versions that there are no longer here
     */
    record Verified(BlockId block, VerificationOutcome found, int freed) implements PasisBackground {}

    /**
     * Scrub of a block: re-reads the local versions, asks the others for theirs, and repairs the missing or corrupt
     * ones.
     */
    record ScrubRequest(BlockId block) implements PasisBackground {}

    /** Answers {@link ScrubRequest}. */
    record ScrubResult(BlockId block, ScrubMessage.ScrubOutcome found) implements PasisBackground {}

    /** Result of a verification. */
    enum VerificationOutcome {
        /** A version is complete and valid; what was before it is collected. */
        VERIFIED,
        /**
         * The latest complete version was known already, or there is none: later versions are in flight or were left
         * incomplete.
         */
        NOTHING_NEW,
        /** There was nothing to verify. */
        IDLE,
        /** Too few peers answered, or this node knows no such block. */
        UNASKED
    }
}
