package io.bulwark.metadata.ordering;

import io.bulwark.protocol.wire.Bytes;

/**
 * A state machine that keeps its state itself, for engines that take snapshots. Two instances that were given the same calls have
 * the same snapshot, byte for byte.
 */
public interface ReplicatedApplication extends StateMachine {
    /** The whole state in its canonical encoding. */
    Bytes snapshot();

    /** Replaces the whole state by one that {@link #snapshot} gave. */
    void restore(Bytes snapshot);
}
