package io.bulwark.protocol.locking;

import io.bulwark.protocol.locking.LockingMessage.Append;
import io.bulwark.protocol.metadata.Signer;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;

/** A log as its holder writes it, in a test. */
@NullMarked
final class SignedLog {
    final LogId id;
    final Signer signer;
    final List<LogEntry> entries = new ArrayList<>();
    final List<Bytes> hashes = new ArrayList<>();

    SignedLog(LogId id, Signer signer) {
        this.id = id;
        this.signer = signer;
        hashes.add(LogChain.root(CounterState.CLUSTER, id));
    }

    static LogEntry entry(long delta, int paddingBytes) {
        Bytes command = new WireWriter()
                .i64(delta)
                .raw(Bytes.of(new byte[paddingBytes]))
                .toBytes();
        return new LogEntry(delta, Optional.empty(), command);
    }

    /** The next batch, of entries that add these. */
    Append batch(long... deltas) {
        List<LogEntry> batch = new ArrayList<>();
        for (long delta : deltas) {
            batch.add(entry(delta, 0));
        }
        return batch(batch);
    }

    Append batch(List<LogEntry> batch) {
        add(batch);
        return new Append(id, batch, head(entries.size()));
    }

    /** Adds entries, and signs nothing. */
    void add(List<LogEntry> batch) {
        for (LogEntry entry : batch) {
            entries.add(entry);
            hashes.add(LogChain.next(hashes.getLast(), entries.size(), entry));
        }
    }

    /** The submission of a FETCH. */
    static Bytes fetch(LogId log, LogHead head) {
        return CounterState.SUBMISSIONS.fetch(new TreeMap<>(Map.of(log, head)));
    }

    LogHead head(int length) {
        Bytes hash = hashes.get(length);
        return length == 0
                ? LogHead.empty(hash)
                : new LogHead(length, hash, signer.sign(LogChain.signed(CounterState.CLUSTER, id, length, hash)));
    }
}
