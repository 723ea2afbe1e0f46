package io.bulwark.protocol.ordering.driver;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Optional;

/**
 * Deterministic state machine behind a replica, with its checkpoints. Called by the replica's thread only. Equal calls
 * in equal order make equal states, results and digests at all replicas.
 *
 * <p>The replica keeps a few bytes in the state itself ({@code engineState}, covered by the digest), so that a replica
 * that fetches the state has them, too.
 */
public interface Application {
    /**
     * Executes one operation. Operations may arrive twice; their content must identify duplicates.
     *
     * @param agreedMillis agreed time, never smaller than before
     */
    Bytes execute(PrincipalId client, Bytes operation, long agreedMillis);

    /** Answers from the current state, and does not change it. */
    Bytes query(PrincipalId client, Bytes query);

    /**
     * Takes a checkpoint of the state as it is, without a pause; it becomes durable later, which the driver tells by
     * {@code Replica.onCheckpointDurable}.
     *
     * @return the SHA-256 digest of state and {@code engineState}
     */
    Bytes checkpoint(long sequence, Bytes engineState);

    /** Checkpoints with smaller numbers are no longer needed. */
    void discard(long sequence);

    /**
     * Returns the checkpoints that are durable and can be served, by number, never empty: a new state machine has
     * number 0. The current state is that of the last of them when a replica starts, or has been notified of a fetched
     * state.
     */
    List<Numbered> checkpoints();

    /** Returns the engine state stored with the last of these checkpoints; empty for number 0. */
    Bytes engineState();

    /**
     * Returns the next members, if the state names them, from the next checkpoint on, which is the last one that the
     * current members make. They differ from these by one replaced replica, or by three more or three fewer; no former
     * member returns.
     */
    default Optional<List<Member>> nextMembers() {
        return Optional.empty(); // the members of this group stay
    }

    /**
     * Reports that these members have taken effect, as this configuration; the state of the next checkpoint contains
     * it.
     */
    default void onReconfigured(Configuration now) {
        throw new IllegalStateException("no successor was agreed: " + now);
    }
}
