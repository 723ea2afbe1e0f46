package io.bulwark.protocol.fp;

import io.bulwark.protocol.kernel.Failure;

/** Outcome of a write. */
public sealed interface FpWriteOutcome {
    /** At least m + f nodes hold the block at this timestamp, or a later one. */
    record Written(Timestamp timestamp) implements FpWriteOutcome {}

    /**
     * Result that the write did not complete.
     *
     * @param reason as the refusing nodes reported it; {@link Failure#TIMED_OUT} if they reported none
     * @param mayBeWritten whether a COMMIT was sent, so that the block may still be read later
     */
    record Failed(Failure reason, boolean mayBeWritten) implements FpWriteOutcome {}

    /**
     * Result that the epoch is over, and a COMMIT was sent in it or an earlier one: others may have read the block, and
     * written it again. The write continues in the later epoch, by {@link FpWrite#continueInEpoch}; it must never restart under
     * another timestamp.
     */
    record EpochOver(Timestamp at) implements FpWriteOutcome {}
}
