package io.bulwark.protocol.pasis;

import io.bulwark.protocol.kernel.Failure;
import io.bulwark.protocol.wire.Bytes;

/** Result of a read. */
public sealed interface PasisReadOutcome {
    /**
     * The block.
     *
     * @param block the policy's block size in bytes
     * @param padded the same as it was encoded, padded to m fragments
     */
    record Value(ValidatingTimestamp timestamp, Bytes block, Bytes padded) implements PasisReadOutcome {}

    /**
     * The block was never written.
     *
     * @param block zeros, the policy's block size in bytes
     */
    record NeverWritten(Bytes block) implements PasisReadOutcome {}

    /** Nothing can be said of the block now. */
    record Failed(Failure reason) implements PasisReadOutcome {}
}
