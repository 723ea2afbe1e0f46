package io.bulwark.protocol.ordering.normal;

import io.bulwark.protocol.ordering.log.ReplicaContext;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Commit;
import io.bulwark.protocol.ordering.message.ReplicaMessage.NewView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Phase;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepare;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Prepare;
import io.bulwark.protocol.ordering.request.RequestPool;

/**
 * Normal case of 4.2: the primary gives numbers to requests, the replicas agree on them, and execute them in order.
 *
 * <p>States of a sequence number in a view ({@link io.bulwark.protocol.ordering.log.Slot}):
 *
 * <pre>
 * from          to            when
 * unknown       proposed      PRE-PREPARE of the primary, or a choice of NEW-VIEW
 * proposed      pre-prepared  all requests are here and acceptable; PREPARE is sent once it is on disk
 * pre-prepared  prepared      2f+1 PREPAREs, the own included; COMMIT is sent once it is on disk
 * any           decided       2f+1 COMMITs of the view, or f+1 replicas report that they have executed it
 * decided       executed      the decision is on disk, the requests are here, all lower numbers are executed
 * any           unknown       the view is left; a decision stays
 * </pre>
 */
public final class NormalCase {
    private final RequestPool pool;
    private final BatchStore batches;
    private final Execution execution;
    private final Assignments assignments;
    private final Agreement agreement;
    private final Primary primary;

    public NormalCase(
            ReplicaContext context, RequestPool pool, BatchStore batches, Execution execution, VoteHistory votes) {
        this.pool = pool;
        this.batches = batches;
        this.execution = execution;
        assignments = new Assignments(context.log());
        assignments.rebuild(batches);
        assignments.onExecuted(execution.executed());
        pool.setHasNumber(assignments::hasNumber);
        agreement = new Agreement(context, votes, pool, batches, assignments);
        primary = new Primary(context, pool, batches, assignments, agreement);
    }

    /** The requests that are not executed yet. */
    public RequestPool pool() {
        return pool;
    }

    public BatchStore batches() {
        return batches;
    }

    public Execution execution() {
        return execution;
    }

    public Agreement agreement() {
        return agreement;
    }

    public Primary primary() {
        return primary;
    }

    /** Handles a message of a peer in the view that this replica is in. */
    public void onPhase(long nowMillis, int from, Phase message) {
        switch (message) {
            case PrePrepare prePrepare -> agreement.onPrePrepare(nowMillis, from, prePrepare);
            case Prepare prepare -> agreement.onPrepare(from, prepare);
            case Commit commit -> agreement.onCommit(from, commit);
        }
    }

    /** A view begins, in which NEW-VIEW has assigned the first numbers. */
    public void enter(long nowMillis, NewView newView) {
        agreement.onChosen(nowMillis, newView);
        primary.enter(newView);
    }

    /** The view is left: nothing of it is in the slots of the log any more. */
    public void leave() {
        assignments.clear();
    }

    /** The log was cut, at either end. */
    public void onLogCut() {
        assignments.rebuild(batches);
    }

    /** A state was fetched, with which unknown requests were executed. */
    public void onStateFetched() {
        assignments.onExecuted(execution.executed());
        pool.clear();
    }

    /**
     * Executes the next number, if it can.
     *
     * @return whether it did
     */
    public boolean executeNext(long nowMillis) {
        boolean executed = execution.executeNext(nowMillis);
        if (executed) {
            assignments.onExecuted(execution.executed());
        }
        return executed;
    }
}
