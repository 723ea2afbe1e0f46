package io.bulwark.client.locking;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.locking.HolderEffect;
import io.bulwark.protocol.locking.HolderOperation;
import io.bulwark.protocol.locking.HolderOperation.Result;
import io.bulwark.protocol.locking.LogEntry;
import io.bulwark.protocol.locking.LogHolder;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Lets all threads of a client use one {@link HolderOperation}. Any thread hands in requests; the driver's threads handle
 * them, one input at a time.
 */
final class SharedHolder implements ClientOperation<HolderEffect.Reason> {
    private final HolderOperation operation;
    private final Executor callbacks;
    private final List<Runnable> inbox = new ArrayList<>();
    private boolean isClosed;
    private volatile Optional<HolderEffect.Reason> reason = Optional.empty();

    /** @param callbacks runs what waits for results */
    SharedHolder(LogHolder holder, Executor callbacks) {
        this.operation = new HolderOperation(holder);
        this.callbacks = callbacks;
    }

    /** Hands an entry in. The caller then wakes the operation. */
    CompletableFuture<Result> append(LogEntry entry) {
        CompletableFuture<Result> result = new CompletableFuture<>();
        return add(result, () -> operation.append(entry, finishing(result)));
    }

    /** Hands a query in. The caller then wakes the operation. */
    CompletableFuture<Result> read(Optional<PrincipalId> onBehalfOf, Bytes query) {
        CompletableFuture<Result> result = new CompletableFuture<>();
        return add(result, () -> operation.read(onBehalfOf, query, finishing(result)));
    }

    private CompletableFuture<Result> add(CompletableFuture<Result> result, Runnable request) {
        synchronized (inbox) {
            if (!isClosed) {
                inbox.add(request);
                return result;
            }
        }
        return CompletableFuture.completedFuture(new Result.NotTaken());
    }

    /** The driver's thread goes on; what waits for the result runs elsewhere. */
    private Consumer<Result> finishing(CompletableFuture<Result> waiting) {
        return result -> callbacks.execute(() -> waiting.complete(result));
    }

    /** Takes no more requests. The caller then wakes the operation, which ends when all are answered. */
    void stop() {
        synchronized (inbox) {
            isClosed = true;
            inbox.add(operation::stop);
        }
    }

    @Override
    public List<Effect> start(long nowMillis) {
        return onTick(nowMillis);
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        takeInbox();
        List<Effect> effects = operation.onMessage(nowMillis, from, message);
        noticeEnd();
        return effects;
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        takeInbox();
        List<Effect> effects = operation.onTick(nowMillis);
        noticeEnd();
        return effects;
    }

    private void takeInbox() {
        List<Runnable> taken;
        synchronized (inbox) {
            taken = List.copyOf(inbox);
            inbox.clear();
        }
        taken.forEach(Runnable::run);
    }

    private void noticeEnd() {
        if (operation.outcome().isPresent()) {
            abandon();
            reason = operation.outcome();
        }
    }

    /** Gives everything back that has no answer. Called by the driver's thread, or once that handles nothing more. */
    void abandon() {
        synchronized (inbox) {
            isClosed = true;
        }
        takeInbox();
        operation.abandon();
    }

    @Override
    public Optional<HolderEffect.Reason> outcome() {
        return reason;
    }
}
