package io.bulwark.protocol.ordering.replica;

import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.wire.Bytes;

/** Says with each tick which batches and bodies are missing here, and has them asked for. */
final class Wants {
    private final Parts parts;
    private final Agreement agreement;
    private final ViewChanging viewChanging;
    private final BatchStore batches;
    private final Fetching fetching;

    Wants(Parts parts, Agreement agreement, ViewChanging viewChanging, BatchStore batches, Fetching fetching) {
        this.parts = parts;
        this.agreement = agreement;
        this.viewChanging = viewChanging;
        this.batches = batches;
        this.fetching = fetching;
    }

    void onTick(long nowMillis) {
        for (Slot slot : parts.log().all()) {
            if (slot.proposed != null && !slot.accepted && agreement.isBacked(slot)) {
                want(nowMillis, slot.proposed);
            }
        }
        Bytes next = parts.execution().waitingFor();
        if (next != null) {
            want(nowMillis, next);
        }
        viewChanging.missing().forEach(each -> want(nowMillis, each.digest()));
        parts.pool().missing().forEach((id, sources) -> fetching.wantRequest(nowMillis, id, sources));
        fetching.ask(nowMillis);
    }

    private void want(long nowMillis, Bytes digest) {
        Batch batch = batches.get(digest);
        if (batch == null) {
            fetching.wantBatch(nowMillis, digest, parts.view().primary());
        } else {
            batches.missing(batch).forEach(id -> fetching.wantRequest(nowMillis, id, -1));
        }
    }
}
