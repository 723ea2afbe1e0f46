package io.bulwark.simulation.byzantine;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import java.util.List;
import java.util.Optional;

/** A faulty client: a correct operation of which only the first messages are sent, and some not at all. */
public final class StoppingOperation<R> implements ClientOperation<R> {
    /** Decides whether the message with this number, from 0, is sent. */
    @FunctionalInterface
    public interface SendFilter {
        boolean sends(int number, Effect.Send send);
    }

    private final ClientOperation<R> operation;
    private final SendFilter sends;
    private int sent;

    public StoppingOperation(ClientOperation<R> operation, SendFilter sends) {
        this.operation = operation;
        this.sends = sends;
    }

    @Override
    public List<Effect> start(long nowMillis) {
        return filter(operation.start(nowMillis));
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        return filter(operation.onMessage(nowMillis, from, message));
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        return filter(operation.onTick(nowMillis));
    }

    private List<Effect> filter(List<Effect> effects) {
        return effects.stream()
                .filter(effect -> !(effect instanceof Effect.Send send) || sends.sends(sent++, send))
                .toList();
    }

    @Override
    public Optional<R> outcome() {
        return operation.outcome();
    }

    @Override
    public boolean isFinished() {
        return operation.isFinished();
    }
}
