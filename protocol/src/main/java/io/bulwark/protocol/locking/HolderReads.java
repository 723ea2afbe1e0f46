package io.bulwark.protocol.locking;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.locking.LockingMessage.LogAnswer;
import io.bulwark.protocol.locking.LockingMessage.LogAnswerDigest;
import io.bulwark.protocol.locking.LockingMessage.LogRead;
import io.bulwark.protocol.wire.Bytes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Queries of a holder that have no answer yet. An attempt ends when 2f+1 servers gave the same answer as of one length.
 * Else the query is asked again, as of the length that the log has by then.
 */
final class HolderReads {
    /** Time that the server with the whole answer gets, once enough have answered the same. */
    static final long REPLIER_MILLIS = 40;

    /** From this attempt on all servers send the whole answer. */
    private static final int ATTEMPTS_WITH_REPLIER = 4;

    private static final int DOUBLINGS_MAX = 5;

    /** A query, and the attempt to answer it. */
    static final class Attempt {
        private final long token;
        private final Optional<PrincipalId> onBehalfOf;
        private final Bytes query;
        private final long sinceMillis;
        private final Map<Bytes, Bytes> wholes = new HashMap<>();
        private Votes votes = new Votes();
        private long call;
        private int replier;
        private int attempts;
        private long repeatMillis;

        private Attempt(long token, Optional<PrincipalId> onBehalfOf, Bytes query, long nowMillis) {
            this.token = token;
            this.onBehalfOf = onBehalfOf;
            this.query = query;
            sinceMillis = nowMillis;
        }

        LogRead as(LogId log, long length) {
            return new LogRead(log, call, replier, length, onBehalfOf, query);
        }
    }

    /**
     * A query with its answer.
     *
     * @param givers servers that gave the answer
     * @param isFirst whether the first attempt has brought it
     */
    record Finished(long token, Bytes answer, Set<LogPeer> givers, boolean isFirst) {}

    private final LogHolder.Terms terms;
    private final Timeouts times;
    private final SortedMap<Long, Attempt> byCall = new TreeMap<>();
    private long lastCall;

    HolderReads(LogHolder.Terms terms, Timeouts times) {
        this.terms = terms;
        this.times = times;
    }

    int size() {
        return byCall.size();
    }

    /** Tokens of all queries, in the order in which they came. */
    List<Long> tokens() {
        return byCall.values().stream()
                .sorted((a, b) -> Long.compare(a.sinceMillis, b.sinceMillis))
                .map(attempt -> attempt.token)
                .toList();
    }

    /** Time at which the oldest query came. */
    long oldestMillis() {
        return byCall.values().stream()
                .mapToLong(attempt -> attempt.sinceMillis)
                .min()
                .orElse(Long.MAX_VALUE);
    }

    Attempt add(long nowMillis, long token, Optional<PrincipalId> onBehalfOf, Bytes query, List<LogPeer> asked) {
        Attempt attempt = new Attempt(token, onBehalfOf, query, nowMillis);
        begin(attempt, nowMillis + times.hedgeMillis(), asked);
        return attempt;
    }

    private void begin(Attempt attempt, long repeatMillis, List<LogPeer> asked) {
        attempt.call = ++lastCall;
        attempt.votes = new Votes();
        attempt.wholes.clear();
        attempt.attempts++;
        attempt.repeatMillis = repeatMillis;
        int named = asked.get((int) (lastCall % asked.size())).id().number();
        attempt.replier =
                attempt.attempts > ATTEMPTS_WITH_REPLIER ? LockingMessage.ALL : Math.min(named, LockingMessage.ALL);
        byCall.put(attempt.call, attempt);
    }

    /** Begins another attempt at each query whose time has come; all of these servers are to be asked. */
    List<Attempt> repeat(long nowMillis, List<LogPeer> asked) {
        List<Attempt> due = byCall.values().stream()
                .filter(attempt -> nowMillis >= attempt.repeatMillis)
                .toList();
        for (Attempt attempt : due) {
            byCall.remove(attempt.call);
            begin(attempt, nowMillis + times.retryMillis(), asked);
        }
        return due;
    }

    Optional<Finished> onAnswer(long nowMillis, LogPeer peer, LogAnswer answer) {
        Attempt attempt = byCall.get(answer.call());
        if (attempt == null) {
            return Optional.empty();
        }
        Bytes digest = Hashes.sha256(answer.reply());
        // Else faulty servers fill the memory with answers that nobody asked them for.
        if (answer.by(peer.id().number(), attempt.replier).equals(answer)) {
            attempt.wholes.put(digest, answer.reply());
        }
        return count(nowMillis, attempt, peer, digest);
    }

    Optional<Finished> onDigest(long nowMillis, LogPeer peer, LogAnswerDigest answer) {
        Attempt attempt = byCall.get(answer.call());
        return attempt == null ? Optional.empty() : count(nowMillis, attempt, peer, answer.digest());
    }

    private Optional<Finished> count(long nowMillis, Attempt attempt, LogPeer peer, Bytes digest) {
        if (attempt.votes.give(peer, digest) < terms.quorum()) {
            return Optional.empty();
        }
        @Nullable Bytes whole = attempt.wholes.get(digest);
        if (whole == null) {
            attempt.repeatMillis = Math.min(attempt.repeatMillis, nowMillis + REPLIER_MILLIS);
            return Optional.empty();
        }
        byCall.remove(attempt.call);
        return Optional.of(new Finished(attempt.token, whole, attempt.votes.of(digest), attempt.attempts == 1));
    }

    /** A server has refused this attempt: another one begins soon. */
    void onRefused(long nowMillis, long call) {
        Attempt attempt = byCall.get(call);
        if (attempt != null) {
            long pause = LogHolder.BUSY_MILLIS << Math.min(attempt.attempts - 1, DOUBLINGS_MAX);
            attempt.repeatMillis = Math.min(attempt.repeatMillis, nowMillis + pause);
        }
    }
}
