package io.bulwark.protocol.ordering.log;

import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Status;
import io.bulwark.protocol.wire.Bytes;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Stops a replica whose own history contradicts what certificates would have it adopt. With f faults or fewer that does
 * not happen, so more than f replicas are faulty, or were set back to an older copy of their disks, and what this one
 * has executed, and clients may have been told, would vanish.
 *
 * <p>Only what f liars cannot bring about counts: a batch that 2f+1 have committed, or f+1 executed, where this one has
 * another; another state that f+1 have at a checkpoint of this one; and what 2f+1 say of themselves ({@link
 * #onStatus}). A NEW-VIEW does not count, since a primary that lies can make several. But what is decided here this
 * replica votes for nothing else about, and tells others who lack it. While this replica recovers, its own disk may be
 * forged: nothing is compared, or kept to be compared later.
 */
public final class HistoryGuard {
    /** Last position that another replica reported. */
    private record ReportedState(long stable, long executed) {}

    private final ReplicaConfig config;
    private final Map<Integer, ReportedState> others = new HashMap<>();

    /** The low water mark with which this life began. */
    private final long began;

    private BooleanSupplier trustsOwn = () -> true;
    private @Nullable String contradiction;

    HistoryGuard(ReplicaConfig config, SlotLog log) {
        this.config = config;
        began = log.low();
    }

    /** Sets the condition under which the local history counts. */
    public void setTrustsOwn(BooleanSupplier newTrustsOwn) {
        trustsOwn = newTrustsOwn;
    }

    /** Returns a description of the contradiction; null if there is none. */
    public @Nullable String contradiction() {
        return contradiction;
    }

    /**
     * Handles the status of another replica. A checkpoint that was stable when this process began was on disk at 2f
     * others, f of them correct. So no 2f+1 others report a status below it. A replica without any state does not
     * count: it has damage, or a new disk.
     */
    public void onStatus(int from, Status status) {
        if (!trustsOwn.getAsBoolean()) {
            return;
        }
        others.put(from, new ReportedState(status.stable(), status.executed()));
        boolean isOfThese = began > config.term().checkpoint().sequence();
        if (isOfThese
                && count(each -> each.executed > 0 && each.executed < began && each.stable < began)
                        >= config.quorum()) {
            found("number " + began + ", a stable checkpoint", config.quorum() + " others have not reached it");
        }
    }

    private long count(Predicate<ReportedState> which) {
        return others.values().stream().filter(which).count();
    }

    /** Discards what the peer reported under its old keys. */
    public void onKeyChange(int peer) {
        others.remove(peer);
    }

    /**
     * Compares the batch that enough other replicas have for a number with the batch decided here.
     *
     * @param who these replicas and their claim, as the subject and verb of the message
     */
    public void onDecided(Slot slot, Bytes digest, String who) {
        Bytes decided = slot.decided;
        if (decided != null && !decided.equals(digest)) {
            found("batch " + decided + " with number " + slot.sequence, who + " batch " + digest + " there");
        }
    }

    /**
     * Handles a checkpoint of f+1 others.
     *
     * @param differs whether the state of this replica's own checkpoint with that number is another one
     * @return whether the checkpoint contradicts nothing here
     */
    public boolean canAdmit(Numbered checkpoint, boolean differs) {
        if (differs) {
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
