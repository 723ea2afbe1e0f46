package io.bulwark.protocol.pasis;

import io.bulwark.protocol.kernel.Failure;

/** Result of a write. */
public sealed interface PasisWriteOutcome {
    /** N - b nodes hold the block at this timestamp, or know of a later one that is complete. */
    record Written(ValidatingTimestamp timestamp) implements PasisWriteOutcome {}

    /**
     * Result that the write did not complete.
     *
     * @param mayBeWritten whether fragments were sent, so that the block may still be read later
     */
    record Failed(Failure reason, boolean mayBeWritten) implements PasisWriteOutcome {}

    /**
     * Result that the epoch is over, and fragments were sent in it or an earlier one: others may have read the block,
     * and written it again. The write continues in the later epoch, by {@link PasisWrite#continueInEpoch}; it must never
     * restart under another timestamp.
     */
    record EpochOver(ValidatingTimestamp at) implements PasisWriteOutcome {}
}
