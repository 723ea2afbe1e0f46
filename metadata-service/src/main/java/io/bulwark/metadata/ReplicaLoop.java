package io.bulwark.metadata;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that takes all decisions of a replica: the network, the disk and the engine only hand in steps. Steps that wait
 * together are run together, and what they have made possible is done once for all of them. After a step that fails nothing
 * more is done.
 */
public final class ReplicaLoop implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicaLoop.class);
    private static final int TOGETHER_MAX = 1_024;
    private static final long REST_MILLIS_MAX = 10_000;

    /** What the thread of a replica does, and may throw. */
    @FunctionalInterface
    public interface Step {
        void run() throws IOException;
    }

    /** Whose steps they are; called by the thread. */
    public interface Owner {
        /** Comes after any steps that were run together. */
        void afterSteps() throws IOException;

        void onTick() throws IOException;

        /** Whether what a step threw can be mended, and is; otherwise the replica stops. */
        boolean mends(Exception thrown);

        /** The replica does nothing more; {@link #failure} tells why. */
        void onFailure();
    }

    private final String name;
    private final long tickNanos;
    private final Owner owner;
    private final BlockingQueue<Step> queue = new LinkedBlockingQueue<>();
    private final AtomicBoolean ending = new AtomicBoolean();
    private final Thread thread;
    private volatile String failure = "";

    /** @param name of the replica, for the log */
    public ReplicaLoop(String name, long tickMillis, Owner owner) {
        this.name = name;
        this.tickNanos = TimeUnit.MILLISECONDS.toNanos(tickMillis);
        this.owner = owner;
        thread = Thread.ofPlatform().daemon().name("bulwark-" + name).unstarted(this::loop);
    }

    /** Begins with a tick. Steps that came before wait for this. */
    public void start() {
        thread.start();
    }

    /** Has a step run; once the loop is closed, it is dropped. */
    public void run(Step step) {
        if (!ending.get()) {
            queue.add(step);
        }
    }

    /** Why the replica stopped for good; empty if it did not. */
    public String failure() {
        return failure;
    }

    /** Runs what waits, and ends. */
    @Override
    public void close() {
        ending.set(true);
        queue.add(() -> {}); // Wakes the thread.
        try {
            thread.join(REST_MILLIS_MAX);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (thread.isAlive()) {
            LOG.warn("{} did not come to rest", name);
        }
    }

    private void loop() {
        List<Step> together = new ArrayList<>();
        long next = System.nanoTime();
        while (true) {
            boolean last = ending.get();
            if (poll(next - System.nanoTime(), together)) {
                together.forEach(this::guarded);
                together.clear();
                guarded(owner::afterSteps);
            } else if (last) {
                return;
            }
            if (System.nanoTime() - next >= 0) {
                guarded(owner::onTick);
                next = System.nanoTime() + tickNanos;
            }
        }
    }

    /** Takes the steps that wait, or waits for one so long; returns whether there are any. */
    private boolean poll(long nanos, List<Step> into) {
        if (queue.drainTo(into, TOGETHER_MAX) == 0 && !ending.get()) {
            @Nullable Step first = null;
            try {
                first = queue.poll(nanos, TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                // Nobody interrupts it to any purpose; close() ends it.
                LOG.debug("{} was interrupted", name, e);
            }
            if (first != null) {
                into.add(first);
                queue.drainTo(into, TOGETHER_MAX - 1);
            }
        }
        return !into.isEmpty();
    }

    private void guarded(Step step) {
        if (!failure.isEmpty()) {
            return;
        }
        try {
            step.run();
        } catch (IOException | RuntimeException e) {
            if (!owner.mends(e)) {
                LOG.error("{} stops: its state can no longer be trusted", name, e);
                failure = e.getMessage() == null ? e.toString() : e.getMessage();
                owner.onFailure();
            }
        }
    }
}
