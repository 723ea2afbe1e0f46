package io.bulwark.protocol.locking;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;

/**
 * Small replicated state: one counter, and a lock on it whose log is closed in a round. Executes submissions in their
 * order. Commands add to the counter and return it; queries read it.
 */
@NullMarked
final class CounterState implements LockView {
    static final Bytes CLUSTER = Bytes.of((byte) 1, (byte) 2, (byte) 3);

    /** Query with a long answer; others get a short one. */
    static final Bytes LONG = Bytes.of((byte) 1);

    private static final int LOCK = 1;
    private static final int OPEN_ROUND = 2;
    private static final int FETCH = 3;
    private static final int PIECES = 4;
    private static final int ADD = 5;
    private static final int STEP = 6;

    /** Result of a closed log. */
    record Outcome(List<LogEntry> entries, List<Bytes> replies) {}

    private record Piece(Bytes previous, List<LogEntry> entries, long end) {}

    /** Memory that each overlay says it takes. */
    long overlayBytes = 1_000;

    private static final class Log {
        private final LogId id;
        private final PrincipalKey key;
        private boolean isClosing;
        private final Map<Bytes, Piece> pieces = new HashMap<>();
        private final Map<PrincipalId, LogHead> fetches = new LinkedHashMap<>();

        private Log(LogId id, PrincipalKey key) {
            this.id = id;
            this.key = key;
        }
    }

    static final LogSubmissions SUBMISSIONS = new LogSubmissions() {
        @Override
        public Bytes fetch(SortedMap<LogId, LogHead> heads) {
            WireWriter out = new WireWriter().u8(FETCH).u16(heads.size());
            heads.forEach((log, head) -> {
                log.write(out);
                head.write(out);
            });
            return out.toBytes();
        }

        @Override
        public Bytes pieces(LogId log, long first, Bytes previous, List<LogEntry> entries) {
            WireWriter out = new WireWriter().u8(PIECES);
            log.write(out);
            out.i64(first).raw(previous).u16(entries.size());
            entries.forEach(entry -> entry.write(out));
            return out.toBytes();
        }

        @Override
        public Bytes step() {
            return Bytes.of((byte) STEP);
        }
    };

    private final int quorum;
    private final SortedMap<LogId, Outcome> outcomes = new TreeMap<>();
    private Optional<Log> log = Optional.empty();
    private long commands;
    private long counter;

    /** Set by tests: a log is executed when it is decided here. */
    boolean isReplaying;

    CounterState(int quorum) {
        this.quorum = quorum;
    }

    /** A copy that goes its own way. */
    CounterState copy() {
        CounterState copy = new CounterState(quorum);
        copy.outcomes.putAll(outcomes);
        copy.log = log.map(open -> {
            Log other = new Log(open.id, open.key);
            other.isClosing = open.isClosing;
            other.pieces.putAll(open.pieces);
            other.fetches.putAll(open.fetches);
            return other;
        });
        copy.commands = commands;
        copy.counter = counter;
        return copy;
    }

    static Bytes lock(long session, PrincipalKey key) {
        WireWriter out = new WireWriter().u8(LOCK).i64(session);
        key.write(out);
        return out.toBytes();
    }

    static Bytes openRound() {
        return Bytes.of((byte) OPEN_ROUND);
    }

    static Bytes add(long delta) {
        return new WireWriter().u8(ADD).i64(delta).toBytes();
    }

    /** The command of an entry. */
    static Bytes delta(long delta) {
        return number(delta);
    }

    static Bytes number(long value) {
        return new WireWriter().i64(value).toBytes();
    }

    static long numberOf(Bytes reply) {
        return new WireReader(reply).i64();
    }

    /** Returns whether the command had an effect. */
    boolean execute(PrincipalId submitter, Bytes submission) {
        commands++;
        WireReader in = new WireReader(submission);
        return switch (in.u8()) {
            case LOCK -> {
                boolean isFree = log.isEmpty();
                if (isFree) {
                    log = Optional.of(new Log(new LogId(submitter, in.i64(), commands), PrincipalKey.read(in)));
                }
                yield isFree;
            }
            case OPEN_ROUND -> {
                log.ifPresent(open -> open.isClosing = true);
                yield true;
            }
            case FETCH -> fetch(submitter, in);
            case PIECES -> pieces(in);
            case ADD -> {
                boolean isFree = log.isEmpty();
                counter += isFree ? in.i64() : 0;
                yield isFree;
            }
            default -> false;
        };
    }

