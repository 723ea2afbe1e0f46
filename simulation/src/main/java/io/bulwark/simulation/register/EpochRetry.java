package io.bulwark.simulation.register;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/** A read or a write that begins again, or goes on, in the epoch of now when the one is over in which it began; as the client of the SDK does. */
public final class EpochRetry<G, R> implements ClientOperation<R> {
    private final Supplier<G> now;
    private final ToLongFunction<G> epoch;
    private final Function<R, Optional<Function<G, ClientOperation<R>>>> again;
    private G group;
    private ClientOperation<R> attempt;

    /**
     * @param now the group of the block as the replicas have it
     * @param epoch that of such a group
     * @param first the first attempt
     * @param again how it goes on after this outcome; nothing if that is the end
     */
    public EpochRetry(
            Supplier<G> now,
            ToLongFunction<G> epoch,
            Function<G, ClientOperation<R>> first,
            Function<R, Optional<Function<G, ClientOperation<R>>>> again) {
        this.now = now;
        this.epoch = epoch;
        this.again = again;
        this.group = now.get();
        this.attempt = first.apply(group);
    }

    @Override
    public List<Effect> start(long nowMillis) {
        return proceed(nowMillis, attempt.start(nowMillis));
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        return proceed(nowMillis, attempt.onMessage(nowMillis, from, message));
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        return proceed(nowMillis, attempt.onTick(nowMillis));
    }

    private List<Effect> proceed(long nowMillis, List<Effect> effects) {
        G later = now.get();
        Optional<Function<G, ClientOperation<R>>> next = epoch.applyAsLong(later) > epoch.applyAsLong(group)
                ? attempt.outcome().flatMap(again)
                : Optional.empty();
        if (next.isEmpty()) {
            return effects;
        }
        group = later;
        attempt = next.get().apply(later);
        List<Effect> all = new ArrayList<>(effects);
        all.addAll(attempt.start(nowMillis));
        return all;
    }

    @Override
    public Optional<R> outcome() {
        return attempt.outcome();
    }

    @Override
    public boolean isFinished() {
        return attempt.isFinished();
    }
}
