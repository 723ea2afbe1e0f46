package io.bulwark.protocol.ordering.retransmission;

import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.log.ReplicaContext;
import io.bulwark.protocol.ordering.log.Slot;
import io.bulwark.protocol.ordering.log.SlotLog;
import io.bulwark.protocol.ordering.log.View;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RequestBodies;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.message.RequestId;
import io.bulwark.protocol.ordering.normal.Agreement;
import io.bulwark.protocol.ordering.normal.BatchStore;
import io.bulwark.protocol.ordering.normal.Execution;
import io.bulwark.protocol.ordering.normal.NormalCase;
import io.bulwark.protocol.ordering.request.RequestPool;
import io.bulwark.protocol.ordering.view.ViewChangeExecutor;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Says with each tick which batches and bodies are missing here, and has them asked for. */
final class MissingBatches {
    /**
     * Number of full proposals examined with each tick, among those that only the primary supports; the lowest numbers
     * come first.
     */
    private static final int PROPOSALS_LOOKED_AT = 16;

    private final ReplicaConfig config;
    private final View view;
    private final SlotLog log;
    private final RequestPool pool;
    private final Execution execution;
    private final Agreement agreement;
    private final ViewChangeExecutor views;
    private final BatchStore batches;
    private final BatchFetcher fetching;

    /** Bodies wanted for a batch that has other supporters than its primary, or that lost its room here. */
    private final Set<RequestId> ofBatches = new HashSet<>();

    MissingBatches(ReplicaContext context, NormalCase normal, ViewChangeExecutor views, BatchFetcher fetching) {
        config = context.config();
        view = context.view();
        log = context.log();
        pool = normal.pool();
        execution = normal.execution();
        agreement = normal.agreement();
        batches = normal.batches();
        this.views = views;
        this.fetching = fetching;
    }

    void onTick(long nowMillis) {
        ofBatches.clear();
        Bytes next = execution.awaitedBatch();
        if (next != null) {
            want(nowMillis, next);
        }
        int names = PROPOSALS_LOOKED_AT * config.batches().requestsMax();
        for (Slot slot : log.all()) {
            if (slot.proposed != null && !slot.accepted) {
                if (agreement.isBacked(slot)) {
                    want(nowMillis, slot.proposed);
                } else if (names > 0) {
                    names -= wantEvicted(nowMillis, slot.proposed);
                }
            }
        }
        views.missing().forEach(each -> want(nowMillis, each.digest()));
        pool.missing().forEach((id, sources) -> fetching.wantRequest(nowMillis, id, sources));
        fetching.ask(nowMillis);
    }

    /** Handles received bodies; unwanted ones do not count. */
    void onBodies(long nowMillis, int from, RequestBodies bodies) {
        Set<RequestId> came = new HashSet<>();
        for (Request request : bodies.requests()) {
            RequestId id = request.id();
            if (fetching.wants(id)) {
                pool.onBody(nowMillis, id, request);
                if (ofBatches.contains(id)) {
                    batches.onBody(id, request);
                } else if (pool.body(id) == null) {
                    batches.offer(id, request, config.room().bytesOfAll());
                }
                came.add(id);
            }
        }
        fetching.onBodies(nowMillis, from, came);
    }

    /**
     * Asks the primary for bodies that lost their room here, since it must have what it proposes. It asks for no more
     * than a batch may have, and for nothing if the batch names an unacceptable request.
     *
     * @return the number of names examined
     */
    private int wantEvicted(long nowMillis, Bytes digest) {
        Batch batch = batches.get(digest);
        if (batch == null) {
            return 0;
        }
        int names = 0;
        long bytes = 0;
        List<RequestId> wanted = new ArrayList<>();
        for (RequestId id : batch.requests()) {
            Request body = batches.body(id);
            names++;
            if (body != null) {
                bytes += body.operation().length();
                continue;
            }
            int displaced = pool.evictedBytes(id);
            if (displaced >= 0) {
                wanted.add(id);
                bytes += displaced;
            } else if (!pool.isVouchedFor(id)) {
                return names;
            }
        }
        if (batch.requests().size() <= 1 || bytes <= config.batches().bytesMax()) {
            wanted.forEach(id -> want(nowMillis, id, 1L << view.primary()));
        }
        return names;
    }

    private void want(long nowMillis, Bytes digest) {
        Batch batch = batches.get(digest);
        if (batch == null) {
            fetching.wantBatch(nowMillis, digest, view.primary());
        } else {
            batches.missing(batch).forEach(id -> want(nowMillis, id, -1));
        }
    }

    private void want(long nowMillis, RequestId id, long sources) {
        ofBatches.add(id);
        fetching.wantRequest(nowMillis, id, sources);
    }
}
