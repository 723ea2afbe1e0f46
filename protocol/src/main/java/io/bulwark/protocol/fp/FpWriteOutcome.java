package io.bulwark.protocol.fp;

/** How a write ended. */
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
}
