package io.bulwark.protocol.completion;

import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Learns what volumes reference, in the order of arrival, and has each extent that belongs to the node looked at once; what could
 * not be done is tried again.
 */
final class ReferenceWalk {
    static final int PAGE = 100;

    private final PendingSteps calls;
    private final ExtentChecks checks;
    private final int node;
    private final long retryMillis;
    private final LongSupplier nowMillis;
    private final Consumer<Reply.Reference> learned;
    private final SortedMap<Integer, VolumeProgress> progress = new TreeMap<>();

    /**
     * Creates a walk that begins with the first inode of each volume.
     *
     * @param learned receives each reference before its extents are checked
     */
    ReferenceWalk(
            PendingSteps calls,
            ExtentChecks checks,
            int node,
            long retryMillis,
            LongSupplier nowMillis,
            Consumer<Reply.Reference> learned) {
        this.calls = calls;
        this.checks = checks;
        this.node = node;
        this.retryMillis = retryMillis;
        this.nowMillis = nowMillis;
        this.learned = learned;
    }

    /** Returns the progress of each volume that was followed. */
    SortedMap<Integer, VolumeProgress> progress() {
        return progress;
    }

    VolumeProgress progressOf(Volume volume) {
        return progressOf(volume.id());
    }

    private VolumeProgress progressOf(int volume) {
        return progress.computeIfAbsent(volume, ignored -> new VolumeProgress());
    }

    /** Examines again everything that was done before in the volume; to be called between two rounds. */
    void restart(int volume) {
        progressOf(volume).restart();
    }

    /** Returns whether everything is done that the volume referenced when it was last followed. */
    boolean isDone(int volume) {
        VolumeProgress at = progressOf(volume);
        return at.isCaughtUp() && at.unfinished() == 0;
    }

    /** Checks everything new in these volumes; then calls {@code then} with whether the replicas answered. */
    void follow(List<Volume> volumes, Consumer<Boolean> then) {
        next(new ArrayDeque<>(volumes), then);
    }

    private void next(Deque<Volume> left, Consumer<Boolean> then) {
        if (left.isEmpty()) {
            then.accept(true);
            return;
        }
        Volume volume = left.removeFirst();
        VolumeProgress at = progressOf(volume);
        if (at.isRetryDue(nowMillis.getAsLong(), retryMillis)) {
            at.toRetry().forEach(extent -> checks.add(extent.in(volume), at));
            at.takeUnreadable().forEach(again -> checks.add(new LayoutWalk(volume, again, node), at));
        }
        checks.runWhenIdle(nowMillis.getAsLong(), () -> learn(volume, at, left, then));
    }

    private void learn(Volume volume, VolumeProgress at, Deque<Volume> left, Consumer<Boolean> then) {
        calls.ask(new Query.References(volume.id(), at.cursor(), PAGE), reply -> {
            if (!(reply.orElse(null) instanceof Reply.References page)) {
                then.accept(false);
                return;
            }
            for (Reply.Reference reference : page.references()) {
                learned.accept(reference);
                if (reference.layout().isPresent()) {
                    checks.add(new LayoutWalk(volume, reference, node), at);
                }
            }
            checks.runWhenIdle(nowMillis.getAsLong(), () -> {
                at.advance(page.next(), !page.more());
                if (page.more()) {
                    learn(volume, at, left, then);
                } else {
                    next(left, then);
                }
            });
        });
    }
}
