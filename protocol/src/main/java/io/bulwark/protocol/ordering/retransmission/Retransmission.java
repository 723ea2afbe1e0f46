package io.bulwark.protocol.ordering.retransmission;

import io.bulwark.protocol.ordering.checkpoint.Checkpoints;
import io.bulwark.protocol.ordering.log.ReplicaContext;
import io.bulwark.protocol.ordering.message.ReplicaMessage.BatchBody;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Executed;
import io.bulwark.protocol.ordering.message.ReplicaMessage.FetchBatch;
import io.bulwark.protocol.ordering.message.ReplicaMessage.FetchRequests;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RequestBodies;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Status;
import io.bulwark.protocol.ordering.normal.BatchStore;
import io.bulwark.protocol.ordering.normal.NormalCase;
import io.bulwark.protocol.ordering.view.ViewChangeExecutor;
import io.bulwark.protocol.wire.Bytes;

/**
 * Missing messages of 4.6.1: a replica reports its status, answers that of others, learns which batches are committed,
 * and asks for batches and requests that it lacks.
 */
public final class Retransmission {
    private final ViewChangeExecutor views;
    private final BatchStore batches;
    private final CommitLearner commitLearner;
    private final StatusExchange statusExchange;
    private final BatchFetcher fetching;
    private final BatchServer serving;
    private final MissingBatches missing;

    public Retransmission(
            ReplicaContext context, NormalCase normal, Checkpoints checkpoints, ViewChangeExecutor views) {
        this.views = views;
        batches = normal.batches();
        commitLearner = new CommitLearner(context, normal.execution());
        statusExchange = new StatusExchange(context, normal, checkpoints, commitLearner);
        fetching = new BatchFetcher(context.config(), context.outbox());
        serving = new BatchServer(context.config(), batches, context.outbox());
        missing = new MissingBatches(context, normal, views, fetching);
    }

    public void onTick(long nowMillis) {
        missing.onTick(nowMillis);
        statusExchange.onTick(nowMillis, views.changes());
    }

    /** Sends the echoes and READY messages that are new since the last call. */
    public void announceNew() {
        statusExchange.announceNew();
    }

    public void onStatus(long nowMillis, int from, Status status) {
        statusExchange.onStatus(nowMillis, from, status);
    }

    public void onExecuted(int from, Executed executed) {
        commitLearner.onExecuted(from, executed);
    }

    public void onFetchBatch(long nowMillis, int from, FetchBatch fetch) {
        serving.onFetchBatch(nowMillis, from, fetch);
    }

    public void onFetchRequests(long nowMillis, int from, FetchRequests fetch) {
        serving.onFetchRequests(nowMillis, from, fetch);
    }

    /** Handles a batch, which is kept if this replica has asked for it. */
    public void onBatch(BatchBody body) {
        Bytes digest = body.batch().digest();
        if (fetching.wants(digest)) {
            batches.put(digest, body.batch());
        }
    }

    public void onBodies(long nowMillis, int from, RequestBodies bodies) {
        missing.onBodies(nowMillis, from, bodies);
    }
}
