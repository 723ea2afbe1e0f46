package io.bulwark.protocol.locking;

import io.bulwark.protocol.locking.LockingMessage.Append;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** The holder's own copy of its log: the chain, and the signed ends of its batches. */
final class HolderLog {
    private final Bytes cluster;
    private final LogId id;
    private final List<LogEntry> entries = new ArrayList<>();
    private final List<Bytes> hashes = new ArrayList<>();
    private final NavigableMap<Long, LogHead> heads = new TreeMap<>();
    private long bytes;

    HolderLog(Bytes cluster, LogId id) {
        this.cluster = cluster;
        this.id = id;
        hashes.add(LogChain.root(cluster, id));
        heads.put(0L, LogHead.empty(hashes.get(0)));
    }

    long length() {
        return entries.size();
    }

    long bytes() {
        return bytes;
    }

    /** Number of entries in signed batches. */
    long sentLength() {
        return heads.lastKey();
    }

    boolean hasRoom(LogEntry entry) {
        return length() < LogLimits.ENTRIES_MAX && bytes + entry.length() <= LogLimits.BYTES_MAX;
    }

    /** Returns the number of the new entry. */
    long add(LogEntry entry) {
        entries.add(entry);
        bytes += entry.length();
        hashes.add(LogChain.next(hashes.get(hashes.size() - 1), length(), entry));
        return length();
    }

    /** Makes a batch of entries that are in none. */
    void seal(UnaryOperator<Bytes> signing) {
        long first = sentLength() + 1;
        int sum = 0;
        long last = first - 1;
        while (last < length() && last - first + 1 < LogLimits.OUTSTANDING_MAX) {
            int next = entries.get((int) last).length();
            if (last >= first && sum + next > LogHolder.BATCH_BYTES_MAX) {
                break;
            }
            sum += next;
            last++;
        }
        Bytes hash = hashes.get((int) last);
        heads.put(last, new LogHead(last, hash, signing.apply(LogChain.signed(cluster, id, last, hash))));
    }

    boolean isHead(long length) {
        return heads.containsKey(length);
    }

    boolean isHead(long length, Bytes hash) {
        return isHead(length) && hashes.get((int) length).equals(hash);
    }

    /** Returns the next batch behind an end; several are merged under the last one's signature. */
    Append batch(long end) {
        LogHead last = Objects.requireNonNull(heads.higherEntry(end)).getValue();
        for (LogHead head : heads.tailMap(last.length(), false).values()) {
            List<LogEntry> merged = entries.subList((int) end, (int) head.length());
            if (merged.size() > LogLimits.OUTSTANDING_MAX || Append.bytesOf(merged) > LogHolder.BATCH_BYTES_MAX) {
                break;
            }
            last = head;
        }
        return new Append(id, entries.subList((int) end, (int) last.length()), last);
    }
}
