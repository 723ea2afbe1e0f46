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

    /**
     * Answer with the status of recoveries.
     *
     * @param leader number of the replica that leads, as the answering replica sees it; {@link #NONE} if it knows none
     * @param view number of its view; {@link #NONE} if its engine counts none
     */
    record StatusAnswer(long call, int leader, long view, RecoveryStatus status) implements RecoveryMessage {
        public static final int NONE = -1;

        public StatusAnswer {
            if (leader < NONE || view < NONE) {
                throw new IllegalArgumentException("leader " + leader + ", view " + view);
            }
        }
    }
}
