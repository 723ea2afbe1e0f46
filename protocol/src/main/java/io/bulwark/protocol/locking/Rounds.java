package io.bulwark.protocol.locking;

import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A log server's part in the rounds that close logs: once the end of a log is stored, it submits the FETCH until the
 * state has it, and the pieces until they link its head back to h(0) (16). Servers submit pieces in turn, so that they
 * come once.
 */
final class Rounds {
    /** A server waits so long for the pieces of each server before it in the order. */
    static final long TURN_MILLIS = 200;

    /** A submission that has had no effect is repeated after so long; the time doubles up to the greatest one. */
    static final long REPEAT_FIRST_MILLIS = 500;

    static final long REPEAT_MAX_MILLIS = 8_000;

    /** Pieces of all rounds that are under way to the order. */
    static final int PIECES_MAX = 16;

    /** The view reads length and hash of a head, so that a place within a log needs no signature. */
    private static final Bytes UNSIGNED = Bytes.of(new byte[PrincipalKey.SIGNATURE_BYTES]);

    private final LogServer.Config config;
    private final LockView view;
    private final LogSubmissions submissions;
    private final Map<LogId, Round> open = new LinkedHashMap<>();
    private boolean isWaiting;

    private static final class Round {
        private final ServerLog log;
        private final PrincipalKey key;
        private final long turnMillis;
        private @Nullable LogHead head;
        private List<Integer> ends = List.of();
        private int backed;
        private int submitted;
        private long fetchAtMillis;
        private long fetchPauseMillis = REPEAT_FIRST_MILLIS;
        private long piecesAtMillis;
        private long piecesPauseMillis = REPEAT_FIRST_MILLIS;

        private Round(ServerLog log, PrincipalKey key, long turnMillis) {
            this.log = log;
            this.key = key;
            this.turnMillis = turnMillis;
        }
    }

    Rounds(LogServer.Config config, LockView view, LogSubmissions submissions) {
        this.config = config;
        this.view = view;
        this.submissions = submissions;
    }

    /** The round of a log is open, and this server has closed the log. Calling again does no harm. */
    void open(long nowMillis, ServerLog log, PrincipalKey key) {
        if (!open.containsKey(log.id())) {
            Round round = new Round(log, key, TURN_MILLIS * config.rank(log.id()));
            round.fetchAtMillis = nowMillis;
            round.piecesAtMillis = nowMillis + round.turnMillis;
            open.put(log.id(), round);
        }
    }

    void end(LogId log) {
        open.remove(log);
    }

    /** Returns whether the end of a log is not stored yet. */
    boolean isWaiting() {
        return isWaiting;
    }

    /**
     * Returns what is to be submitted now.
     *
     * @param owed logs whose FETCH of this server the state lacks
     * @param stored token of the last durable store
     */
    List<LogEffect> submissions(long nowMillis, Set<LogId> owed, long stored) {
        isWaiting = false;
        List<LogEffect> effects = new ArrayList<>();
        SortedMap<LogId, LogHead> heads = new TreeMap<>();
        int room = PIECES_MAX;
        for (Round round : open.values()) {
            if (round.log.lastToken() > stored) {
                isWaiting = true;
                continue;
            }
            LogHead head = headOf(round);
            if (owed.contains(round.log.id()) && nowMillis >= round.fetchAtMillis && heads.size() < LogServer.HEADS_MAX) {
                round.fetchAtMillis = nowMillis + round.fetchPauseMillis;
                round.fetchPauseMillis = Math.min(2 * round.fetchPauseMillis, REPEAT_MAX_MILLIS);
                heads.put(round.log.id(), head);
            }
            room -= pieces(nowMillis, round, head, room, effects);
        }
        if (!heads.isEmpty()) {
            effects.add(0, new LogEffect.Submit(submissions.fetch(heads)));
        }
        return effects;
    }

    private static LogHead headOf(Round round) {
        LogHead head = round.head;
        if (head == null) {
            head = round.log.signedHead(round.key);
            round.head = head;
            round.ends = LogPieces.ends(round.log.entries().subList(0, (int) head.length()));
        }
        return head;
    }

    /** Submits missing pieces, and returns how many are under way. */
    private int pieces(long nowMillis, Round round, LogHead head, int room, List<LogEffect> effects) {
        if (round.backed == round.ends.size()) {
            return 0;
        }
        int before = round.backed;
        findBacked(round, head);
        if (round.backed > before) {
            round.piecesPauseMillis = REPEAT_FIRST_MILLIS;
            // This server continues its turn; the others leave it to the one that brought these.
            round.piecesAtMillis = nowMillis + (round.submitted > before ? REPEAT_FIRST_MILLIS : round.turnMillis);
        }
        if (room <= 0) {
            return 0;
        }
        if (nowMillis >= round.piecesAtMillis) {
            round.submitted = round.backed;
            round.piecesAtMillis = nowMillis + round.piecesPauseMillis;
            round.piecesPauseMillis = Math.min(2 * round.piecesPauseMillis, REPEAT_MAX_MILLIS);
        } else if (round.submitted <= before) {
            return 0;
        }
        round.submitted = Math.max(round.submitted, round.backed);
        while (round.submitted < round.ends.size() && round.submitted - round.backed < room) {
            int first = round.submitted == 0 ? 0 : round.ends.get(round.submitted - 1);
            int end = round.ends.get(round.submitted++);
            List<LogEntry> entries = round.log.entries().subList(first, end);
            effects.add(new LogEffect.Submit(submissions.pieces(round.log.id(), first + 1L, List.copyOf(entries))));
        }
        return round.submitted - round.backed;
    }

    private void findBacked(Round round, LogHead head) {
        LogId log = round.log.id();
        if (view.backedLength(log, head) >= head.length()) {
            round.backed = round.ends.size();
            return;
        }
        while (round.backed < round.ends.size()) {
            long end = round.ends.get(round.backed);
            if (view.backedLength(log, new LogHead(end, round.log.hash(end), UNSIGNED)) < end) {
                return;
            }
            round.backed++;
        }
    }
}
