package io.bulwark.simulation.register;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * A read or a write that begins again, or goes on, in the map of now: in a later epoch, or in another generation of groups;
 * as the client of the SDK does.
 *
 * @param <G> the groups of the protocol
 */
public final class FollowedOperation<G, R> implements ClientOperation<R> {
    private final BiFunction<G, R, Optional<Attempt<G, R>>> next;
    private Attempt<G, R> attempt;

    /** Operation on one group. */
    public record Attempt<G, R>(G group, ClientOperation<R> operation) {}

    /**
     * @param first the first attempt
     * @param next how it goes on after this outcome in this group; nothing if that is the end
     */
    public FollowedOperation(Attempt<G, R> first, BiFunction<G, R, Optional<Attempt<G, R>>> next) {
        this.attempt = first;
        this.next = next;
    }

    @Override
    public List<Effect> start(long nowMillis) {
        return proceed(nowMillis, attempt.operation.start(nowMillis));
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        return proceed(nowMillis, attempt.operation.onMessage(nowMillis, from, message));
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        return proceed(nowMillis, attempt.operation.onTick(nowMillis));
    }

    private List<Effect> proceed(long nowMillis, List<Effect> effects) {
        List<Effect> all = effects;
        Optional<Attempt<G, R>> following = following();
        while (following.isPresent()) {
            attempt = following.get();
            all = new ArrayList<>(all);
            all.addAll(attempt.operation.start(nowMillis));
            following = following();
        }
        return all;
    }

    private Optional<Attempt<G, R>> following() {
        return attempt.operation.outcome().flatMap(outcome -> next.apply(attempt.group, outcome));
    }

    @Override
    public Optional<R> outcome() {
        return attempt.operation.outcome();
    }

    @Override
    public boolean isFinished() {
        return attempt.operation.isFinished();
    }
}
