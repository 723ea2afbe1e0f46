package io.bulwark.simulation.object;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** An operation that passes on its outcome as soon as it is known, though it may continue. */
final class OutcomeReporter<R> implements ClientOperation<R> {
    private final ClientOperation<R> operation;
    private final Consumer<R> then;
    private boolean told;

    OutcomeReporter(ClientOperation<R> operation, Consumer<R> then) {
        this.operation = operation;
        this.then = then;
    }

    @Override
    public List<Effect> start(long nowMillis) {
        return after(operation.start(nowMillis));
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        return after(operation.onMessage(nowMillis, from, message));
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        return after(operation.onTick(nowMillis));
    }

    private List<Effect> after(List<Effect> effects) {
        Optional<R> outcome = operation.outcome();
        if (!told && outcome.isPresent()) {
            told = true;
            then.accept(outcome.get());
        }
        return effects;
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
