package io.bulwark.protocol.completion;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.extent.DeliveryPoll;
import io.bulwark.protocol.id.BlockId;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * Backlog of referenced extents of the archive class that this node lacks, or holds and does not know to be delivered yet
 * (docs/protocols/archive.md, dissemination). It needs no log of its own: after a start the node learns it again from what the metadata references and
 * from what is on its disk.
 *
 * <pre>
 *   RESTING     it is due                          -> LOOKED_AT (its record is read again: others may have brought it)
 *   LOOKED_AT   it is missing, in its turn         -> QUEUED, for idle time and the rate
 *               it is missing, out of turn         -> RESTING until the turn
 *               it is not delivered                -> QUEUED, to ask the others
 *               it is held and delivered           -> forgotten
 *   QUEUED      it was handed out or asked for     -> RESTING, each time longer
 * </pre>
 */
final class Dissemination {
    /** Bound on the backlog; what is beyond is retried like other unfinished work. */
    static final int ENTRIES_MAX = 20_000;

    /** Time that each slot leaves to the one before, and the first to the writer: all slots get their fragments from the first that is up. */
    static final long TURN_MILLIS = 2_000;

    private static final int TURNS_MAX = 30;
    private static final int QUEUED_MAX = 16;
    private static final int LATER = 4;
    /** The longest rest is so many times the time after which work is retried. */
    private static final int RESTS_MAX = 64;

    private enum State {
        RESTING,
        LOOKED_AT,
        QUEUED
    }

    private static final class Entry {
        final ReferencedExtent extent;
        final VolumeProgress progress;
        State state = State.RESTING;
        boolean lacking;
        long dueMillis;
        long restMillis;

        Entry(ReferencedExtent extent, VolumeProgress progress, long restMillis) {
            this.extent = extent;
            this.progress = progress;
            this.restMillis = restMillis;
        }
    }

    private final int node;
    private final long retryMillis;
    private final ExtentChecks looks;
    private final ExtentChecks work;
    private final Map<BlockId, Entry> entries = new HashMap<>();
    private final PriorityQueue<Entry> resting = new PriorityQueue<>(
            Comparator.<Entry>comparingLong(entry -> entry.dueMillis).thenComparing(entry -> entry.extent.block()));
    private Map<Integer, Volume> volumes = Map.of();
    private int queued;
    private final Map<Integer, Long> lacking = new HashMap<>();

    /**
     * Creates an empty backlog.
     *
     * @param looks reads records, and repairs nothing
     * @param work disseminates, in idle time
     */
    Dissemination(int node, long retryMillis, ExtentChecks looks, ExtentChecks work) {
        this.node = node;
        this.retryMillis = retryMillis;
        this.looks = looks;
        this.work = work;
    }

    void onMap(List<Volume> latest) {
        Map<Integer, Volume> by = new HashMap<>();
        latest.forEach(volume -> by.put(volume.id(), volume));
        volumes = by;
    }

    /** Returns the number of extents that this node lacks. */
    long lacking(int volume) {
        return lacking.getOrDefault(volume, 0L);
    }

    /** Begins what is due. */
    void pump(long nowMillis) {
        while (!resting.isEmpty() && resting.peek().dueMillis <= nowMillis && queued < QUEUED_MAX) {
            Entry entry = resting.remove();
            Volume volume = volumes.get(entry.extent.volume().id());
            if (volume == null) {
                remove(entry);
                continue;
            }
            entry.state = State.LOOKED_AT;
            looks.add(entry.extent.in(volume), entry.progress);
        }
        looks.pump(nowMillis);
        work.pump(nowMillis);
    }

