package io.bulwark.protocol.extent;

import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What a node remembers of one session's freed extents: of an open session the freed counters, of a closed one those that
 * are still referenced, all others being freed. On disk: version (1 byte), closed (1), sweeping (1), count (2), then first
 * and end (8 + 8) of each interval in order.
 */
final class SessionRecord {
    /** More intervals than this are joined, or forgotten, so that the record stays small. */
    static final int INTERVALS_MAX = 2048;

    private static final int VERSION = 1;

    private boolean closed;
    private boolean sweeping;
    /** First counter to the one after the last; they neither touch nor overlap. */
    private final NavigableMap<Long, Long> intervals = new TreeMap<>();

    /** Tells these records from what other protocols remember of sessions. */
    private static final Bytes SUFFIX = Bytes.of((byte) 'x');

    static RecordKey key(int volume, PrincipalId owner, long session) {
        return new RecordKey(RecordKind.SESSION, new BlockId(volume, owner, session, 0), SUFFIX);
    }

    boolean closed() {
        return closed;
    }

    /** Whether records of freed extents may still be on disk. */
    boolean sweeping() {
        return sweeping;
    }

    void setSweeping(boolean sweeping) {
        this.sweeping = sweeping;
    }

    boolean freed(long counter) {
        Map.Entry<Long, Long> below = intervals.floorEntry(counter);
        boolean inside = below != null && counter < below.getValue();
        return inside != closed;
    }

    /** Frees counters for good. False if all of them were. */
    boolean free(long first, long end) {
        boolean changed = closed ? remove(first, end) : add(first, end);
        limit();
        return changed;
    }

    /** Closes the session: from now on only these counters are referenced, less those that were freed already. */
    void close(NavigableMap<Long, Long> referenced) {
        if (closed) {
            return;
        }
        NavigableMap<Long, Long> freed = new TreeMap<>(intervals);
        intervals.clear();
        closed = true;
        referenced.forEach(this::add);
        freed.forEach(this::remove);
        limit();
    }

    private boolean add(long first, long end) {
        Map.Entry<Long, Long> below = intervals.floorEntry(first);
        if (below != null && below.getValue() >= end) {
            return false;
        }
        long from = first;
        long to = end;
        if (below != null && below.getValue() >= first) {
            from = below.getKey();
        }
        Map.Entry<Long, Long> next = intervals.ceilingEntry(from);
        while (next != null && next.getKey() <= to) {
            to = Math.max(to, next.getValue());
            intervals.remove(next.getKey());
            next = intervals.ceilingEntry(from);
        }
        intervals.put(from, to);
        return true;
    }

    private boolean remove(long first, long end) {
        boolean changed = false;
        Map.Entry<Long, Long> at = intervals.lowerEntry(end);
        while (at != null && at.getValue() > first) {
            changed = true;
            intervals.remove(at.getKey());
            if (at.getValue() > end) {
                intervals.put(end, at.getValue());
            }
            if (at.getKey() < first) {
                intervals.put(at.getKey(), first);
            }
            at = intervals.lowerEntry(end);
        }
        return changed;
    }

    /**
     * Forgetting that something was freed is harmless, since no inode can name it again, and the closing of the session
     * frees it once more; taking a freed gap for referenced wastes space only. The reverse of either would lose data.
     */
    private void limit() {
        while (intervals.size() > INTERVALS_MAX) {
            Map.Entry<Long, Long> lowest = intervals.pollFirstEntry();
            if (closed) {
                long end = intervals.pollFirstEntry().getValue();
                intervals.put(lowest.getKey(), end);
            }
        }
    }

    Bytes encoded() {
        WireWriter out =
                new WireWriter().u8(VERSION).bool(closed).bool(sweeping).u16(intervals.size());
        intervals.forEach((first, end) -> out.i64(first).i64(end));
        return out.toBytes();
    }

    /** The meta data of the session's record, among those of other protocols. */
    static Optional<Bytes> in(Loaded.Metas metas) {
        return metas.records().stream()
                .filter(record -> record.key().suffix().equals(SUFFIX))
                .map(Loaded.Meta::meta)
                .findFirst();
    }

    /** Whether this is a session's record, and says that its sweep was not over. */
    static boolean isSweeping(Loaded.Meta record) {
        Bytes meta = record.meta();
        return record.key().suffix().equals(SUFFIX) && meta.length() > 2 && meta.get(0) == VERSION && meta.get(2) == 1;
    }

    /** @throws MalformedException if it is not what {@link #encoded} gives */
    static SessionRecord decode(Bytes meta) {
        WireReader in = new WireReader(meta);
        SessionRecord record = new SessionRecord();
        if (in.u8() != VERSION) {
            throw new MalformedException("unknown version of a session record");
        }
        record.closed = in.bool();
        record.sweeping = in.bool();
        int count = in.count16(INTERVALS_MAX);
        long least = 0;
        for (int i = 0; i < count; i++) {
            long first = in.nonNegative64();
            long end = in.nonNegative64();
            if (first < least || end <= first) {
                throw new MalformedException("intervals out of order");
            }
            record.intervals.put(first, end);
            least = end + 1;
        }
        in.end();
        return record;
    }
}
