package io.bulwark.protocol.locking;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;

/** Request or report of a {@link LogHolder} to its driver. */
public sealed interface HolderEffect {
    /** Sends a message to a log server, on one connection in the order of these effects. May be lost. */
    record Send(PrincipalId to, LockingMessage.ToServer message) implements HolderEffect {}

    /** Reports the reply to the operation, or the answer to the query, that was handed in with this token. */
    record Answered(long token, Bytes reply) implements HolderEffect {}

    /**
     * Reports that the holder does nothing more. The driver has the log closed by an UNLOCK, if it is not closed yet.
     * Then it asks for the outcome of the outstanding entries: those up to the chosen length were executed, the others
     * were not and never will be.
     *
     * @param outstanding entries without a reply, in order; some of them may not have been sent
     * @param reads tokens of queries without an answer
     */
    record Ended(Reason reason, List<Outstanding> outstanding, List<Long> reads) implements HolderEffect {
        public Ended {
            outstanding = List.copyOf(outstanding);
            reads = List.copyOf(reads);
        }
    }

    /**
     * An entry without a reply.
     *
     * @param number its place in the log
     */
    record Outstanding(long number, long token, LogEntry entry) {}

    /** Reason of the end. */
    enum Reason {
        /** The driver has asked for it, and nothing is outstanding. */
        STOPPED,
        /** More than f servers refuse the log for good, so that one correct server does. */
        REFUSED,
        /** Time was up for an entry or a query. */
        TIMED_OUT
    }
}
