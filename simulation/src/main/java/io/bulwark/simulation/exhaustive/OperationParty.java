package io.bulwark.simulation.exhaustive;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.wire.Message;
import java.util.List;
import java.util.Optional;

/** A client's operation; its messages carry its number as their id. */
final class OperationParty implements Party {
    private final long id;
    private final ClientOperation<?> operation;
    private final long tickMillis;
    private long nowMillis;

    OperationParty(long id, ClientOperation<?> operation, long tickMillis) {
        this.id = id;
        this.operation = operation;
        this.tickMillis = tickMillis;
    }

    @Override
    public void begin(Mail mail) {
        perform(operation.start(nowMillis), mail);
    }

    @Override
    public void deliver(Envelope envelope, Message message, Mail mail) {
        perform(operation.onMessage(nowMillis, envelope.from(), message), mail);
    }

    @Override
    public void tick(Mail mail) {
        nowMillis += tickMillis;
        perform(operation.onTick(nowMillis), mail);
    }

    @Override
    public void crash(Mail mail) {
        throw new IllegalStateException("an operation that ends is one whose messages do not arrive");
    }

    @Override
    public void disk(Mail mail) {
        throw new IllegalStateException("an operation has no disk");
    }

    @Override
    public void tell(Fact fact, Mail mail) {
        throw new IllegalStateException("an operation is told nothing");
    }

    private void perform(List<Effect> effects, Mail mail) {
        for (Effect effect : effects) {
            switch (effect) {
                case Effect.Send send -> mail.request(send.to(), id, send.message());
                case Effect.Evidence evidence -> mail.evidence(evidence);
                default -> throw new IllegalStateException("an operation asked for " + effect);
            }
        }
    }

    @Override
    public int choices() {
        return 1;
    }

    @Override
    public void choose(int choice) {}

    @Override
    public boolean isDiskBusy() {
        return false;
    }

    @Override
    public Optional<Object> outcome() {
        return operation.outcome().map(outcome -> outcome);
    }

    @Override
    public boolean isFinished() {
        return operation.isFinished();
    }

    @Override
    public List<Object> state() {
        return List.of(operation, nowMillis);
    }
}
