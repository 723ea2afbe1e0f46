package io.bulwark.metadata.ordering;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.state.KeyValueState;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Optional;

/** The deterministic state machine that all replicas run (docs/protocols/metadata.md). Called by one thread at a time. */
public interface StateMachine {
    /** Makes machines over ordered keys and values, for an engine that keeps these. */
    @FunctionalInterface
    interface Factory {
        /**
         * Creates the machine over this state; if the state is empty, a new machine writes its initial content there.
         * Nothing else may decide on replies, for the state may be replaced, or set back, between two calls. No key is
         * {@code 0}.
         */
        StateMachine over(KeyValueState state);
    }

    /**
     * Executes one command. Commands may come twice: the session and number inside them tell.
     *
     * @param agreedMillis agreed time of the batch, never smaller than before
     */
    Bytes execute(PrincipalId client, Bytes command, long agreedMillis);

    /** The replicas that are to follow, if the state says so: from the next checkpoint on. */
    default Optional<List<Member>> nextReplicas() {
        return Optional.empty();
    }

    /**
     * Returns the proof that an operator has replaced the first of two configurations by the second; empty if there is
     * none.
     */
    default Optional<Bytes> authorization(Configuration ended, Configuration next) {
        return Optional.empty();
    }

    /** Records in the state that this configuration has begun. */
    default void onReconfigured(Configuration now) {
        throw new IllegalStateException("no successor was agreed: " + now);
    }

    /** Returns the locks in the state; empty if there are none, so that its replica needs no log server. */
    default Optional<LockTable> locks() {
        return Optional.empty();
    }

    /** Answers from the current state, and leaves it unchanged. */
    Bytes query(PrincipalId client, Bytes query);
}
