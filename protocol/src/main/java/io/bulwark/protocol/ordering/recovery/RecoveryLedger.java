package io.bulwark.protocol.ordering.recovery;

import io.bulwark.protocol.ordering.membership.Configuration;
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
 * Recoveries in the replicated state: the last accepted one of each replica. It decides by agreed time whether to
 * accept the next one, so that no replica can keep the others busy with recoveries. A configuration inherits the
 * entries of the staying replicas (decision 20). They show since when each may be faulty, and prevent nobody from
 * recovering.
 */
public final class RecoveryLedger {
    /**
     * Accepted recovery; or, with a point of 0, the checkpoint at which a replica joined that has not recovered since.
     *
     * @param sequence n_R, the number of its request
     * @param call the call of its request
     * @param agreedMillis agreed time then
     * @param point the recovery point, max(H_M, H_R): once the checkpoint with this number is stable the replica has
     *     recovered
     */
    public record Entry(long sequence, long call, long agreedMillis, long point) {}

    private final ViewGroup group;
    private final long watchdogMillis;
    private final long begin;
    private final SortedMap<Integer, Entry> entries = new TreeMap<>();

    /**
     * Creates an empty ledger.
     *
     * @param watchdogMillis T_w: recoveries of one replica are at least half as far apart
     * @param begin the checkpoint that the configuration begins with: numbers up to it were accepted before
     */
    public RecoveryLedger(ViewGroup group, long watchdogMillis, long begin) {
        this.group = group;
        this.watchdogMillis = watchdogMillis;
        this.begin = begin;
    }

    /**
     * Returns the ledger with which the next configuration begins. It has the last recovery of each staying replica,
     * unless that is open, as it begins anew there. For a new replica it has the time of joining. No replica can be
     * faulty as a member for longer than since then.
     *
     * @param end the checkpoint that this configuration ends with
     * @param agreedMillis agreed time then
     */
    public RecoveryLedger handOver(Configuration now, Configuration next, long end, long agreedMillis) {
        ViewGroup later = new ViewGroup(next.faulty(), group.checkpointInterval(), group.logSize());
        RecoveryLedger ledger = new RecoveryLedger(later, watchdogMillis, end);
        for (int place = 0; place < later.replicas(); place++) {
            int before = now.placeOf(next.members().get(place).replica());
            Entry last = before < 0 ? new Entry(end, 0, agreedMillis, 0) : entries.get(before);
            if (last != null && last.point() <= end) {
                ledger.entries.put(place, last);
            }
        }
        return ledger;
    }

    /** H_R, the greatest high water mark at the moment when the request with this number executes. */
    public static long markAt(ViewGroup group, long sequence) {
        return sequence / group.checkpointInterval() * group.checkpointInterval() + group.logSize();
    }

    /**
     * Executes a recovery request. Refuses replays, requests that follow too soon, and estimates that no correct
     * replica can have. A correct one heard of a number that prepared before its request was proposed, so that its
     * estimate is at most two logs above that.
     */
    public boolean execute(RecoveryRequest request, long sequence, long agreedMillis) {
        Entry last = of(request.replica());
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

    /** The last one of a replica that was accepted in this configuration. */
    public @Nullable Entry of(int replica) {
        Entry last = entries.get(replica);
        return last == null || last.sequence() <= begin ? null : last;
    }

    /** Returns the last entry of each replica, including entries from before this configuration. */
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

    /** Writes the last entry of each replica. */
    public void write(WireWriter out) {
        out.u8(entries.size());
        entries.forEach((replica, entry) -> out.u8(replica)
                .i64(entry.sequence())
                .i64(entry.call())
                .i64(entry.agreedMillis())
                .i64(entry.point()));
    }

    /** Reads what {@link #write} wrote, perhaps where there were more replicas. */
    public void read(WireReader in) {
        entries.clear();
        int count = in.u8();
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
