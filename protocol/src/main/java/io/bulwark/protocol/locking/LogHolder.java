package io.bulwark.protocol.locking;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.locking.HolderEffect.Ended;
import io.bulwark.protocol.locking.HolderEffect.Outstanding;
import io.bulwark.protocol.locking.LockingMessage.Append;
import io.bulwark.protocol.locking.LockingMessage.Appended;
import io.bulwark.protocol.locking.LockingMessage.LogRefused;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Appends a client's operations to its log (docs/protocols/locking.md). Single-threaded, no I/O. The driver hands in
 * operations, queries, messages of the log servers, and a tick at least every 50 ms.
 *
 * <p>One batch is under way at a time. Operations that come meanwhile gather, and leave as the next batch under one
 * signature. A batch goes to the 2f+1 preferred servers, and to the others when it is slow. An operation completes when
 * 2f+1 servers gave equal replies at the same place of the same chain: f+1 of them are correct, so that every 2f+1
 * servers that close the log contain one that has the entry.
 *
 * <pre>
 * state    new operations   until                                                  then
 * running  taken            stop                                                   stopping
 * stopping refused          all are answered                                       ended (STOPPED)
 * both                      f+1 servers refuse the log for good, or time is up     ended
 * </pre>
 */
public final class LogHolder {
    /** Bytes of entries that one batch carries at most, so that a large one does not hold up the next for long. */
    static final int BATCH_BYTES_MAX = 256 << 10;

    /** A server that was behind or overloaded is asked again after so long. */
    static final long BUSY_MILLIS = 50;

    /**
     * The log and its servers.
     *
     * @param cluster its id
     * @param replicas of the configuration in which the log began, in their order
     */
    public record Terms(Bytes cluster, LogId log, List<PrincipalId> replicas) {
        public Terms {
            replicas = List.copyOf(replicas);
        }

        int faulty() {
            return (replicas.size() - 1) / 3;
        }

        /** 2f+1. */
        int quorum() {
            return 2 * faulty() + 1;
        }
    }

    private enum State {
        RUNNING,
        STOPPING,
        ENDED
    }

    private static final class Pending {
        private final long token;
        private final LogEntry entry;
        private final long sinceMillis;
        private final Votes votes = new Votes();

        private Pending(long token, LogEntry entry, long sinceMillis) {
            this.token = token;
            this.entry = entry;
            this.sinceMillis = sinceMillis;
        }
    }

    private final Terms terms;
    private final UnaryOperator<Bytes> signing;
    private final Timeouts times;
    private final HolderLog log;
    private final List<LogPeer> peers = new ArrayList<>();
    private final HolderReads reads;
    private final NavigableMap<Long, Pending> pending = new TreeMap<>();
    private Set<LogPeer> preferred = new LinkedHashSet<>();
    private boolean isWide;
    private long batchMillis;
    private State state = State.RUNNING;
    private List<HolderEffect> effects = new ArrayList<>();

    /**
     * The holder of an empty log.
     *
     * @param signing signs with the key that the LOCK has named
     * @param times a server that has not answered for {@code hedgeMillis} is slow; an operation without an outcome ends
     *     the log after {@code timeoutMillis}
     */
    public LogHolder(Terms terms, UnaryOperator<Bytes> signing, Timeouts times) {
        this.terms = terms;
        this.signing = signing;
        this.times = times;
        log = new HolderLog(terms.cluster(), terms.log());
        for (PrincipalId replica : LogServer.ranked(terms.replicas(), terms.log())) {
            peers.add(new LogPeer(replica, times));
        }
        preferred.addAll(peers.subList(0, terms.quorum()));
        reads = new HolderReads(terms, times);
    }

    /** Returns whether the holder takes this entry now: it has no end yet, and there is a place in log and window. */
    public boolean canAppend(LogEntry entry) {
        long next = log.length() + 1;
        return hasRoom(entry) && (pending.isEmpty() || next - pending.firstKey() < LogLimits.OUTSTANDING_MAX);
    }

