package io.bulwark.protocol.completion;

import io.bulwark.protocol.bucket.ObjectGet;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.extent.CompletionResult;
import io.bulwark.protocol.extent.ExtentMessage;
import io.bulwark.protocol.extent.ExtentMessage.CheckDepth;
import io.bulwark.protocol.extent.ReadOutcome;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Tells the node's own server of each reference, a few at a time and as fast as is allowed, and counts what came of it. */
final class ExtentChecks {
    private final PendingSteps calls;
    private final int node;
    private final int atOnce;
    private final WorkThrottle allowance;
    private final RebuildRate rebuild;
    private final CheckDepth look;
    private final Deque<CheckTask> work = new ArrayDeque<>();
    private final Map<CompletionResult, Long> results = new EnumMap<>(CompletionResult.class);
    private long checked;
    private int inFlight;
    private boolean fetching;
    private long nowMillis;
    private Runnable whenIdle = () -> {};
    private @Nullable Dissemination dissemination;

    private sealed interface CheckTask {
        record Walk(LayoutWalk walk, VolumeProgress progress) implements CheckTask {}

        record SingleExtent(ReferencedExtent extent, VolumeProgress progress) implements CheckTask {}
    }

    /**
     * Creates checks with nothing to do yet.
     *
     * @param rebuild charged with the fragments that checks make; no check begins while it is exhausted
     * @param look how closely it checks existing data
     */
    ExtentChecks(
            PendingSteps calls, int node, int atOnce, WorkThrottle allowance, RebuildRate rebuild, CheckDepth look) {
        this.calls = calls;
        this.node = node;
        this.atOnce = atOnce;
        this.allowance = allowance;
        this.rebuild = rebuild;
        this.look = look;
    }

    /** Leaves what is missing in the archive class, and what is not delivered yet, to this backlog. */
    void leaveTo(Dissemination backlog) {
        dissemination = backlog;
    }

    void add(LayoutWalk walk, VolumeProgress progress) {
        work.addLast(new CheckTask.Walk(walk, progress));
    }

    void add(ReferencedExtent extent, VolumeProgress progress) {
        work.addLast(new CheckTask.SingleExtent(extent, progress));
    }

    /** Goes on with this once all that was added is answered. */
    void runWhenIdle(long now, Runnable then) {
        whenIdle = then;
        pump(now);
    }

    /** Extents looked into. */
    long checked() {
        return checked;
    }

    long count(CompletionResult result) {
        return results.getOrDefault(result, 0L);
    }

    /** Begins what may begin now. */
    void pump(long now) {
        nowMillis = now;
        while (!work.isEmpty() && !fetching && inFlight < atOnce && rebuild.open(now) && allowance.open(now)) {
            switch (work.getFirst()) {
                case CheckTask.SingleExtent(ReferencedExtent extent, VolumeProgress progress) -> {
                    work.removeFirst();
                    check(extent, progress);
                }
                case CheckTask.Walk(LayoutWalk walk, VolumeProgress progress) -> step(walk, progress);
            }
        }
        if (work.isEmpty() && !fetching && inFlight == 0) {
            Runnable then = whenIdle;
            whenIdle = () -> {};
            then.run();
        }
    }

    private void step(LayoutWalk walk, VolumeProgress progress) {
        if (walk.done()) {
            work.removeFirst();
            return;
        }
        OptionalLong missing = walk.missing();
        if (missing.isEmpty()) {
            check(walk.take(), progress);
            return;
        }
        long list = missing.getAsLong();
        int length = walk.layout().lengthOf(list);
        fetching = true;
        calls.fetch(walk.volume(), walk.layout().block(list), walk.pinOfList(list), length, outcome -> {
            fetching = false;
            if (!load(walk, progress, list, outcome)) {
                work.removeFirst();
            }
        });
    }

    /** False if the walk cannot go on: the list cannot be read now, or will never be one since its writer lied. */
    private boolean load(LayoutWalk walk, VolumeProgress progress, long list, ReadOutcome outcome) {
        Optional<Bytes> content = ObjectGet.content(
                walk.volume(), walk.layout().block(list), outcome, walk.layout().lengthOf(list));
        if (content.isPresent()) {
            try {
                walk.loaded(list, content.get());
                return true;
            } catch (MalformedException e) {
                count(CompletionResult.INCOMPLETE, 1);
                return false;
            }
        }
        switch (outcome) {
            case ReadOutcome.Whole ignored -> count(CompletionResult.INCOMPLETE, 1);
            case ReadOutcome.Incomplete ignored -> count(CompletionResult.INCOMPLETE, 1);
            case ReadOutcome.Poisonous ignored -> count(CompletionResult.INCOMPLETE, 1);
            case ReadOutcome.Freed ignored -> count(CompletionResult.FREED, 1);
            case ReadOutcome.NotPermitted ignored -> progress.unreadable(walk.reference());
            case ReadOutcome.StaleMap ignored -> progress.unreadable(walk.reference());
            case ReadOutcome.Unavailable ignored -> progress.unreadable(walk.reference());
            case ReadOutcome.TooFewHolders ignored -> progress.unreadable(walk.reference());
        }
        return false;
    }

    private void check(ReferencedExtent extent, VolumeProgress progress) {
        PlacementGroup group = extent.volume().group(extent.block());
        int slot = group.slotOf(node);
        if (slot < 0) {
            // Since it was learned the group has got other holders.
            progress.done(extent);
            if (dissemination != null) {
                dissemination.onDone(extent);
            }
            return;
        }
        ExtentMessage.Complete request =
                new ExtentMessage.Complete(extent.block(), group.epoch(), slot, extent.pin(), look);
        int bytes = extent.policy().fragmentBytes(extent.length());
        allowance.begin(nowMillis, look == CheckDepth.DISSEMINATE ? extent.length() : bytes);
        inFlight++;
        checked++;
        calls.check(request, result -> {
            inFlight--;
            allowance.end();
            count(result, 1);
            progress.counted(result);
            if (result == CompletionResult.COMPLETED || result == CompletionResult.REPAIRED) {
                rebuild.charge(nowMillis, bytes);
            }
            if (!hasBacklogTaken(result, extent, progress)) {
                switch (result) {
                    case HELD, COMPLETED, REPAIRED, INCOMPLETE, FREED, VERIFIED, POISONOUS -> progress.done(extent);
                    case UNAVAILABLE, NO_SPACE, REFUSED, LACKING, UNDELIVERED -> progress.markUnfinished(extent);
                }
            }
        });
    }

    private boolean hasBacklogTaken(CompletionResult result, ReferencedExtent extent, VolumeProgress progress) {
        Dissemination backlog = dissemination;
        if (backlog == null || !extent.policy().isDelivered()) {
            return false;
        }
        boolean taken = switch (result) {
            case LACKING -> backlog.onLacking(nowMillis, extent, progress);
            case UNDELIVERED, INCOMPLETE -> backlog.onUndelivered(nowMillis, extent, progress, false);
            case COMPLETED, REPAIRED -> backlog.onUndelivered(nowMillis, extent, progress, true);
            case UNAVAILABLE, NO_SPACE, REFUSED -> backlog.onFailed(nowMillis, extent);
            case HELD, FREED, VERIFIED, POISONOUS -> {
                backlog.onDone(extent);
                yield false;
            }
        };
        if (taken) {
            progress.done(extent);
        }
        return taken;
    }

    private void count(CompletionResult result, long more) {
        results.merge(result, more, Long::sum);
    }
}
