package io.bulwark.simulation.pasis;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.pasis.PasisGroup;

/** An operation of a correct client, and what to do with its outcome. */
final class Pending<R> {
    interface Judge<R> {
        /**
         * Judges it.
         *
         * @param outdated whether its session was closed or its epoch over meanwhile
         */
        void outcome(R outcome, boolean outdated);
    }

    final PrincipalId client;
    final PasisGroup group;
    private final ClientOperation<R> operation;
    private final Judge<R> judge;
    private boolean judged;
    /** Its session is closed, or its epoch over: it may fail, or never end. */
    boolean outdated;

    Pending(PrincipalId client, PasisGroup group, ClientOperation<R> operation, Judge<R> judge) {
        this.client = client;
        this.group = group;
        this.operation = operation;
        this.judge = judge;
    }

    /** True once it has an outcome. */
    boolean over() {
        R outcome = operation.outcome().orElse(null);
        if (outcome != null && !judged) {
            judged = true;
            judge.outcome(outcome, outdated);
        }
        return outcome != null;
    }
}
