package io.bulwark.metadata.locking;

import io.bulwark.metadata.ordering.LockTable;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.locking.LockView;
import io.bulwark.protocol.locking.LockingMessage;
import io.bulwark.protocol.locking.LockingMessage.LogRefused;
import io.bulwark.protocol.locking.LogEffect;
import io.bulwark.protocol.locking.LogId;
import io.bulwark.protocol.locking.LogRefusal;
import io.bulwark.protocol.locking.LogServer;
import io.bulwark.protocol.locking.LogStoreRecord;
import io.bulwark.protocol.metadata.RoundReason;
import io.bulwark.protocol.state.DamagedPageException;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.Peer;
import java.io.IOException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Driver of the log server in a life of a replica, on the replica's thread. There is a server only while the state can be
 * read: it has then executed all that the replica has helped to decide (rule 6), so that no log is open in it that the
 * replica has seen closed. Another state, or damage in this one, ends the server; the next one begins with the records
 * of the store once all of them are durable.
 *
 * <pre>
 * from      to        when
 * no server server    the state is readable, the store idle, and it is known from which logs the store abstains
 * server    no server the state is fetched, is damaged, or ends with its configuration
 * </pre>
 */
public final class LogServerDriver implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LogServerDriver.class);

    /** A holder that was not answered within this time has asked again. */
    private static final long ASKED_MILLIS_MAX = 60_000;

    /** The server gives no answer to a batch whose log ended meanwhile, so that askers must not pile up. */
    private static final int ASKERS_MAX = 65_536;

    /** The replica that this is the log server of. */
    public interface Host {
        /** Returns the locks in the state, if there is a lock table. */
        Optional<LockTable> locks();

        /** Returns whether the state has all that this replica has helped to decide. */
        boolean isReadable();

        /** Returns whether the replica besides does not recover, and is not behind the others. */
        boolean isCurrent(long nowMillis);

        /** Has a submission of this replica ordered; may do nothing. */
        void submit(long nowMillis, Bytes submission);
    }

    private record Asker(Peer peer, long requestId, long sinceMillis) {}

    private record Round(RoundReason reason, long sinceMillis) {}

    private final PrincipalId self;
    private final List<PrincipalId> replicas;
    private final Host host;
    private final LogStore store;
    private final LogMeters meters;
    private final Map<Long, Asker> askers = new LinkedHashMap<>();
    private final Map<LogId, Round> rounds = new TreeMap<>();
    private @Nullable LogServer server;
    private @Nullable LockTable table;
    private long lastAsker;

    /** The last token before the first one of this server. */
    private long base;

    private long handedOver;
    private long stored;

    /**
     * Creates the driver, without a server yet.
     *
     * @param self this replica
     * @param replicas of the configuration, in their order
     * @param store is closed with it
     */
    public LogServerDriver(PrincipalId self, List<PrincipalId> replicas, Host host, LogStore store, LogMeters meters) {
        this.self = self;
        this.replicas = List.copyOf(replicas);
        this.host = host;
        this.store = store;
        this.meters = meters;
    }

    /** Handles a message of a holder. */
    public void onMessage(long nowMillis, Peer peer, long requestId, LockingMessage.ToServer message) {
        if (!begin(nowMillis)) {
            refuse(peer, requestId, message);
            return;
        }
        long asker = ++lastAsker;
        askers.put(asker, new Asker(peer, requestId, nowMillis));
        if (askers.size() > ASKERS_MAX) {
            askers.remove(askers.keySet().iterator().next());
        }
        run(nowMillis, current -> current.onMessage(peer.principal(), asker, message));
        if (server == null && askers.remove(asker) != null) {
            refuse(peer, requestId, message);
        }
    }

    private void refuse(Peer peer, long requestId, LockingMessage.ToServer message) {
        long call = message instanceof LockingMessage.LogRead read ? read.call() : LogRefused.BATCH;
        meters.refused(LogRefusal.BEHIND);
        var _ = peer.send(requestId, new LogRefused(message.log(), call, LogRefusal.BEHIND, 0));
    }

    /** The replica has executed commands. */
    public void onExecuted(long nowMillis) {
        if (begin(nowMillis)) {
            run(nowMillis, current -> current.onExecuted(nowMillis));
            watchRounds(nowMillis);
        }
    }

    /** The store says that the record with this token and all before it are durable. */
    public void onStored(long nowMillis, long token) {
        stored = token;
        if (token > base) {
            run(nowMillis, current -> current.onStored(nowMillis, token - base));
        }
    }

    /** No later life begins from a state with fewer executed commands. */
    public void onStable(long nowMillis, long commands) {
        run(nowMillis, current -> current.onStable(commands));
    }

    /** Time has passed: called every 10 to 100 ms. */
    public void onTick(long nowMillis) {
        Iterator<Asker> all = askers.values().iterator();
        while (all.hasNext() && nowMillis - all.next().sinceMillis() > ASKED_MILLIS_MAX) {
            all.remove();
        }
        if (begin(nowMillis)) {
            run(nowMillis, current -> current.onTick(nowMillis));
            watchRounds(nowMillis);
        }
    }

    /** The state was replaced, or a call that read it has failed. */
    public void reset() {
        server = null;
        table = null;
        rounds.clear();
        meters.setOpen(0, 0, 0);
    }

    /** Begins with a server, if it can and has none; returns whether there is one. */
    private boolean begin(long nowMillis) {
        Optional<LockTable> locks = host.isReadable() ? host.locks() : Optional.empty();
        if (locks.isEmpty()) {
            reset();
            return false;
        }
        if (server == null
                && stored == handedOver
                && knowsAbstention(nowMillis, locks.get().view())) {
            LockTable found = locks.get();
            base = handedOver;
            table = found;
            server = new LogServer(
                    new LogServer.Config(found.cluster(), replicas, self, store.abstains()),
                    found.view(),
                    found.submissions(),
                    store.records());
        }
        return server != null;
    }

    private boolean knowsAbstention(long nowMillis, LockView locks) {
        if (store.abstains() == LogStore.UNKNOWN && host.isCurrent(nowMillis)) {
            LOG.info("the log server of {} abstains from logs up to lock {}: its store is new", self, locks.commands());
            store.abstainUpTo(locks.commands());
        }
        return store.abstains() != LogStore.UNKNOWN;
    }

    private void run(long nowMillis, Function<LogServer, List<LogEffect>> input) {
        LogServer current = server;
        if (current == null) {
            return;
        }
        List<LogEffect> effects;
        try {
            effects = input.apply(current);
        } catch (DamagedPageException e) {
            reset(); // It may have stopped half way.
            throw e;
        } catch (RuntimeException e) {
            // The order of commands must not end with it.
            LOG.error("the log server of {} failed, and begins again from its store", self, e);
            reset();
            return;
        }
        effects.forEach(effect -> carryOut(nowMillis, effect));
    }

    private void carryOut(long nowMillis, LogEffect effect) {
        switch (effect) {
            case LogEffect.Send send -> {
                Asker asker = askers.remove(send.requestId());
                if (send.message() instanceof LogRefused refused) {
                    meters.refused(refused.reason());
                }
                if (asker != null) {
                    var _ = asker.peer().send(asker.requestId(), send.message());
                }
            }
            case LogEffect.Store record -> {
                if (record.record() instanceof LogStoreRecord.Batch batch) {
                    meters.appended(batch.append().entries().size());
                }
                handedOver = base + record.token();
                store.append(handedOver, record.record());
            }
            case LogEffect.Delete delete -> store.delete(delete.log());
            case LogEffect.Submit submit -> host.submit(nowMillis, submit.submission());
        }
    }

    /** Measures the rounds from their opening in the state to the end of their log. */
    private void watchRounds(long nowMillis) {
        LockTable locks = table;
        if (locks == null) {
            return;
        }
        List<LockView.OpenLog> owed = locks.view().fetchesOwed(self);
        for (LockView.OpenLog open : owed) {
            if (!rounds.containsKey(open.id())) {
                locks.reasons()
                        .apply(open.id())
                        .ifPresent(reason -> rounds.put(open.id(), new Round(reason, nowMillis)));
            }
        }
        rounds.entrySet().removeIf(each -> {
            LogId log = each.getKey();
            boolean isOver = locks.view()
                    .log(log.holder(), log.session())
                    .filter(open -> open.id().equals(log))
                    .isEmpty();
            if (isOver) {
                meters.closed(
                        each.getValue().reason(), nowMillis - each.getValue().sinceMillis());
            }
            return isOver;
        });
        meters.setOpen(store.logs(), store.largestBytes(), owed.size());
    }

    /** Returns the number of logs with records here. */
    public int logs() {
        return store.logs();
    }

    /** Writes what was handed over, and closes the store. */
    @Override
    public void close() {
        try {
            store.close();
        } catch (IOException e) {
            LOG.warn("{}: closing the store of logs failed", self, e);
        }
    }
}
