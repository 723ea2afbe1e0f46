package io.bulwark.client.driver;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One operation and its inbox: whichever pool thread takes the inbox handles all of it, so inputs never overlap. */
final class RunningOperation<R> implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(RunningOperation.class);
    /** Messages waiting for one operation; a node that floods it loses what is above, as on a lossy network. */
    private static final int INBOX_MAX = 4096;

    private final OperationDriver driver;
    private final long id;
    /** Makes the operation on the pool, at its first input. */
    private final Supplier<? extends ClientOperation<R>> making;

    private @Nullable ClientOperation<R> operation;
    private @Nullable InFlightRequests inFlight;
    private final long heldBytes;
    private final OperationTrace trace;
    private final CompletableFuture<R> future = new CompletableFuture<>();
    private final Queue<Input> inbox = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicBoolean tickWaits = new AtomicBoolean();
    private final AtomicBoolean wakeWaits = new AtomicBoolean();
    /** Set once the outcome is handed on or nobody waits any more; on the driver's clock. */
    private volatile long lingersSinceMillis = Long.MAX_VALUE;

    private boolean answered;
    private volatile boolean ended;

    /** Input of an operation. */
    sealed interface Input {
        /** Called when the input was handled or dropped. */
        default void release() {}

        record Start() implements Input {}

        record ArrivedMessage(PrincipalId from, Message message, Runnable done) implements Input {
            @Override
            public void release() {
                done.run();
            }
        }

        /** Requests from another thread. One that comes while they are handled makes a wake of its own. */
        record Wake(AtomicBoolean waits) implements Input {
            @Override
            public void release() {
                waits.set(false);
            }
        }

        record Tick(AtomicBoolean waits) implements Input {
            @Override
            public void release() {
                waits.set(false);
            }
        }
    }

    RunningOperation(
            OperationDriver driver,
            long id,
            Supplier<? extends ClientOperation<R>> making,
            long heldBytes,
            OperationTrace trace) {
        this.driver = driver;
        this.id = id;
        this.making = making;
        this.heldBytes = heldBytes;
        this.trace = trace;
    }

    long id() {
        return id;
    }

    long heldBytes() {
        return heldBytes;
    }

    CompletableFuture<R> future() {
        return future;
    }

    void offer(Input input) {
        if (waiting.get() >= INBOX_MAX) {
            input.release();
            return;
        }
        inbox.add(input);
        if (waiting.getAndIncrement() == 0) {
            driver.execute(this);
        }
    }

    void offerTick() {
        if (tickWaits.compareAndSet(false, true)) {
            offer(new Input.Tick(tickWaits));
        }
    }

    void wake() {
        if (wakeWaits.compareAndSet(false, true)) {
            offer(new Input.Wake(wakeWaits));
        }
    }

    /** Returns the time at which nobody waited for the outcome any more, or {@code now}, the limit in time being for lingering only. */
    long lingersSince(long now) {
        return Math.min(lingersSinceMillis, now);
    }

    void abort(RuntimeException why) {
        trace.end(why);
        end();
        future.completeExceptionally(why);
    }

    /** It cannot succeed. */
    void deny(RuntimeException why) {
        trace.end(why);
        end();
        driver.callBack(trace, () -> future.completeExceptionally(why));
    }

    @Override
    public void run() {
        do {
            Input input = inbox.poll();
            if (input != null) {
                if (!ended) {
                    handle(input);
                }
                input.release();
            }
        } while (waiting.decrementAndGet() > 0);
    }

    private void handle(Input input) {
        try {
            ClientOperation<R> running = operation;
            InFlightRequests asked = inFlight;
            if (running == null || asked == null) {
                if (!(input instanceof Input.Start)) {
                    // A tick overtook the start: an operation that was never started would think that its time is up.
                    return;
                }
                running = making.get();
                operation = running;
                trace.name(running);
                asked = driver.inFlight(running);
                inFlight = asked;
            }
            long now = OperationDriver.nowMillis();
            List<Effect> effects = switch (input) {
                case Input.Start start -> running.start(now);
                case Input.ArrivedMessage(PrincipalId from, Message message, Runnable done) -> {
                    asked.answered(from);
                    trace.answered(from);
                    yield running.onMessage(now, from, message);
                }
                case Input.Wake wake -> {
                    wake.release(); // Before the requests are looked for: a later one wakes the operation again.
                    yield running.onTick(now);
                }
                case Input.Tick tick -> {
                    asked.tell();
                    yield running.onTick(now);
                }
            };
            driver.perform(now, id, asked, effects);
            traceSent(effects);
            settle(running, now);
        } catch (RuntimeException e) {
            LOG.error("operation {} failed: broken invariant", id, e);
            abort(e);
        }
    }

    private void settle(ClientOperation<R> running, long now) {
        Optional<R> outcome = answered ? Optional.empty() : running.outcome();
        answered |= outcome.isPresent();
        if (answered || future.isDone()) {
            trace.end();
        }
        if (running.isFinished()) {
            end();
        } else if ((answered || future.isDone()) && lingersSinceMillis == Long.MAX_VALUE) {
            lingersSinceMillis = now;
            driver.linger(this);
        }
        outcome.ifPresent(result -> driver.callBack(trace, () -> future.complete(result)));
    }

    private void traceSent(List<Effect> effects) {
        for (Effect effect : effects) {
            if (effect instanceof Effect.Send send) {
                trace.sent(send.to());
            }
        }
    }

    /** Nothing more is handed to the operation. */
    void end() {
        ended = true;
        trace.end();
        driver.remove(this);
    }
}
