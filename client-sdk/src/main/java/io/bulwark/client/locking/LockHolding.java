package io.bulwark.client.locking;

import io.bulwark.client.driver.OperationDriver;
import io.bulwark.client.object.Metadata;
import io.bulwark.protocol.bucket.SessionCommands;
import io.bulwark.protocol.id.P256;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.locking.HolderEffect;
import io.bulwark.protocol.locking.HolderOperation;
import io.bulwark.protocol.locking.LogEntry;
import io.bulwark.protocol.locking.LogHolder;
import io.bulwark.protocol.locking.LogId;
import io.bulwark.protocol.locking.LogLimits;
import io.bulwark.protocol.locking.Subtree;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.MetadataError;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.wire.Bytes;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The locks of one session, and its log while there is one. Thread-safe.
 *
 * <pre>
 * state    locks                  then
 * free     none; all is ordered   lock: locking
 * locking  asked for              granted: open; refused: free
 * open     held; a log takes      unlock, or the servers refuse it: closing
 * closing  until the outcome of   free
 *          the log is known
 * </pre>
 */
final class LockHolding implements Metadata.Session {
    private static final Logger LOG = LoggerFactory.getLogger(LockHolding.class);

    /**
     * Nodes learn only when a log is closed that extents are part of objects, and bound the others. An eighth of what a
     * node takes leaves room for puts besides.
     */
    private static final long OBJECT_BYTES_MAX = 256L << 20;

    /** A log whose supply is used up by fewer entries costs more than it saves. */
    private static final int ENTRIES_MIN = 64;

    private static final long OUTCOME_MILLIS_MAX = 30_000;
    private static final int DELAY_FIRST_MILLIS = 1;
    private static final int DELAY_MAX_MILLIS = 100;

    private final Environment environment;
    private final Metadata.Session session;
    private List<Subtree> subtrees = List.of();
    private @Nullable OpenLog log;
    /** Subtrees of a log that is being closed: the replicas have them locked still. */
    private List<Subtree> closing = List.of();

    private long objectBytes;
    private int entries;
    private boolean isPoor;
    private CompletableFuture<Boolean> change = CompletableFuture.completedFuture(true);
    private volatile boolean gone;
    private volatile Optional<Subtree> refused = Optional.empty();

    /**
     * Surroundings of all holdings of a client.
     *
     * @param callbacks runs what waits for results
     */
    record Environment(
            Metadata metadata,
            OperationDriver driver,
            LogServers servers,
            Executor callbacks,
            LockStatistics statistics) {}

    /**
     * A log that takes entries.
     *
     * @param outcome completes once the log is closed; the replicas forget it with the next lock
     */
    private record OpenLog(
            LogId id,
            SharedHolder operation,
            OperationDriver.Running<HolderEffect.Reason> running,
            CompletableFuture<Reply.LogOutcome> outcome) {
        private CompletableFuture<HolderOperation.Result> append(LogEntry entry) {
            CompletableFuture<HolderOperation.Result> result = operation.append(entry);
            running.wake().run();
            return result;
        }

        private CompletableFuture<HolderOperation.Result> read(Optional<PrincipalId> onBehalfOf, Bytes query) {
            CompletableFuture<HolderOperation.Result> result = operation.read(onBehalfOf, query);
            running.wake().run();
            return result;
        }
    }

