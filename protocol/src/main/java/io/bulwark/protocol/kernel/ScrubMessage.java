package io.bulwark.protocol.kernel;

import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.wire.Message;

/** Request of a node's scrubber to the node's own server, and the answer. It never travels: it has no encoding. */
public sealed interface ScrubMessage extends Message {
    public BlockId block();

    /**
     * Scrub of a block: re-reads the local versions, asks the peers for later ones, and repairs the missing or corrupt
     * ones.
     */
    public record ScrubRequest(BlockId block) implements ScrubMessage {}

    public record ScrubResult(BlockId block, ScrubOutcome found) implements ScrubMessage {}

    /** Result of a scrub of a block. */
    enum ScrubOutcome {
        /** Held, right, and what 2f + 1 nodes have as the latest. */
        GOOD,
        /** Never written. */
        ABSENT,
        /** The item was missing or behind, and was made up. */
        COMPLETED,
        /** The item was damaged, and was made again. */
        REPAIRED,
        /** Missing, behind or damaged still. */
        UNFINISHED,
        /** Nothing wrong is known of it, but too few peers answer to tell. */
        UNASKED
    }
}
