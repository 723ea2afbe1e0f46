package io.bulwark.protocol.ordering.recovery;

import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.view.ViewGroup;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the replicated state remembers of recoveries: the last one that was accepted of each replica. It decides whether the
 * next one is, by agreed time, so that no replica can keep the others busy with recoveries.
 */
public final class RecoveryLedger {
    /**
     * A recovery that was accepted.
     *
     * @param sequence n_R, the number of its request
     * @param call the call of its request
     * @param agreedMillis agreed time then
     * @param point the recovery point, max(H_M, H_R): once the checkpoint with this number is stable the replica has recovered
     */
    public record Entry(long sequence, long call, long agreedMillis, long point) {}

    private final ViewGroup group;
    private final long watchdogMillis;
    private final SortedMap<Integer, Entry> entries = new TreeMap<>();

    /** @param watchdogMillis T_w: recoveries of one replica are at least half as far apart */
    public RecoveryLedger(ViewGroup group, long watchdogMillis) {
        this.group = group;
        this.watchdogMillis = watchdogMillis;
    }

    /** H_R, the greatest high water mark at the moment when the request with this number executes. */
    public static long markAt(ViewGroup group, long sequence) {
        return sequence / group.checkpointInterval() * group.checkpointInterval() + group.logSize();
    }

    /**
     * A request is executed. Refused are replays, what comes too soon, and estimates that no correct replica comes to: it heard
     * of a number that prepared before its request was proposed, so that its estimate is at most two logs above that.
     */
    public boolean execute(RecoveryRequest request, long sequence, long agreedMillis) {
        Entry last = entries.get(request.replica());
        long mark = markAt(group, sequence);
        boolean tooSoon = last != null && agreedMillis - last.agreedMillis() < watchdogMillis / 2;
        boolean replayed = last != null && last.call() == request.call();
        boolean possible = request.replica() < group.replicas()
                && request.estimate() % group.checkpointInterval() == 0
                && request.estimate() <= mark + 2L * group.logSize();
        if (tooSoon || replayed || !possible) {
            return false;
        }
        entries.put(
                request.replica(),
                new Entry(sequence, request.call(), agreedMillis, Math.max(mark, request.estimate())));
        return true;
    }

    public @Nullable Entry of(int replica) {
        return entries.get(replica);
    }

    public SortedMap<Integer, Entry> entries() {
        return Collections.unmodifiableSortedMap(entries);
    }

    /** The greatest point of a recovery that is open while this checkpoint is the last stable one; 0 if none is. */
    public long openUpTo(long stable) {
        long point = 0;
        for (Entry entry : entries.values()) {
            point = Math.max(point, entry.point() > stable ? entry.point() : 0);
        }
        return point;
    }

    /** Nothing at all before the first recovery, as states were before there were any. */
    public void write(WireWriter out) {
        if (!entries.isEmpty()) {
            out.u8(entries.size());
            entries.forEach((replica, entry) -> out.u8(replica)
                    .i64(entry.sequence())
                    .i64(entry.call())
                    .i64(entry.agreedMillis())
                    .i64(entry.point()));
        }
    }

    /**
     * Reads what {@link #write} wrote; nothing more means that there were none. It may have been written where there were more
     * replicas.
     */
    public void read(WireReader in) {
        entries.clear();
        int count = in.remaining() == 0 ? 0 : in.u8();
        int before = -1;
        for (int i = 0; i < count; i++) {
            int replica = in.u8();
            if (replica <= before || replica >= ReplicaMessage.REPLICAS_MAX) {
                throw new MalformedException("no such replica: " + replica);
            }
            before = replica;
            entries.put(replica, new Entry(in.nonNegative64(), in.i64(), in.nonNegative64(), in.nonNegative64()));
        }
    }
}
