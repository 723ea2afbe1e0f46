package io.bulwark.storage.background;

import io.bulwark.protocol.id.BlockId;

/**
 * A block that is to be verified now.
 *
 * @param again whether the last verification had no result
 */
record DueVerification(BlockId block, boolean again) {}
