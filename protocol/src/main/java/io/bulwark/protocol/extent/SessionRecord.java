package io.bulwark.protocol.extent;

import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Durable record of one session's freed extents. An open session has the freed counters; a closed one has those still
 * referenced, and all others are freed. Freed extents are never forgotten. However many gaps there are, an id stays
 * refused, and a reader learns that it is gone. On disk it takes as many pages as it needs. Each has version (1 byte),
 * closed (1), sweeping (1), count (2), then first and end (8 + 8) of each interval in order. The flags stand in the
 * first page only, and so does the version that marks the earlier freed extents as unknown.
 */
final class SessionRecord {
    /** Maximum number of intervals in one page. */
    static final int INTERVALS_MAX = 2048;

    private static final int PAGES_MAX = 1 << 16;

    private static final int VERSION = 1;
    private static final int VERSION_FORGOTTEN = 2;

    private boolean closed;
    private boolean forgotten;
    private boolean sweeping;
    /** First counter to the one after the last; they neither touch nor overlap. */
    private final NavigableMap<Long, Long> intervals = new TreeMap<>();
    /** The pages as they are on disk. */
    private List<Bytes> durable = List.of();

    /** Tells these records from what other protocols remember of sessions. */
    private static final Bytes SUFFIX = Bytes.of((byte) 'x');

    /** The key of the first page. */
    static RecordKey key(int volume, PrincipalId owner, long session) {
        return page(new BlockId(volume, owner, session, 0), 0);
    }

    private static RecordKey page(BlockId block, int number) {
        Bytes suffix =
                number == 0 ? SUFFIX : new WireWriter().raw(SUFFIX).u16(number).toBytes();
        return new RecordKey(RecordKind.SESSION, block, suffix);
    }

    boolean closed() {
        return closed;
    }

    /** Returns whether the record was damaged: nothing may be stored under ids that may have been freed. */
    boolean forgotten() {
        return forgotten;
    }

    /** Returns a record in place of one that cannot be read. */
    static SessionRecord forgotten(List<Bytes> pages) {
        SessionRecord record = new SessionRecord();
        record.forgotten = true;
        record.durable = List.copyOf(pages);
        return record;
    }

    /** Returns whether records of freed extents may still be on disk. */
    boolean isSweeping() {
        return sweeping;
    }

    void setSweeping(boolean sweeping) {
        this.sweeping = sweeping;
    }

    boolean isFreed(long counter) {
        Map.Entry<Long, Long> below = intervals.floorEntry(counter);
        boolean inside = below != null && counter < below.getValue();
        return inside != closed;
    }

    /** Frees counters for good. False if all of them were. */
    boolean free(long first, long end) {
        return closed ? remove(first, end) : add(first, end);
    }

    /**
     * Closes the session: from now on only these counters are referenced, except those that were freed already. A later
     * call with fewer counters frees the rest, too: single frees are no longer reported once a whole session is without
     * references.
     *
     * @return false if nothing has changed
     */
    boolean close(NavigableMap<Long, Long> referenced) {
        if (closed) {
            return retain(referenced);
        }
        NavigableMap<Long, Long> freed = new TreeMap<>(intervals);
        intervals.clear();
        closed = true;
        forgotten = false;
        referenced.forEach(this::add);
        freed.forEach(this::remove);
        return true;
    }

