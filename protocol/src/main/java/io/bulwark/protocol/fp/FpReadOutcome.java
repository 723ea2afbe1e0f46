package io.bulwark.protocol.fp;

import io.bulwark.protocol.kernel.Failure;
import io.bulwark.protocol.wire.Bytes;

/** Outcome of a read. */
public sealed interface FpReadOutcome {
    /**
     * The block.
     *
     * @param block the policy's block size in bytes
     * @param padded the same as it was encoded, padded to m fragments
     */
    record Value(Timestamp timestamp, Bytes block, Bytes padded) implements FpReadOutcome {}

    /**
     * The block was never written.
     *
     * @param block zeros, the policy's block size in bytes
     */
    record NeverWritten(Bytes block) implements FpReadOutcome {}

    /** Nothing can be said of the block now. */
    record Failed(Failure reason) implements FpReadOutcome {}
}
