package io.bulwark.metadata;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that takes all decisions of a replica: the network, the disk and the engine only hand in steps.
 * Waiting steps run together, and their follow-up work is done once for all of them. The replica's own steps, other
 * replicas' steps and clients' steps take turns, as do the peers within each kind. So a message of a replica waits for
 * as many client steps as there are replica messages before it, whatever a client sends. After a step that fails
 * nothing more is done.
 *
 * <p>A message that waited for seconds is dropped, as the network might have. Its sender repeats what still matters. A busy
 * replica would otherwise fall behind without end, and answer what nobody waits for, under expired keys.
 *
 * <p>The thread is that of an executor, which may be the event loop of all the replica's connections. Then a message is
 * read, handled and answered without waking another thread.
 */
public final class ReplicaLoop implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicaLoop.class);

    /** Number of steps after which the thread serves connections and ticks. */
    private static final int TOGETHER_MAX = 1_024;

    /**
     * The second limit is this time, since steps may be long. Their follow-up work takes as long again, while messages
     * of replicas wait.
     */
    private static final long TOGETHER_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(1);

    private static final long REST_MILLIS_MAX = 10_000;

    /** Longest time that a message waits. */
    static final long WAIT_NANOS_MAX = TimeUnit.SECONDS.toNanos(5);

    /** Longest time between two ticks, while no steps come. */
    static final long IDLE_TICK_MILLIS = 250;

    private static final long COMPLAINT_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** Action of the replica's thread; it may throw. */
    @FunctionalInterface
    public interface Step {
        void run() throws IOException;
    }

    /** Owner of the steps; called by the thread. */
    public interface Owner {
        /** Comes after any steps that were run together. */
        void afterSteps() throws IOException;

        void onTick() throws IOException;

        /** Repairs the cause of an exception if it can, and returns whether it did; otherwise the replica stops. */
        boolean tryMend(Exception thrown);

        /** The replica does nothing more; {@link #failure} tells why. */
        void onFailure();
    }

    private final String name;
    private final long tickMillis;
    private final Owner owner;
    private final ScheduledExecutorService thread;
    private final Queue<Runnable> own = new ConcurrentLinkedQueue<>();
    private final FairStepQueue ofReplicas = new FairStepQueue();
    private final FairStepQueue ofOthers = new FairStepQueue();
    private final LongSupplier nanos;
    private int turn;
    private long pauseMillis;
    private boolean stepped;
    private @Nullable ScheduledFuture<?> nextTick;
    private long dropped;
    private long complaintNanos;
    private final AtomicBoolean woken = new AtomicBoolean(true);
    private final AtomicBoolean ending = new AtomicBoolean();
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean started;
    private volatile String failure = "";

    /**
     * A loop that waits for {@link #start}.
     *
     * @param name of the replica, for the log
     * @param tickMillis time between two ticks; longer while no steps come
     * @param thread has one thread, and goes on until this loop is closed
     */
    public ReplicaLoop(String name, long tickMillis, ScheduledExecutorService thread, Owner owner) {
        this(name, tickMillis, thread, owner, System::nanoTime);
    }

    /** @param nanos the clock by which messages wait */
    ReplicaLoop(String name, long tickMillis, ScheduledExecutorService thread, Owner owner, LongSupplier nanos) {
        this.name = name;
        this.tickMillis = tickMillis;
        this.pauseMillis = tickMillis;
        this.thread = thread;
        this.owner = owner;
        this.nanos = nanos;
        this.complaintNanos = nanos.getAsLong() - COMPLAINT_NANOS;
    }

    /** Starts with a tick. Steps handed in before wait for this. */
    public void start() {
        started = true;
        var _ = thread.schedule(this::tick, 0, TimeUnit.MILLISECONDS); // The tick itself sets the next one.
        execute();
    }

    /** Has a step run; once the loop is closed, it is dropped. */
    public void run(Step step) {
        run(step, () -> {});
    }

    /**
     * Runs a step as {@link #run(Step)}.
     *
     * @param done runs after the step, also if that fails or is dropped
     */
    public void run(Step step, Runnable done) {
        if (ending.get()) {
            done.run();
            return;
        }
        own.add(() -> runGuarded(step, done));
        wake();
    }

    /** Runs a step as {@link #run(Step, Runnable)} does, in the turn of the principal that asks for it. */
    public void run(PrincipalId from, Step step, Runnable done) {
        if (ending.get()) {
            done.run();
            return;
        }
        long sinceNanos = nanos.getAsLong();
        FairStepQueue steps = from.kind() == PrincipalKind.REPLICA ? ofReplicas : ofOthers;
        steps.add(from, () -> runUnlessLate(sinceNanos, step, done));
        wake();
    }

    /** Does the same as {@link #run(Step)}, once the thread has had time for its connections. */
    public void runNext(Step step) {
        afterConnections(() -> run(step));
    }

    /**
     * Schedules a task after the connections. An event loop serves its connections before it takes scheduled tasks. It
     * takes executed tasks while there are any, for a second: permanent steps would keep all messages waiting that
     * long.
     */
    private void afterConnections(Runnable task) {
        try {
            var _ = thread.schedule(task, 0, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("{} has stopped", name, e);
        }
    }

    /** Returns the reason why the replica stopped for good; empty if it did not. */
    public String failure() {
        return failure;
    }

    /** Runs what waits, and ends. Waits for that, so it must not be called by the thread itself. */
    @Override
    public void close() {
        if (ending.getAndSet(true) || !started) {
            return;
        }
        wake();
        try {
            if (!ended.await(REST_MILLIS_MAX, TimeUnit.MILLISECONDS)) {
                LOG.warn("{} did not stop", name);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void wake() {
        if (!woken.getAndSet(true)) {
            execute();
        }
    }

    private void execute() {
        try {
            thread.execute(this::together);
        } catch (RejectedExecutionException e) {
            LOG.debug("{} has stopped", name, e);
        }
    }

    private void tick() {
        if (ended.getCount() > 0) {
            runGuarded(owner::onTick);
            if (dropped > 0 && nanos.getAsLong() - complaintNanos >= COMPLAINT_NANOS) {
                LOG.warn(
                        "{} is overloaded and dropped {} messages that had waited for {} s; it needs more processor"
                                + " time",
                        name,
                        dropped,
                        TimeUnit.NANOSECONDS.toSeconds(WAIT_NANOS_MAX));
                complaintNanos = nanos.getAsLong();
                dropped = 0;
            }
            pauseMillis = stepped ? tickMillis : Math.min(2 * pauseMillis, Math.max(tickMillis, IDLE_TICK_MILLIS));
            stepped = false;
            scheduleTick(pauseMillis);
        }
    }

    private void scheduleTick(long millis) {
        try {
            nextTick = thread.schedule(this::tick, millis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("{} has stopped", name, e);
        }
    }

    /** Ticks soon again after a pause. */
    private void onSteps() {
        stepped = true;
        if (pauseMillis > tickMillis && nextTick != null && nextTick.cancel(false)) {
            pauseMillis = tickMillis;
            scheduleTick(tickMillis);
        }
    }

    private void together() {
        if (ended.getCount() == 0) {
            return;
        }
        try {
            takeSteps();
        } finally {
            // The flag is cleared only now: steps that came meanwhile would be executed, and run before connections
            // have their turn.
            woken.set(false);
        }
        if (!own.isEmpty() || !ofReplicas.isEmpty() || !ofOthers.isEmpty()) {
            if (!woken.getAndSet(true)) {
                afterConnections(this::together);
            }
        } else if (ending.get()) {
            if (nextTick != null) {
                nextTick.cancel(false);
            }
            ended.countDown();
        }
    }

    private void takeSteps() {
        int taken = 0;
        long startNanos = System.nanoTime();
        @Nullable Runnable next = next();
        while (next != null) {
            next.run();
            boolean goesOn = ++taken < TOGETHER_MAX && System.nanoTime() - startNanos < TOGETHER_NANOS_MAX;
            next = goesOn ? next() : null;
        }
        if (taken > 0) {
            runGuarded(owner::afterSteps);
            onSteps();
        }
    }

    /** One of each kind in turn, as far as there are. */
    private @Nullable Runnable next() {
        @Nullable Runnable next = null;
        for (int kind = 0; kind < 3 && next == null; kind++) {
            turn = (turn + 1) % 3;
            next = switch (turn) {
                case 0 -> own.poll();
                case 1 -> ofReplicas.poll();
                default -> ofOthers.poll();
            };
        }
        return next;
    }

    private void runUnlessLate(long sinceNanos, Step step, Runnable done) {
        if (nanos.getAsLong() - sinceNanos > WAIT_NANOS_MAX) {
            dropped++;
            done.run();
        } else {
            runGuarded(step, done);
        }
    }

    private void runGuarded(Step step, Runnable done) {
        try {
            runGuarded(step);
        } finally {
            done.run();
        }
    }

    private void runGuarded(Step step) {
        if (!failure.isEmpty()) {
            return;
        }
        try {
            step.run();
        } catch (IOException | RuntimeException e) {
            Exception left = failureAfterMending(e);
            if (left != null) {
                fail(left);
            }
        }
    }

    /**
     * Returns the exception that stops the replica: that of the step, or that of its repair; null after a successful
     * repair.
     */
    private @Nullable Exception failureAfterMending(Exception thrown) {
        try {
            return owner.tryMend(thrown) ? null : thrown;
        } catch (RuntimeException e) {
            LOG.error("{} could not recover from a failed step", name, thrown);
            return e;
        }
    }

    private void fail(Exception why) {
        LOG.error("{} stops", name, why);
        failure = why.getMessage() == null ? why.toString() : why.getMessage();
        try {
            owner.onFailure();
        } catch (RuntimeException e) {
            LOG.error("{} has stopped; some listeners were not notified", name, e);
        }
    }
}
