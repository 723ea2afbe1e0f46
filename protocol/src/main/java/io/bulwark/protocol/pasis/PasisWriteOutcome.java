package io.bulwark.protocol.pasis;

import io.bulwark.protocol.fp.Failure;

/** Result of a write. */
public sealed interface PasisWriteOutcome {
    /** N - b nodes hold the block at this timestamp, or know of a later one that is complete. */
    record Written(ValidatingTimestamp timestamp) implements PasisWriteOutcome {}

    /**
     * The write did not complete.
     *
     * @param mayBeWritten whether fragments were sent, so that the block may yet be read
     */
    record Failed(Failure reason, boolean mayBeWritten) implements PasisWriteOutcome {}

    /**
     * The epoch is over, and fragments were sent in it or one before: others may have read the block, and written it again. The write goes on
     * in the later epoch, by {@link PasisWrite#goingOn}; it must never be begun again, under another timestamp.
     */
    record EpochOver(ValidatingTimestamp at) implements PasisWriteOutcome {}
}
