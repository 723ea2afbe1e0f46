package io.bulwark.protocol.ordering.replica;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Optional;

/**
 * The deterministic state machine behind a replica, with its checkpoints. Called by the replica's thread only. Equal calls
 * in equal order make equal states, results and digests at all replicas.
 *
 * <p>The replica keeps something in the state itself ({@code engineState}, a few bytes, covered by the digest), so that
 * whoever fetches the state has it, too.
 */
public interface Application {
    /**
     * Executes one operation. Operations may come twice: what is inside them tells.
     *
     * @param agreedMillis agreed time, never smaller than before
     */
    Bytes execute(PrincipalId client, Bytes operation, long agreedMillis);

    /** Answers from the state as it is, and leaves it as it is. */
    Bytes query(PrincipalId client, Bytes query);

    /**
     * Takes a checkpoint of the state as it is, without a pause; it becomes durable later, which the driver tells by {@link
     * Replica#onCheckpointDurable}.
     *
     * @return the SHA-256 digest of state and {@code engineState}
     */
    Bytes checkpoint(long sequence, Bytes engineState);

    /** Checkpoints with smaller numbers are no longer needed. */
    void discard(long sequence);

    /**
     * The checkpoints that are durable and can be served, by number, never empty: a new state machine has number 0. When a
     * replica starts, or has been told that a fetched state is here, the state as it is is that of the last of them.
     */
    List<Numbered> checkpoints();

    /** Returns the engine state stored with the last of these checkpoints; empty for number 0. */
    Bytes engineState();

    /**
     * The members that are to follow, if the state says so: from the next checkpoint on, which is the last one that the members
     * of now make. They differ from these by one replica in the place of another, or by three more or three fewer; nobody who was
     * out comes back.
     */
    default Optional<List<Member>> nextMembers() {
        return Optional.empty(); // the members of this group stay
    }

    /**
     * Reports that these members have taken effect, as this configuration; the state of the next checkpoint contains
     * it.
     */
    default void onReconfigured(Configuration now) {
        throw new IllegalStateException("nobody was to follow: " + now);
    }
}
