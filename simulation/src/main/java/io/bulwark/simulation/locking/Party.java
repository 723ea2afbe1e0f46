package io.bulwark.simulation.locking;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.Submission;
import io.bulwark.protocol.ordering.ReplicatedCall;
import io.bulwark.protocol.wire.Message;
import io.bulwark.simulation.engine.Simulation;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** A client as the network sees it: its calls to the replicas, and its timers. A dead one hears nothing more. */
final class Party {
    private static final long TIMEOUT_MILLIS = 10_000_000;

    private final Simulation simulation;
    private final PrincipalId self;
    private final Supplier<List<PrincipalId>> replicas;
    private final RandomGenerator random;
    private boolean isDead;

    /** @param replicas those of now */
    Party(Simulation simulation, PrincipalId self, Supplier<List<PrincipalId>> replicas, RandomGenerator random) {
        this.simulation = simulation;
        this.self = self;
        this.replicas = replicas;
        this.random = random;
    }

    PrincipalId self() {
        return self;
    }

    RandomGenerator random() {
        return random;
    }

    List<PrincipalId> replicas() {
        return replicas.get();
    }

    long nowMillis() {
        return simulation.localMillis(self);
    }

    void die() {
        isDead = true;
    }

    boolean isDead() {
        return isDead;
    }

    void submit(Submission submission, Consumer<Reply> then) {
        call(ReplicatedCall.command(replicas(), submission.encoded(), TIMEOUT_MILLIS, random), then);
    }

    void ask(Query query, Consumer<Reply> then) {
        call(ReplicatedCall.query(replicas(), query.encoded(), TIMEOUT_MILLIS, random), then);
    }

    private void call(ReplicatedCall call, Consumer<Reply> then) {
        run(call, outcome -> {
            if (outcome instanceof ReplicatedCall.Agreed agreed) {
                then.accept(Reply.decode(agreed.reply()));
            } else {
                throw new IllegalStateException("a call ended with " + outcome);
            }
        });
    }

    /** Runs an operation to its end. */
    <R> void run(ClientOperation<R> operation, Consumer<R> then) {
        simulation.start(self, new Reporting<>(operation, outcome -> {
            if (!isDead) {
                then.accept(outcome);
            }
        }));
    }

    /** Continues after a while. */
    void later(long millis, Runnable then) {
        run(new Timer(Optional.of(millis), () -> {}), ignored -> then.run());
    }

    /** Does something again and again. */
    void regularly(Runnable action) {
        run(
                new Timer(Optional.empty(), () -> {
                    if (!isDead) {
                        action.run();
                    }
                }),
                ignored -> {});
    }

    /** Sends a message that no operation stands behind. */
    void send(PrincipalId to, Message message) {
        simulation.send(self, to, 0, message);
    }

    private final class Reporting<R> implements ClientOperation<R> {
        private final ClientOperation<R> operation;
        private final Consumer<R> then;
        private boolean isReported;

        private Reporting(ClientOperation<R> operation, Consumer<R> then) {
            this.operation = operation;
            this.then = then;
        }

        @Override
        public List<Effect> start(long nowMillis) {
            return report(operation.start(nowMillis));
        }

        @Override
        public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
            return isDead ? List.of() : report(operation.onMessage(nowMillis, from, message));
        }

        @Override
        public List<Effect> onTick(long nowMillis) {
            return isDead ? List.of() : report(operation.onTick(nowMillis));
        }

        private List<Effect> report(List<Effect> effects) {
            if (!isReported && operation.outcome().isPresent()) {
                isReported = true;
                then.accept(operation.outcome().get());
            }
            return effects;
        }

        @Override
        public Optional<R> outcome() {
            return operation.outcome();
        }
    }

    /** Ends after a while, or never. */
    private static final class Timer implements ClientOperation<Boolean> {
        private final Optional<Long> millis;
        private final Runnable action;
        private long beginMillis;
        private boolean isOver;

        private Timer(Optional<Long> millis, Runnable action) {
            this.millis = millis;
            this.action = action;
        }

        @Override
        public List<Effect> start(long nowMillis) {
            beginMillis = nowMillis;
            return List.of();
        }

        @Override
        public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
            return List.of();
        }

        @Override
        public List<Effect> onTick(long nowMillis) {
            action.run();
            isOver = millis.isPresent() && nowMillis - beginMillis >= millis.get();
            return List.of();
        }

        @Override
        public Optional<Boolean> outcome() {
            return isOver ? Optional.of(true) : Optional.empty();
        }
    }
}
