package io.bulwark.metadata.locking;

import io.bulwark.metadata.ordering.LockTable;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.locking.LockView;
import io.bulwark.protocol.locking.LockingMessage.Append;
import io.bulwark.protocol.locking.LogChain;
import io.bulwark.protocol.locking.LogEntry;
import io.bulwark.protocol.locking.LogHead;
import io.bulwark.protocol.locking.LogId;
import io.bulwark.protocol.locking.LogSubmissions;
import io.bulwark.protocol.metadata.RoundReason;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import io.bulwark.transport.identity.Identity;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/** A state with one lock on a counter, to which the entries of the log add; and the log of the lock's holder. */
@NullMarked
final class CountingLocks implements LockView {
    static final Bytes CLUSTER = Bytes.of(new byte[16]);
    static final PrincipalId HOLDER = PrincipalId.client(7);

    private final Identity signer = Identity.generate(HOLDER, new SecureRandom());
    private final List<LogEntry> entries = new ArrayList<>();

    @Nullable
    LogId log;

    boolean isClosing;
    boolean isFetched;
    boolean fails;
    long commands = 10;
    long counter;
    private Bytes last = Bytes.EMPTY;

    /** Begins a log. */
    LogId lock() {
        LogId begun = new LogId(HOLDER, 3, ++commands);
        log = begun;
        isClosing = false;
        isFetched = false;
        entries.clear();
        last = LogChain.root(CLUSTER, begun);
        return begun;
    }

    void openRound() {
        commands++;
        isClosing = true;
    }

    void endRound() {
        commands++;
        log = null;
    }

    /** The holder's next batch. */
    Append batch(LogId id, long... deltas) {
        List<LogEntry> batch = new ArrayList<>();
        for (long delta : deltas) {
            LogEntry entry = new LogEntry(
                    0, Optional.empty(), new WireWriter().i64(delta).toBytes());
            batch.add(entry);
            entries.add(entry);
            last = LogChain.next(last, entries.size(), entry);
        }
        Bytes signature = signer.sign(LogChain.signed(CLUSTER, id, entries.size(), last));
        return new Append(id, batch, new LogHead(entries.size(), last, signature));
    }

    /** What a log server has ordered: the lengths of the logs' heads, or the number of entries in a piece. */
    static final LogSubmissions SUBMISSIONS = new LogSubmissions() {
        @Override
        public Bytes fetch(SortedMap<LogId, LogHead> heads) {
            WireWriter out = new WireWriter().string("fetch");
            heads.values().forEach(head -> out.i64(head.length()));
            return out.toBytes();
        }

        @Override
        public Bytes pieces(LogId id, long first, Bytes previous, List<LogEntry> piece) {
            return new WireWriter().string("piece").i64(piece.size()).toBytes();
        }

        @Override
        public Bytes step() {
            return new WireWriter().string("step").toBytes();
        }
    };

    LockTable table() {
        return new LockTable(CLUSTER, this, SUBMISSIONS, id -> Optional.of(RoundReason.UNLOCKED));
    }

    private PrincipalKey key() {
        return signer.publicKey();
    }

    @Override
    public Optional<OpenLog> log(PrincipalId holder, long session) {
        return Optional.ofNullable(log)
                .filter(id -> id.holder().equals(holder) && id.session() == session)
                .map(id -> new OpenLog(id, key(), isClosing));
    }

    @Override
    public List<OpenLog> fetchesOwed(PrincipalId replica) {
        LogId open = log;
        return open == null || !isClosing || isFetched ? List.of() : List.of(new OpenLog(open, key(), true));
    }

    @Override
    public int backedLength(LogId id, List<Bytes> hashes) {
        return 0;
    }

    @Override
    public boolean isReplaying() {
        return false;
    }

    @Override
    public long commands() {
        return commands;
    }

    @Override
    public Overlay overlay(LogId id) {
        if (fails) {
            throw new IllegalStateException("a fault of this build");
        }
        return new Overlay() {
            private long value = counter;

            @Override
            public List<Bytes> execute(List<LogEntry> entries) {
                List<Bytes> replies = new ArrayList<>();
                for (LogEntry entry : entries) {
                    value += new WireReader(entry.command()).i64();
                    replies.add(new WireWriter().i64(value).toBytes());
                }
                return replies;
            }

            @Override
            public long bytes() {
                return 0;
            }

            @Override
            public Bytes query(Optional<PrincipalId> onBehalfOf, Bytes query) {
                return new WireWriter().i64(value).toBytes();
            }
        };
    }
}
