package io.bulwark.protocol.locking;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.locking.LockView.OpenLog;
import io.bulwark.protocol.locking.LockingMessage.Append;
import io.bulwark.protocol.locking.LockingMessage.Appended;
import io.bulwark.protocol.locking.LockingMessage.LogAnswer;
import io.bulwark.protocol.locking.LockingMessage.LogRead;
import io.bulwark.protocol.locking.LockingMessage.LogRefused;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Keeps the logs of holders, one server in each replica process (docs/protocols/locking.md). Single-threaded, no I/O:
 * all methods run on the thread that executes commands, between two commands.
 *
 * <p>Life of a log here:
 *
 * <pre>
 * state   Append, LogRead      until                                    then
 * absent  BEHIND               the replica has executed the LOCK        open
 * open    taken and answered   the replica has opened the round         closed
 * closed  CLOSED               the FETCH stands, and the round is over  gone
 * gone    CLOSED               no life begins before that (onStable)    deleted
 * </pre>
 *
 * <p>Two invariants carry the safety of the whole: nothing is acknowledged before it is stored, and a FETCH is
 * submitted only when the end of the log is stored, after which nothing is acknowledged. Entries that 2f+1 servers
 * acknowledged are then known to one correct server among any 2f+1 that submit a FETCH.
 */
public final class LogServer {
    /** Memory that all logs take, with their overlays; beyond, batches are refused. A replica has 512 MiB. */
    static final long BYTES_MAX = 128L << 20;

    /** Batches and reads of one log whose answers wait for a store. */
    static final int HELD_PER_LOG_MAX = 512;

    /**
     * Constants of a log server.
     *
     * @param cluster its id
     * @param replicas of the configuration, in their order
     * @param self this replica
     * @param abstainUpTo the store is new or was damaged, so that the server abstains from all logs whose lock number is
     *     not above this one (11); 0 if the store is whole
     */
    public record Config(Bytes cluster, List<PrincipalId> replicas, PrincipalId self, long abstainUpTo) {
        public Config {
            replicas = List.copyOf(replicas);
            if (!replicas.contains(self) || abstainUpTo < 0) {
                throw new IllegalArgumentException(self + " of " + replicas + ", abstains up to " + abstainUpTo);
            }
        }

        /** Place of this server in the order that it, and each holder, gives the servers of a log. */
        int rank(LogId log) {
            return ranked(replicas, log).indexOf(self);
        }
    }

    private final Config config;
    private final LockView view;
    private final Rounds rounds;
    private final ReplaySteps replay;
    private final SortedMap<LogId, ServerLog> logs = new TreeMap<>();
    /** Logs that are over, and the number of executed commands at which that was seen. */
    private final SortedMap<LogId, Long> gone = new TreeMap<>();

    private final NavigableMap<Long, List<Held>> held = new TreeMap<>();
    private final Map<LogId, Integer> heldPerLog = new HashMap<>();
    private List<LogEffect> effects = new ArrayList<>();
    private long bytes;
    private long lastToken;
    private long stored;
    /** True if the end of a log is not stored yet. */
    private boolean isWaiting;

    private record Held(ServerLog log, LogEffect.Send send) {}

    /**
     * A server that begins, or begins again.
     *
     * @param found all records on the disk, those of a log in their order
     */
    public LogServer(Config config, LockView view, LogSubmissions submissions, Iterable<LogStoreRecord> found) {
        this.config = config;
        this.view = view;
        rounds = new Rounds(config, view, submissions);
        replay = new ReplaySteps(config, view, submissions);
        for (LogStoreRecord record : found) {
            ServerLog log = log(record.log());
            log.restore(record);
            bytes += log.growth();
        }
    }

    /**
     * Orders the servers of a log: the first 2f+1 are the ones that its holder prefers, and pieces are submitted in this
     * order. Logs differ in it, so that they share the load.
     */
    static List<PrincipalId> ranked(List<PrincipalId> replicas, LogId log) {
        int first = (int) (log.lock() % replicas.size());
        List<PrincipalId> ranked = new ArrayList<>(replicas.subList(first, replicas.size()));
        ranked.addAll(replicas.subList(0, first));
        return ranked;
    }

