package io.bulwark.client.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import io.bulwark.transport.Delivery;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OperationTraceTest {
    private static final PrincipalId FIRST = PrincipalId.node(1);
    private static final PrincipalId SECOND = PrincipalId.node(2);

    private record Ping() implements Message {}

    private final List<Observation.Context> ended = new CopyOnWriteArrayList<>();
    private final ObservationRegistry observations = ObservationRegistry.create();
    private final AtomicInteger sent = new AtomicInteger();
    private final OperationDriver driver = new OperationDriver(
            (to, id, message) -> {
                sent.incrementAndGet();
                return Delivery.UNSURE;
            },
            _ -> {},
            new OperationDriver.Limits(2, 60_000, 1000),
            1,
            observations);

    OperationTraceTest() {
        // As the console does: operations that nobody asked for are left out.
        observations
                .observationConfig()
                .observationPredicate(
                        (name, context) -> name.equals("caller") || context.getParentObservation() != null)
                .observationHandler(new ObservationHandler<>() {
                    @Override
                    public void onStop(Observation.Context context) {
                        ended.add(context);
                    }

                    @Override
                    public boolean supportsContext(Observation.Context context) {
                        return true;
                    }
                });
    }

    @AfterEach
    void close() {
        driver.close();
    }

    /** Asks two nodes, and has its outcome from the first one. */
    private static final class Question implements ClientOperation<String> {
        private boolean answered;

        @Override
        public List<Effect> start(long nowMillis) {
            return List.of(new Effect.Send(FIRST, 1, new Ping()), new Effect.Send(SECOND, 1, new Ping()));
        }

        @Override
        public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
            answered = true;
            return List.of();
        }

        @Override
        public List<Effect> onTick(long nowMillis) {
            return List.of();
        }

        @Override
        public Optional<String> outcome() {
            return answered ? Optional.of("yes") : Optional.empty();
        }

        @Override
        public boolean isFinished() {
            return answered;
        }
    }

    @Test
    void operationsAndRequestsAreBelowWhatTheCallerObserves() throws Exception {
        Observation caller = Observation.start("caller", observations);
        CompletableFuture<String> both =
                caller.scoped(() -> driver.submit(new Question()).thenCompose(_ -> driver.submit(new Question())));
        for (int id = 1; id <= 2; id++) {
            int all = 2 * id;
            await().until(() -> sent.get() == all);
            assertThat(driver.onMessage(FIRST, id, new Ping())).isTrue();
        }
        assertThat(both.get(1, TimeUnit.MINUTES)).isEqualTo("yes");

        List<Observation.Context> operations = named(OperationTrace.OPERATION);
        assertThat(operations).hasSize(2).allSatisfy(each -> {
            assertThat(each.getContextualName()).isEqualTo("Question");
            assertThat(parent(each)).isSameAs(caller.getContext());
        });
        for (Observation.Context operation : operations) {
            assertThat(named(OperationTrace.REQUEST).stream()
                            .filter(each -> operation.equals(parent(each)))
                            .map(each -> value(each, "peer") + " " + value(each, "answered")))
                    .containsExactlyInAnyOrder("node-1 yes", "node-2 no");
        }
        assertThat(observations.getCurrentObservation()).isNull();
    }

    @Test
    void anOperationThatCannotSucceedEndsWithItsReason() {
        driver.failIf(() -> Optional.of(new IllegalStateException("refused")));
        Observation caller = Observation.start("caller", observations);
        assertThatThrownBy(
                        () -> caller.scoped(() -> driver.submit(new Question())).get(1, TimeUnit.MINUTES))
                .hasMessageContaining("refused");
        assertThat(named(OperationTrace.OPERATION))
                .singleElement()
                .satisfies(each -> assertThat(each.getError()).hasMessage("refused"));
    }

    @Test
    void anOperationThatNobodyAskedForIsNotObserved() throws Exception {
        CompletableFuture<String> answer = driver.submit(new Question());
        await().until(() -> sent.get() == 2);
        assertThat(driver.onMessage(FIRST, 1, new Ping())).isTrue();
        assertThat(answer.get(1, TimeUnit.MINUTES)).isEqualTo("yes");
        assertThat(ended).isEmpty();
    }

    private List<Observation.Context> named(String name) {
        return ended.stream().filter(each -> name.equals(each.getName())).toList();
    }

    private static Object parent(Observation.Context context) {
        return Optional.ofNullable(context.getParentObservation()).orElseThrow().getContextView();
    }

    private static String value(Observation.Context context, String key) {
        return Optional.ofNullable(context.getLowCardinalityKeyValue(key))
                .map(KeyValue::getValue)
                .orElse("");
    }
}
