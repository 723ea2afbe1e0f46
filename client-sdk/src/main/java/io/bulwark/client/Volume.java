package io.bulwark.client;

import io.bulwark.protocol.pasis.ReadPlanner;
import io.bulwark.protocol.pasis.ReadTuning;
import java.util.concurrent.CompletableFuture;

/**
 * A volume of blocks that are linearizable read/write registers, under FP (thesis ch. 4), PASIS (lazy verification
 * paper) or masking quorums (Agile Store paper). A read returns the value of the last write that completed before it, or of an overlapping write. This holds
 * although any clients and up to f nodes misbehave.
 *
 * <pre>{@code
 * client.createVolume(VolumeSpec.registers("disk", ProtectionPolicy.standard(), 1024));
 * Volume disk = client.volume("disk");
 * byte[] block = disk.readBlock(7);
 * block[0] = 1;
 * disk.writeBlock(7, block);
 * }</pre>
 *
 * <p>All methods may be called from any thread. Cancelling a future stops the waiting, not the write. Writes of one
 * client to one block run one after another, in the order of the calls.
 */
public interface Volume {
    VolumeInfo info();

    /**
     * Reads a block.
     *
     * @return {@code policy().blockBytes()} bytes; zeros if it was never written
     */
    byte[] readBlock(long block);

    /** Writes a whole block; the array may be used again when the call returns. */
    void writeBlock(long block, byte[] content);

    CompletableFuture<byte[]> readBlockAsync(long block);

    /** Writes as {@link #writeBlock}; the array may be used again when the call returns. */
    CompletableFuture<Void> writeBlockAsync(long block, byte[] content);

    /**
     * Writes the block's value to its registers in the generations of groups before the newest, where writes have stopped. What keeps a
     * revocation or a change of holders waiting there until the block is written is then overwritten, too.
     *
     * @throws io.bulwark.client.error.InvalidRequestException if the block was not written since the policy changed
     */
    void settleBlock(long block);

    /**
     * Returns the same volume, whose reads under PASIS or masking quorums choose the nodes of their first round in this way.
     * The choice changes costs only. Without it reads adapt.
     */
    Volume withReads(ReadTuning tuning);

    /** Returns counts of this client's reads that were tuned in the same way; zeros under FP. */
    ReadPlanner.Statistics readStatistics();
}
