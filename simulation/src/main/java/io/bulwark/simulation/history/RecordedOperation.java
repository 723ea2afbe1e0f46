package io.bulwark.simulation.history;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import io.bulwark.simulation.engine.AttemptedOperation;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** A client's operation that reports its beginning and its outcome to a recorder. */
public final class RecordedOperation<R> implements ClientOperation<R>, AttemptedOperation {
    /** Notes an outcome. */
    @FunctionalInterface
    public interface Note<R> {
        void outcome(HistoryRecorder.Pending pending, long nowMillis, R outcome);
    }

    private final ClientOperation<R> operation;
    private final LongFunction<HistoryRecorder.Pending> invoke;
    private final Note<R> note;
    private HistoryRecorder.@Nullable Pending pending;

    /**
     * Records an operation.
     *
     * @param invoke begins the recording, at the time given
     */
    public RecordedOperation(ClientOperation<R> operation, LongFunction<HistoryRecorder.Pending> invoke, Note<R> note) {
        this.operation = operation;
        this.invoke = invoke;
        this.note = note;
    }

    @Override
    public List<Effect> start(long nowMillis) {
        pending = invoke.apply(nowMillis);
        return after(nowMillis, operation.start(nowMillis));
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        return after(nowMillis, operation.onMessage(nowMillis, from, message));
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        return after(nowMillis, operation.onTick(nowMillis));
    }

    private List<Effect> after(long nowMillis, List<Effect> effects) {
        HistoryRecorder.Pending running = pending;
        if (running != null && operation.outcome().isPresent()) {
            pending = null;
            note.outcome(running, nowMillis, operation.outcome().get());
        }
        return effects;
    }

    @Override
    public Optional<R> outcome() {
        return operation.outcome();
    }

    @Override
    public int attempt() {
        return operation instanceof AttemptedOperation repeated ? repeated.attempt() : 0;
    }

    @Override
    public boolean isFinished() {
        return operation.isFinished();
    }
}
