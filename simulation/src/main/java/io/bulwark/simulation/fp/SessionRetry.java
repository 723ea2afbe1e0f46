package io.bulwark.simulation.fp;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.fp.FpWriteOutcome;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Failure;
import io.bulwark.protocol.wire.Message;
import io.bulwark.simulation.engine.AttemptedOperation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;
import java.util.function.LongUnaryOperator;

/** A write that begins again in another session where its own is closed, or has no room any more; as the client of the SDK does. */
final class SessionRetry implements ClientOperation<FpWriteOutcome>, AttemptedOperation {
    private final LongFunction<ClientOperation<FpWriteOutcome>> begin;
    private final LongUnaryOperator another;
    private long session;
    private ClientOperation<FpWriteOutcome> operation;
    private int attempt;

    /**
     * A write.
     *
     * @param begin begins it in a session
     * @param another the client's session in place of this one, which is closed if it is not yet
     */
    SessionRetry(long session, LongFunction<ClientOperation<FpWriteOutcome>> begin, LongUnaryOperator another) {
        this.begin = begin;
        this.another = another;
        this.session = session;
        this.operation = begin.apply(session);
    }

    @Override
    public List<Effect> start(long nowMillis) {
        return proceed(nowMillis, operation.start(nowMillis));
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        return proceed(nowMillis, operation.onMessage(nowMillis, from, message));
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        return proceed(nowMillis, operation.onTick(nowMillis));
    }

    private List<Effect> proceed(long nowMillis, List<Effect> effects) {
        boolean again = operation.outcome().orElse(null) instanceof FpWriteOutcome.Failed(Failure reason, boolean sent)
                && !sent
                && (reason == Failure.LIMIT || reason == Failure.SESSION_CLOSED);
        if (!again) {
            return effects;
        }
        session = another.applyAsLong(session);
        operation = begin.apply(session);
        attempt++;
        List<Effect> all = new ArrayList<>(effects);
        all.removeIf(Effect.Send.class::isInstance); // They would be of the attempt that is over.
        all.addAll(operation.start(nowMillis));
        return all;
    }

    @Override
    public int attempt() {
        return attempt;
    }

    @Override
    public Optional<FpWriteOutcome> outcome() {
        return operation.outcome();
    }

    @Override
    public boolean isFinished() {
        return operation.isFinished();
    }
}
