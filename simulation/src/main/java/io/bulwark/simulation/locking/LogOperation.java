package io.bulwark.simulation.locking;

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
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs a {@link LogHolder}. Requests are handed to it with the next input, at most 50 ms later. */
final class LogOperation implements ClientOperation<HolderEffect.Reason> {
    private final LogHolder holder;
    private final Acknowledged acknowledged;
    private final Deque<Request> requests = new ArrayDeque<>();
    private final Map<Long, Waiting> waiting = new HashMap<>();
    private long lastToken;
    private long appended;
    private boolean isStopping;
    private HolderEffect.@Nullable Reason reason;

    /** Result of a request. */
    sealed interface Result {
        record Answered(Bytes reply) implements Result {}

        /** The log has ended before the servers agreed. The entry may be a part of it. */
        record Outstanding(long number) implements Result {}

        /** The log has ended before it took this. */
        record NotTaken() implements Result {}
    }

    /** Receives each acknowledged entry. */
    interface Acknowledged {
        void onAnswer(long number, Bytes reply);
    }

    private record Request(Optional<LogEntry> entry, Bytes query, Consumer<Result> then) {}

    private record Waiting(long number, Consumer<Result> then) {}

    LogOperation(LogHolder holder, Acknowledged acknowledged) {
        this.holder = holder;
        this.acknowledged = acknowledged;
    }

    void append(LogEntry entry, Consumer<Result> then) {
        add(new Request(Optional.of(entry), Bytes.EMPTY, then));
    }

    void read(Bytes query, Consumer<Result> then) {
        add(new Request(Optional.empty(), query, then));
    }

    private void add(Request request) {
        if (isStopping || reason != null) {
            request.then.accept(new Result.NotTaken());
        } else {
            requests.add(request);
        }
    }

    /** Takes no more requests, and ends when all are answered. */
    void stop() {
        isStopping = true;
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
        take(nowMillis, effects);
        return effects;
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        List<Effect> effects = new ArrayList<>();
        take(nowMillis, effects);
        perform(holder.onTick(nowMillis), effects);
        return effects;
    }

    private void take(long nowMillis, List<Effect> effects) {
        while (!requests.isEmpty()) {
            Request next = requests.peek();
            boolean isPossible = next.entry.map(holder::canAppend).orElseGet(holder::canRead);
            boolean mayWait = next.entry.map(holder::hasRoom).orElseGet(holder::isRunning);
            if (!isPossible && mayWait) {
                return;
            }
            requests.remove();
            if (!isPossible) {
                next.then.accept(new Result.NotTaken());
            } else {
                hand(nowMillis, next, effects);
            }
        }
        if (isStopping) {
            perform(holder.stop(nowMillis), effects);
        }
    }

    private void hand(long nowMillis, Request request, List<Effect> effects) {
        long token = ++lastToken;
        waiting.put(token, new Waiting(request.entry.isPresent() ? ++appended : 0, request.then));
        perform(
                request.entry
                        .map(entry -> holder.append(nowMillis, token, entry))
                        .orElseGet(() -> holder.read(nowMillis, token, Optional.empty(), request.query)),
                effects);
    }

    private void perform(List<HolderEffect> wanted, List<Effect> effects) {
        for (HolderEffect effect : wanted) {
            switch (effect) {
                case HolderEffect.Send send -> effects.add(new Effect.Send(send.to(), 0, send.message()));
                case HolderEffect.Answered answered -> onAnswered(answered);
                case HolderEffect.Ended ended -> onEnded(ended.reason());
            }
        }
    }

    private void onAnswered(HolderEffect.Answered answered) {
        Waiting request = waiting.remove(answered.token());
        if (request != null) {
            if (request.number > 0) {
                acknowledged.onAnswer(request.number, answered.reply());
            }
            request.then.accept(new Result.Answered(answered.reply()));
        }
    }

    private void onEnded(HolderEffect.Reason ended) {
        reason = ended;
        List<Waiting> left = new ArrayList<>(waiting.values());
        List<Request> notTaken = new ArrayList<>(requests);
        waiting.clear();
        requests.clear();
        left.forEach(request -> request.then.accept(new Result.Outstanding(request.number)));
        notTaken.forEach(request -> request.then.accept(new Result.NotTaken()));
    }

    @Override
    public Optional<HolderEffect.Reason> outcome() {
        return Optional.ofNullable(reason);
    }
}
