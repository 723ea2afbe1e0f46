package io.bulwark.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Turns in the thread of a replica (docs/ordering/overload.md, costs of attacking clients to others). */
@NullMarked
class ReplicaLoopTest {
    private static final int FLOOD = 5_000;
    private static final PrincipalId FLOODER = PrincipalId.client(66);
    private static final PrincipalId OTHER = PrincipalId.client(1);

    private final List<String> done = new ArrayList<>();
    private final CountDownLatch all = new CountDownLatch(1);
    private int afterwards;

    private class Owner implements ReplicaLoop.Owner {
        @Override
        public void afterSteps() {
            afterwards++;
        }

        @Override
        public void onTick() {}

        @Override
        public boolean tryMend(Exception thrown) {
            return false;
        }

        @Override
        public void onFailure() {}
    }

    private interface Asking {
        void of(ReplicaLoop loop);
    }

    /** Returns the order in which the loop runs requests made before it began. */
    private List<String> order(Asking asking, int count) throws InterruptedException {
        try (ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
                ReplicaLoop loop = new ReplicaLoop("replica-0", 1_000_000, thread, new Owner())) {
            asking.of(loop);
            loop.run(() -> {});
            loop.start();
            all.await();
            assertThat(done).hasSize(count);
            return done;
        }
    }

    private void note(String what, int count) {
        done.add(what);
        if (done.size() == count) {
            all.countDown();
        }
    }

    @Test
    void oneThatAsksForMuchKeepsNobodyElseWaiting() throws Exception {
        int count = FLOOD + 3;
        List<String> order = order(
                loop -> {
                    for (int i = 0; i < FLOOD; i++) {
                        loop.run(FLOODER, () -> note("flood", count), ReplicaLoopTest::nothing);
                    }
                    for (int i = 0; i < 3; i++) {
                        loop.run(OTHER, () -> note("other", count), ReplicaLoopTest::nothing);
                    }
                },
                count);
        assertThat(order.subList(0, 6)).filteredOn("other"::equals).hasSize(3);
    }

    @Test
    void whatClientsAskForKeepsNoReplicaAndNoSyncWaiting() throws Exception {
        int count = FLOOD + 20;
        List<String> order = order(
                loop -> {
                    for (int i = 0; i < FLOOD; i++) {
                        loop.run(
                                PrincipalId.client(100 + i % 50), () -> note("flood", count), ReplicaLoopTest::nothing);
                    }
                    for (int i = 0; i < 10; i++) {
                        loop.run(
                                PrincipalId.replica(1 + i % 3), () -> note("replica", count), ReplicaLoopTest::nothing);
                        loop.run(() -> note("own", count));
                    }
                },
                count);
        assertThat(order.subList(0, 3 * 11))
                .filteredOn(each -> !each.equals("flood"))
                .hasSize(20);
    }

    /** Keys expire, and everything is repeated: a replica that took all in order would never catch up. */
    @Test
    void messagesThatWaitedTooLongAreDropped() throws Exception {
        AtomicLong now = new AtomicLong();
        AtomicInteger released = new AtomicInteger();
        try (ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
                ReplicaLoop loop = new ReplicaLoop("replica-0", 1_000_000, thread, new Owner(), now::get)) {
            for (int i = 0; i < 10; i++) {
                loop.run(PrincipalId.replica(1), () -> note("late", 3), released::incrementAndGet);
            }
            loop.run(OTHER, () -> note("late", 3), released::incrementAndGet);
            loop.run(() -> note("own", 3));
            now.set(1);
            loop.run(PrincipalId.replica(1), () -> note("replica", 3), released::incrementAndGet);
            now.set(ReplicaLoop.WAIT_NANOS_MAX + 1);
            loop.run(OTHER, () -> note("client", 3), released::incrementAndGet);
            loop.start();
            all.await();
        }
        assertThat(done).containsExactlyInAnyOrder("own", "replica", "client");
        assertThat(released).as("senders may send on").hasValue(13);
    }

    /**
     * Executor that works as an event loop does: executed tasks while there are any, then its connections, then
     * scheduled tasks.
     */
    private static final class EventLoop extends ScheduledThreadPoolExecutor {
        private final Queue<Runnable> executed = new ArrayDeque<>();
        private final Queue<Runnable> scheduled = new ArrayDeque<>();
        private final List<Long> pauses = new ArrayList<>();
        private Runnable tick = ReplicaLoopTest::nothing;

        EventLoop() {
            super(1);
            setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        }

        @Override
        public void execute(Runnable task) {
            executed.add(task);
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
            if (unit == TimeUnit.MILLISECONDS) {
                pauses.add(delay);
                tick = task;
                return super.schedule(() -> {}, 1, TimeUnit.DAYS);
            }
            assertThat(delay).isZero();
            scheduled.add(task);
            return super.schedule(() -> {}, 0, unit);
        }

        /** Returns how many tasks it took before its connections. */
        int round(int max) {
            int count = 0;
            for (Runnable task = executed.poll(); task != null && count < max; task = executed.poll()) {
                task.run();
                count++;
            }
            executed.addAll(scheduled);
            scheduled.clear();
            return count;
        }
    }

