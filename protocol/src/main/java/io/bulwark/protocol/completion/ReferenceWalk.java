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

    /** Returns the arrival of the last reference when the walk of the volume last began anew; less than 0 if it is not known. */
    long endOf(Volume volume) {
        return progressOf(volume).end();
    }

    /** Examines again everything that was done before in the volume; to be called between two rounds. */
    void restart(int volume) {
        progressOf(volume).restart();
    }

    /** Checks everything that these volumes reference now; then calls {@code then} with whether the replicas answered. */
    void follow(List<Volume> volumes, Consumer<Boolean> then) {
        // Work that was left where no slot is left is nobody's.
        progress.keySet().retainAll(volumes.stream().map(Volume::id).toList());
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
        checks.runWhenIdle(nowMillis.getAsLong(), () -> learn(volume, at, VolumeProgress.UNKNOWN, left, then));
    }

    private static boolean isBeyond(Volume volume, Reply.Reference reference) {
        return reference.layout().stream()
                .flatMap(layout -> layout.ranges().stream())
                .anyMatch(range -> range.generation() > volume.generation());
    }

    /** @param known arrival of the last reference when the round came to the volume; less than 0 if it is not known yet */
    private void learn(Volume volume, VolumeProgress at, long known, Deque<Volume> left, Consumer<Boolean> then) {
        calls.ask(new Query.References(volume.id(), at.cursor(), PAGE), reply -> {
            if (!(reply.orElse(null) instanceof Reply.References page)) {
                then.accept(false);
                return;
            }
            if (page.references().stream().anyMatch(reference -> isBeyond(volume, reference))) {
                // The policy was changed since the node heard of the volume: it asks again with the next map.
                then.accept(false);
                return;
            }
            // References that come meanwhile are for the next round: clients may put faster than this node looks.
            long end = known < 0 ? page.last() : known;
            at.begin(end);
            for (Reply.Reference reference : page.references()) {
                learned.accept(reference);
                if (reference.layout().isPresent()) {
                    checks.add(new LayoutWalk(volume, reference, node), at);
                }
            }
            checks.runWhenIdle(nowMillis.getAsLong(), () -> {
                boolean reached = !page.more() || page.next() >= end;
                at.advance(page.next(), reached);
                if (reached) {
                    next(left, then);
                } else {
                    learn(volume, at, end, left, then);
                }
            });
        });
    }
}
