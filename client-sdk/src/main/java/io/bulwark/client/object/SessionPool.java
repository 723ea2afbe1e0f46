package io.bulwark.client.object;

import io.bulwark.client.error.Subject;
import io.bulwark.protocol.bucket.BlockAllocator;
import io.bulwark.protocol.bucket.BlockIds;
import io.bulwark.protocol.bucket.SessionCommands;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Reply;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One session per volume, opened when it is first needed, kept open in the background, and replaced by another when it is
 * found closed. Thread-safe.
 */
public final class SessionPool implements AutoCloseable {
    /** The session for commands without blocks. */
    public static final int NO_VOLUME = 0;

    private static final Logger LOG = LoggerFactory.getLogger(SessionPool.class);
    private static final long CLOSE_MILLIS_MAX = 2_000;

    private final Metadata metadata;
    private final PrincipalId self;
    private final Map<Integer, CompletableFuture<Lease>> leases = new ConcurrentHashMap<>();
    private final Thread renewal;
    private volatile boolean closed;

    /**
     * An open session and its block ids, for any thread.
     *
     * @param openMillis by the wall clock, which does not stop with a suspended machine: when it was last known to be open
     */
    public record Lease(
            int volume, Metadata.Session session, BlockIds blocks, AtomicLong openMillis, PendingWork works) {
        /** Half of its time has passed since it was last heard of. */
        private boolean isStale() {
            return Math.abs(System.currentTimeMillis() - openMillis.get()) >= session.ttlMillis() / 2;
        }
    }

    /** Operations in flight in a session that must complete before the session is closed. */
    public static final class PendingWork {
        private final CompletableFuture<Boolean> over = new CompletableFuture<>();
        private int count;
        private boolean last;

        /** False if the session is to be closed. */
        public synchronized boolean begin() {
            count += last ? 0 : 1;
            return !last;
        }

        public void end() {
            boolean ends;
            synchronized (this) {
                count--;
                ends = last && count == 0;
            }
            if (ends) {
                over.complete(true);
            }
        }

        /** Nothing begins any more. */
        private CompletableFuture<Boolean> whenOver() {
            boolean ends;
            synchronized (this) {
                last = true;
                ends = count == 0;
            }
            if (ends) {
                over.complete(true);
            }
            return over;
        }
    }

    /** Several objects are put in one session, each by its own thread. */
    private record SharedIds(BlockAllocator blocks) implements BlockIds {
        @Override
        public BlockRange take(int generation, long count) {
            synchronized (blocks) {
                return blocks.take(generation, count);
            }
        }

        @Override
        public void giveBack(BlockRange range) {
            synchronized (blocks) {
                blocks.giveBack(range);
            }
        }
    }

    public SessionPool(Metadata metadata, PrincipalId self) {
        this.metadata = metadata;
        this.self = self;
        this.renewal = Thread.ofVirtual().name("bulwark-sessions").start(this::keepOpen);
    }

    /**
     * The open session for a volume. One that was not heard of for long is asked first: a renewal that finds it closed
     * does no harm, whereas what became of any other command would not be known.
     */
    public Lease lease(int volume, Deadline deadline, Subject subject) {
        Lease known = known(volume, deadline, subject);
        if (known.isStale()) {
            var unused = deadline.await(submit(known, new Command.RenewSession()), subject);
            return known(volume, deadline, subject);
        }
        return known;
    }

    private Lease known(int volume, Deadline deadline, Subject subject) {
        CompletableFuture<Lease> opening = leases.computeIfAbsent(volume, this::open);
        try {
            return deadline.await(opening, subject);
        } finally {
            if (opening.isCompletedExceptionally()) {
                leases.remove(volume, opening);
            }
        }
    }

    /** Executes a command in a session; found closed, the next caller of {@link #lease} gets another one. */
    public CompletableFuture<Reply> submit(Lease lease, Command command) {
        return submit(lease, command, Optional.empty());
    }

