package io.bulwark.protocol.ordering.replica;

import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.RequestId;
import io.bulwark.protocol.wire.Bytes;
import java.util.HashMap;
import java.util.Map;

/**
 * The requests that have a number here which is not executed yet. A correct primary gives a request another number only after it has executed the
 * first one; so a backup does not accept a second one before, and a primary that lies has nothing executed more often than that.
 *
 * <p>An entry holds for as long as its slot has the batch: views that end, states that are fetched and logs that are cut need not say so.
 */
final class Assignments {
    private final SlotLog log;
    private final Map<RequestId, Assignment> byRequest = new HashMap<>();
    private long executed;

    private record Assignment(Slot slot, Bytes digest) {
        private boolean isAbove(long sequence) {
            return slot.sequence > sequence;
        }
    }

    Assignments(SlotLog log) {
        this.log = log;
    }

    /** What the log of earlier lives has accepted. */
    void restore(BatchStore batches) {
        for (Slot slot : log.all()) {
            Bytes digest = slot.proposed;
            Batch batch = digest == null ? null : batches.get(digest);
            if (digest != null && batch != null && slot.accepted) {
                onAccepted(slot, digest, batch);
            }
        }
    }

    void onAccepted(Slot slot, Bytes digest, Batch batch) {
        Assignment assignment = new Assignment(slot, digest);
        for (RequestId id : batch.requests()) {
            Assignment before = byRequest.get(id);
            if (before == null || !isOpen(before) || !before.isAbove(slot.sequence)) {
                byRequest.put(id, assignment);
            }
        }
    }

    /** All numbers up to this one are executed, or lie below the state that is here. */
    void onExecuted(long sequence) {
        executed = sequence;
    }

    /** Forgets what does not hold any more. */
    void tidy() {
        byRequest.values().removeIf(each -> !isOpen(each));
    }

    boolean hasNumber(RequestId id) {
        Assignment assignment = byRequest.get(id);
        return assignment != null && isOpen(assignment);
    }

    /** Whether the request has a number other than this one. */
    boolean hasOtherNumber(RequestId id, long sequence) {
        Assignment assignment = byRequest.get(id);
        return assignment != null && assignment.slot.sequence != sequence && isOpen(assignment);
    }

    private boolean isOpen(Assignment assignment) {
        Slot slot = assignment.slot;
        return assignment.isAbove(executed)
                && slot.accepted
                && slot.isProposed(assignment.digest)
                && slot.equals(log.peek(slot.sequence));
    }
}
