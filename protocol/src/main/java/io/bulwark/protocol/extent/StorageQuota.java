package io.bulwark.protocol.extent;

import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The bytes that each owner has stored here and no inode references, as far as this node knows. After a start they are
 * counted from the records, in the order of their ids; what changes meanwhile is remembered, so that nothing counts twice.
 */
final class StorageQuota {
    private final long bytesMax;
    private final Map<PrincipalId, Long> bytes = new TreeMap<>();
    private boolean recounted;
    /** Records up to this one have been counted. */
    private BlockId counted = new BlockId(0, PrincipalId.NOBODY, 0, 0);
    /** Blocks whose charge was settled before the count came to them. */
    private final Set<BlockId> settled = new HashSet<>();

    StorageQuota(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** False if the owner's limit would be exceeded. */
    boolean charge(BlockId block, long size) {
        if (bytes.getOrDefault(block.owner(), 0L) + size > bytesMax) {
            return false;
        }
        bytes.merge(block.owner(), size, Long::sum);
        remember(block);
        return true;
    }

    /** The extent is referenced, freed, or was not stored after all. */
    void release(BlockId block, long size) {
        if (recounted || block.compareTo(counted) <= 0 || settled.contains(block)) {
            long left = bytes.getOrDefault(block.owner(), 0L) - size;
            if (left > 0) {
                bytes.put(block.owner(), left);
            } else {
                bytes.remove(block.owner());
            }
        }
        remember(block);
    }

    long of(PrincipalId owner) {
        return bytes.getOrDefault(owner, 0L);
    }

    /** One record found by the count. */
    void count(BlockId block, long size) {
        counted = block;
        if (!settled.contains(block)) {
            bytes.merge(block.owner(), size, Long::sum);
        }
    }

    void endCount() {
        recounted = true;
        settled.clear();
    }

    private void remember(BlockId block) {
        if (!recounted) {
            settled.add(block);
        }
    }
}
