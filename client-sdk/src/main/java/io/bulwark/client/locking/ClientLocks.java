package io.bulwark.client.locking;

import io.bulwark.client.driver.OperationDriver;
import io.bulwark.client.object.Metadata;
import io.bulwark.client.object.SessionPool;
import io.bulwark.protocol.bucket.SessionCommands;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.locking.Subtree;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Metadata of a client that holds locks: one session with a log for each object volume. Operations within its locks take
 * one round trip to the log servers, all others are ordered. Thread-safe.
 */
public final class ClientLocks implements Metadata, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClientLocks.class);
    private static final long CLOSE_MILLIS_MAX = 2_000;

    private final PrincipalId self;
    private final Metadata ordered;
    private final LockHolding.Environment environment;
    private final ExecutorService callbacks = Executors.newVirtualThreadPerTaskExecutor();
    private final Map<Integer, VolumeLocks> volumes = new ConcurrentHashMap<>();
    private final Map<String, Integer> volumeOf = new ConcurrentHashMap<>();
    private final Thread renewal;
    private volatile boolean closed;

    /**
     * @param ordered has everything ordered, and waits for locks of others ({@link LockRefusals})
     * @param driver runs the holders of logs
     */
    public ClientLocks(PrincipalId self, Metadata ordered, OperationDriver driver, LogServers servers) {
        this.self = self;
        this.ordered = ordered;
        environment = new LockHolding.Environment(ordered, driver, servers, callbacks, new LockStatistics());
        renewal = Thread.ofVirtual().name("bulwark-locks").start(this::keepOpen);
    }

    public LockStatistics statistics() {
        return environment.statistics();
    }

    /**
     * Returns the session with the log that takes a put of this object; empty if the object is not in a subtree that is
     * locked now.
     */
    public Optional<SessionPool.Lease> lease(int volume, String bucket, String key) {
        volumeOf.put(bucket, volume);
        onAccess(bucket, key);
        return Optional.ofNullable(volumes.get(volume))
                .filter(locks -> LockableNames.areWithin(List.of(new Subtree(bucket, key)), locks.held()))
                .flatMap(VolumeLocks::lease);
    }

    /** Notes that the session of a lease was found closed. */
    public void lost(SessionPool.Lease lease) {
        if (lease.session() instanceof LockHolding holding) {
            holding.lose();
        }
    }

    /** Locks a subtree that this client is about to use alone. A hint: others may be at work there. */
    public void lock(int volume, Subtree subtree) {
        volumeOf.put(subtree.bucket(), volume);
        volumeLocks(volume).want(subtree);
    }

    private void onAccess(String bucket, String key) {
        Integer volume = volumeOf.get(bucket);
        if (volume != null && !closed) {
            volumeLocks(volume).onAccess(bucket, key);
        }
    }

    private VolumeLocks volumeLocks(int volume) {
        return volumes.compute(
                volume,
                (number, known) -> known == null || known.isGone() ? new VolumeLocks(() -> openLease(number)) : known);
    }

    private CompletableFuture<SessionPool.Lease> openLease(int volume) {
        return ordered.open(volume)
                .thenApply(session -> SessionPool.lease(volume, self, new LockHolding(environment, session)));
    }

    @Override
    public CompletableFuture<Reply> query(Query query) {
        Query plain = LockRefusals.plain(query);
        if (plain instanceof Query.FindInode) {
            return findInode(query, plain);
        }
        Optional<Subtree> part = LockableNames.of(plain);
        if (part.isEmpty()) {
            return ordered.query(query);
        }
        if (plain instanceof Query.FindObject find) {
            onAccess(find.bucket(), find.key());
        }
        List<Subtree> names = List.of(part.get());
        Supplier<CompletableFuture<Reply>> asOrdered =
                () -> unlock(names).thenCompose(ignored -> ordered.query(query));
        Optional<LockHolding> holding = plain instanceof Query.FindSlices ? Optional.empty() : holding(names);
        return holding.map(held -> held.read(plain, LockRefusals.personOf(query))
                        .thenCompose(read ->
                                read.map(CompletableFuture::completedFuture).orElseGet(asOrdered)))
                .orElseGet(asOrdered);
    }

    /** An inode may be in a log only. */
    private CompletableFuture<Reply> findInode(Query query, Query plain) {
        CompletableFuture<Reply> answer = ordered.query(query);
        for (VolumeLocks locks : volumes.values()) {
            answer = answer.thenCompose(reply -> {
                Optional<LockHolding> holding = locks.holding().filter(ignored -> !locks.held().isEmpty());
                boolean isFound = !(reply instanceof Reply.InodeFound found) || found.exists();
                return isFound || holding.isEmpty()
                        ? CompletableFuture.completedFuture(reply)
                        : holding.get()
                                .read(plain, LockRefusals.personOf(query))
                                .thenApply(read -> read.orElse(reply));
            });
        }
        return answer;
    }

    private Optional<LockHolding> holding(List<Subtree> names) {
        return volumes.values().stream()
                .filter(locks -> LockableNames.areWithin(names, locks.held()))
                .flatMap(locks -> locks.holding().stream())
                .findFirst();
    }

    /** Gives locks up that are in the way of this client itself. */
    private CompletableFuture<Boolean> unlock(List<Subtree> names) {
        CompletableFuture<Boolean> done = CompletableFuture.completedFuture(true);
        for (VolumeLocks locks : volumes.values()) {
            Optional<LockHolding> holding = locks.holding();
            if (holding.isPresent() && LockableNames.overlap(names, locks.held())) {
                done = done.thenCompose(ignored -> holding.get().unlock());
            }
        }
        return done;
    }

    @Override
    public CompletableFuture<Session> open(int volume) {
        return ordered.open(volume).thenApply(FreeSession::new);
    }

    /** A session without a log. Its commands about names that are locked go to the log, if that can take them. */
    private final class FreeSession implements Session {
        private final Session session;

        private FreeSession(Session session) {
            this.session = session;
        }

        @Override
        public long number() {
            return session.number();
        }

        @Override
        public long ttlMillis() {
            return session.ttlMillis();
        }

        @Override
        public CompletableFuture<Reply> submit(Command command, Optional<PrincipalId> onBehalfOf) {
            List<Subtree> names = LockableNames.of(command);
            names.forEach(name -> onAccess(name.bucket(), name.prefix()));
            // The extents of a put belong to this session.
            Optional<LockHolding> holding = command instanceof Command.PutObject put
                            && !put.layout().ranges().isEmpty()
                    ? Optional.empty()
                    : holding(names);
            return holding.map(held -> held.submit(command, onBehalfOf)).orElseGet(() -> {
                if (!names.isEmpty()) {
                    environment.statistics().onOrdered();
                }
                return unlock(names).thenCompose(ignored -> session.submit(command, onBehalfOf));
            });
        }
    }

    private void keepOpen() {
        try {
            while (!closed) {
                Thread.sleep(SessionCommands.renewAfterMillis(Long.MAX_VALUE));
                volumes.values().forEach(locks -> locks.holding().ifPresent(LockHolding::renew));
            }
        } catch (InterruptedException e) {
            LOG.debug("renewal ends");
        }
    }

    /** Gives all locks up, and closes the sessions. */
    @Override
    public void close() {
        closed = true;
        renewal.interrupt();
        List<CompletableFuture<Reply>> closing = new ArrayList<>();
        volumes.values().forEach(locks -> locks.holding().ifPresent(holding -> closing.add(holding.close())));
        volumes.clear();
        CompletableFuture.allOf(closing.toArray(CompletableFuture<?>[]::new))
                .completeOnTimeout(null, CLOSE_MILLIS_MAX, TimeUnit.MILLISECONDS)
                .handle((ignored, failure) -> failure == null)
                .join();
        callbacks.shutdown();
    }
}
