package io.bulwark.protocol.bucket;

import io.bulwark.protocol.id.BlockRange;

/** Gives out the block ids of one session. */
public interface BlockIds {
    /**
     * Takes consecutive ids, at least one, that are new or were given back.
     *
     * @param generation of placement groups that they are to be stored in
     */
    BlockRange take(int generation, long count);

    /** Takes back ids under which nothing was ever sent to a node. */
    void giveBack(BlockRange range);
}
