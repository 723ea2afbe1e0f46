package io.bulwark.protocol.locking;

import io.bulwark.protocol.id.PrincipalKey;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A log server's part in the rounds that close logs (16): once the end of a log is stored, it submits the FETCH, and the
 * pieces that the state lacks, until the FETCH counts. Servers submit pieces in turn, so that they come once.
 */
final class Rounds {
    /** A server waits so long for the pieces of each server before it in the order. */
    static final long TURN_MILLIS = 200;

    /** A submission that has had no effect is repeated after so long; the time doubles up to the greatest one. */
    static final long REPEAT_FIRST_MILLIS = 500;

    static final long REPEAT_MAX_MILLIS = 8_000;

    /** Pieces of all rounds that are under way to the order. */
    static final int PIECES_MAX = 16;

    private final LogServer.Config config;
    private final LockView view;
    private final LogSubmissions submissions;
    private final Map<LogId, Round> open = new HashMap<>();

    private static final class Round {
        private final ServerLog log;
        private final PrincipalKey key;
        private final long turnMillis;
        private @Nullable LogHead head;
        private long fetchAtMillis;
        private long fetchPauseMillis = REPEAT_FIRST_MILLIS;

        /** Entries that the order has. */
        private int backed;

        /** Entries that the servers before this one must have brought to keep the turn: a whole piece more. */
        private int awaited;

        /** Entries that are submitted, in pieces; the ends of those that the order does not have yet. */
        private int submitted;

        private final Deque<Integer> underWay = new ArrayDeque<>();
        private long piecesAtMillis;
        private long piecesPauseMillis = REPEAT_FIRST_MILLIS;

        private Round(ServerLog log, PrincipalKey key, long nowMillis, long turnMillis) {
            this.log = log;
            this.key = key;
            this.turnMillis = turnMillis;
            fetchAtMillis = nowMillis;
            piecesAtMillis = nowMillis + turnMillis;
            awaited = pieceEnd(log, 0);
        }

        private LogHead head() {
            LogHead found = head;
            if (found == null) {
                found = log.signedHead(key);
                head = found;
            }
            return found;
        }
    }

    Rounds(LogServer.Config config, LockView view, LogSubmissions submissions) {
        this.config = config;
        this.view = view;
        this.submissions = submissions;
    }

    /** The round of a log is open, and this server has closed the log. Calling again does no harm. */
    void open(long nowMillis, ServerLog log, PrincipalKey key) {
        open.computeIfAbsent(log.id(), id -> new Round(log, key, nowMillis, TURN_MILLIS * config.rank(id)));
    }

    /**
     * Returns what is to be submitted now.
     *
     * @param owed logs for which the state lacks something of this server; their ends are stored
     */
    List<LogEffect> submissions(long nowMillis, Set<LogId> owed) {
        open.keySet().retainAll(owed);
        List<LogEffect> effects = new ArrayList<>();
        SortedMap<LogId, LogHead> heads = new TreeMap<>();
        int room = PIECES_MAX;
        for (LogId id : owed) {
            Round round = open.get(id);
            if (round == null) {
                continue;
            }
            if (nowMillis >= round.fetchAtMillis && heads.size() < LogSubmissions.HEADS_MAX) {
                round.fetchAtMillis = nowMillis + round.fetchPauseMillis;
                round.fetchPauseMillis = Math.min(2 * round.fetchPauseMillis, REPEAT_MAX_MILLIS);
                heads.put(id, round.head());
            }
            submitPieces(nowMillis, round, room, effects);
            room -= round.underWay.size();
        }
        if (!heads.isEmpty()) {
            effects.add(0, new LogEffect.Submit(submissions.fetch(heads)));
        }
        return effects;
    }

    private void submitPieces(long nowMillis, Round round, int room, List<LogEffect> effects) {
        int length = (int) round.head().length();
        boolean isItsTurn = !round.underWay.isEmpty();
        note(
                nowMillis,
                round,
                view.backedLength(round.log.id(), round.log.hashes().subList(1, length + 1)));
        if (round.backed == length || room <= 0) {
            return;
        }
        if (nowMillis >= round.piecesAtMillis) {
            isItsTurn = true;
            round.underWay.clear();
            round.submitted = round.backed;
            round.piecesAtMillis = nowMillis + round.piecesPauseMillis;
            round.piecesPauseMillis = Math.min(2 * round.piecesPauseMillis, REPEAT_MAX_MILLIS);
        }
        while (isItsTurn && round.submitted < length && round.underWay.size() < room) {
            List<LogEntry> piece = piece(round.log.entries().subList(round.submitted, length));
            effects.add(new LogEffect.Submit(
                    submissions.pieces(round.log.id(), round.submitted + 1L, round.log.hash(round.submitted), piece)));
            round.submitted += piece.size();
            round.underWay.add(round.submitted);
        }
    }

    private static void note(long nowMillis, Round round, int backed) {
        if (backed <= round.backed) {
            return;
        }
        round.backed = backed;
        round.submitted = Math.max(round.submitted, backed);
        boolean isOwn = round.underWay.removeIf(end -> end <= backed);
        // This server continues its turn; the others leave it to the one that brought these, unless it dawdles.
        if (isOwn || backed >= round.awaited) {
            round.piecesPauseMillis = REPEAT_FIRST_MILLIS;
            round.piecesAtMillis = nowMillis + (isOwn ? REPEAT_FIRST_MILLIS : round.turnMillis);
            round.awaited = pieceEnd(round.log, backed);
        }
    }

    private static int pieceEnd(ServerLog log, int backed) {
        return backed + piece(log.entries().subList(backed, (int) log.length())).size();
    }

    /** Returns the first entries that fit into one submission. */
    private static List<LogEntry> piece(List<LogEntry> entries) {
        int count = 0;
        int bytes = 0;
        for (LogEntry entry : entries) {
            bytes += entry.length();
            if (count > 0 && bytes > LogSubmissions.PIECE_BYTES_MAX) {
                break;
            }
            count++;
        }
        return List.copyOf(entries.subList(0, count));
    }
}
