package io.bulwark.protocol.ordering.retransmission;

import io.bulwark.protocol.ordering.log.ReplicaContext;
import io.bulwark.protocol.ordering.log.Slot;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RequestBodies;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.message.RequestId;
import io.bulwark.protocol.ordering.normal.Agreement;
import io.bulwark.protocol.ordering.normal.BatchStore;
import io.bulwark.protocol.ordering.view.ViewChangeExecutor;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Says with each tick which batches and bodies are missing here, and has them asked for. */
public final class MissingBatches {
    /**
     * Number of full proposals examined with each tick, among those that only the primary supports; the lowest numbers
     * come first.
     */
    private static final int PROPOSALS_LOOKED_AT = 16;

    private final ReplicaContext parts;
    private final Agreement agreement;
    private final ViewChangeExecutor viewChangeExecutor;
    private final BatchStore batches;
    private final BatchFetcher fetching;

    /** Bodies wanted for a batch that has other supporters than its primary, or that lost its room here. */
    private final Set<RequestId> ofBatches = new HashSet<>();

    public MissingBatches(
            ReplicaContext parts,
            Agreement agreement,
            ViewChangeExecutor viewChangeExecutor,
            BatchStore batches,
            BatchFetcher fetching) {
        this.parts = parts;
        this.agreement = agreement;
        this.viewChangeExecutor = viewChangeExecutor;
        this.batches = batches;
        this.fetching = fetching;
    }

    public void onTick(long nowMillis) {
        ofBatches.clear();
        Bytes next = parts.execution().awaitedBatch();
        if (next != null) {
            want(nowMillis, next);
        }
        int names = PROPOSALS_LOOKED_AT * parts.config().batches().requestsMax();
        for (Slot slot : parts.log().all()) {
            if (slot.proposed != null && !slot.accepted) {
                if (agreement.isBacked(slot)) {
                    want(nowMillis, slot.proposed);
                } else if (names > 0) {
                    names -= wantEvicted(nowMillis, slot.proposed);
                }
            }
        }
        viewChangeExecutor.missing().forEach(each -> want(nowMillis, each.digest()));
        parts.pool().missing().forEach((id, sources) -> fetching.wantRequest(nowMillis, id, sources));
        fetching.ask(nowMillis);
    }

    /** Handles received bodies; unwanted ones do not count. */
    public void onBodies(long nowMillis, int from, RequestBodies bodies) {
        Set<RequestId> came = new HashSet<>();
        for (Request request : bodies.requests()) {
            RequestId id = request.id();
            if (fetching.wants(id)) {
                parts.pool().onBody(nowMillis, id, request);
                if (ofBatches.contains(id)) {
                    batches.onBody(id, request);
                } else if (parts.pool().body(id) == null) {
                    batches.offer(id, request, parts.config().room().bytesOfAll());
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
            int displaced = parts.pool().evictedBytes(id);
            if (displaced >= 0) {
                wanted.add(id);
                bytes += displaced;
            } else if (!parts.pool().isVouchedFor(id)) {
                return names;
            }
        }
        if (batch.requests().size() <= 1 || bytes <= parts.config().batches().bytesMax()) {
            wanted.forEach(id -> want(nowMillis, id, 1L << parts.view().primary()));
        }
        return names;
    }

    private void want(long nowMillis, Bytes digest) {
        Batch batch = batches.get(digest);
        if (batch == null) {
            fetching.wantBatch(nowMillis, digest, parts.view().primary());
        } else {
            batches.missing(batch).forEach(id -> want(nowMillis, id, -1));
        }
    }

    private void want(long nowMillis, RequestId id, long sources) {
        ofBatches.add(id);
        fetching.wantRequest(nowMillis, id, sources);
    }
}