    LockHolding(Environment environment, Metadata.Session session) {
        this.environment = environment;
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

    /** Returns the subtrees whose log takes entries; none if there is no log. */
    synchronized List<Subtree> held() {
        return log == null ? List.of() : subtrees;
    }

    /** Asks for locks. Completes with whether they are held; not if others are at work there. */
    synchronized CompletableFuture<Boolean> lock(List<Subtree> wanted) {
        refused = Optional.empty();
        change = change.thenCompose(ignored -> log != null && subtrees.equals(wanted)
                ? CompletableFuture.completedFuture(true)
                : endLog().thenCompose(ended -> wasPoor() ? CompletableFuture.completedFuture(false) : order(wanted)));
        return change;
    }

    /** Returns the subtree for which the last locks were refused, if it is known: others are at work there. */
    Optional<Subtree> refused() {
        return refused;
    }

    private synchronized boolean wasPoor() {
        boolean wasPoor = isPoor;
        isPoor = false;
        return wasPoor;
    }

    /** Gives all locks up. Completes once the log is closed and all its results are known. */
    synchronized CompletableFuture<Boolean> unlock() {
        change = change.thenCompose(ignored -> endLog());
        return change;
    }

    /** Returns what a request waits for that is to be ordered and is about these names; empty if they are free. */
    synchronized Optional<CompletableFuture<Boolean>> freeing(List<Subtree> names) {
        return LockableNames.overlap(names, held())
                ? Optional.of(unlock())
                : Optional.of(change).filter(ignored -> LockableNames.overlap(names, closing));
    }

    private CompletableFuture<Boolean> order(List<Subtree> wanted) {
        KeyPair key = newKey();
        PrincipalKey named = new PrincipalKey(Bytes.of(key.getPublic().getEncoded()));
        return session.submit(new Command.Lock(wanted, named)).handle((reply, failure) -> {
            if (reply instanceof Reply.Locked locked) {
                open(locked.log(), wanted, content -> sign(key, content));
                return true;
            }
            LOG.debug("no lock on {}: {}", wanted, reply, failure);
            refused = reply instanceof Reply.Failed(MetadataError error, String detail) && error == MetadataError.LOCKED
                    ? wanted.stream()
                            .filter(part -> part.toString().equals(detail))
                            .findFirst()
                    : Optional.empty();
            if (failure == null) {
                notice(reply);
            }
            return false;
        });
    }

    private synchronized void open(LogId id, List<Subtree> wanted, UnaryOperator<Bytes> signing) {
        LogHolder.Terms terms = new LogHolder.Terms(
                environment.servers().cluster(), id, environment.servers().replicas());
        SharedHolder operation =
                new SharedHolder(new LogHolder(terms, signing, Timeouts.standard()), environment.callbacks());
        OperationDriver.Running<HolderEffect.Reason> running =
                environment.driver().start(operation, LogLimits.BYTES_MAX);
        log = new OpenLog(id, operation, running, new CompletableFuture<>());
        subtrees = wanted;
        objectBytes = 0;
        entries = 0;
        var unused = running.outcome().whenComplete((ignored, failure) -> {
            if (failure != null) {
                operation.abandon(); // The driver has ended it.
            }
            var unusedEnd = endLog(id);
        });
    }

    /**
     * Ends a log that is full, or that the servers have refused: a round has begun. Locks that are still wanted are asked
     * for again. Completes once the locks are known again.
     */
    private synchronized CompletableFuture<Boolean> endLog(LogId id) {
        return log != null && log.id.equals(id) ? unlock() : change;
    }

    /** Closes the log, if there is one. */
    private synchronized CompletableFuture<Boolean> endLog() {
        OpenLog ending = log;
        if (ending == null) {
            return CompletableFuture.completedFuture(true);
        }
        return stopLog()
                .thenCompose(ignored -> session.submit(new Command.Unlock()))
                .handle((ignored1, ignored2) -> true)
                .thenCompose(ignored -> outcome(ending.id))
                .handle((outcome, failure) -> setFree(ending, outcome, failure));
    }

    /** Takes no more entries. Completes once all are answered, or given back. */
    private synchronized CompletableFuture<Boolean> stopLog() {
        OpenLog ending = log;
        if (ending == null) {
            return CompletableFuture.completedFuture(true);
        }
        log = null;
        closing = subtrees;
        ending.operation.stop();
        ending.running.wake().run();
        return ending.running.outcome().handle((ignored1, ignored2) -> true);
    }

    private boolean setFree(OpenLog ended, Reply.@Nullable LogOutcome outcome, @Nullable Throwable failure) {
        synchronized (this) {
            closing = List.of();
        }
        return failure == null ? ended.outcome.complete(outcome) : ended.outcome.completeExceptionally(failure);
    }

    /** Waits until a log is closed. Completes with its results, the latest ones at least. */
    private CompletableFuture<Reply.LogOutcome> outcome(LogId id) {
        return outcome(id, System.nanoTime());
    }

    private CompletableFuture<Reply.LogOutcome> outcome(LogId id, long beganNanos) {
        Query query = new Query.LogOutcome(id.session(), id.lock(), 1);
        return environment.metadata().query(query).thenCompose(reply -> {
            if (reply instanceof Reply.LogOutcome outcome) {
                return CompletableFuture.completedFuture(outcome);
            }
            boolean mayFollow = reply instanceof Reply.Failed failed && failed.error() == MetadataError.NO_SUCH_LOG;
            long waitedMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNanos);
            if (!mayFollow || waitedMillis >= OUTCOME_MILLIS_MAX) {
                return CompletableFuture.failedFuture(
                        new IllegalStateException("the outcome of log " + id + " is not known: " + reply));
            }
            // A third of the time so far: the names are free for others, but not for this client before it knows.
            int delayMillis = Math.clamp(waitedMillis / 3, DELAY_FIRST_MILLIS, DELAY_MAX_MILLIS);
            return LockRefusals.later(delayMillis, () -> outcome(id, beganNanos));
        });
    }

    /**
     * Executes a command: by the log where it can, else in the order of all. While the locks change it waits: the next log
     * may take it, and a command in the order of all would end that.
     */
    @Override
    public CompletableFuture<Reply> submit(Command command, Optional<PrincipalId> onBehalfOf) {
        List<Subtree> names = LockableNames.of(command);
        CompletableFuture<Boolean> changing;
        OpenLog open;
        synchronized (this) {
            changing = change;
            open = LockableNames.areWithin(names, held()) ? log : null;
        }
        if (open != null) {
            return append(open, command, onBehalfOf);
        }
        return changing.isDone()
                ? orderFreely(command, onBehalfOf)
                : changing.thenCompose(ignored -> submit(command, onBehalfOf));
    }