    /** Returns whether the log has a place for this entry, now or once the window has one. */
    public boolean hasRoom(LogEntry entry) {
        return isRunning() && log.hasRoom(entry);
    }

    /** Returns whether the holder takes operations. */
    public boolean isRunning() {
        return state == State.RUNNING;
    }

    /** Returns whether a query can be handed in. */
    public boolean canRead() {
        return state == State.RUNNING && reads.size() < LogLimits.OUTSTANDING_MAX;
    }

    /** Returns whether the holder does nothing more. */
    public boolean isEnded() {
        return state == State.ENDED;
    }

    /**
     * Appends an operation.
     *
     * @param token is given back with the reply
     * @throws IllegalStateException unless {@link #canAppend}
     */
    public List<HolderEffect> append(long nowMillis, long token, LogEntry entry) {
        if (!canAppend(entry)) {
            throw new IllegalStateException("no place for another entry in " + terms.log());
        }
        pending.put(log.add(entry), new Pending(token, entry, nowMillis));
        flush(nowMillis);
        return drain();
    }

    /**
     * Asks a query, as of the entries that have been sent: all that are answered are among them.
     *
     * @param token is given back with the answer
     * @throws IllegalStateException unless {@link #canRead}
     */
    public List<HolderEffect> read(long nowMillis, long token, Optional<PrincipalId> onBehalfOf, Bytes query) {
        if (!canRead()) {
            throw new IllegalStateException("no place for another query of " + terms.log());
        }
        HolderReads.Attempt attempt = reads.add(nowMillis, token, onBehalfOf, query, List.copyOf(preferred));
        preferred.forEach(peer -> ask(peer, attempt));
        return drain();
    }

    /** Takes no more operations, and ends when all are answered. */
    public List<HolderEffect> stop(long nowMillis) {
        if (state == State.RUNNING) {
            state = State.STOPPING;
            flush(nowMillis);
            endIfIdle();
        }
        return drain();
    }

    /** Handles an answer of a log server. */
    public List<HolderEffect> onMessage(long nowMillis, PrincipalId from, LockingMessage.ToHolder message) {
        LogPeer peer = peer(from);
        if (peer == null || state == State.ENDED || !message.log().equals(terms.log())) {
            return List.of();
        }
        switch (message) {
            case Appended appended -> onAppended(nowMillis, peer, appended);
            case LockingMessage.LogAnswer answer ->
                reads.onAnswer(nowMillis, peer, answer).ifPresent(this::onFinished);
            case LockingMessage.LogAnswerDigest answer ->
                reads.onDigest(nowMillis, peer, answer).ifPresent(this::onFinished);
            case LogRefused refused -> onRefused(nowMillis, peer, refused);
        }
        endIfIdle();
        return drain();
    }

    private void onAppended(long nowMillis, LogPeer peer, Appended appended) {
        long length = appended.length();
        if (!log.isHead(length, appended.hash())) {
            return; // No correct server has another chain.
        }
        peer.onStored(length);
        long number = length - appended.replies().size();
        for (Bytes reply : appended.replies()) {
            Pending entry = pending.get(++number);
            if (entry != null && entry.votes.give(peer, reply) >= terms.quorum()) {
                pending.remove(number);
                effects.add(new HolderEffect.Answered(entry.token, reply));
                if (isWide && !isUnderWay()) {
                    // The servers that were first with a slow batch are preferred from now on.
                    preferred = entry.votes.of(reply);
                }
            }
        }
        if (isUsed(peer)) {
            supply(nowMillis, peer);
        }
        flush(nowMillis);
    }

    private void onFinished(HolderReads.Finished read) {
        effects.add(new HolderEffect.Answered(read.token(), read.answer()));
        if (!read.isFirst()) {
            preferred = read.givers();
        }
    }

