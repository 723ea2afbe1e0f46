package io.bulwark.protocol.locking;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Optional;

/**
 * The part of a replica's executed state that its log server reads. Called by the thread that executes commands, between
 * two commands.
 */
public interface LockView {
    /**
     * One log in the lock table.
     *
     * @param key its holder signs heads with
     * @param isClosing whether a round that closes it is open: no server takes entries any more
     */
    record OpenLog(LogId id, PrincipalKey key, boolean isClosing) {}

    /** Returns the log of a holder's session, while it is in the lock table. */
    Optional<OpenLog> log(PrincipalId holder, long session);

    /**
     * Returns the logs whose round is open and lacks a FETCH of this replica that counts, oldest first: it has none, or
     * pieces for it are missing. Only the oldest rounds take part at a time; the others follow as they end.
     */
    List<OpenLog> fetchesOwed(PrincipalId replica);

    /**
     * Returns the greatest n to which the round of a log has ordered pieces, whoever sent them, that link h(n) back to
     * h(0); 0 if there are none. A server submits the pieces that are missing.
     *
     * @param hashes h(1), h(2) and so on, as this server has them
     */
    int backedLength(LogId log, List<Bytes> hashes);

    /** Returns whether entries of closed logs are left to be executed: each ordered command executes some. */
    boolean isReplaying();

    /** Number of commands that were executed. */
    long commands();

    /** Makes an overlay for a log in the lock table that is not closing. */
    Overlay overlay(LogId log);

    /** State as it would be after the entries of one log, over the replica's state. Changes neither. */
    interface Overlay {
        /** Executes the next entries, and returns their replies in canonical bytes. */
        List<Bytes> execute(List<LogEntry> entries);

        /** Answers a query of the holder, in canonical bytes, as of the last entry. */
        Bytes query(Optional<PrincipalId> onBehalfOf, Bytes query);

        /** Returns about how much memory it takes. */
        long bytes();
    }
}
