package io.bulwark.client.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import io.bulwark.transport.Delivery;
import io.micrometer.observation.ObservationRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OperationDriverTest {
    private static final PrincipalId NODE = PrincipalId.node(1);
    private static final BlockId BLOCK = BlockId.register(1, 1);

    private record Ping(int value) implements Message {}

    private record Sent(PrincipalId to, long id, Message message) {}

    private final ConcurrentLinkedQueue<Sent> sent = new ConcurrentLinkedQueue<>();
    private final List<Effect.Evidence> seen = new CopyOnWriteArrayList<>();
    private final OperationDriver driver = new OperationDriver(
            (to, id, message) -> {
                sent.add(new Sent(to, id, message));
                return Delivery.UNSURE;
            },
            seen::add,
            new OperationDriver.Limits(2, 60_000, 1000),
            7);

    @AfterEach
    void close() {
        driver.close();
    }

    /** Adds up the numbers it receives until the sum is reached, then lingers until a tick tells it to stop. */
    private static final class Adder implements ClientOperation<Integer> {
        private final int wanted;
        private final boolean lingers;
        private final AtomicInteger inside = new AtomicInteger();
        volatile boolean overlapped;
        final AtomicInteger ticks = new AtomicInteger();
        private int sum;

        Adder(int wanted, boolean lingers) {
            this.wanted = wanted;
            this.lingers = lingers;
        }

        @Override
        public List<Effect> start(long nowMillis) {
            return List.of(new Effect.Send(NODE, 999, new Ping(0)));
        }

        @Override
        public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
            overlapped |= inside.incrementAndGet() > 1;
            sum += ((Ping) message).value();
            List<Effect> effects = new ArrayList<>();
            if (((Ping) message).value() < 0) {
                effects.add(new Effect.Evidence(from, BLOCK, Verdict.MISBEHAVED, "negative"));
            }
            inside.decrementAndGet();
            return effects;
        }

        @Override
        public List<Effect> onTick(long nowMillis) {
            ticks.incrementAndGet();
            return List.of();
        }

        @Override
        public Optional<Integer> outcome() {
            return sum >= wanted ? Optional.of(sum) : Optional.empty();
        }

        @Override
        public boolean isFinished() {
            return sum >= wanted && !lingers;
        }
    }

    @Test
    void sendsUnderItsOwnIdAndCompletesWithTheOutcome() throws Exception {
        CompletableFuture<Integer> done = driver.submit(new Adder(3, false));
        await().until(() -> !sent.isEmpty());
        assertThat(sent).containsExactly(new Sent(NODE, 7, new Ping(0)));

        assertThat(driver.onMessage(NODE, 8, new Ping(3))).isFalse();
        assertThat(driver.onMessage(NODE, 7, new Ping(-1))).isTrue();
        assertThat(driver.onMessage(NODE, 7, new Ping(4))).isTrue();

        assertThat(done.get(2, TimeUnit.MINUTES)).isEqualTo(3);
        assertThat(seen).containsExactly(new Effect.Evidence(NODE, BLOCK, Verdict.MISBEHAVED, "negative"));
        await().until(() -> driver.operations() == 0);
    }

    @Test
    void aTickThatOvertakesTheStartIsNotHandedOn() {
        Adder adder = new Adder(1, false);
        RunningOperation<Integer> run =
                new RunningOperation<>(driver, 1, () -> adder, 0, OperationTrace.start(ObservationRegistry.NOOP));
        run.offerTick();
        run.offer(new RunningOperation.Input.Start());
        await().until(() -> !sent.isEmpty());
        assertThat(adder.ticks).hasValue(0);
    }

    @Test
    void whatIsUnderWayAndWhatIsSubmittedFailsOnceNothingCanSucceed() throws Exception {
        AtomicReference<Optional<IllegalArgumentException>> why = new AtomicReference<>(Optional.empty());
        driver.failIf(why::get);
        Adder lingers = new Adder(1, true);
        CompletableFuture<Integer> before = driver.submit(lingers);
        assertThat(driver.onMessage(NODE, 7, new Ping(1))).isTrue();
        assertThat(before.get(2, TimeUnit.MINUTES)).isEqualTo(1);
        CompletableFuture<Integer> inFlight = driver.submit(new Adder(1, false));
        why.set(Optional.of(new IllegalArgumentException("denied")));
        assertThatThrownBy(() -> inFlight.get(2, TimeUnit.MINUTES)).hasRootCauseMessage("denied");
        sent.clear();
        Adder never = new Adder(1, false);
        assertThatThrownBy(() -> driver.submit(never).get(2, TimeUnit.MINUTES)).hasRootCauseMessage("denied");
        assertThat(sent).isEmpty();
        assertThat(driver.operations())
                .as("the one that has its outcome goes on helping")
                .isEqualTo(1);

        why.set(Optional.empty());
        CompletableFuture<Integer> again = driver.submit(new Adder(1, false));
        assertThat(driver.onMessage(NODE, 10, new Ping(1))).isTrue();
        assertThat(again.get(2, TimeUnit.MINUTES)).isEqualTo(1);
    }

    @Test
    void tellsWhenAMessageIsDone() throws Exception {
        CompletableFuture<Integer> result = driver.submit(new Adder(2, false));
        AtomicInteger done = new AtomicInteger();
        driver.onMessage(NODE, 7, new Ping(1), done::incrementAndGet);
        driver.onMessage(NODE, 7, new Ping(1), done::incrementAndGet);
        assertThat(result.get(2, TimeUnit.MINUTES)).isEqualTo(2);
        await().until(() -> done.get() == 2);
    }

    @Test
    void inputsOfOneOperationNeverOverlap() throws Exception {
        Adder adder = new Adder(4000, false);
        CompletableFuture<Integer> done = driver.submit(adder);
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            threads.add(Thread.ofVirtual().start(() -> {
                for (int i = 0; i < 1000; i++) {
                    driver.onMessage(NODE, 7, new Ping(1));
                }
            }));
        }
        assertThat(done.get(2, TimeUnit.MINUTES)).isEqualTo(4000);
        assertThat(adder.overlapped).isFalse();
        for (Thread thread : threads) {
            thread.join();
        }
    }

    @Test
    void ticksGoOnAfterTheOutcomeUntilFinished() throws Exception {
        Adder adder = new Adder(1, true);
        CompletableFuture<Integer> done = driver.submit(adder);
        driver.onMessage(NODE, 7, new Ping(1));
        assertThat(done.get(2, TimeUnit.MINUTES)).isEqualTo(1);
        int before = adder.ticks.get();
        await().until(() -> adder.ticks.get() > before + 1);
        assertThat(driver.operations()).isOne();
    }

    @Test
    void theOldestLingeringOperationGoesWhenTheBytesAreUsedUp() throws Exception {
        for (int i = 0; i < 3; i++) {
            CompletableFuture<Integer> done = driver.submit(new Adder(1, true), 400);
            driver.onMessage(NODE, 7 + i, new Ping(1));
            assertThat(done.get(2, TimeUnit.MINUTES)).isEqualTo(1);
        }
        await().until(() -> driver.operations() == 2);
        assertThat(driver.onMessage(NODE, 7, new Ping(1))).isFalse();
        assertThat(driver.onMessage(NODE, 9, new Ping(1))).isTrue();
    }

    @Test
    void cancellingStopsTheWaitingNotTheOperation() {
        Adder adder = new Adder(1, false);
        CompletableFuture<Integer> done = driver.submit(adder);
        done.cancel(false);
        int before = adder.ticks.get();
        await().until(() -> adder.ticks.get() > before + 1);
        driver.onMessage(NODE, 7, new Ping(1));
        await().until(() -> driver.operations() == 0);
    }

    @Test
    void aBrokenInvariantFailsTheFutureAndNothingElse() {
        CompletableFuture<Integer> done = driver.submit(new Adder(1, false));
        driver.onMessage(NODE, 7, new Message() {});
        assertThatThrownBy(() -> done.get(2, TimeUnit.MINUTES))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(ClassCastException.class);
        await().until(() -> driver.operations() == 0);
    }

    @Test
    void closingFailsWhatIsOpenAndWhatComesLater() {
        CompletableFuture<Integer> open = driver.submit(new Adder(1, false));
        driver.close();
        assertThat(open).isCompletedExceptionally();
        assertThat(driver.submit(new Adder(1, false))).isCompletedExceptionally();
    }

    /** Without operations nothing ticks, which must not be for good. */
    @Test
    void operationsThatBeginAfterAPauseGetTicks() {
        for (int round = 0; round < 3; round++) {
            Adder adder = new Adder(1, false);
            CompletableFuture<Integer> sum = driver.submit(adder);
            await().until(() -> adder.ticks.get() >= 2);
            driver.onMessage(NODE, 7 + round, new Ping(1));
            assertThat(sum).succeedsWithin(10, TimeUnit.SECONDS);
            await().until(() -> driver.operations() == 0);
        }
    }
}
