package io.bulwark.metadata.ordering;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.state.KeyValueState;
import io.bulwark.protocol.wire.Bytes;

/**
 * The deterministic state machine that all replicas run (PROTOCOLS section 6), over ordered keys and values. Called by one
 * thread at a time. It keeps nothing that decides on replies but what is in the state, which may be exchanged for
 * another, or set back, between two calls. Its keys are not {@code 0}.
 */
public interface StateMachine {
    /** Makes the machine whose state this is. */
    @FunctionalInterface
    interface Factory {
        /** Makes it over this state; if that is empty, the machine is new and puts there what it begins with. */
        StateMachine over(KeyValueState state);
    }

    /**
     * Executes one command. Commands may come twice: the session and number inside them tell.
     *
     * @param agreedMillis agreed time of the batch, never smaller than before
     */
    Bytes execute(PrincipalId client, Bytes command, long agreedMillis);

    /** Answers from the state as it is, and leaves it as it is. */
    Bytes query(PrincipalId client, Bytes query);
}
