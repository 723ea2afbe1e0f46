package io.bulwark.client.object;

import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.extent.ReadOutcome;
import io.bulwark.protocol.extent.WriteOutcome;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.wire.Bytes;
import java.util.concurrent.CompletableFuture;

/** Stores and fetches single extents on the nodes. */
public interface ExtentAccess {
    /**
     * Stores an extent.
     *
     * @param content its true bytes; the array is given up
     */
    CompletableFuture<WriteOutcome> write(Volume volume, BlockId block, Bytes content);

    /**
     * Fetches exactly the version that the pin names.
     *
     * @param length the true length of the extent in bytes, as its object says
     */
    CompletableFuture<ReadOutcome> read(Volume volume, BlockId block, Bytes pin, int length);

    /** Fetches the volume as it is now, for a reader who has met a block of groups that its map lacks. */
    default CompletableFuture<Volume> later(Volume known) {
        return CompletableFuture.completedFuture(known);
    }
}