    /** Handles a request of an authenticated sender. */
    public List<LogEffect> onMessage(PrincipalId from, long requestId, LockingMessage.ToServer message) {
        switch (message) {
            case Append append -> onAppend(from, requestId, append);
            case LogRead read -> onRead(from, requestId, read);
        }
        return drain();
    }

    private void onAppend(PrincipalId from, long requestId, Append append) {
        Optional<LogRefusal> refusal = refusal(from, append.log());
        if (refusal.isPresent()) {
            refuse(from, requestId, append.log(), LogRefused.BATCH, refusal.get());
            return;
        }
        ServerLog log = log(append.log());
        long last = append.head().length();
        if (last <= log.length()) {
            if (log.hash(last).equals(append.head().hash())) {
                acknowledge(log, from, requestId, append);
            } else {
                refuse(from, requestId, log.id(), LogRefused.BATCH, LogRefusal.INVALID);
            }
        } else if (append.first() != log.length() + 1) {
            refuse(from, requestId, log.id(), LogRefused.BATCH, LogRefusal.GAP);
        } else if (bytes >= BYTES_MAX) {
            refuse(from, requestId, log.id(), LogRefused.BATCH, LogRefusal.OVERLOADED);
        } else {
            take(log, from, requestId, append);
        }
    }

    private void take(ServerLog log, PrincipalId from, long requestId, Append append) {
        List<Bytes> chain = log.chain(append);
        if (chain.isEmpty()) {
            refuse(from, requestId, log.id(), LogRefused.BATCH, LogRefusal.INVALID);
            return;
        }
        log.append(view, append, chain);
        store(log, new LogStoreRecord.Batch(append));
        acknowledge(log, from, requestId, append);
    }

    private void acknowledge(ServerLog log, PrincipalId from, long requestId, Append append) {
        long last = append.head().length();
        List<Bytes> replies = log.replies(view, last, append.entries().size());
        bytes += log.growth();
        answer(log, from, requestId, new Appended(log.id(), last, log.hash(last), replies));
    }

    private void onRead(PrincipalId from, long requestId, LogRead read) {
        Optional<LogRefusal> refusal = refusal(from, read.log());
        if (refusal.isPresent()) {
            refuse(from, requestId, read.log(), read.call(), refusal.get());
            return;
        }
        ServerLog log = log(read.log());
        if (read.length() != log.length()) {
            refuse(from, requestId, log.id(), read.call(), LogRefusal.GAP);
        } else {
            // The entries that it has read must survive.
            LogAnswer answer = new LogAnswer(log.id(), read.call(), log.query(view, read));
            bytes += log.growth();
            answer(log, from, requestId, answer.by(config.self().number(), read.replier()));
        }
    }

    private Optional<LogRefusal> refusal(PrincipalId from, LogId log) {
        if (!from.equals(log.holder())) {
            return Optional.of(LogRefusal.INVALID);
        }
        return refusalOfState(log)
                .or(() -> heldPerLog.getOrDefault(log, 0) >= HELD_PER_LOG_MAX
                        ? Optional.of(LogRefusal.OVERLOADED)
                        : Optional.empty());
    }

    private Optional<LogRefusal> refusalOfState(LogId log) {
        if (isAbstaining(log)) {
            return Optional.of(LogRefusal.ABSTAINS);
        }
        ServerLog found = logs.get(log);
        if (gone.containsKey(log) || (found != null && found.isClosed())) {
            return Optional.of(LogRefusal.CLOSED);
        }
        if (view.commands() < log.lock()) {
            return Optional.of(LogRefusal.BEHIND);
        }
        return open(log).filter(open -> !open.isClosing()).isPresent()
                ? Optional.empty()
                : Optional.of(LogRefusal.CLOSED);
    }

    private boolean isAbstaining(LogId log) {
        ServerLog found = logs.get(log);
        return log.lock() <= config.abstainUpTo() || (found != null && found.isDamaged());
    }

    private Optional<OpenLog> open(LogId log) {
        return view.log(log.holder(), log.session()).filter(open -> open.id().equals(log));
    }

