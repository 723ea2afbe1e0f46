package io.bulwark.protocol.completion;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.wire.Bytes;

/**
 * An extent that an inode references, and that belongs to a group of this node.
 *
 * @param arrival of the inode
 * @param length in bytes, as its object says
 */
record ReferencedExtent(Volume volume, long arrival, BlockId block, Bytes pin, int length) {
    ProtectionPolicy policy() {
        return volume.policyOf(block);
    }

    /** The same by a later map: it may stand in another epoch, and with other holders. */
    ReferencedExtent in(Volume later) {
        return new ReferencedExtent(later, arrival, block, pin, length);
    }
}
