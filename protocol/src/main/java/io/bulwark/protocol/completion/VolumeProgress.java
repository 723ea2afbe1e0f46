package io.bulwark.protocol.completion;

import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.extent.CompletionResult;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Reply;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Progress of a node with one volume, and the work that it could not do yet. */
final class VolumeProgress {
    /** Bound on unfinished extents; beyond it those of the owner with the most are forgotten, to be learned anew. */
    private static final int UNFINISHED_MAX = 10_000;

    private static final int UNREADABLE_MAX = 1_000;

    static final long UNKNOWN = -1;

    private final SortedMap<BlockId, ReferencedExtent> unfinished = new TreeMap<>();
    private final List<Reply.Reference> unreadable = new ArrayList<>();
    private long cursor;
    private boolean caughtUp;
    /** Arrival of the last reference when the walk last began anew; -1 if it is not known yet. */
    private long end = UNKNOWN;

    private long retriedMillis;
    private long forgotten;
    private long firstForgottenArrival = Long.MAX_VALUE;

    private final Map<CompletionResult, Long> results = new EnumMap<>(CompletionResult.class);

    long cursor() {
        return cursor;
    }

    boolean isCaughtUp() {
        return caughtUp;
    }

    long unfinished() {
        return unfinished.size() + unreadable.size() + forgotten;
    }

    /** Everything is to be looked at again. */
    void restart() {
        cursor = 0;
        caughtUp = false;
        end = UNKNOWN;
    }

    /** The first page since the walk began anew names the last reference that was there. */
    void begin(long lastArrival) {
        if (end == UNKNOWN) {
            end = lastArrival;
        }
    }

    /** Returns the arrival up to which the walk began anew, or {@link #UNKNOWN}. */
    long end() {
        return end;
    }

    /**
     * Returns whether all extents of a group are done that arrived up to a number. Extents of which only the number of
     * their object is known may belong to any group.
     */
    boolean isDone(Volume volume, int group, long arrival) {
        return cursor >= arrival
                && firstForgottenArrival > arrival
                && unreadable.stream().noneMatch(reference -> reference.arrival() <= arrival)
                && unfinished.values().stream()
                        .noneMatch(extent -> extent.arrival() <= arrival && volume.groupIndex(extent.block()) == group);
    }

    void advance(long arrival, boolean atTheEnd) {
        cursor = Math.max(cursor, arrival);
        caughtUp = atTheEnd;
    }

    void counted(CompletionResult result) {
        results.merge(result, 1L, Long::sum);
    }

    /** Returns the number of examinations of extents with this result. */
    long count(CompletionResult result) {
        return results.getOrDefault(result, 0L);
    }

    void done(ReferencedExtent extent) {
        unfinished.remove(extent.block());
    }

    void markUnfinished(ReferencedExtent extent) {
        unfinished.put(extent.block(), extent);
        if (unfinished.size() > UNFINISHED_MAX) {
            forgetWhoHasMost();
        }
    }

    /**
     * Forgets the unfinished extents of the owner with the most, so that extents of the others are still learned and
     * completed.
     */
    private void forgetWhoHasMost() {
        Map<PrincipalId, Integer> counts = new TreeMap<>();
        unfinished.keySet().forEach(block -> counts.merge(block.owner(), 1, Integer::sum));
        PrincipalId most =
                Collections.max(counts.entrySet(), Map.Entry.comparingByValue()).getKey();
        unfinished.values().removeIf(extent -> {
            boolean forget = extent.block().owner().equals(most);
            if (forget) {
                forget(extent.arrival());
            }
            return forget;
        });
    }

    private void forget(long arrival) {
        forgotten++;
        firstForgottenArrival = Math.min(firstForgottenArrival, arrival);
    }

    /** A pin list of this object could not be read. */
    void unreadable(Reply.Reference reference) {
        if (unreadable.size() == UNREADABLE_MAX) {
            forget(reference.arrival());
        } else {
            unreadable.add(reference);
        }
    }

    /** If so, what was forgotten is learned again from here on. */
    boolean isRetryDue(long nowMillis, long retryMillis) {
        if (unfinished() == 0 || nowMillis - retriedMillis < retryMillis) {
            return false;
        }
        retriedMillis = nowMillis;
        if (forgotten > 0) {
            cursor = Math.min(cursor, firstForgottenArrival - 1);
            caughtUp = false;
            forgotten = 0;
            firstForgottenArrival = Long.MAX_VALUE;
        }
        return true;
    }

    List<ReferencedExtent> toRetry() {
        return List.copyOf(unfinished.values());
    }

    List<Reply.Reference> takeUnreadable() {
        List<Reply.Reference> taken = List.copyOf(unreadable);
        unreadable.clear();
        return taken;
    }
}
