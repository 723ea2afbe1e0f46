package io.bulwark.protocol.ordering.replica;

import io.bulwark.protocol.ordering.message.ReplicaMessage.NewView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.wire.Bytes;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Stops a replica whose own history contradicts what certificates would have it adopt. With f faults or fewer that does not happen: what one correct
 * replica has executed, a view begins with, and f+1 or 2f+1 others have the same. So more than f replicas are faulty, or were set back to
 * an older copy of their disks, and what this one has executed, and clients may have been told, would vanish. Only what the protocol would act on counts: a
 * NEW-VIEW that 2f+1 VIEW-CHANGEs support, 2f+1 COMMITs, what f+1 have executed, and a checkpoint that f+1 have. f liars have none of these.
 *
 * <p>While this replica recovers, its own disk may be forged, and nothing is compared.
 */
final class HistoryGuard {
    private final SlotLog log;
    private final Execution execution;
    private final Checkpoints checkpoints;
    private BooleanSupplier trustsOwn = () -> true;
    private @Nullable String contradiction;

    HistoryGuard(SlotLog log, Execution execution, Checkpoints checkpoints) {
        this.log = log;
        this.execution = execution;
        this.checkpoints = checkpoints;
    }

    /** @param newTrustsOwn whether what is here counts */
    void setTrustsOwn(BooleanSupplier newTrustsOwn) {
        trustsOwn = newTrustsOwn;
    }

    /** What contradicts what; null if nothing does. */
    @Nullable
    String contradiction() {
        return contradiction;
    }

    /** A view is to begin with this, which its VIEW-CHANGEs support. Returns whether it can. */
    boolean admits(NewView newView) {
        Numbered checkpoint = newView.checkpoint();
        long last = checkpoint.sequence() + newView.chosen().size();
        if (execution.executed() > last) {
            found("number " + execution.executed(), "view " + newView.view() + " begins after number " + last);
        }
        if (checkpoints.hasOther(checkpoint)) {
            found(
                    "another state at checkpoint " + checkpoint.sequence(),
                    "view " + newView.view() + " begins with the one of digest " + checkpoint.digest());
        }
        for (Numbered choice : newView.chosen()) {
            Slot slot = log.peek(choice.sequence());
            Bytes decided = slot == null ? null : slot.decided;
            if (decided != null && !decided.equals(choice.digest())) {
                found(
                        "batch " + decided + " with number " + choice.sequence(),
                        "view " + newView.view() + " begins with batch " + choice.digest() + " there");
            }
        }
        return contradiction == null;
    }

    /**
     * So many others have a batch for a number that is decided here.
     *
     * @param who and what they have done
     */
    void onDecided(Slot slot, Bytes digest, String who) {
        Bytes decided = slot.decided;
        if (decided != null && !decided.equals(digest)) {
            found("batch " + decided + " with number " + slot.sequence, who + " batch " + digest + " there");
        }
    }

    /** f+1 others have this checkpoint. Returns whether it does not contradict one that is here. */
    boolean admits(Numbered checkpoint) {
        if (checkpoints.hasOther(checkpoint)) {
            found(
                    "another state at checkpoint " + checkpoint.sequence(),
                    "f+1 others have the one of digest " + checkpoint.digest());
        }
        return contradiction == null;
    }

    private void found(String here, String there) {
        if (contradiction == null && trustsOwn.getAsBoolean()) {
            contradiction = "this replica has executed " + here + ", but " + there;
        }
    }
}
