package io.bulwark.protocol.ordering.view;

import io.bulwark.protocol.ordering.message.ReplicaMessage.DigestView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepared;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Prepared;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ViewChange;
import io.bulwark.protocol.ordering.normal.VoteHistory;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * PSet and QSet of one replica (proactive recovery paper, section 4.5, figure 2): the batches that prepared and
 * pre-prepared here in all views, for the numbers between the water marks. It records each step of the log when the
 * step is promised, so that P and Q are ready at any time. A restarted replica rebuilds them from its promises, in any
 * order.
 *
 * <p>Pairs above the low water mark are never evicted (docs/ordering). {@link #mayAcceptFresh} bounds them instead.
 */
public final class ViewHistory implements VoteHistory {
    private final ViewGroup group;
    private final NavigableMap<Long, Prepared> preparedSet = new TreeMap<>();
    private final NavigableMap<Long, SortedMap<Bytes, Long>> prePreparedSet = new TreeMap<>();
    private long low;

    /** @param low the low water mark h: the last stable checkpoint's number */
    public ViewHistory(ViewGroup group, long low) {
        this.group = group;
        this.low = low;
    }

    /** Returns the history that a replica reported in its own VIEW-CHANGE. */
    public static ViewHistory of(ViewGroup group, ViewChange own) {
        ViewHistory history = new ViewHistory(group, own.stable());
        own.prePrepared()
                .forEach(entry -> entry.pairs()
                        .forEach(pair -> history.prePrepared(entry.sequence(), pair.digest(), pair.view())));
        own.prepared().forEach(entry -> history.prepared(entry.sequence(), entry.digest(), entry.view()));
        return history;
    }

    /**
     * Returns whether this replica may answer a PRE-PREPARE that no NEW-VIEW has chosen. Its number must be between the
     * water marks and must not have seen too many other digests. A refused number waits for a view whose NEW-VIEW
     * assigns it. This happens after a view without progress, once the others know the checkpoint that moved this
     * replica's marks.
     */
    @Override
    public boolean mayAcceptFresh(long sequence, Bytes digest) {
        return accepts(sequence, digest, ViewGroup.FRESH_DIGESTS_MAX);
    }

    /**
     * Returns whether this replica may answer the choice of a NEW-VIEW; at a correct replica only false outside the
     * water marks.
     */
    @Override
    public boolean mayAcceptChosen(long sequence, Bytes digest) {
        return accepts(sequence, digest, group.digestsMax());
    }

    private boolean accepts(long sequence, Bytes digest, int max) {
        if (sequence <= low || sequence > low + group.logSize()) {
            return false;
        }
        Set<Bytes> digests = digests(sequence);
        return digests.contains(digest) || digests.size() < max;
    }

    /** Returns the digests that Q has for a number: the replica keeps their batches. */
    public Set<Bytes> digests(long sequence) {
        SortedMap<Bytes, Long> pairs = prePreparedSet.get(sequence);
        return pairs == null ? Set.of() : Set.copyOf(pairs.keySet());
    }

    /** This replica has sent a PRE-PREPARE, a PREPARE or, as the primary, a NEW-VIEW with this choice. */
    @Override
    public void prePrepared(long sequence, Bytes digest, long view) {
        if (sequence <= low) {
            return;
        }
        if (sequence > low + group.logSize()) {
            throw new IllegalArgumentException(sequence + " is above the high water mark of " + low);
        }
        // Figure 2, Q: (d, v) replaces (d, v'), or is added; no pair is dropped for it.
        prePreparedSet.computeIfAbsent(sequence, ignored -> new TreeMap<>()).merge(digest, view, Math::max);
    }

    /** A batch prepared here. */
    @Override
    public void prepared(long sequence, Bytes digest, long view) {
        if (sequence <= low) {
            return;
        }
        prePrepared(sequence, digest, view);
        // Figure 2, P: the entry of the latest view.
        preparedSet.merge(
                sequence,
                new Prepared(sequence, digest, view),
                (before, now) -> before.view() > now.view() ? before : now);
    }

    /** The low water mark moves up: what lies at or below it is known by its checkpoint. */
    public void trim(long newLow) {
        low = Math.max(low, newLow);
        preparedSet.headMap(low, true).clear();
        prePreparedSet.headMap(low, true).clear();
    }

    /** Discards everything above a number, as it may be wrong; used by a recovering replica. */
    public void discardAbove(long sequence) {
        preparedSet.tailMap(sequence, false).clear();
        prePreparedSet.tailMap(sequence, false).clear();
    }

    /**
     * Discards votes of this view and later ones: this replica has not been there, or does not count as having been.
     */
    public void discardFrom(long view) {
        preparedSet.values().removeIf(entry -> entry.view() >= view);
        prePreparedSet.values().removeIf(pairs -> {
            pairs.values().removeIf(latest -> latest >= view);
            return pairs.isEmpty();
        });
    }

    /** The last number that prepared here in any view; the low water mark if none above it did. */
    public long lastPrepared() {
        return preparedSet.isEmpty() ? low : preparedSet.lastKey();
    }

    public long low() {
        return low;
    }

    /**
     * The VIEW-CHANGE with which this replica asks for a view.
     *
     * @param checkpoints C: all checkpoints that are durable here, by number
     */
    public ViewChange tell(long view, List<Numbered> checkpoints) {
        List<PrePrepared> entries = new ArrayList<>(prePreparedSet.size());
        prePreparedSet.forEach((sequence, pairs) -> {
            List<DigestView> listed = new ArrayList<>(pairs.size());
            pairs.forEach((digest, latest) -> listed.add(new DigestView(digest, latest)));
            entries.add(new PrePrepared(sequence, listed));
        });
        return new ViewChange(view, low, checkpoints, List.copyOf(preparedSet.values()), entries);
    }
}
