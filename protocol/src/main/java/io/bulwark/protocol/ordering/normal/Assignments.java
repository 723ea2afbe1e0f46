package io.bulwark.protocol.ordering.normal;

import io.bulwark.protocol.ordering.log.Slot;
import io.bulwark.protocol.ordering.log.SlotLog;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.RequestId;
import io.bulwark.protocol.wire.Bytes;
import java.util.HashMap;
import java.util.Map;

/**
 * The requests that have a number here which is not executed yet. A correct primary gives a request another number only
 * after it has executed the first one; so a backup does not accept a second one before, and a primary that lies has
 * nothing executed more often than that.
 *
 * <p>The rule: of each request this keeps the highest number with which it is accepted in the view, and none between
 * views. A request can have several numbers, since NEW-VIEW may choose them, or others have accepted them; once the
 * highest is executed, all are. A view that is left takes all with it ({@link #clear}), and what NEW-VIEW chooses is
 * accepted anew. A log that was cut, at either end, is read again ({@link #rebuild}), so that a request whose highest
 * number was cut has the next lower one. A number that is executed counts no more.
 */
public final class Assignments {
    private final SlotLog log;
    private final Map<RequestId, Assignment> byRequest = new HashMap<>();
    private long executed;

    private record Assignment(Slot slot, Bytes digest) {
        private boolean isAbove(long sequence) {
            return slot.sequence > sequence;
        }
    }

    public Assignments(SlotLog log) {
        this.log = log;
    }

    /** The view is left: nothing is accepted. */
    public void clear() {
        byRequest.clear();
    }

    /** Takes over what the log has accepted, at the start and after the log was cut. */
    public void rebuild(BatchStore batches) {
        byRequest.clear();
        for (Slot slot : log.all()) {
            Bytes digest = slot.proposed;
            Batch batch = digest == null ? null : batches.get(digest);
            if (digest != null && batch != null && slot.accepted && slot.sequence > executed) {
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
    public void onExecuted(long sequence) {
        executed = sequence;
    }

    public boolean hasNumber(RequestId id) {
        Assignment assignment = byRequest.get(id);
        return assignment != null && isOpen(assignment);
    }

    /** Returns whether the request has a number other than this one. */
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