    private boolean retain(NavigableMap<Long, Long> referenced) {
        boolean changed = false;
        long end = 0;
        for (Map.Entry<Long, Long> interval : referenced.entrySet()) {
            changed |= remove(end, interval.getKey());
            end = Math.max(end, interval.getValue());
        }
        changed |= remove(end, Long.MAX_VALUE);
        return changed;
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

    /** The pages of the record, at least one. */
    List<Bytes> encoded() {
        List<Bytes> pages = new ArrayList<>();
        Iterator<Map.Entry<Long, Long>> rest = intervals.entrySet().iterator();
        for (int left = intervals.size(); left > 0 || pages.isEmpty(); left -= INTERVALS_MAX) {
            int count = Math.min(left, INTERVALS_MAX);
            boolean first = pages.isEmpty();
            WireWriter out = new WireWriter()
                    .u8(first && forgotten ? VERSION_FORGOTTEN : VERSION)
                    .bool(first && closed)
                    .bool(first && sweeping)
                    .u16(count);
            for (int i = 0; i < count; i++) {
                Map.Entry<Long, Long> interval = rest.next();
                out.i64(interval.getKey()).i64(interval.getValue());
            }
            pages.add(out.toBytes());
        }
        if (pages.size() > PAGES_MAX) {
            throw new IllegalStateException("a session with " + intervals.size() + " intervals");
        }
        return pages;
    }

    /** Returns the mutations that make the changed pages durable; the caller then calls {@link #stored}. */
    List<Mutation> changes(RecordKey first, List<Bytes> pages) {
        List<Mutation> changes = new ArrayList<>();
        for (int i = 0; i < Math.max(pages.size(), durable.size()); i++) {
            RecordKey key = page(first.block(), i);
            if (i >= pages.size()) {
                changes.add(new Mutation.Delete(key));
            } else if (i >= durable.size() || !durable.get(i).equals(pages.get(i))) {
                changes.add(new Mutation.Put(key, pages.get(i), Bytes.EMPTY));
            }
        }
        return changes;
    }

    void stored(List<Bytes> pages) {
        durable = List.copyOf(pages);
    }

    /** The pages of the session's record in their order, without those of other protocols. */
    static List<Bytes> in(Loaded.Metas metas) {
        return metas.records().stream()
                .filter(record -> isPage(record.key()))
                .sorted(Comparator.comparing(
                        (Loaded.Meta record) -> record.key().suffix()))
                .map(Loaded.Meta::meta)
                .toList();
    }

    private static boolean isPage(RecordKey key) {
        Bytes suffix = key.suffix();
        return suffix.equals(SUFFIX) || (suffix.length() == 3 && suffix.get(0) == SUFFIX.get(0));
    }

    /** Returns whether this is a session's record whose sweep was not over. */
    static boolean isSweeping(Loaded.Meta record) {
        Bytes meta = record.meta();
        boolean known = meta.length() > 2 && (meta.get(0) == VERSION || meta.get(0) == VERSION_FORGOTTEN);
        return known && record.key().suffix().equals(SUFFIX) && meta.get(2) == 1;
    }

    /**
     * Puts the pages together; none are an open session of which nothing is freed.
     *
     * @throws MalformedException if they are not what {@link #encoded} gives
     */
    static SessionRecord decode(List<Bytes> pages) {
        SessionRecord record = new SessionRecord();
        long least = 0;
        for (int i = 0; i < pages.size(); i++) {
            least = record.read(pages.get(i), i == 0, least);
        }
        record.durable = List.copyOf(pages);
        return record;
    }

    private long read(Bytes page, boolean isFirst, long from) {
        WireReader in = new WireReader(page);
        int version = in.u8();
        if (version != VERSION && !(isFirst && version == VERSION_FORGOTTEN)) {
            throw new MalformedException("unknown version of a session record");
        }
        boolean saysClosed = in.bool();
        boolean saysSweeping = in.bool();
        if (isFirst) {
            forgotten = version == VERSION_FORGOTTEN;
            closed = saysClosed;
            sweeping = saysSweeping;
        } else if (saysClosed || saysSweeping) {
            throw new MalformedException("flags in a later page");
        }
        int count = in.count16(INTERVALS_MAX);
        long least = from;
        for (int i = 0; i < count; i++) {
            long first = in.nonNegative64();
            long end = in.nonNegative64();
            if (first < least || end <= first) {
                throw new MalformedException("intervals out of order");
            }
            intervals.put(first, end);
            least = end + 1;
        }
        in.end();
        return least;
    }
}
