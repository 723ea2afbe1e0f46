package io.bulwark.protocol.ordering.driver;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.CallRefusal;
import io.bulwark.protocol.ordering.membership.Handover;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;

/** Actions that a replica requests from its driver, to be done in order. */
public sealed interface ReplicaEffect {
    /** Send this to another replica, under the current session key. May be lost. */
    record Send(int to, ReplicaMessage message) implements ReplicaEffect {}

    /** The result of a client's request. */
    record Reply(PrincipalId client, long call, Bytes result) implements ReplicaEffect {}

    /** No result, for now. */
    record Refuse(PrincipalId client, long call, CallRefusal reason) implements ReplicaEffect {}

    /**
     * Append to the log. Sync when there is nothing else to do and tell by {@code Replica.onDurable}.
     *
     * @param index counts appends and rolls of one life of the replica from 1
     */
    record Append(long index, LogRecord record) implements ReplicaEffect {}

    /**
     * Effect: begin a new segment of the log with these records, which replace all earlier ones. Older segments are
     * needed until the index is durable; then they can be deleted.
     */
    record Roll(long index, List<LogRecord> summary) implements ReplicaEffect {
        public Roll {
            summary = List.copyOf(summary);
        }
    }

    /**
     * Fetch the state of this checkpoint, or of a later one that f+1 replicas vouch for, and tell by {@code
     * Replica.onStateFetched}. Replaces a fetch or a check in progress. Until then the application is not called.
     *
     * @param checking no page that is here is trusted: all are digested, in a recovery
     */
    record FetchState(Numbered checkpoint, boolean checking) implements ReplicaEffect {}

    /**
     * Effect: digest each page of this own checkpoint, and replace the corrupt ones by the others' (4.4). Report by
     * {@code Replica.onStateChecked}, or {@code Replica.onCheckGone} if the others no longer have it. Meanwhile the
     * application continues, and does not discard the checkpoint.
     */
    record CheckState(Numbered checkpoint) implements ReplicaEffect {}

    /**
     * Effect: the other replica recovers, and an intruder may know the keys under which it spoke. They are invalid for
     * all messages that arrive after this; send it new ones.
     */
    record DropKeys(int replica) implements ReplicaEffect {}

    /**
     * The log cannot be right, or lacks what was promised. Remove all of it, and begin another life with {@link
     * StartReason#FORGOTTEN}; this one does nothing more.
     */
    record Forget(String why) implements ReplicaEffect {}

    /**
     * This replica's executed history contradicts the history that it is to adopt: more than f replicas are faulty.
     * This life does nothing more. No other life may begin before somebody has found out which disks are right.
     *
     * @param why names both
     */
    record Stop(String why) implements ReplicaEffect {}

    /**
     * Effect: the configuration ends here, with a stable checkpoint. The replica continues to help the others to reach
     * it, until its driver stops it.
     */
    record Ended(Handover handover) implements ReplicaEffect {}

    /** This replica sent what no correct one sends. */
    record Misbehaved(int replica, String what) implements ReplicaEffect {}
}
