package io.bulwark.protocol.ordering;

import io.bulwark.protocol.ordering.recovery.RecoveryStatus;
import io.bulwark.protocol.wire.Message;

/**
 * Queries of any member to a replica about the progress of recoveries. Each replica answers for itself, at once and
 * without ordering; an answer that fewer than f+1 give alike may be a lie.
 */
public sealed interface RecoveryMessage extends Message {
    /** The number of the question, drawn anew for each. */
    long call();

    /** Request for the status of recoveries. */
    record StatusQuery(long call) implements RecoveryMessage {}

    /** Answer with the status of recoveries. */
    record StatusAnswer(long call, RecoveryStatus status) implements RecoveryMessage {}
}
