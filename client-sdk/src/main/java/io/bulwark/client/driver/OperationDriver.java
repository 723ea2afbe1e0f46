package io.bulwark.client.driver;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import io.micrometer.observation.ObservationRegistry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs client operations over an {@link Outbox}. Each operation has one id, the request id of all its frames. A small
 * pool of platform threads handles its inputs one at a time, so that no event loop encodes or decodes. It receives a
 * tick at least every 50 ms.
 *
 * <p>The future completes with the outcome on a virtual thread. The operation stays registered until it says that it is
 * finished, since it may still help slow nodes. Lingering operations are bounded in time, number and bytes; the oldest
 * is dropped first. Cancelling the future stops the caller's waiting, not the operation (docs/protocols/fp.md), which
 * then lingers likewise. Thread-safe.
 */
public final class OperationDriver implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OperationDriver.class);
    private static final long TICK_MILLIS = 40;
    private static final int LINGERING_OPERATIONS_MAX = 1024;

    private final Outbox outbox;
    private final EvidenceListener evidence;
    private final Limits limits;
    private final ObservationRegistry observations;
    private final ExecutorService pool;
    private final ExecutorService callbacks = Executors.newVirtualThreadPerTaskExecutor();
    private final ScheduledExecutorService ticker;
    /** True while there are operations: without any, nothing ticks. */
    private final AtomicBoolean ticking = new AtomicBoolean();

    private final AtomicLong nextId;
    private final Map<Long, RunningOperation<?>> running = new ConcurrentHashMap<>();
    private final Map<Long, RunningOperation<?>> lingering = new LinkedHashMap<>();
    private long lingeringBytes;
    private volatile Supplier<? extends Optional<? extends RuntimeException>> denial = Optional::empty;
    private volatile boolean closed;

    /**
     * Limits on the cost of an operation after its outcome is known.
     *
     * @param threads platform threads that run the operations
     * @param lingerMillisMax maximum time for which it may continue
     * @param lingerBytesMax maximum bytes that all such operations may hold together
     */
    public record Limits(int threads, long lingerMillisMax, long lingerBytesMax) {
        public Limits {
            if (threads < 1 || lingerMillisMax < 0 || lingerBytesMax < 0) {
                throw new IllegalArgumentException("threads " + threads + ", linger " + lingerMillisMax + " ms");
            }
        }

        /** A thread per core (at least two), 5 seconds, a sixteenth of the heap but at most 32 MiB. */
        public static Limits standard() {
            Runtime runtime = Runtime.getRuntime();
            return new Limits(
                    Math.max(2, runtime.availableProcessors()), 5_000, Math.min(runtime.maxMemory() / 16, 32L << 20));
        }
    }

    /** Creates a driver whose operations nobody observes. */
    public OperationDriver(Outbox outbox, EvidenceListener evidence, Limits limits, long firstId) {
        this(outbox, evidence, limits, firstId, ObservationRegistry.NOOP);
    }

    /**
     * Creates a driver.
     *
     * @param firstId the first operation's id; a random one keeps late answers to an earlier process out
     * @param observations of the operations, with those of the callers as their parents
     */
    public OperationDriver(
            Outbox outbox, EvidenceListener evidence, Limits limits, long firstId, ObservationRegistry observations) {
        this.outbox = outbox;
        this.evidence = evidence;
        this.limits = limits;
        this.observations = observations;
        this.nextId = new AtomicLong(firstId);
        this.pool = Executors.newFixedThreadPool(
                limits.threads(),
                Thread.ofPlatform().daemon().name("bulwark-operation-", 0).factory());
        this.ticker = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("bulwark-tick").factory());
    }

    /**
     * From now on operations fail as soon as this tells why none can succeed, those under way and those that are submitted. It is asked at each
     * tick and each submission: must be quick and must not throw.
     */
    public void failIf(Supplier<? extends Optional<? extends RuntimeException>> why) {
        denial = why;
    }

    /** Runs an operation that holds no bytes worth counting. */
    public <R> CompletableFuture<R> submit(ClientOperation<R> operation) {
        return submit(operation, 0);
    }

    /**
     * Starts an operation.
     *
     * @param heldBytes about how much memory it holds until it is finished
     * @return completes with the outcome, or exceptionally if the operation throws or the driver closes
     */
    public <R> CompletableFuture<R> submit(ClientOperation<R> operation, long heldBytes) {
        return submit(() -> operation, heldBytes);
    }

    /** Does the same as above, for an operation whose making is work for a pool thread, such as encoding. */
    public <R> CompletableFuture<R> submit(Supplier<? extends ClientOperation<R>> making, long heldBytes) {
        return begin(making, heldBytes).future();
    }

    private <R> RunningOperation<R> begin(Supplier<? extends ClientOperation<R>> making, long heldBytes) {
        long id = nextId.getAndIncrement();
        RunningOperation<R> run =
                new RunningOperation<>(this, id, making, heldBytes, OperationTrace.start(observations));
        running.put(id, run);
        keepTicking();
        Optional<? extends RuntimeException> denied = denial.get();
        if (closed) {
            run.abort(new IllegalStateException("the client is closed"));
        } else if (denied.isPresent()) {
            run.deny(denied.get());
        } else {
            run.offer(new RunningOperation.Input.Start());
        }
        return run;
    }

    /**
     * Starts an operation that gets requests from other threads while it runs.
     *
     * @param heldBytes as in {@link #submit}
     */
    public <R> Running<R> start(ClientOperation<R> operation, long heldBytes) {
        RunningOperation<R> run = begin(() -> operation, heldBytes);
        return new Running<>(run.future(), run::wake);
    }

    /**
     * An operation that runs.
     *
     * @param outcome as of {@link #submit}
     * @param wake gives the operation a tick soon
     */
    public record Running<R>(CompletableFuture<R> outcome, Runnable wake) {}

    /**
     * Hands in a message that came over a link.
     *
     * @param from the principal that the transport authenticated
     * @return whether an operation with this id is registered; other messages belong to another receiver, or came too
     *     late
     */
    public boolean onMessage(PrincipalId from, long requestId, Message message) {
        return onMessage(from, requestId, message, () -> {});
    }

    /**
     * Hands in a message of a link that reads no more while too much is not done.
     *
     * @param done run once the operation has handled the message, or it was dropped; not run if the answer is false
     */
    public boolean onMessage(PrincipalId from, long requestId, Message message, Runnable done) {
        RunningOperation<?> run = running.get(requestId);
        if (run == null) {
            return false;
        }
        run.offer(new RunningOperation.Input.ArrivedMessage(from, message, done));
        return true;
    }

    /** Operations that are registered, lingering ones included. */
    public int operations() {
        return running.size();
    }

    /** Ends all operations; futures that are still open complete exceptionally. */
    @Override
    public void close() {
        closed = true;
        ticker.shutdownNow();
        for (RunningOperation<?> run : List.copyOf(running.values())) {
            run.abort(new IllegalStateException("the client is closed"));
        }
        pool.shutdown();
        callbacks.shutdown();
    }

    /** Milliseconds on a clock that never steps. */
    static long nowMillis() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    void execute(Runnable task) {
        try {
            pool.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("an input arrived after closing");
        }
    }

    void callBack(OperationTrace trace, Runnable completing) {
        try {
            callbacks.execute(() -> trace.inCallersScope(completing));
        } catch (RejectedExecutionException e) {
            completing.run();
        }
    }

    InFlightRequests inFlight(ClientOperation<?> operation) {
        return new InFlightRequests(operation, outbox);
    }

    void perform(long nowMillis, long id, InFlightRequests asked, List<Effect> effects) {
        for (Effect effect : effects) {
            switch (effect) {
                case Effect.Send send -> asked.send(nowMillis, id, send);
                case Effect.Evidence seen -> evidence.onEvidence(seen);
                case Effect.Store ignored -> throw ofNodes(effect);
                case Effect.Load ignored -> throw ofNodes(effect);
                case Effect.LoadMetas ignored -> throw ofNodes(effect);
                case Effect.Scan ignored -> throw ofNodes(effect);
                case Effect.Ask ignored -> throw ofNodes(effect);
                case Effect.Run ignored -> throw ofNodes(effect);
                case Effect.Refuses ignored -> throw ofNodes(effect);
            }
        }
    }

    private static IllegalStateException ofNodes(Effect effect) {
        return new IllegalStateException("a client neither stores nor asks: " + effect);
    }

    void remove(RunningOperation<?> run) {
        running.remove(run.id());
        synchronized (lingering) {
            if (lingering.remove(run.id()) != null) {
                lingeringBytes -= run.heldBytes();
            }
        }
    }

    /** Lets an operation continue within the limits after its caller has the answer or waits no more. */
    void linger(RunningOperation<?> run) {
        List<RunningOperation<?>> dropped = new ArrayList<>();
        synchronized (lingering) {
            if (!running.containsKey(run.id()) || lingering.putIfAbsent(run.id(), run) != null) {
                return;
            }
            lingeringBytes += run.heldBytes();
            long bytes = lingeringBytes;
            int count = lingering.size();
            for (RunningOperation<?> oldest : lingering.values()) {
                if (bytes <= limits.lingerBytesMax() && count <= LINGERING_OPERATIONS_MAX) {
                    break;
                }
                dropped.add(oldest);
                bytes -= oldest.heldBytes();
                count--;
            }
        }
        dropped.forEach(RunningOperation::end);
    }

    private void keepTicking() {
        if (!ticking.getAndSet(true)) {
            try {
                var unused = ticker.schedule(this::tick, TICK_MILLIS, TimeUnit.MILLISECONDS);
            } catch (RejectedExecutionException e) {
                LOG.debug("the client is closed");
            }
        }
    }

    private void tick() {
        try {
            tickAll();
        } finally {
            ticking.set(false);
            if (!running.isEmpty()) {
                keepTicking();
            }
        }
    }

    private void tickAll() {
        long now = nowMillis();
        boolean denied = !running.isEmpty() && denial.get().isPresent();
        for (RunningOperation<?> run : running.values()) {
            if (run.lingersSince(now) + limits.lingerMillisMax() < now) {
                run.end();
            } else if (denied && !run.future().isDone()) {
                // Each operation gets its own exception: a caller that catches two of them may add one to the other.
                denial.get().ifPresent(run::deny);
            } else {
                run.offerTick();
            }
        }
    }
}
