package io.bulwark.client.object;

import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.wire.Bytes;
import java.util.concurrent.CompletableFuture;

/** Stores and fetches single extents on the nodes. */
public interface ExtentAccess {
    /**
     * Stores an extent.
     *
     * @param content its true bytes; the array is given up
     * @return completes with the pin once the extent is complete, else with an {@link ExtentFailure}
     */
    CompletableFuture<Bytes> write(Volume volume, BlockId block, Bytes content);

    /**
     * Fetches exactly the version that the pin names.
     *
     * @param length the true length of the extent in bytes
     * @return completes with these bytes, else with an {@link ExtentFailure}
     */
    CompletableFuture<Bytes> read(Volume volume, BlockId block, Bytes pin, int length);
}
