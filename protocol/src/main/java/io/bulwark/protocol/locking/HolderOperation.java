package io.bulwark.protocol.locking;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.PrincipalId;
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

/**
 * Drives one {@link LogHolder}: queues requests that its window cannot take yet, and gives each its result. A request is
 * sent with the next input, at most 50 ms later. The outcome is the reason of the log's end. Single-threaded.
 */
public final class HolderOperation implements ClientOperation<HolderEffect.Reason> {
    private final LogHolder holder;
    private final Deque<Request> queued = new ArrayDeque<>();
    private final Map<Long, Sent> sent = new HashMap<>();
    private long lastToken;
    private long appended;
    private boolean isStopping;
    private HolderEffect.@Nullable Reason reason;

    /** Result of a request. A read has number 0. */
    public sealed interface Result {
        /** The log servers agree on this reply. */
        record Answered(long number, Bytes reply) implements Result {}

        /** The log ended before its servers agreed: the entry may be part of it. */
        record Outstanding(long number) implements Result {}

        /** The log has no place for it, or has ended before it came. */
        record NotTaken() implements Result {}
    }

    /** @param entry to append; empty for a read */
    private record Request(
            Optional<LogEntry> entry, Optional<PrincipalId> onBehalfOf, Bytes query, Consumer<Result> then) {}

    /** A request that the holder has. */
    private record Sent(long number, Consumer<Result> then) {}

    public HolderOperation(LogHolder holder) {
        this.holder = holder;
    }

    /** Appends an entry. */
    public void append(LogEntry entry, Consumer<Result> then) {
        add(new Request(Optional.of(entry), Optional.empty(), Bytes.EMPTY, then));
    }

    /** Asks a query, as of the entries that were sent before it. */
    public void read(Optional<PrincipalId> onBehalfOf, Bytes query, Consumer<Result> then) {
        add(new Request(Optional.empty(), onBehalfOf, query, then));
    }

    private void add(Request request) {
        if (isStopping || reason != null) {
            request.then.accept(new Result.NotTaken());
        } else {
            queued.add(request);
        }
    }

    /** Takes no more requests, and ends when all are answered. */
    public void stop() {
        isStopping = true;
    }

    /** Gives everything back that has no answer. The driver handles no more inputs. */
    public void abandon() {
        isStopping = true;
        List<Sent> outstanding = List.copyOf(sent.values());
        List<Request> notTaken = List.copyOf(queued);
        sent.clear();
        queued.clear();
        outstanding.forEach(request -> request.then.accept(new Result.Outstanding(request.number)));
        notTaken.forEach(request -> request.then.accept(new Result.NotTaken()));
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
        sendQueued(nowMillis, effects);
        return effects;
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        List<Effect> effects = new ArrayList<>();
        sendQueued(nowMillis, effects);
        perform(holder.onTick(nowMillis), effects);
        return effects;
    }

    private void sendQueued(long nowMillis, List<Effect> effects) {
        while (!queued.isEmpty()) {
            Request next = queued.peek();
            boolean isPossible = next.entry.map(holder::canAppend).orElseGet(holder::canRead);
            boolean mayWait = next.entry.map(holder::hasRoom).orElseGet(holder::isRunning);
            if (!isPossible && mayWait) {
                return;
            }
            queued.remove();
            if (isPossible) {
                send(nowMillis, next, effects);
            } else {
                next.then.accept(new Result.NotTaken());
            }
        }
        if (isStopping) {
            perform(holder.stop(nowMillis), effects);
        }
    }

    private void send(long nowMillis, Request request, List<Effect> effects) {
        long token = ++lastToken;
        sent.put(token, new Sent(request.entry.isPresent() ? ++appended : 0, request.then));
        perform(
                request.entry
                        .map(entry -> holder.append(nowMillis, token, entry))
                        .orElseGet(() -> holder.read(nowMillis, token, request.onBehalfOf, request.query)),
                effects);
    }

    private void perform(List<HolderEffect> wanted, List<Effect> effects) {
        for (HolderEffect effect : wanted) {
            switch (effect) {
                case HolderEffect.Send send -> effects.add(new Effect.Send(send.to(), 0, send.message()));
                case HolderEffect.Answered answered -> onAnswered(answered);
                case HolderEffect.Ended ended -> {
                    reason = ended.reason();
                    abandon();
                }
            }
        }
    }

    private void onAnswered(HolderEffect.Answered answered) {
        Sent request = sent.remove(answered.token());
        if (request != null) {
            request.then.accept(new Result.Answered(request.number, answered.reply()));
        }
    }

    @Override
    public Optional<HolderEffect.Reason> outcome() {
        return Optional.ofNullable(reason);
    }
}
