package io.bulwark.protocol.ordering.replica;

import io.bulwark.protocol.ordering.message.ReplicaMessage.NewView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Status;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ViewChange;
import io.bulwark.protocol.ordering.view.ViewDigest;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Stops a replica whose own history contradicts what certificates would have it adopt. With f faults or fewer that does not happen, so more than f replicas
 * are faulty, or were set back to an older copy of their disks, and what this one has executed, and clients may have been told, would vanish.
 *
 * <p>Only what f liars cannot bring about counts: a batch that 2f+1 have committed, or f+1 executed, where this one has another; another state that f+1 have at a
 * checkpoint of this one; and the two cases of {@link #onNewView} and {@link #onStatus}. While this replica recovers, its own disk may be forged, and
 * nothing is compared.
 */
final class HistoryGuard {
    /** What another replica said last of where it stands. */
    private record Standing(long view, long stable, long executed) {}

    /** A view contradicts what is here, unless others had left it before. */
    private record Doubt(long view, String here, String there) {}

    private final ReplicaConfig config;
    private final SlotLog log;
    private final Execution execution;
    private final Checkpoints checkpoints;
    private final Map<Integer, Standing> others = new HashMap<>();

    /** The low water mark with which this life began. */
    private final long began;

    /** What was decided, and executed, when this replica asked for its view. */
    private final List<Numbered> decidedBefore = new ArrayList<>();

    private long executedBefore;
    /** Of the own VIEW-CHANGE for this view. */
    private Bytes asked = Bytes.EMPTY;
    private BooleanSupplier trustsOwn = () -> true;
    private @Nullable Doubt doubt;
    private @Nullable String contradiction;

    HistoryGuard(ReplicaConfig config, SlotLog log, Execution execution, Checkpoints checkpoints) {
        this.config = config;
        this.log = log;
        this.execution = execution;
        this.checkpoints = checkpoints;
        began = log.low();
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

    /** This replica asks for a view, by the VIEW-CHANGE that it makes now. */
    void onLeave(ViewChange own) {
        asked = trustsOwn.getAsBoolean() ? ViewDigest.of(own) : Bytes.EMPTY;
        executedBefore = execution.executed();
        decidedBefore.clear();
        for (Slot slot : log.all()) {
            if (slot.decided != null) {
                decidedBefore.add(new Numbered(slot.sequence, slot.decided));
            }
        }
        doubt = null;
    }

    /**
     * A view begins with this, which its VIEW-CHANGEs support. If the own one is among these, the NEW-VIEW was made after it, and after all that was decided here before:
     * that was decided in an earlier view, so that the NEW-VIEW has it; or in a later one, when f+1 correct replicas had left this view.
     * The latter is not so if 2f others say that they have not come further ({@link #onStatus}).
     */
    void onNewView(NewView newView) {
        boolean isLater = newView.support().stream()
                .anyMatch(each -> each.replica() == config.self() && each.digest().equals(asked));
        if (!isLater) {
            return;
        }
        Numbered checkpoint = newView.checkpoint();
        long last = checkpoint.sequence() + newView.chosen().size();
        String begins = "view " + newView.view() + " begins ";
        if (executedBefore > last) {
            doubt = new Doubt(newView.view(), "number " + executedBefore, begins + "after number " + last);
        }
        Map<Long, Bytes> chosen = new HashMap<>();
        newView.chosen().forEach(each -> chosen.put(each.sequence(), each.digest()));
        for (Numbered decided : decidedBefore) {
            Bytes there = chosen.get(decided.sequence());
            if (there != null && !there.equals(decided.digest())) {
                doubt = new Doubt(
                        newView.view(),
                        "batch " + decided.digest() + " with number " + decided.sequence(),
                        begins + "with batch " + there + " there");
            }
        }
    }

    /**
     * Another replica says where it stands. A checkpoint that was stable when this life began 2f others had on disk then, f of them correct; so no 2f+1 others say that they are below
     * it. Who has no state at all does not count: that is damage, or a new disk.
     */
    void onStatus(int from, Status status) {
        others.put(from, new Standing(status.view(), status.stable(), status.executed()));
        Doubt doubted = doubt;
        if (doubted != null && count(each -> each.view <= doubted.view) >= 2 * config.faulty()) {
            found(doubted.here, doubted.there);
        }
        boolean isOfThese = began > config.term().checkpoint().sequence();
        if (isOfThese
                && count(each -> each.executed > 0 && each.executed < began && each.stable < began)
                        >= config.quorum()) {
            found("number " + began + ", a stable checkpoint", config.quorum() + " others have not come to it");
        }
    }

    private long count(Predicate<Standing> which) {
        return others.values().stream().filter(which).count();
    }

    /** What it said under old keys does not count. */
    void onKeyChange(int peer) {
        others.remove(peer);
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