    @Test
    void ticksAreRareWhileNothingComes() {
        try (EventLoop events = new EventLoop()) {
            ReplicaLoop loop = new ReplicaLoop("replica-0", 20, events, new Owner());
            loop.start();
            events.round(10);
            for (int i = 0; i < 5; i++) {
                events.tick.run();
            }
            assertThat(events.pauses).containsExactly(0L, 40L, 80L, 160L, 250L, 250L);
            loop.run(OTHER, () -> done.add("step"), ReplicaLoopTest::nothing);
            events.round(10);
            assertThat(events.pauses).as("the step brings the next tick soon").endsWith(250L, 20L);
            events.tick.run();
            assertThat(events.pauses).endsWith(20L, 20L);
            events.tick.run();
            assertThat(events.pauses).endsWith(20L, 40L);
        }
    }

    @Test
    void connectionsHaveTheirTurnWhileStepsGoOn() {
        try (EventLoop events = new EventLoop()) {
            ReplicaLoop loop = new ReplicaLoop("replica-0", 1_000_000, events, new Owner());
            loop.start();
            for (int i = 0; i < 20 * FLOOD; i++) {
                loop.run(FLOODER, () -> done.add("flood"), ReplicaLoopTest::nothing);
            }
            for (int round = 0; round < 5; round++) {
                int before = done.size();
                assertThat(events.round(1_000)).isEqualTo(1);
                assertThat(done.size() - before).isBetween(1, FLOOD);
            }
        }
    }

    /** A sync that is over, say. */
    @Test
    void whatComesMeanwhileWaitsForConnectionsToo() {
        try (EventLoop events = new EventLoop()) {
            ReplicaLoop loop = new ReplicaLoop("replica-0", 1_000_000, events, new Owner());
            loop.start();
            loop.run(OTHER, () -> loop.run(() -> loop.run(() -> done.add("third"))), ReplicaLoopTest::nothing);
            while (done.isEmpty()) {
                assertThat(events.round(1_000)).isEqualTo(1);
            }
            assertThat(done).containsExactly("third");
        }
    }

    /** Callers count their steps in flight, so that each step must end. */
    @Test
    void whatFailsOrIsDroppedAfterwardsIsDoneWith() {
        try (EventLoop events = new EventLoop()) {
            ReplicaLoop loop = new ReplicaLoop("replica-0", 1_000_000, events, new Owner());
            loop.run(
                    OTHER,
                    () -> {
                        throw new IllegalStateException("a step that fails");
                    },
                    () -> done.add("failed"));
            loop.run(OTHER, () -> done.add("never"), () -> done.add("dropped"));
            loop.start();
            events.round(1_000);
            assertThat(loop.failure()).isEqualTo("a step that fails");
            loop.run(() -> done.add("never"), () -> done.add("late"));
            for (int round = 0; round < 5; round++) {
                events.round(1_000); // of one step at least, if any waits: the first may have taken its time
            }
            assertThat(done).containsExactlyInAnyOrder("failed", "dropped", "late");
        }
    }

    @Test
    void whatOneAsksForIsDoneInItsOrderAndAllOfIt() throws Exception {
        int count = 3_000;
        List<String> order = order(
                loop -> {
                    for (int i = 0; i < count; i++) {
                        int number = i;
                        loop.run(
                                PrincipalId.replica(1 + i % 3),
                                () -> note(number % 3 + " " + number, count),
                                ReplicaLoopTest::nothing);
                    }
                },
                count);
        for (int from = 0; from < 3; from++) {
            String prefix = from + " ";
            assertThat(order.stream()
                            .filter(each -> each.startsWith(prefix))
                            .map(each -> Integer.valueOf(each.substring(2))))
                    .isSorted()
                    .hasSize(count / 3);
        }
        assertThat(afterwards).isPositive();
    }

    /** An exception that escaped a tick would silently end all further ticks. */
    @Test
    void whatCannotBeMendedStopsTheReplicaAndSaysWhy() throws Exception {
        CountDownLatch told = new CountDownLatch(1);
        Owner failing = new Owner() {
            @Override
            public void onTick() {
                done.add("tick");
                throw new IllegalStateException("a tick that fails");
            }

            @Override
            public boolean tryMend(Exception thrown) {
                throw new IllegalStateException("mending failed, too", thrown);
            }

            @Override
            public void onFailure() {
                told.countDown();
                throw new IllegalStateException("and so does the last word");
            }
        };
        try (ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
                ReplicaLoop loop = new ReplicaLoop("replica-0", 1, thread, failing)) {
            loop.start();
            assertThat(told.await(1, TimeUnit.MINUTES)).isTrue();
            assertThat(loop.failure()).isEqualTo("mending failed, too");
            CountDownLatch dropped = new CountDownLatch(1);
            loop.run(() -> done.add("never"), dropped::countDown);
            assertThat(dropped.await(1, TimeUnit.MINUTES)).isTrue();
            assertThat(done).containsExactly("tick");
        }
    }

    @Test
    void afterWhatWasMendedItGoesOn() throws Exception {
        CountDownLatch ticks = new CountDownLatch(3);
        Owner mending = new Owner() {
            @Override
            public void onTick() {
                ticks.countDown();
                throw new IllegalStateException("mended");
            }

            @Override
            public boolean tryMend(Exception thrown) {
                return "mended".equals(thrown.getMessage());
            }
        };
        try (ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
                ReplicaLoop loop = new ReplicaLoop("replica-0", 1, thread, mending)) {
            loop.start();
            assertThat(ticks.await(1, TimeUnit.MINUTES)).isTrue();
            assertThat(loop.failure()).isEmpty();
        }
    }

    private static void nothing() {}
}
