package io.bulwark.metadata;

import com.sun.management.OperatingSystemMXBean;
import io.bulwark.metadata.bft.ReplicaRestarter;
import io.bulwark.metadata.ordering.StateMachine;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.Phase;
import io.bulwark.protocol.ordering.driver.ReplicaConfig.Recoveries;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.OwnRecovery;
import io.bulwark.protocol.state.KeyValueState;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * Tables 4 and 5 of the proactive recovery paper: a recovery's duration by phase, and the cost of recoveries, one each
 * quarter of T_w. Callers put values of 4,000 bytes at about half of the rate that saturates the group. Windows of T_w
 * with and without recoveries alternate. On demand, {@code -Dtest=RecoveryBenchmark#hundredMegabytes}.
 *
 * <p>{@code bulwark.bench.rounds} sets the number of pairs of windows, {@code bulwark.bench.disk} the directory of the
 * replicas' files.
 */
@NullMarked
class RecoveryBenchmark {
    private static final int ROUNDS = Integer.getInteger("bulwark.bench.rounds", 2);
    private static final Path DISK = Path.of(System.getProperty("bulwark.bench.disk", "target"));
    private static final long KEY_MILLIS = 15_000;
    private static final int VALUE_BYTES = 4_000;
    private static final int VALUES_OF_FILL = 128;
    private static final int FILLS_AT_ONCE = 4;
    private static final int SATURATING_CALLERS = 32;
    private static final double SATURATION_SECONDS = 8;
    private static final long SETTLE_MILLIS = 2_000;
    private static final long POLL_MILLIS = 20;
    private static final int CALM_POLLS = 10;
    private static final long CALM_POLL_MILLIS = 500;

    /** Duration of each step of a recovery, in milliseconds, from the hand-over to its end. */
    private record Recovered(
            long restart, long estimate, long request, long check, long reach, long total, long pages) {}

    private record Window(double perSecond, double cpuOfOperation, long operations, double longestMillis) {}

    /** Action on a replica. */
    private interface ToReplica {
        void run(int replica) throws InterruptedException;
    }

    /** Values under numbers; the key is the number with its bits mixed, so that neighbours lie apart. */
    private record ValuesMachine(KeyValueState state) implements StateMachine {
        private static final int FILL = 1;
        private static final int PUT = 2;

        static Bytes fill(int first, int count) {
            return new WireWriter().u8(FILL).i32(first).i32(count).toBytes();
        }

        static Bytes put(int number, Bytes value) {
            return new WireWriter().u8(PUT).i32(number).raw(value).toBytes();
        }

        @Override
        public Bytes execute(PrincipalId client, Bytes command, long agreedMillis) {
            WireReader in = new WireReader(command);
            int kind = in.u8();
            int number = in.i32();
            if (kind == PUT) {
                state.put(key(number), in.raw(in.remaining()));
                return Bytes.EMPTY;
            }
            int count = in.i32(0, VALUES_OF_FILL);
            for (int each = number; each < number + count; each++) {
                byte[] value = new byte[VALUE_BYTES];
                new SplittableRandom(each).nextBytes(value);
                state.put(key(each), Bytes.of(value));
            }
            return Bytes.EMPTY;
        }

        @Override
        public Bytes query(PrincipalId client, Bytes query) {
            return Bytes.EMPTY;
        }

        private static Bytes key(int number) {
            return new WireWriter().u8(1).i32(number * 0x9E3779B1).toBytes();
        }
    }

    @Test
    void hundredMegabytes() throws Exception {
        run(100, new Recoveries(60_000, KEY_MILLIS, 60_000));
    }

    @Test
    void oneGigabyte() throws Exception {
        run(1_000, new Recoveries(540_000, KEY_MILLIS, 300_000));
    }

    private static void run(int megabytes, Recoveries recoveries) throws Exception {
        Path directory = Files.createTempDirectory(DISK.toAbsolutePath(), "recovery");
        ReplicaGroup.Starter starter = (config, credentials, start) -> new ReplicaGroup.Started(
                ReplicaRestarter.start(config, credentials, ValuesMachine::new, start), List::of);
        try (ReplicaGroup group =
                ReplicaGroup.withIdentities(directory, starter, ReplicaConfig.SNAPSHOT_BATCHES_STANDARD, recoveries)) {
            group.startAll();
            int values = (int) (megabytes * 1_000_000L / VALUE_BYTES);
            fill(group, values);
            rest(group);
            int callers = callers(group, values);
            List<Window> without = new ArrayList<>();
            List<Window> with = new ArrayList<>();
            List<Recovered> recovered = new ArrayList<>();
            for (int round = 0; round < ROUNDS; round++) {
                without.add(window(group, callers, values, recoveries, _ -> {}));
                with.add(window(group, callers, values, recoveries, each -> recovered.add(recover(group, each))));
            }
            printTimes(megabytes, recovered);
            printCost(megabytes, callers, recoveries, without, with);
        } finally {
            delete(directory);
        }
    }

    private static void fill(ReplicaGroup group, int values) {
        List<CompletableFuture<Bytes>> open = new ArrayList<>();
        for (int first = 0; first < values; first += VALUES_OF_FILL) {
            open.add(group.client().submit(ValuesMachine.fill(first, Math.min(VALUES_OF_FILL, values - first))));
            if (open.size() == FILLS_AT_ONCE) {
                open.forEach(CompletableFuture::join);
                open.clear();
            }
        }
        open.forEach(CompletableFuture::join);
    }

    /** Until nobody has fallen behind for a while: what follows the filling, on the disk and between replicas, is none of the load. */
    private static void rest(ReplicaGroup group) throws InterruptedException {
        int calm = 0;
        while (calm < CALM_POLLS) {
            Thread.sleep(CALM_POLL_MILLIS);
            boolean behind = false;
            for (int replica = 0; replica < ReplicaGroup.REPLICAS; replica++) {
                ReplicaStatus status = group.replica(replica).status();
                behind |= status.phase() != Phase.RUNNING || status.lagBatches() > 0;
            }
            calm = behind ? 0 : calm + 1;
        }
    }

    private static CompletableFuture<Bytes> put(ReplicaGroup group, int values) {
        byte[] value = new byte[VALUE_BYTES];
        ThreadLocalRandom.current().nextBytes(value);
        int number = ThreadLocalRandom.current().nextInt(values);
        return group.client().submit(ValuesMachine.put(number, Bytes.of(value)));
    }

    /** The fewest callers that bring half of what many bring. */
    private static int callers(ReplicaGroup group, int values) throws InterruptedException {
        var _ = Callers.measure(SATURATING_CALLERS, SATURATION_SECONDS, () -> put(group, values));
        double most = Callers.measure(SATURATING_CALLERS, SATURATION_SECONDS, () -> put(group, values))
                .perSecond();
        int callers = 1;
        double reached = 0;
        while (callers < SATURATING_CALLERS) {
            reached = Callers.measure(callers, SATURATION_SECONDS / 2, () -> put(group, values))
                    .perSecond();
            if (reached >= most / 2) {
                break;
            }
            callers *= 2;
        }
        System.out.println(String.format(
                Locale.ROOT,
                "%d callers: %.0f op/s; half the load: %d callers, %.0f op/s",
                SATURATING_CALLERS,
                most,
                callers,
                reached));
        return callers;
    }

    /** One T_w of load; each quarter of it something is done to the next replica. */
    private static Window window(
            ReplicaGroup group, int callers, int values, Recoveries recoveries, ToReplica quarterly)
            throws InterruptedException {
        AtomicBoolean over = new AtomicBoolean();
        AtomicLong operations = new AtomicLong();
        AtomicLong answeredNanos = new AtomicLong(System.nanoTime());
        AtomicLong longestNanos = new AtomicLong();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < callers; i++) {
            threads.add(Thread.ofVirtual().start(() -> {
                while (!over.get()) {
                    put(group, values).join();
                    operations.incrementAndGet();
                    long now = System.nanoTime();
                    longestNanos.accumulateAndGet(now - answeredNanos.getAndSet(now), Math::max);
                }
            }));
        }
        Thread.sleep(SETTLE_MILLIS);
        long from = nowMillis();
        long before = operations.get();
        long cpuNanos = cpuNanos();
        longestNanos.set(0);
        long quarterMillis = recoveries.watchdogMillis() / ReplicaGroup.REPLICAS;
        for (int replica = 0; replica < ReplicaGroup.REPLICAS; replica++) {
            quarterly.run(replica);
            Thread.sleep(Math.max(0, from + (replica + 1) * quarterMillis - nowMillis()));
        }
        double seconds = (nowMillis() - from) / 1e3;
        long done = operations.get() - before;
        double cpuOfOperation = (cpuNanos() - cpuNanos) / 1e9 / done;
        double longestMillis = longestNanos.get() / 1e6;
        over.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
        return new Window(done / seconds, cpuOfOperation, done, longestMillis);
    }

    private static Recovered recover(ReplicaGroup group, int replica) throws InterruptedException {
        long asked = nowMillis();
        group.recover(replica);
        while (!group.hasRecovered(replica)) {
            Thread.sleep(POLL_MILLIS);
        }
        OwnRecovery own = group.recovery(replica).own();
        long checked = Math.max(own.checkedMillis(), own.answeredMillis());
        return new Recovered(
                own.startedMillis() - asked,
                own.estimatedMillis() - own.startedMillis(),
                own.answeredMillis() - own.estimatedMillis(),
                checked - own.answeredMillis(),
                Math.max(0, own.recoveredMillis() - checked),
                own.recoveredMillis() - asked,
                own.checkedPages());
    }

    private static void printTimes(int megabytes, List<Recovered> recovered) {
        System.out.println(
                "| State, MB | recoveries | hand over and restart, s | estimation | request | check and fetch |"
                        + " stable at the point | total | longest | pages |");
        System.out.println("|---|---|---|---|---|---|---|---|---|---|");
        System.out.println(String.format(
                Locale.ROOT,
                "| %d | %d | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %d |",
                megabytes,
                recovered.size(),
                mean(recovered, Recovered::restart),
                mean(recovered, Recovered::estimate),
                mean(recovered, Recovered::request),
                mean(recovered, Recovered::check),
                mean(recovered, Recovered::reach),
                mean(recovered, Recovered::total),
                recovered.stream().mapToLong(Recovered::total).max().orElse(0) / 1e3,
                recovered.getLast().pages()));
    }

    private static double mean(List<Recovered> recovered, ToLongFunction<Recovered> millis) {
        return recovered.stream().mapToLong(millis).average().orElse(Double.NaN) / 1e3;
    }

    private static void printCost(
            int megabytes, int callers, Recoveries recoveries, List<Window> without, List<Window> with) {
        System.out.println("| State, MB | T_w, s | T_k, s | callers | without, op/s | with, op/s | cost |"
                + " CPU s per recovery | longest without an answer, ms: without / with |");
        System.out.println("|---|---|---|---|---|---|---|---|---|");
        for (int round = 0; round < without.size(); round++) {
            Window one = without.get(round);
            Window other = with.get(round);
            System.out.println(String.format(
                    Locale.ROOT,
                    "| %d | %d | %d | %d | %.0f | %.0f | %.1f%% | %.2f | %.0f / %.0f |",
                    megabytes,
                    recoveries.watchdogMillis() / 1_000,
                    recoveries.keyMillis() / 1_000,
                    callers,
                    one.perSecond(),
                    other.perSecond(),
                    100 * (1 - other.perSecond() / one.perSecond()),
                    (other.cpuOfOperation() - one.cpuOfOperation()) * other.operations() / ReplicaGroup.REPLICAS,
                    one.longestMillis(),
                    other.longestMillis()));
        }
    }

    private static long cpuNanos() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    private static long nowMillis() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
