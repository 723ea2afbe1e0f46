package io.bulwark.protocol.ordering.driver;

import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;

/**
 * Records that a replica keeps on disk: its own promises and conclusions, never others' messages (docs/ordering).
 */
public sealed interface LogRecord {
    /**
     * A batch with the bodies of its requests, in their order, which records after it name by its digest. No promise.
     */
    record Bodies(Batch batch, List<Request> requests) implements LogRecord {
        public Bodies {
            requests = List.copyOf(requests);
        }
    }

    /** This replica accepts, or as the primary made, this assignment: its PREPARE. */
    record Prepare(long view, long sequence, Bytes digest) implements LogRecord {}

    /** This prepared here: its COMMIT. */
    record Commit(long view, long sequence, Bytes digest) implements LogRecord {}

    /** This is committed, here or elsewhere, and of no weight in view changes. */
    record Learned(long sequence, Bytes digest) implements LogRecord {}

    /** The state after this number has this digest and is durable: its CHECKPOINT. */
    record Checkpoint(long sequence, Bytes digest) implements LogRecord {}

    /** The low water mark is here: this checkpoint is stable. */
    record Stable(long sequence, Bytes digest) implements LogRecord {}

    /** This replica asks for a view and takes part in no earlier one: its VIEW-CHANGE. */
    record ViewChange(ReplicaMessage.ViewChange message) implements LogRecord {}

    /** This replica takes part in a view: its NEW-VIEW as the primary, the accepted one as a backup. */
    record NewView(ReplicaMessage.NewView message) implements LogRecord {}

    /**
     * State of this replica's recovery; the last record counts.
     *
     * @param open it is not over: a replica that starts with this continues its recovery
     * @param forgotten it recovers since its promises were lost
     * @param floor it has forgotten its promises for the numbers up to here, and makes no more promises for them
     */
    record Recovery(boolean open, boolean forgotten, long floor) implements LogRecord {}
}
