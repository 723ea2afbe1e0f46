package io.bulwark.protocol.ordering.retransmission;

import io.bulwark.protocol.ordering.driver.LogRecord;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.log.HistoryGuard;
import io.bulwark.protocol.ordering.log.Outbox;
import io.bulwark.protocol.ordering.log.ReplicaContext;
import io.bulwark.protocol.ordering.log.Slot;
import io.bulwark.protocol.ordering.log.SlotLog;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Executed;
import io.bulwark.protocol.ordering.normal.Execution;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;

/**
 * Catch-up of a replica that was left behind (docs/ordering/normal-case.md, replies): it learns which batches are
 * committed. At least f+1 replicas must report, under their current keys, that they executed a number with a batch. The
 * learned batch is logged, executed and served; it yields no COMMIT and no entry in P or Q.
 */
public final class CommitLearner {
    private final ReplicaConfig config;
    private final SlotLog log;
    private final Execution execution;
    private final HistoryGuard guard;
    private final Outbox outbox;

    CommitLearner(ReplicaContext context, Execution execution) {
        config = context.config();
        log = context.log();
        guard = context.guard();
        outbox = context.outbox();
        this.execution = execution;
    }

    public void onExecuted(int from, Executed message) {
        long sequence = message.first();
        for (Bytes digest : message.digests()) {
            Slot known = log.peek(sequence);
            boolean differs = known != null && known.decided != null && !known.decided.equals(digest);
            if (log.covers(sequence) && (differs || sequence > execution.executed())) {
                onClaim(from, log.slot(sequence), digest);
            }
            sequence++;
        }
    }

    private void onClaim(int from, Slot slot, Bytes digest) {
        slot.claims.put(from, digest);
        if (Slot.count(slot.claims, digest) < config.weakQuorum()) {
            return;
        }
        if (slot.decided == null) {
            slot.decided = digest;
            slot.decidedIndex = outbox.append(new LogRecord.Learned(slot.sequence, digest));
        } else {
            guard.onDecided(slot, digest, "f+1 others have executed");
        }
    }

    /** Sends the batches that this replica executed above this number and still has. */
    void tell(int to, long above) {
        List<Bytes> digests = new ArrayList<>();
        long first = Math.max(above, log.low()) + 1;
        for (long sequence = first; sequence <= execution.executed(); sequence++) {
            Slot slot = log.peek(sequence);
            if (slot == null || slot.decided == null) {
                break;
            }
            digests.add(slot.decided);
        }
        if (!digests.isEmpty()) {
            outbox.send(to, new Executed(first, digests));
        }
    }
}
