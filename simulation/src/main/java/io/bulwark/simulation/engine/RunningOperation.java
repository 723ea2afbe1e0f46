package io.bulwark.simulation.engine;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.id.PrincipalId;
import java.util.Optional;

/** An operation that a simulation runs for a client, or for a node. */
public final class RunningOperation<R> {
    private static final int ATTEMPT_SHIFT = 40;

    private final long id;
    private final PrincipalId party;
    private final ClientOperation<R> operation;
    private final Runnable whenFinished;

    RunningOperation(long id, PrincipalId party, ClientOperation<R> operation, Runnable whenFinished) {
        this.id = id;
        this.party = party;
        this.operation = operation;
        this.whenFinished = whenFinished;
    }

    public Optional<R> outcome() {
        return operation.outcome();
    }

    public boolean isFinished() {
        return operation.isFinished();
    }

    long id() {
        return id;
    }

    /** The request id of what the operation sends now. */
    long requestId() {
        long attempt = operation instanceof AttemptedOperation repeated ? repeated.attempt() : 0;
        return attempt << ATTEMPT_SHIFT | id;
    }

    /** The operation that sent such a request. */
    static long idOf(long requestId) {
        return requestId & (1L << ATTEMPT_SHIFT) - 1;
    }

    PrincipalId party() {
        return party;
    }

    ClientOperation<R> operation() {
        return operation;
    }

    void tellFinished() {
        whenFinished.run();
    }
}
