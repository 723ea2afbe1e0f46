package io.bulwark.storage.figures;

import static io.bulwark.storage.figures.FigureOutput.draw;
import static io.bulwark.storage.figures.FigureOutput.say;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.text.Chart;
import io.bulwark.client.text.Chart.Line;
import io.bulwark.client.text.Chart.Point;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.pasis.PasisGroup;
import io.bulwark.protocol.pasis.ReadPlanner;
import io.bulwark.protocol.pasis.ReadTuning;
import io.bulwark.protocol.pasis.ReadTuning.Optimism;
import io.bulwark.storage.figures.CappedLinks.Network;
import io.bulwark.storage.figures.Cells.Measurement;
import io.bulwark.storage.figures.Cells.Value;
import io.bulwark.storage.figures.FigureCluster.Measuring;
import io.bulwark.storage.figures.FigureCluster.Setup;
import io.bulwark.storage.figures.FigureCluster.Versions;
import io.bulwark.storage.figures.Load.Operation;
import io.bulwark.storage.figures.Load.Throughput;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Figures 4, 5 and 9 to 13 of the Agile Store paper: prints tables with ratios, and draws charts. Run on demand with
 * {@code -Dtest=AgileFiguresBenchmark#figure4}; docs/benchmarks.md has the commands. Each node asked sends a copy, except
 * in adapted reads, which are the product's, and in figures 12 and 13. Faulty nodes are {@link LyingServer}s.
 *
 * <ul>
 * <li>{@code bulwark.figures.charts}: directory of the SVG files.
 * <li>{@code bulwark.figures.rounds}: number of times that each cell is measured.
 * <li>{@code bulwark.figures.blockBytes}: size of the blocks of figures 5 and 9 to 11.
 * <li>{@code bulwark.figures.cap}: bandwidth of each node and client in each direction, in figures 4, 5 and 9 to 11, in
 * bytes per second; 0 for no limit.
 * <li>{@code bulwark.figures.delayMicros}: their network's delay of each direction.
 * <li>{@code bulwark.bench.seconds}: time of each measurement of throughput.
 * <li>{@code bulwark.bench.memory}: a directory in memory for the nodes' stores.
 * </ul>
 */
class AgileFiguresBenchmark {
    private static final int ROUNDS = Integer.getInteger("bulwark.figures.rounds", 12);
    private static final double SECONDS = Double.parseDouble(System.getProperty("bulwark.bench.seconds", "1.5"));
    private static final int RATE_ROUNDS = Math.max(1, ROUNDS / 4);
    private static final int BLOCK_BYTES = Integer.getInteger("bulwark.figures.blockBytes", 256 << 10);
    private static final long CAP = Long.getLong("bulwark.figures.cap", 0);
    private static final long DELAY_MICROS = Long.getLong("bulwark.figures.delayMicros", 0);
    private static final Network NETWORK = new Network(CAP, CAP, DELAY_MICROS);
    /** End of the names of charts, so that those over loopback remain. */
    private static final String LINKS = NETWORK.equals(Network.LOOPBACK) ? "" : "-links";

    private static final int LARGE_BLOCK_BYTES = 1 << 20;
    private static final int FILE_BLOCK_BYTES = 8 << 10;
    private static final int BLOCKS = 8;
    private static final int CLIENTS = 2;
    private static final int IN_FLIGHT = 2;
    private static final double WARM_SECONDS = 0.2;
    private static final long SETTLES_MILLIS = 30_000;
    private static final Versions VERSIONS = new Versions(true, 256 << 20, 1 << 16);

    /** Values of one line are so many operations in each round. */
    private static final int WRITES = 3;

    private static final int READS = 4;
    private static final int READS_AMONG_LIARS = 8;
    private static final int READS_OVER_LINKS = 2;

    private static final String WRITE = "write";
    private static final String QUORUM = "read, quorum";
    private static final String ALL = "read, n - b";
    private static final String PRODUCT = "read, adapted";
    private static final String FULL = "full";
    private static final String BLIND = "blind";
    private static final String OPTIMISTIC = "optimistic, b = 3";
    private static final String DYNAMIC = "dynamic, quorum";
    private static final String DYNAMIC_ALL = "dynamic, n - b";
    private static final String DRAWN = "drawn by nodes";
    private static final String PLANNED = "drawn by reader";
    private static final String ADAPTED = "adapted";

    /** Steps of p_h from 0 to 1. */
    private static final int STEPS = 10;
    /** Reads in which the number of copies adapts before it is measured: at least one trial of each neighbour ends. */
    private static final int ADAPTING_READS = 300;
    /** Bandwidths of figures 12 and 13, in Mbit/s. */
    private static final List<Integer> RATES = List.of(10, 30, 100);
    /** As over the slow link of 4.2: a round trip takes 40 ms. The paper does not give the delay of its WAN. */
    private static final long WAN_DELAY_MICROS = 20_000;

    /** Values of n in figure 4. */
    private static final int[] SIZES = {5, 9, 13, 17, 21};

    private final SplittableRandom random = new SplittableRandom(1);

    /** Latency of reads and writes of 1 MiB against n (4.1). */
    @Test
    void figure4() throws Exception {
        List<ProtectionPolicy> policies = IntStream.of(SIZES)
                .mapToObj(n -> ProtectionPolicy.masking(1, n, LARGE_BLOCK_BYTES))
                .toList();
        Cells cells = onFilled(policies, 1, NETWORK, cluster -> latencies(cluster, ProtectionPolicy::n));
        sayLatencies(cells, "n", SIZES);
        draw("agile-4" + LINKS, new Chart("Latency of 1 MiB, b = 1", "n", "ms", cells.lines()));
    }

    /** Latency and throughput against b, with 21 nodes (4.1). */
    @Test
    void figure5() throws Exception {
        List<ProtectionPolicy> policies = IntStream.rangeClosed(1, 5)
                .mapToObj(b -> ProtectionPolicy.masking(b, 21, BLOCK_BYTES))
                .toList();
        onFilled(policies, CLIENTS, NETWORK, cluster -> {
            Cells latencies = latencies(cluster, ProtectionPolicy::f);
            Cells rates = new Cells();
            for (ProtectionPolicy policy : policies) {
                rates.add(policy.f(), WRITE, () -> {
                    Value rate = throughput(cluster, Load.writesOf(cluster, policy), new AtomicLong());
                    settle(cluster);
                    return rate;
                });
                rates.add(policy.f(), QUORUM, () -> readThroughput(cluster, policy, ReadPlans.quorum()));
                rates.add(policy.f(), ALL, () -> readThroughput(cluster, policy, ReadPlans.full()));
            }
            rates.run(RATE_ROUNDS);
            sayLatencies(latencies, "b", 1, 2, 3, 4, 5);
            sayRates(rates, policies.size());
            draw("agile-5a" + LINKS, new Chart("Latency, n = 21", "b", "ms", latencies.lines()));
            draw("agile-5b" + LINKS, new Chart("Throughput, n = 21", "b", "MB/s", rates.lines()));
            return cluster;
        });
    }

    private Cells latencies(FigureCluster cluster, ToIntFunction<ProtectionPolicy> x)
            throws InterruptedException, ExecutionException {
        Cells cells = new Cells();
        for (ProtectionPolicy policy : cluster.setup().policies()) {
            int at = x.applyAsInt(policy);
            ReadPlans adapted = ReadPlans.of(new ReadPlanner(ReadTuning.adapted(), random));
            cells.add(at, WRITE, () -> {
                Value millis = Load.writes(cluster, policy, WRITES, random);
                settle(cluster);
                return millis;
            });
            cells.add(at, QUORUM, () -> Load.reads(cluster, policy, ReadPlans.quorum(), READS, random));
            cells.add(at, ALL, () -> Load.reads(cluster, policy, ReadPlans.full(), READS, random));
            cells.add(at, PRODUCT, () -> Load.reads(cluster, policy, adapted, READS, random));
        }
        cells.run(ROUNDS);
        return cells;
    }

    private static void sayLatencies(Cells cells, String name, int... xs) {
        int first = xs[0];
        say(
                "| %s | write, ms | read of a quorum, ms | read of n - b, ms | read, adapted, ms"
                        + " | write, quorum, n - b of those for %s = %d | quorum of adapted |",
                name, name, first);
        say("|---|---|---|---|---|---|---|");
        for (int x : xs) {
            say(
                    "| %d | %s | %s | %s | %s | %.2f, %.2f, %.2f | %.2f |",
                    x,
                    cells.sample(x, WRITE).text("%.2f"),
                    cells.sample(x, QUORUM).text("%.2f"),
                    cells.sample(x, ALL).text("%.2f"),
                    cells.sample(x, PRODUCT).text("%.2f"),
                    cells.ratio(x, WRITE, first, WRITE).median(),
                    cells.ratio(x, QUORUM, first, QUORUM).median(),
                    cells.ratio(x, ALL, first, ALL).median(),
                    cells.ratio(x, QUORUM, x, PRODUCT).median());
        }
    }

    private static void sayRates(Cells cells, int most) {
        say("%n| b | write, MB/s | read of a quorum, MB/s | read of n - b, MB/s | write, quorum, n - b of those"
                + " for b = 1 |");
        say("|---|---|---|---|---|");
        for (int b = 1; b <= most; b++) {
            say(
                    "| %d | %s | %s | %s | %.2f, %.2f, %.2f |",
                    b,
                    cells.sample(b, WRITE).text("%.1f"),
                    cells.sample(b, QUORUM).text("%.1f"),
                    cells.sample(b, ALL).text("%.1f"),
                    cells.ratio(b, WRITE, 1, WRITE).median(),
                    cells.ratio(b, QUORUM, 1, QUORUM).median(),
                    cells.ratio(b, ALL, 1, ALL).median());
        }
    }

    /** Read throughput with faulty nodes, optimistic against full (4.3). */
    @Test
    void figure9() throws Exception {
        ProtectionPolicy policy = ProtectionPolicy.masking(4, 17, BLOCK_BYTES);
        Cells cells = onFilled(List.of(policy), CLIENTS, NETWORK, cluster -> {
            Cells rates = new Cells();
            for (int f = 0; f <= policy.f(); f++) {
                Set<Integer> liars = firstNodes(f);
                rates.add(f, FULL, () -> {
                    cluster.setLiars(liars);
                    return readThroughput(cluster, policy, ReadPlans.full());
                });
                rates.add(f, BLIND, () -> {
                    cluster.setLiars(liars);
                    return readThroughput(cluster, policy, ReadPlans.copies(2 * policy.f() + 1));
                });
            }
            rates.run(RATE_ROUNDS);
            return rates;
        });
        say("| f | full, MB/s | blind, MB/s | blind of full | blind reads with a second round |");
        say("|---|---|---|---|---|");
        for (int f = 0; f <= policy.f(); f++) {
            say(
                    "| %d | %s | %s | %s | %.2f |",
                    f,
                    cells.sample(f, FULL).text("%.1f"),
                    cells.sample(f, BLIND).text("%.1f"),
                    cells.ratio(f, BLIND, f, FULL).text("%.2f"),
                    cells.secondRounds(f, BLIND));
        }
        draw("agile-9" + LINKS, new Chart("Read throughput, n = 17, b = 4", "faulty nodes", "MB/s", cells.lines()));
    }

    /** Read latency against delta, with faulty nodes (4.3). */
    @Test
    void figure10() throws Exception {
        ProtectionPolicy policy = ProtectionPolicy.masking(4, 17, BLOCK_BYTES);
        int most = policy.f();
        List<Integer> formula = new ArrayList<>();
        Cells cells = onFilled(List.of(policy), 1, NETWORK, cluster -> {
            Cells all = new Cells();
            for (int f = 0; f <= most; f++) {
                formula.add(estimatedDelta(cluster.group(policy, 0), f));
                for (int delta = 0; delta <= most; delta++) {
                    ReadPlans plans = ReadPlans.copies(2 * policy.f() + 1 + delta);
                    all.add(delta, "f = " + f, readsAmongLiars(cluster, policy, plans, f));
                }
            }
            all.run(ROUNDS);
            return all;
        });
        say("Milliseconds, with the share of reads that needed a second round. The formula's delta is bold.%n");
        say("| f | delta = 0 | 1 | 2 | 3 | 4 | formula's of the best |");
        say("|---|---|---|---|---|---|---|");
        for (int f = 0; f <= most; f++) {
            String line = "f = " + f;
            int chosen = formula.get(f);
            String row = IntStream.rangeClosed(0, most)
                    .mapToObj(delta -> String.format(
                            Locale.ROOT,
                            delta == chosen ? "**%.2f** (%.2f)" : "%.2f (%.2f)",
                            cells.sample(delta, line).median(),
                            cells.secondRounds(delta, line)))
                    .collect(Collectors.joining(" | "));
            int best = best(cells, line, most);
            say(
                    "| %d | %s | %s |",
                    f, row, cells.ratio(chosen, line, best, line).text("%.2f"));
        }
        draw("agile-10" + LINKS, new Chart("Read latency, n = 17, b = 4", "delta", "ms", cells.lines()));
    }

    private static int best(Cells cells, String line, int most) {
        return IntStream.rangeClosed(0, most)
                .boxed()
                .min(Comparator.comparingDouble(x -> cells.sample(x, line).mean()))
                .orElseThrow();
    }

    /** Optimistic reads of static quorums against dynamic quorums whose b is that of the faults, if at least 1 (4.3). */
    @Test
    void figure11() throws Exception {
        int n = 17;
        List<ProtectionPolicy> policies = IntStream.rangeClosed(1, 3)
                .mapToObj(b -> ProtectionPolicy.masking(b, n, BLOCK_BYTES))
                .toList();
        ProtectionPolicy fixed = policies.getLast();
        Cells cells = onFilled(policies, 1, NETWORK, cluster -> {
            Cells all = new Cells();
            for (int f = 0; f <= fixed.f(); f++) {
                ProtectionPolicy risen = policies.get(Math.max(1, f) - 1);
                int delta = estimatedDelta(cluster.group(fixed, 0), f);
                ReadPlans optimistic = ReadPlans.copies(2 * fixed.f() + 1 + delta);
                all.add(f, OPTIMISTIC, readsAmongLiars(cluster, fixed, optimistic, f));
                all.add(f, DYNAMIC, readsAmongLiars(cluster, risen, ReadPlans.quorum(), f));
                all.add(f, DYNAMIC_ALL, readsAmongLiars(cluster, risen, ReadPlans.full(), f));
            }
            all.run(ROUNDS);
            return all;
        });
        say("| f | optimistic, ms | second rounds | dynamic, quorum, ms | dynamic, n - b, ms"
                + " | optimistic of quorum | optimistic of n - b |");
        say("|---|---|---|---|---|---|---|");
        for (int f = 0; f <= fixed.f(); f++) {
            say(
                    "| %d | %s | %.2f | %s | %s | %s | %s |",
                    f,
                    cells.sample(f, OPTIMISTIC).text("%.2f"),
                    cells.secondRounds(f, OPTIMISTIC),
                    cells.sample(f, DYNAMIC).text("%.2f"),
                    cells.sample(f, DYNAMIC_ALL).text("%.2f"),
                    cells.ratio(f, OPTIMISTIC, f, DYNAMIC).text("%.2f"),
                    cells.ratio(f, OPTIMISTIC, f, DYNAMIC_ALL).text("%.2f"));
        }
        draw("agile-11" + LINKS, new Chart("Read latency, n = 17", "faulty nodes", "ms", cells.lines()));
    }

    /** Read latency against the hash probability on a LAN (4.4). */
    @Test
    void figure12() throws Exception {
        hashing("agile-12", "LAN", 0);
    }

    /** Read latency against the hash probability on a WAN (4.4). */
    @Test
    void figure13() throws Exception {
        hashing("agile-13", "WAN", WAN_DELAY_MICROS);
    }

    private void hashing(String file, String network, long delayMicros) throws Exception {
        ProtectionPolicy policy = ProtectionPolicy.masking(4, 17, FILE_BLOCK_BYTES);
        List<Line> lines = new ArrayList<>();
        List<String> adapted = new ArrayList<>();
        say("| Mbit/s | p_h | drawn by nodes, ms | second rounds | drawn by the reader, ms | second rounds |");
        say("|---|---|---|---|---|---|");
        for (int rate : RATES) {
            long bytesPerSecond = rate * 125_000L;
            ReadPlanner planner = planner(OptionalDouble.empty());
            Cells cells = onFilled(
                    List.of(policy),
                    1,
                    new Network(bytesPerSecond, bytesPerSecond, delayMicros),
                    cluster -> hashed(cluster, policy, planner));
            for (int step = 0; step <= STEPS; step++) {
                say(
                        "| %d | %.1f | %.2f | %.2f | %.2f | %.2f |",
                        rate,
                        (double) step / STEPS,
                        cells.sample(step, DRAWN).mean(),
                        cells.secondRounds(step, DRAWN),
                        cells.sample(step, PLANNED).mean(),
                        cells.secondRounds(step, PLANNED));
            }
            adapted.add(adapted(rate, cells, planner.statistics(), policy));
            for (String line : List.of(DRAWN, PLANNED)) {
                double whole = cells.sample(0, line).mean();
                List<Point> points = cells.line(line, sample -> sample.mean() / whole).points().stream()
                        .map(point -> new Point(point.x() / STEPS, point.y()))
                        .toList();
                lines.add(new Line(rate + " Mbit/s, " + (line.equals(DRAWN) ? "nodes" : "reader"), points));
            }
        }
        say("%n| Mbit/s | best p_h, nodes | best p_h, reader | best, ms | adapted, ms | its p_h | adapted of the"
                + " best |");
        say("|---|---|---|---|---|---|---|");
        adapted.forEach(row -> say("%s", row));
        draw(file, new Chart("Read latency, " + network, "hash probability", "of p_h = 0", lines));
    }

    /** All steps of p_h, and the latency with the number of copies that adapts. */
    private Cells hashed(FigureCluster cluster, ProtectionPolicy policy, ReadPlanner planner)
            throws InterruptedException, ExecutionException {
        Cells cells = new Cells();
        ReadPlans adapted = ReadPlans.of(planner);
        var _ = Load.reads(cluster, policy, adapted, ADAPTING_READS, random);
        for (int step = 0; step <= STEPS; step++) {
            double hashProbability = (double) step / STEPS;
            ReadPlans drawn = ReadPlans.drawn(hashProbability);
            ReadPlans planned = ReadPlans.of(planner(OptionalDouble.of(hashProbability)));
            cells.add(step, DRAWN, () -> Load.reads(cluster, policy, drawn, READS_OVER_LINKS, random));
            cells.add(step, PLANNED, () -> Load.reads(cluster, policy, planned, READS_OVER_LINKS, random));
        }
        cells.add(0, ADAPTED, () -> Load.reads(cluster, policy, adapted, 2 * READS_OVER_LINKS, random));
        cells.run(ROUNDS);
        return cells;
    }

    private static String adapted(int rate, Cells cells, ReadPlanner.Statistics statistics, ProtectionPolicy policy) {
        int best = best(cells, PLANNED, STEPS);
        double copies = (double) statistics.bytes() / statistics.reads() / policy.blockBytes();
        return String.format(
                Locale.ROOT,
                "| %d | %.1f | %.1f | %.2f | %.2f | %.2f | %s |",
                rate,
                (double) best(cells, DRAWN, STEPS) / STEPS,
                (double) best / STEPS,
                cells.sample(best, PLANNED).mean(),
                cells.sample(0, ADAPTED).mean(),
                1 - copies / (policy.n() - policy.f()),
                cells.ratio(0, ADAPTED, best, PLANNED).text("%.2f"));
    }

    private ReadPlanner planner(OptionalDouble hashProbability) {
        return new ReadPlanner(new ReadTuning(Optimism.FULL, hashProbability), random);
    }

    /** Returns the delta of the product for so many faults: ceil(f (q_r - b) / (n - f)). */
    private int estimatedDelta(PasisGroup group, int faults) {
        ReadTuning tuning = new ReadTuning(Optimism.ESTIMATED, OptionalDouble.of(0));
        return new ReadPlanner(tuning, random).plan(group, firstNodes(faults)).delta();
    }

    private Measurement readsAmongLiars(FigureCluster cluster, ProtectionPolicy policy, ReadPlans plans, int faults) {
        return () -> {
            cluster.setLiars(firstNodes(faults));
            return Load.reads(cluster, policy, plans, READS_AMONG_LIARS, random);
        };
    }

    private static Set<Integer> firstNodes(int number) {
        return IntStream.range(0, number).boxed().collect(Collectors.toSet());
    }

    private static Value readThroughput(FigureCluster cluster, ProtectionPolicy policy, ReadPlans plans)
            throws InterruptedException {
        AtomicLong secondRounds = new AtomicLong();
        return throughput(cluster, Load.readsOf(cluster, policy, plans, secondRounds), secondRounds);
    }

    private static Value throughput(FigureCluster cluster, Operation operation, AtomicLong secondRounds)
            throws InterruptedException {
        Throughput rate = Load.throughput(
                cluster, operation, IN_FLIGHT, Long.MAX_VALUE, WARM_SECONDS, SECONDS, secondRounds::get);
        return new Value(rate.megabytesPerSecond(), (double) rate.counted() / Math.max(1, rate.operations()));
    }

    /** Measures on a cluster whose blocks have been written and verified. */
    private static <T> T onFilled(List<ProtectionPolicy> policies, int clients, Network network, Measuring<T> measuring)
            throws Exception {
        return FigureCluster.measure(new Setup(policies, BLOCKS, clients, VERSIONS, network), cluster -> {
            for (ProtectionPolicy policy : policies) {
                Load.fill(cluster, policy);
            }
            settle(cluster);
            return measuring.on(cluster);
        });
    }

    private static void settle(FigureCluster cluster) throws InterruptedException {
        for (ProtectionPolicy policy : cluster.setup().policies()) {
            assertThat(cluster.settles(policy, SETTLES_MILLIS))
                    .as("all is verified")
                    .isTrue();
        }
    }
}
