package io.bulwark.protocol.pasis;

import io.bulwark.protocol.fp.FpScrub;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.wire.Message;

/**
 * Requests of the node's own scheduler to verify and scrub blocks. These never travel, and are accepted from the node
 * itself only.
 */
public sealed interface PasisBackground extends Message {
    BlockId block();

    /**
     * Verify the block now: find its latest complete version, validate it, collect what is older.
     *
     * @param repair whether what is repairable is repaired, and found poisonous where it is; else what is not complete is passed
     *     over, as its writer may be about to complete it
     */
    record Verify(BlockId block, boolean repair) implements PasisBackground {}

    /**
     * Answers {@link Verify}.
     *
     * @param freed possible versions that there are no longer here
     */
    record Verified(BlockId block, Found found, int freed) implements PasisBackground {}

    /** Scrubbing: re-read what is held of the block, ask the others what they hold, and make up what is missing or bad. */
    record Look(BlockId block) implements PasisBackground {}

    /** Answers {@link Look}. */
    record Looked(BlockId block, FpScrub.Found found) implements PasisBackground {}

    /** Result of a verification. */
    enum Found {
        /** A version is complete and valid; what was before it is collected. */
        VERIFIED,
        /** The latest complete version was known already, or there is none: what is later is under way or was left undone. */
        NOTHING_NEW,
        /** There was nothing to verify. */
        IDLE,
        /** Too few peers answered, or this node knows no such block. */
        UNASKED
    }
}