    /** Executes a command as above, on behalf of a person if one is given. */
    public CompletableFuture<Reply> submit(Lease lease, Command command, Optional<PrincipalId> onBehalfOf) {
        long sentMillis = System.currentTimeMillis();
        return lease.session().submit(command, onBehalfOf).whenComplete((reply, failure) -> {
            if (reply instanceof Reply.Failed failed && SessionCommands.isLost(failed)) {
                LOG.info(
                        "session {} is closed; a new one is opened on demand",
                        lease.session().number());
                lost(lease);
            } else if (failure == null) {
                lease.openMillis().set(sentMillis);
            }
        });
    }

    /** This session was found closed; the next caller gets another one. */
    public void lost(Lease lease) {
        leases.computeIfPresent(
                lease.volume(),
                (ignored, current) -> current.isDone()
                                && !current.isCompletedExceptionally()
                                && current.join().equals(lease)
                        ? null
                        : current);
    }

    /**
     * Gives later callers another session, and closes this one once its operations in flight end. The nodes then decide
     * the remains of its writes, which do not count against the next session's quota.
     *
     * @return completes when it is closed, or closing failed; it expires then
     */
    public CompletableFuture<Boolean> replace(Lease lease) {
        lost(lease);
        return lease.works()
                .whenOver()
                .thenCompose(ignored -> lease.session().submit(new Command.CloseSession()))
                .handle((ignored, failure) -> {
                    if (failure != null) {
                        LOG.debug(
                                "session {} could not be closed",
                                lease.session().number(),
                                failure);
                    }
                    return failure == null;
                });
    }

    /** Closes all sessions, so that unreferenced data can be freed at once. */
    @Override
    public void close() {
        closed = true;
        renewal.interrupt();
        CompletableFuture<?>[] closing = leases.values().stream()
                .filter(lease -> lease.isDone() && !lease.isCompletedExceptionally())
                .map(lease -> lease.join().session().submit(new Command.CloseSession()))
                .toArray(CompletableFuture<?>[]::new);
        leases.clear();
        try {
            CompletableFuture.allOf(closing)
                    .completeOnTimeout(null, CLOSE_MILLIS_MAX, TimeUnit.MILLISECONDS)
                    .handle((ignored, failure) -> failure == null)
                    .join();
        } finally {
            LOG.debug("closed {} sessions", closing.length);
        }
    }

    private CompletableFuture<Lease> open(int volume) {
        if (closed) {
            return CompletableFuture.failedFuture(new IllegalStateException("the client is closed"));
        }
        return metadata.open(volume).thenApply(session -> lease(volume, self, session));
    }

    /** Returns the lease of a session that has just been opened. */
    public static Lease lease(int volume, PrincipalId self, Metadata.Session session) {
        return new Lease(
                volume,
                session,
                new SharedIds(new BlockAllocator(volume, self, session.number())),
                new AtomicLong(System.currentTimeMillis()),
                new PendingWork());
    }

    private void keepOpen() {
        try {
            while (!closed) {
                long pauseMillis = SessionCommands.renewAfterMillis(Long.MAX_VALUE);
                for (CompletableFuture<Lease> opening : leases.values()) {
                    if (opening.isDone() && !opening.isCompletedExceptionally()) {
                        Lease lease = opening.join();
                        pauseMillis = Math.min(
                                pauseMillis,
                                SessionCommands.renewAfterMillis(lease.session().ttlMillis()));
                        renew(lease);
                    }
                }
                Thread.sleep(pauseMillis);
            }
        } catch (InterruptedException e) {
            LOG.debug("renewal ends");
        }
    }

    private void renew(Lease lease) {
        var unused = submit(lease, new Command.RenewSession()).whenComplete((ignored, failure) -> {
            if (failure != null) {
                LOG.debug("session {} could not be renewed", lease.session().number(), failure);
            }
        });
    }
}
