package io.bulwark.protocol.locking;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;

/** Request of a log server to its driver, to be done in order. */
public sealed interface LogEffect {
    /** Answers the request with this id. May be lost. */
    record Send(PrincipalId to, long requestId, LockingMessage.ToHolder message) implements LogEffect {}

    /**
     * Appends to the store, and syncs when there is nothing else to do. Then the driver calls {@link
     * LogServer#onStored}. A failure of the store ends the server.
     *
     * @param token counts the stores of one life of the server from 1
     */
    record Store(long token, LogStoreRecord record) implements LogEffect {}

    /** Removes all records of a log, soon. Nothing waits for it. */
    record Delete(LogId log) implements LogEffect {}

    /** Has a submission of this replica ordered. May be lost: the server asks again. */
    record Submit(Bytes submission) implements LogEffect {}
}