    private boolean fetch(PrincipalId submitter, WireReader in) {
        boolean counts = false;
        int count = in.u16();
        for (int i = 0; i < count; i++) {
            LogId id = LogId.read(in);
            LogHead head = LogHead.read(in);
            Optional<Log> round = closing(id);
            if (round.isPresent() && head.isSigned(CLUSTER, id, round.get().key)) {
                round.get().fetches.putIfAbsent(submitter, head);
                counts = true;
                decide(round.get());
            }
        }
        return counts;
    }

    private boolean pieces(WireReader in) {
        LogId id = LogId.read(in);
        long first = in.i64();
        Bytes previous = in.raw(32);
        Optional<Log> round = closing(id);
        if (round.isEmpty()) {
            return false;
        }
        Log open = round.get();
        Piece before = open.pieces.get(previous);
        boolean isLinked =
                first == 1 ? previous.equals(LogChain.root(CLUSTER, id)) : before != null && before.end == first - 1;
        if (!isLinked) {
            return false;
        }
        List<LogEntry> entries = new ArrayList<>();
        Bytes hash = previous;
        int count = in.u16();
        for (int i = 0; i < count; i++) {
            entries.add(LogEntry.read(in));
            hash = LogChain.next(hash, first + i, entries.get(i));
        }
        open.pieces.putIfAbsent(hash, new Piece(previous, entries, first + count - 1));
        decide(open);
        return true;
    }

    private Optional<Log> closing(LogId id) {
        return log.filter(open -> open.id.equals(id) && open.isClosing);
    }

    private void decide(Log round) {
        List<LogHead> backed = round.fetches.values().stream()
                .filter(head -> isBacked(round, head))
                .toList();
        if (backed.size() < quorum) {
            return;
        }
        LogHead chosen = backed.stream()
                .max((a, b) -> Long.compare(a.length(), b.length()))
                .orElseThrow();
        List<LogEntry> entries = new ArrayList<>();
        Bytes hash = chosen.hash();
        while (!hash.equals(LogChain.root(CLUSTER, round.id))) {
            Piece piece = Objects.requireNonNull(round.pieces.get(hash));
            entries.addAll(0, piece.entries);
            hash = piece.previous;
        }
        List<Bytes> replies = new ArrayList<>();
        for (LogEntry entry : entries) {
            counter += numberOf(entry.command());
            replies.add(number(counter));
        }
        outcomes.put(round.id, new Outcome(entries, replies));
        log = Optional.empty();
    }

    private static boolean isBacked(Log round, LogHead head) {
        return head.length() == 0 || round.pieces.containsKey(head.hash());
    }

    long counter() {
        return counter;
    }

    Optional<LogId> locked() {
        return log.map(open -> open.id);
    }

    Optional<Outcome> outcome(LogId id) {
        return Optional.ofNullable(outcomes.get(id));
    }

    @Override
    public Optional<OpenLog> log(PrincipalId holder, long session) {
        return log.filter(open -> open.id.holder().equals(holder) && open.id.session() == session)
                .map(open -> new OpenLog(open.id, open.key, open.isClosing));
    }

    @Override
    public List<OpenLog> fetchesOwed(PrincipalId replica) {
        return log.filter(open -> open.isClosing
                        && Optional.ofNullable(open.fetches.get(replica))
                                .filter(head -> isBacked(open, head))
                                .isEmpty())
                .map(open -> List.of(new OpenLog(open.id, open.key, true)))
                .orElse(List.of());
    }

    @Override
    public int backedLength(LogId id, List<Bytes> hashes) {
        int backed = 0;
        for (int number = 1; number <= hashes.size() && closing(id).isPresent(); number++) {
            backed = log.orElseThrow().pieces.containsKey(hashes.get(number - 1)) ? number : backed;
        }
        return backed;
    }

    @Override
    public boolean isReplaying() {
        return isReplaying;
    }

    @Override
    public long commands() {
        return commands;
    }

    @Override
    public Overlay overlay(LogId id) {
        return new Overlay() {
            private long value = counter;

            @Override
            public List<Bytes> execute(List<LogEntry> entries) {
                List<Bytes> replies = new ArrayList<>();
                for (LogEntry entry : entries) {
                    value += numberOf(entry.command());
                    replies.add(number(value));
                }
                return replies;
            }

            @Override
            public long bytes() {
                return overlayBytes;
            }

            @Override
            public Bytes query(Optional<PrincipalId> onBehalfOf, Bytes query) {
                WireWriter out = new WireWriter().i64(value);
                return query.equals(LONG) ? out.raw(Bytes.of(new byte[100])).toBytes() : out.toBytes();
            }
        };
    }
}