    /** The replica has executed commands: rounds may have been opened, or have ended. */
    public List<LogEffect> onExecuted(long nowMillis) {
        isWaiting = false;
        Set<LogId> owed = new LinkedHashSet<>();
        for (OpenLog open : view.fetchesOwed(config.self())) {
            if (!isAbstaining(open.id())) {
                ServerLog log = log(open.id());
                if (!log.isClosed()) {
                    log.close();
                    bytes += log.growth();
                    store(log, new LogStoreRecord.Closure(log.id()));
                }
                if (log.lastToken() <= stored) {
                    rounds.open(nowMillis, log, open.key());
                    owed.add(log.id());
                } else {
                    isWaiting = true;
                }
            }
        }
        effects.addAll(rounds.submissions(nowMillis, owed));
        replay.next(nowMillis).ifPresent(effects::add);
        return drain();
    }

    /** Reports that this store, and all before it, are durable. */
    public List<LogEffect> onStored(long nowMillis, long token) {
        if (token > lastToken) {
            throw new IllegalArgumentException("store " + token + " was never asked for");
        }
        stored = Math.max(stored, token);
        Map<LogId, Boolean> isOpen = new HashMap<>();
        NavigableMap<Long, List<Held>> free = held.headMap(stored, true);
        for (List<Held> each : free.values()) {
            for (Held answer : each) {
                heldPerLog.merge(answer.log.id(), -1, (a, b) -> a + b == 0 ? null : a + b);
                // After the end of a log nothing is acknowledged.
                if (isOpen.computeIfAbsent(
                        answer.log.id(), log -> refusalOfState(log).isEmpty())) {
                    effects.add(answer.send);
                }
            }
        }
        free.clear();
        return isWaiting ? onExecuted(nowMillis) : drain();
    }

    /** Called at least every 100 ms. */
    public List<LogEffect> onTick(long nowMillis) {
        Iterator<ServerLog> all = logs.values().iterator();
        while (all.hasNext()) {
            ServerLog log = all.next();
            // A log whose LOCK the replica will execute again is not gone.
            if (log.id().lock() <= view.commands() && open(log.id()).isEmpty()) {
                all.remove();
                log.close();
                bytes += log.growth() - log.bytes();
                gone.put(log.id(), view.commands());
            }
        }
        return onExecuted(nowMillis);
    }

    /**
     * No later life of this replica begins from a state with fewer commands than these. Only now records of logs that
     * were over by then are deleted: before, such a life would find the log open again, and a server that has forgotten
     * its closure would take entries.
     */
    public List<LogEffect> onStable(long commands) {
        Iterator<Map.Entry<LogId, Long>> all = gone.entrySet().iterator();
        while (all.hasNext()) {
            Map.Entry<LogId, Long> each = all.next();
            if (each.getValue() <= commands) {
                all.remove();
                effects.add(new LogEffect.Delete(each.getKey()));
            }
        }
        return drain();
    }

    /** Returns about how much memory all logs take. */
    long bytes() {
        return bytes;
    }

    private ServerLog log(LogId id) {
        return logs.computeIfAbsent(id, missing -> new ServerLog(config.cluster(), missing));
    }

    private void store(ServerLog log, LogStoreRecord record) {
        log.setLastToken(++lastToken);
        effects.add(new LogEffect.Store(lastToken, record));
    }

    /** Sends once all that the log holds now is durable. */
    private void answer(ServerLog log, PrincipalId to, long requestId, LockingMessage.ToHolder message) {
        LogEffect.Send send = new LogEffect.Send(to, requestId, message);
        if (log.lastToken() <= stored) {
            effects.add(send);
        } else {
            held.computeIfAbsent(log.lastToken(), ignored -> new ArrayList<>()).add(new Held(log, send));
            heldPerLog.merge(log.id(), 1, Integer::sum);
        }
    }

    private void refuse(PrincipalId to, long requestId, LogId log, long call, LogRefusal reason) {
        ServerLog found = logs.get(log);
        effects.add(new LogEffect.Send(
                to, requestId, new LogRefused(log, call, reason, found == null ? 0 : found.length())));
    }

    private List<LogEffect> drain() {
        List<LogEffect> drained = effects;
        effects = new ArrayList<>();
        return drained;
    }
}