    private CompletableFuture<Reply> append(OpenLog open, Command command, Optional<PrincipalId> onBehalfOf) {
        Bytes encoded = command.encoded();
        if (encoded.length() > LogEntry.COMMAND_BYTES_MAX) {
            return orderFreely(command, onBehalfOf);
        }
        if (command instanceof Command.PutObject put && isTooMuch(put.content().length())) {
            return endLog(open.id).thenCompose(ignored -> submit(command, onBehalfOf));
        }
        LogEntry entry = new LogEntry(System.currentTimeMillis(), onBehalfOf, encoded);
        return open.append(entry).thenCompose(result -> switch (result) {
            case HolderOperation.Result.Answered answered -> {
                Reply reply = Reply.decode(answered.reply());
                if (reply instanceof Reply.Failed failed && isToOrder(failed)) {
                    noticeEnd(failed);
                    yield orderFreely(command, onBehalfOf);
                }
                environment.statistics().onLogged();
                yield CompletableFuture.completedFuture(reply);
            }
            case HolderOperation.Result.Outstanding outstanding ->
                settle(open, outstanding.number(), command, onBehalfOf);
            case HolderOperation.Result.NotTaken ignored ->
                endLog(open.id).thenCompose(free -> submit(command, onBehalfOf));
        });
    }

    private synchronized void noticeEnd(Reply.Failed failed) {
        isPoor |= failed.error() == MetadataError.LOG_EXHAUSTED && log != null && entries < ENTRIES_MIN;
    }

    /** Counts the bytes of objects that the log refers to. */
    private synchronized boolean isTooMuch(long bytes) {
        boolean isTooMuch = objectBytes > 0 && objectBytes + bytes > OBJECT_BYTES_MAX;
        objectBytes += isTooMuch ? 0 : bytes;
        entries += isTooMuch ? 0 : 1;
        return isTooMuch;
    }

    /** Returns whether a log has refused an entry, without effect, that the order of all may take. */
    private static boolean isToOrder(Reply.Failed failed) {
        return failed.error() == MetadataError.LOG_EXHAUSTED || failed.error() == MetadataError.NOT_LOCKABLE;
    }

    /** An entry without a reply was executed or was not, as the outcome of its log says. */
    private CompletableFuture<Reply> settle(
            OpenLog ended, long number, Command command, Optional<PrincipalId> onBehalfOf) {
        var unused = endLog(ended.id);
        return ended.outcome.thenCompose(outcome -> {
            if (number > outcome.length()) {
                return submit(command, onBehalfOf);
            }
            long index = number - outcome.first();
            return index < 0 || index >= outcome.replies().size()
                    ? CompletableFuture.failedFuture(new IllegalStateException(
                            "the result of entry " + number + " of log " + ended.id + " is not kept"))
                    : CompletableFuture.completedFuture(
                            Reply.decode(outcome.replies().get((int) index)));
        });
    }

    /** Has a command ordered in this session, once no log is open and before the next one is. */
    private synchronized CompletableFuture<Reply> orderFreely(Command command, Optional<PrincipalId> onBehalfOf) {
        environment.statistics().onOrdered();
        CompletableFuture<Reply> ordered = unlock().thenCompose(ignored -> session.submit(command, onBehalfOf));
        change = ordered.handle((reply, failure) -> {
            if (failure == null) {
                notice(reply);
            }
            return true;
        });
        return ordered;
    }

    private void notice(Reply reply) {
        gone |= reply instanceof Reply.Failed failed && SessionCommands.isLost(failed);
    }

    /** Returns whether the session was found closed. */
    boolean isGone() {
        return gone;
    }

    /** The session was found closed by others. */
    void lose() {
        gone = true;
    }

    /** Asks a query as of the log. Empty if there is no log any more, or its servers do not agree. */
    CompletableFuture<Optional<Reply>> read(Query query, Optional<PrincipalId> onBehalfOf) {
        OpenLog open;
        synchronized (this) {
            open = log;
        }
        return open == null
                ? CompletableFuture.completedFuture(Optional.empty())
                : open.read(onBehalfOf, query.encoded())
                        .thenApply(result -> result instanceof HolderOperation.Result.Answered answered
                                ? Optional.of(Reply.decode(answered.reply()))
                                : Optional.empty());
    }

    /** Keeps the session open; its log does not. */
    void renew() {
        var unused = session.submit(new Command.RenewSession()).thenAccept(this::notice);
    }

    /** Closes the session. The replicas close the log first, by themselves. */
    synchronized CompletableFuture<Reply> close() {
        return change.thenCompose(ignored -> {
            OpenLog ending = log;
            return stopLog().thenCompose(stopped -> {
                if (ending != null) {
                    ending.outcome.completeExceptionally(new IllegalStateException("the client is closed"));
                }
                return session.submit(new Command.CloseSession());
            });
        });
    }

    private static KeyPair newKey() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has P-256", e);
        }
    }

    private static Bytes sign(KeyPair key, Bytes content) {
        try {
            return P256.chosen().sign(key.getPrivate(), content);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a new key cannot sign", e);
        }
    }
}
