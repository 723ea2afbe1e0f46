package io.bulwark.protocol.bucket;

import io.bulwark.protocol.id.BlockRange;

/** Gives out the block ids of one session. */
public interface BlockIds {
    /** Consecutive ids, at least one, that were given to nobody, or that came back. */
    BlockRange take(long count);

    /** Takes back ids under which nothing was ever sent to a node. */
    void giveBack(BlockRange range);
}
