package io.bulwark.protocol.fp;

/** Outcome of a write. */
public sealed interface FpWriteOutcome {
    /** At least m + f nodes hold the block at this timestamp, or a later one. */
    record Written(Timestamp timestamp) implements FpWriteOutcome {}

    /**
     * The write did not complete.
     *
     * @param reason what the nodes that refused said; {@link Failure#TIMED_OUT} if they said nothing
     * @param mayBeWritten whether a COMMIT was sent, so that the block may yet be read
     */
    record Failed(Failure reason, boolean mayBeWritten) implements FpWriteOutcome {}

    /**
     * The epoch is over, and a COMMIT was sent in it or one before: others may have read the block, and written it again. The write goes on in
     * the later epoch, by {@link FpWrite#goingOn}; it must never be begun again, under another timestamp.
     */
    record EpochOver(Timestamp at) implements FpWriteOutcome {}
}
