package io.bulwark.client.locking;

import io.bulwark.client.driver.OperationDriver;
import io.bulwark.client.object.LockedLeases;
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
public final class ClientLocks implements Metadata, LockedLeases, AutoCloseable {
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

    @Override
    public CompletableFuture<Optional<SessionPool.Lease>> lease(int volume, String bucket, String key) {
        volumeOf.put(bucket, volume);
        onAccess(bucket, key);
        VolumeLocks locks = volumes.get(volume);
        return locks == null
                ? CompletableFuture.completedFuture(Optional.empty())
                : locks.leaseOf(List.of(new Subtree(bucket, key)));
    }

    @Override
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

    /** Takes a hint back, and gives the locks of the volume up. */
    public void unlock(int volume, Subtree subtree) {
        Optional.ofNullable(volumes.get(volume)).ifPresent(locks -> locks.forget(subtree));
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
        if (plain instanceof Query.FindSlices) {
            return inOrder(names, () -> ordered.query(query));
        }
        return whenAnswered(names).thenCompose(ignored -> read(query, plain, names));
    }

    private CompletableFuture<Reply> read(Query query, Query plain, List<Subtree> names) {
        CompletableFuture<Optional<Reply>> read = holding(names)
                .map(held -> held.read(plain, LockRefusals.personOf(query)))
                .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty()));
        return read.thenCompose(reply -> reply.map(CompletableFuture::completedFuture)
                .orElseGet(() -> inOrder(names, () -> ordered.query(query))));
    }

    /** An inode may be in a log only. */
    private CompletableFuture<Reply> findInode(Query query, Query plain) {
        CompletableFuture<Reply> answer = ordered.query(query);
        for (VolumeLocks locks : volumes.values()) {
            answer = answer.thenCompose(reply -> {
                Optional<LockHolding> holding =
                        locks.holding().filter(ignored -> !locks.held().isEmpty());
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

    private CompletableFuture<Boolean> whenAnswered(List<Subtree> names) {
        return locksOf(names)
                .map(locks -> locks.whenAnswered(names))
                .orElseGet(() -> CompletableFuture.completedFuture(true));
    }

    /** Runs a request in the order of all, without a lock of this client in its way. */
    private CompletableFuture<Reply> inOrder(List<Subtree> names, Supplier<CompletableFuture<Reply>> request) {
        return locksOf(names).map(locks -> locks.inOrder(names, request)).orElseGet(request);
    }

    /** Returns the locks in the volume of some names, which all lie in one. */
    private Optional<VolumeLocks> locksOf(List<Subtree> names) {
        return names.stream()
                .flatMap(name -> Optional.ofNullable(volumeOf.get(name.bucket())).stream())
                .flatMap(volume -> Optional.ofNullable(volumes.get(volume)).stream())
                .findFirst();
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
            if (names.isEmpty()) {
                return session.submit(command, onBehalfOf);
            }
            // The extents of a put belong to this session.
            if (command instanceof Command.PutObject put
                    && !put.content().ranges().isEmpty()) {
                return order(command, onBehalfOf, names);
            }
            return whenAnswered(names)
                    .thenCompose(ignored -> holding(names)
                            .map(held -> held.submit(command, onBehalfOf))
                            .orElseGet(() -> order(command, onBehalfOf, names)));
        }

        private CompletableFuture<Reply> order(Command command, Optional<PrincipalId> onBehalfOf, List<Subtree> names) {
            environment.statistics().onOrdered();
            return inOrder(names, () -> session.submit(command, onBehalfOf));
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