    /** The node lacks the extent. False if the backlog is full. */
    boolean onLacking(long nowMillis, ReferencedExtent extent, VolumeProgress progress) {
        Entry entry = entries.get(extent.block());
        if (entry == null) {
            if (entries.size() >= ENTRIES_MAX) {
                return false;
            }
            entry = new Entry(extent, progress, retryMillis);
            entry.dueMillis = nowMillis + (1 + turn(extent)) * TURN_MILLIS;
            entries.put(extent.block(), entry);
        } else if (entry.state != State.LOOKED_AT) {
            return true; // A scrub, or another round, has met it as well.
        }
        mark(entry, true);
        if (entry.dueMillis <= nowMillis) {
            entry.state = State.QUEUED;
            queued++;
            work.add(extent, progress);
        } else {
            rest(entry, entry.dueMillis);
        }
        return true;
    }

    /**
     * The node holds the extent and does not know that it is delivered, or its writer left it incomplete so far. False if
     * the backlog is full.
     *
     * @param made whether its fragment was made just now
     */
    boolean onUndelivered(long nowMillis, ReferencedExtent extent, VolumeProgress progress, boolean made) {
        Entry entry = entries.get(extent.block());
        if (entry == null) {
            if (entries.size() >= ENTRIES_MAX) {
                return false;
            }
            entry = new Entry(extent, progress, restBeforeDelivery(extent));
            entries.put(extent.block(), entry);
            restLonger(nowMillis, entry);
        } else if (entry.state == State.LOOKED_AT && !entry.lacking) {
            entry.state = State.QUEUED;
            queued++;
            work.add(extent, progress);
        } else if (entry.state != State.RESTING) {
            // Its fragment was made here, or another slot has brought it.
            if (made || entry.state == State.LOOKED_AT) {
                entry.restMillis = restBeforeDelivery(extent);
            }
            mark(entry, false);
            restLonger(nowMillis, entry);
        }
        return true;
    }

    /** Slots that count echoes ask first, so that the others hear of readies. */
    private long restBeforeDelivery(ReferencedExtent extent) {
        PlacementGroup group = extent.volume().group(extent.block());
        boolean first = group.slotOf(node) < DeliveryPoll.witnesses(extent.policy());
        return first ? retryMillis : LATER * retryMillis;
    }

    /** An attempt failed for now. Returns whether the extent is in the backlog, which retries it. */
    boolean onFailed(long nowMillis, ReferencedExtent extent) {
        Entry entry = entries.get(extent.block());
        if (entry != null && entry.state != State.RESTING) {
            restLonger(nowMillis, entry);
        }
        return entry != null;
    }

    /** Nothing is left to do for the extent. */
    void onDone(ReferencedExtent extent) {
        Entry entry = entries.get(extent.block());
        if (entry != null) {
            if (entry.state == State.RESTING) {
                resting.remove(entry);
            }
            remove(entry);
        }
    }

    private void remove(Entry entry) {
        queued -= entry.state == State.QUEUED ? 1 : 0;
        mark(entry, false);
        entries.remove(entry.extent.block());
    }

    private void rest(Entry entry, long untilMillis) {
        queued -= entry.state == State.QUEUED ? 1 : 0;
        entry.state = State.RESTING;
        entry.dueMillis = untilMillis;
        resting.add(entry);
    }

    private void restLonger(long nowMillis, Entry entry) {
        rest(entry, nowMillis + entry.restMillis);
        entry.restMillis = Math.min(2 * entry.restMillis, RESTS_MAX * retryMillis);
    }

    private void mark(Entry entry, boolean lacks) {
        if (entry.lacking != lacks) {
            entry.lacking = lacks;
            lacking.merge(entry.extent.volume().id(), lacks ? 1L : -1L, Long::sum);
        }
    }

    /**
     * Returns the place of this node in the order in which slots disseminate an extent. A writer leaves out the last slots; they
     * come first, each first for its part of the extents.
     */
    private int turn(ReferencedExtent extent) {
        ProtectionPolicy policy = extent.policy();
        PlacementGroup group = extent.volume().group(extent.block());
        int slot = group.slotOf(node);
        int quorum = policy.writeQuorum();
        int left = policy.n() - quorum;
        int first = (int) (extent.block().counter() % Math.max(1, left));
        int turn = slot >= quorum ? Math.floorMod(slot - quorum - first, Math.max(1, left)) : left + slot;
        return Math.min(turn, TURNS_MAX);
    }
}
