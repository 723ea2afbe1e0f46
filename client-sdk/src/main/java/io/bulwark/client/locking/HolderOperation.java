package io.bulwark.client.locking;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.locking.HolderEffect;
import io.bulwark.protocol.locking.LockingMessage;
import io.bulwark.protocol.locking.LogEntry;
import io.bulwark.protocol.locking.LogHolder;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Runs one {@link LogHolder} in the driver of a client. Any thread hands in requests; the driver's threads handle them,
 * one input at a time. Its outcome is the reason of its end.
 */
final class HolderOperation implements ClientOperation<HolderEffect.Reason> {
    private final LogHolder holder;
    private final Executor callbacks;
    private final Deque<Request> requests = new ArrayDeque<>();
    private final Map<Long, Waiting> results = new HashMap<>();
    private long lastToken;
    private long appended;
    private boolean stopping;
    private volatile HolderEffect.@Nullable Reason reason;

    /** Result of a request. */
    sealed interface Result {
        /** The log servers agree on this reply. */
        record Answered(Bytes reply) implements Result {}

        /** The log ended before its servers agreed: the entry may be part of it. A read has number 0. */
        record Outstanding(long number) implements Result {}

        /** The log has no place for it, or has ended before it came. */
        record NotTaken() implements Result {}
    }

    /**
     * A request that the holder has.
     *
     * @param number of its entry; 0 for a read
     */
    private record Waiting(long number, CompletableFuture<Result> result) {}

    private sealed interface Request {
        CompletableFuture<Result> result();
    }

    private record AppendRequest(LogEntry entry, CompletableFuture<Result> result) implements Request {}

    private record ReadRequest(Optional<PrincipalId> onBehalfOf, Bytes query, CompletableFuture<Result> result)
            implements Request {}

    /** @param callbacks runs what waits for results */
    HolderOperation(LogHolder holder, Executor callbacks) {
        this.holder = holder;
        this.callbacks = callbacks;
    }

    /** Hands an entry in. The caller then wakes the operation. */
    CompletableFuture<Result> append(LogEntry entry) {
        return add(new AppendRequest(entry, new CompletableFuture<>()));
    }

    /** Hands a query in. The caller then wakes the operation. */
    CompletableFuture<Result> read(Optional<PrincipalId> onBehalfOf, Bytes query) {
        return add(new ReadRequest(onBehalfOf, query, new CompletableFuture<>()));
    }

    private CompletableFuture<Result> add(Request request) {
        synchronized (requests) {
            if (!stopping) {
                requests.add(request);
                return request.result();
            }
        }
        return CompletableFuture.completedFuture(new Result.NotTaken());
    }

    /** Takes no more requests. The caller then wakes the operation, which ends when all are answered. */
    void stop() {
        synchronized (requests) {
            stopping = true;
        }
    }

    @Override
    public List<Effect> start(long nowMillis) {
        return onTick(nowMillis);
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        List<Effect> effects = new ArrayList<>();
        if (message instanceof LockingMessage.ToHolder answer) {
            perform(holder.onMessage(nowMillis, from, answer), effects);
        }
        handleRequests(nowMillis, effects);
        return effects;
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        List<Effect> effects = new ArrayList<>();
        handleRequests(nowMillis, effects);
        perform(holder.onTick(nowMillis), effects);
        return effects;
    }

    private void handleRequests(long nowMillis, List<Effect> effects) {
        for (Request next = next(); next != null; next = next()) {
            take(nowMillis, next, effects);
        }
        if (isToStop()) {
            perform(holder.stop(nowMillis), effects);
        }
    }

    /** Returns the next request; null if there is none, or it waits for a place in the window. */
    private @Nullable Request next() {
        synchronized (requests) {
            Request next = requests.peek();
            return next == null || (!canTake(next) && mayTakeLater(next)) ? null : requests.remove();
        }
    }

    private boolean isToStop() {
        synchronized (requests) {
            return stopping && requests.isEmpty();
        }
    }

    private boolean canTake(Request request) {
        return switch (request) {
            case AppendRequest append -> holder.canAppend(append.entry);
            case ReadRequest ignored -> holder.canRead();
        };
    }

    private boolean mayTakeLater(Request request) {
        return switch (request) {
            case AppendRequest append -> holder.hasRoom(append.entry);
            case ReadRequest ignored -> holder.isRunning();
        };
    }

    private void take(long nowMillis, Request request, List<Effect> effects) {
        if (!canTake(request)) {
            finish(request.result(), new Result.NotTaken());
            return;
        }
        long token = ++lastToken;
        results.put(token, new Waiting(request instanceof AppendRequest ? ++appended : 0, request.result()));
        switch (request) {
            case AppendRequest append -> perform(holder.append(nowMillis, token, append.entry), effects);
            case ReadRequest read -> perform(holder.read(nowMillis, token, read.onBehalfOf, read.query), effects);
        }
    }

    /** The driver's thread goes on; what waits for the result runs elsewhere. */
    private void finish(CompletableFuture<Result> waiting, Result result) {
        callbacks.execute(() -> waiting.complete(result));
    }

    private void perform(List<HolderEffect> wanted, List<Effect> effects) {
        for (HolderEffect effect : wanted) {
            switch (effect) {
                case HolderEffect.Send send -> effects.add(new Effect.Send(send.to(), 0, send.message()));
                case HolderEffect.Answered answered ->
                    complete(answered.token(), new Result.Answered(answered.reply()));
                case HolderEffect.Ended ended -> onEnded(ended);
            }
        }
    }

    private void onEnded(HolderEffect.Ended ended) {
        abandon();
        reason = ended.reason();
    }

    /** Gives everything back that has no answer. Called by the driver's thread, or once that handles nothing more. */
    void abandon() {
        results.values().forEach(waiting -> finish(waiting.result, new Result.Outstanding(waiting.number)));
        results.clear();
        List<Request> left;
        synchronized (requests) {
            stopping = true;
            left = List.copyOf(requests);
            requests.clear();
        }
        left.forEach(request -> finish(request.result(), new Result.NotTaken()));
    }

    private void complete(long token, Result result) {
        Waiting waiting = results.remove(token);
        if (waiting != null) {
            finish(waiting.result, result);
        }
    }

    @Override
    public Optional<HolderEffect.Reason> outcome() {
        return Optional.ofNullable(reason);
    }
}
