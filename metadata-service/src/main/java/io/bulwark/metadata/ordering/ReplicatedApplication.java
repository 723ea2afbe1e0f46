package io.bulwark.metadata.ordering;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;

/**
 * The deterministic state machine that all replicas run (PROTOCOLS section 6). Called by one thread at a time. Two
 * instances that were given the same calls have the same snapshot, byte for byte.
 */
public interface ReplicatedApplication {
    /**
     * Executes one command. Commands may come twice: the session and number inside them tell.
     *
     * @param agreedMillis agreed time of the batch, never smaller than before
     */
    Bytes execute(PrincipalId client, Bytes command, long agreedMillis);

    /** Answers from the state as it is, and leaves it as it is. */
    Bytes query(PrincipalId client, Bytes query);

    /** The whole state in its canonical encoding. */
    Bytes snapshot();

    /** Replaces the whole state by one that {@link #snapshot} gave. */
    void restore(Bytes snapshot);
}