    private void onRefused(long nowMillis, LogPeer peer, LogRefused refused) {
        if (refused.reason().isFinal()) {
            peer.refuse();
            if (preferred.remove(peer)) {
                peers.stream()
                        .filter(other -> !other.hasRefused() && !preferred.contains(other))
                        .findFirst()
                        .ifPresent(preferred::add);
            }
            if (peers.stream().filter(LogPeer::hasRefused).count() > terms.faulty()) {
                end(HolderEffect.Reason.REFUSED);
                return;
            }
        } else if (refused.reason() == LogRefusal.GAP) {
            if (log.isHead(refused.length()) && peer.onGap(nowMillis, refused.length())) {
                supply(nowMillis, peer);
            }
        } else {
            peer.onBusy(nowMillis);
        }
        if (refused.call() == LogRefused.BATCH) {
            widen(nowMillis);
        } else {
            reads.onRefused(nowMillis, refused.call());
        }
    }

    /** Time has passed. */
    public List<HolderEffect> onTick(long nowMillis) {
        if (state == State.ENDED) {
            return List.of();
        }
        long oldest = Math.min(
                pending.isEmpty() ? Long.MAX_VALUE : pending.firstEntry().getValue().sinceMillis, reads.oldestMillis());
        if (oldest != Long.MAX_VALUE && nowMillis - oldest >= times.timeoutMillis()) {
            end(HolderEffect.Reason.TIMED_OUT);
            return drain();
        }
        if (isUnderWay() && nowMillis - batchMillis >= times.hedgeMillis()) {
            widen(nowMillis);
        }
        if (isUnderWay()) {
            peers.stream()
                    .filter(peer -> isUsed(peer) && peer.repeat(nowMillis))
                    .forEach(peer -> supply(nowMillis, peer));
        }
        for (HolderReads.Attempt attempt : reads.repeat(nowMillis, peers)) {
            for (LogPeer peer : peers) {
                supply(nowMillis, peer);
                ask(peer, attempt);
            }
        }
        return drain();
    }

    /** Sends what has gathered, unless a batch is under way. */
    private void flush(long nowMillis) {
        if (isUnderWay() || log.sentLength() == log.length()) {
            return;
        }
        log.seal(signing);
        isWide = false;
        batchMillis = nowMillis;
        preferred.forEach(peer -> supply(nowMillis, peer));
    }

    private boolean isUnderWay() {
        return !pending.isEmpty() && pending.firstKey() <= log.sentLength();
    }

    private void widen(long nowMillis) {
        if (!isWide && isUnderWay()) {
            isWide = true;
            peers.forEach(peer -> supply(nowMillis, peer));
        }
    }

    private boolean isUsed(LogPeer peer) {
        return isWide || preferred.contains(peer);
    }

    /** Sends the next batch that this server lacks, unless it has yet to answer so much that this may fail. */
    private void supply(long nowMillis, LogPeer peer) {
        if (peer.canTake(log.sentLength())) {
            Append batch = log.batch(peer.sent());
            peer.onSent(nowMillis, batch.head().length());
            effects.add(new HolderEffect.Send(peer.id(), batch));
        }
    }

    private void ask(LogPeer peer, HolderReads.Attempt attempt) {
        if (!peer.hasRefused()) {
            effects.add(new HolderEffect.Send(peer.id(), attempt.as(terms.log(), log.sentLength())));
        }
    }

    private @Nullable LogPeer peer(PrincipalId id) {
        return peers.stream().filter(peer -> peer.id().equals(id)).findFirst().orElse(null);
    }

    private void endIfIdle() {
        if (state == State.STOPPING && pending.isEmpty() && reads.size() == 0) {
            end(HolderEffect.Reason.STOPPED);
        }
    }

    private void end(HolderEffect.Reason reason) {
        state = State.ENDED;
        List<Outstanding> outstanding = new ArrayList<>();
        pending.forEach((number, entry) -> outstanding.add(new Outstanding(number, entry.token, entry.entry)));
        effects.add(new Ended(reason, outstanding, reads.tokens()));
    }

    private List<HolderEffect> drain() {
        List<HolderEffect> drained = effects;
        effects = new ArrayList<>();
        return drained;
    }
}
