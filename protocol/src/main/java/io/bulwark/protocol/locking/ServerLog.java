package io.bulwark.protocol.locking;

import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One log in the memory of a log server: the chain, the ends of its batches, and the state after it. */
final class ServerLog {
    /** Heads that are verified at most: the last one of a correct holder is right. */
    static final int HEADS_TRIED_MAX = 8;

    /** Memory that an entry takes beside its bytes on the wire, with its hash. */
    private static final int ENTRY_BYTES = 250;

    private final Bytes cluster;
    private final LogId id;
    private final List<LogEntry> entries = new ArrayList<>();
    private final List<Bytes> hashes = new ArrayList<>();
    private final NavigableMap<Long, LogHead> heads = new TreeMap<>();
    private final Deque<Bytes> replies = new ArrayDeque<>();
    private LockView.@Nullable Overlay overlay;
    /** Length of all entries on the wire, which is bounded. */
    private long bytes;

    private long counted;
    private boolean isDamaged;
    private boolean isClosed;
    private long lastToken;

    ServerLog(Bytes cluster, LogId id) {
        this.cluster = cluster;
        this.id = id;
        hashes.add(LogChain.root(cluster, id));
    }

    LogId id() {
        return id;
    }

    long length() {
        return entries.size();
    }

    /** Returns about how much memory it takes. */
    long bytes() {
        LockView.Overlay state = overlay;
        return bytes + (long) ENTRY_BYTES * entries.size() + (state == null ? 0 : state.bytes());
    }

    /** Returns by how much {@link #bytes} has grown since the last call. */
    long growth() {
        long now = bytes();
        long growth = now - counted;
        counted = now;
        return growth;
    }

    /** h(0), h(1) and so on. */
    List<Bytes> hashes() {
        return hashes;
    }

    Bytes hash(long number) {
        return hashes.get((int) number);
    }

    List<LogEntry> entries() {
        return entries;
    }

    /** Token of the last store of this log; 0 if all came from the disk. */
    long lastToken() {
        return lastToken;
    }

    void setLastToken(long token) {
        lastToken = token;
    }

    boolean isClosed() {
        return isClosed;
    }

    /** Ends the log: what was executed ahead is not needed any more. */
    void close() {
        isClosed = true;
        overlay = null;
        replies.clear();
    }

    /** Returns whether records of this log are missing on the disk. */
    boolean isDamaged() {
        return isDamaged;
    }

    /** Takes a record from the disk. A batch that does not continue the log shows that records are lost. */
    void restore(LogStoreRecord record) {
        switch (record) {
            case LogStoreRecord.Closure ignored -> isClosed = true;
            case LogStoreRecord.Batch batch -> {
                List<Bytes> chain = chain(batch.append());
                if (isClosed || chain.isEmpty()) {
                    isDamaged = true;
                } else {
                    add(batch.append(), chain);
                }
            }
        }
    }

    /** Returns the hashes of the entries of a batch; none unless it continues this log, within the limits, to its head. */
    List<Bytes> chain(LockingMessage.Append batch) {
        long sum = bytes + LockingMessage.Append.bytesOf(batch.entries());
        if (batch.first() != length() + 1 || sum > LogLimits.BYTES_MAX) {
            return List.of();
        }
        List<Bytes> chain = new ArrayList<>(batch.entries().size());
        Bytes last = hash(length());
        for (LogEntry entry : batch.entries()) {
            last = LogChain.next(last, length() + chain.size() + 1, entry);
            chain.add(last);
        }
        return last.equals(batch.head().hash()) ? chain : List.of();
    }

    private void add(LockingMessage.Append batch, List<Bytes> chain) {
        entries.addAll(batch.entries());
        hashes.addAll(chain);
        heads.put(batch.head().length(), batch.head());
        bytes += LockingMessage.Append.bytesOf(batch.entries());
    }

    /** Executes a batch on the state after this log, and adds it. */
    void append(LockView view, LockingMessage.Append batch, List<Bytes> chain) {
        LockView.Overlay state = overlay(view);
        add(batch, chain);
        execute(state, batch.entries());
    }

    Bytes query(LockView view, LockingMessage.LogRead read) {
        return overlay(view).query(read.onBehalfOf(), read.query());
    }

    /** Returns the replies to the last entries up to this length, at most as many as given. */
    List<Bytes> replies(LockView view, long length, int count) {
        overlay(view);
        long first = Math.max(length - count, this.length() - replies.size());
        List<Bytes> found = new ArrayList<>();
        long number = this.length() - replies.size();
        for (Bytes reply : replies) {
            number++;
            if (number > first && number <= length) {
                found.add(reply);
            }
        }
        return found;
    }

    private LockView.Overlay overlay(LockView view) {
        LockView.Overlay state = overlay;
        if (state == null) {
            LockView.Overlay made = view.overlay(id);
            overlay = made;
            execute(made, entries);
            state = made;
        }
        return state;
    }

    private void execute(LockView.Overlay state, List<LogEntry> next) {
        replies.addAll(state.execute(next));
        while (replies.size() > LogLimits.OUTSTANDING_MAX) {
            replies.remove();
        }
    }

    /**
     * Returns the end of the log as its holder has signed it. The log of a holder that signs wrongly may be cut to
     * nothing, which harms itself alone.
     */
    LogHead signedHead(PrincipalKey key) {
        return heads.descendingMap().values().stream()
                .limit(HEADS_TRIED_MAX)
                .filter(head -> head.isSigned(cluster, id, key))
                .findFirst()
                .orElseGet(() -> LogHead.empty(hash(0)));
    }
}
