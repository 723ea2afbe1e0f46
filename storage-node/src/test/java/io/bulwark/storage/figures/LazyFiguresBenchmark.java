package io.bulwark.storage.figures;

import static io.bulwark.storage.figures.FigureOutput.draw;
import static io.bulwark.storage.figures.FigureOutput.say;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.text.Chart;
import io.bulwark.client.text.Chart.Line;
import io.bulwark.client.text.Chart.Point;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.control.NodeControlMessage.VersionsReport;
import io.bulwark.protocol.pasis.PasisGroup;
import io.bulwark.storage.figures.CappedLinks.Network;
import io.bulwark.storage.figures.FigureCluster.Setup;
import io.bulwark.storage.figures.FigureCluster.Versions;
import io.bulwark.storage.figures.Load.Latencies;
import io.bulwark.storage.figures.Load.Throughput;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/**
 * Figures 3, 4 and 5 of the lazy verification paper: prints tables with ratios, and draws charts. Run on demand with
 * {@code -Dtest=LazyFiguresBenchmark#figure3}; docs/benchmarks.md has the commands.
 *
 * <ul>
 * <li>{@code bulwark.figures.charts}: directory of the SVG files.
 * <li>{@code bulwark.figures.rounds}: number of passes of figure 3 through the policies.
 * <li>{@code bulwark.figures.blocks}: number of blocks from which the writers of figures 4 and 5b choose (4,096 in the
 * paper; history pools keep their proportion to them).
 * <li>{@code bulwark.bench.seconds}: measured time of each of their cells.
 * <li>{@code bulwark.figures.cap}: bandwidth of each node in each direction, in {@code figure4Capped}, in bytes per
 * second.
 * <li>{@code bulwark.bench.memory}: a directory in memory for the nodes' stores.
 * </ul>
 */
class LazyFiguresBenchmark {
    private static final double SECONDS = Double.parseDouble(System.getProperty("bulwark.bench.seconds", "3"));
    private static final int ROUNDS = Integer.getInteger("bulwark.figures.rounds", 16);
    private static final int BLOCKS = Integer.getInteger("bulwark.figures.blocks", 512);
    private static final long CAP = Long.getLong("bulwark.figures.cap", 8 << 20);

    private static final int BLOCK_BYTES = 32 << 10;
    private static final long LARGE_POOL_BYTES = 1L << 30;
    private static final int NO_BOUND = 1 << 16;
    private static final Versions LARGE = new Versions(true, LARGE_POOL_BYTES, NO_BOUND);
    private static final int IN_FLIGHT = 8;
    private static final double WARM_SECONDS_MAX = 30;
    private static final List<Verification> POLICIES =
            List.of(Verification.WRITE_TIME, Verification.READ_TIME, Verification.LAZY);

    /** One line of figure 4. */
    private record Way(String name, Verification policy, boolean cooperative) {}

    private static final List<Way> WAYS = List.of(
            new Way("none", Verification.NONE, true),
            new Way("lazy + coop", Verification.LAZY, true),
            new Way("lazy", Verification.LAZY, false),
            new Way("write-time", Verification.WRITE_TIME, true));

    /** History pools as multiples of what one node's fragments of all blocks take: 96 to 896 MB of the paper's 64. */
    private static final double[] POOLS = {1.5, 3, 6, 11, 14};

    /** Latencies of writes and reads under the three policies, a pause of 10 ms after each operation (5.2). */
    @Test
    void figure3() throws Exception {
        int blocks = 256;
        int pairs = 20;
        Map<Verification, List<Point>> writes = new EnumMap<>(Verification.class);
        Map<Verification, List<Point>> reads = new EnumMap<>(Verification.class);
        say("| b | write, ms: write-time / read-time / lazy | read, ms: write-time / read-time / lazy"
                + " | lazy write of read-time's | lazy read of write-time's |");
        say("|---|---|---|---|---|");
        for (int b = 1; b <= 3; b++) {
            Setup setup = setup(b, POLICIES, blocks, 1, LARGE, Network.LOOPBACK);
            Map<Verification, List<Latencies>> measured =
                    FigureCluster.measure(setup, cluster -> rounds(cluster, pairs));
            for (Verification policy : POLICIES) {
                add(
                        writes,
                        policy,
                        new Point(
                                b, medians(measured, policy, Latencies::writes).median()));
                add(
                        reads,
                        policy,
                        new Point(b, medians(measured, policy, Latencies::reads).median()));
            }
            say(
                    "| %d | %s | %s | %s | %s |",
                    b,
                    last(writes),
                    last(reads),
                    ratio(measured, Verification.READ_TIME, Latencies::writes).text("%.2f"),
                    ratio(measured, Verification.WRITE_TIME, Latencies::reads).text("%.2f"));
        }
        draw("lazy-3a", new Chart("Write latency", "b, with N = 4b + 1 nodes", "ms", named(writes)));
        draw("lazy-3b", new Chart("Read latency", "b, with N = 4b + 1 nodes", "ms", named(reads)));
    }

    /** All policies in turn, on the same nodes; some rounds before those that count, for the compiler. */
    private static Map<Verification, List<Latencies>> rounds(FigureCluster cluster, int pairs)
            throws InterruptedException, ExecutionException {
        SplittableRandom random = new SplittableRandom(1);
        Map<Verification, List<Latencies>> measured = new EnumMap<>(Verification.class);
        for (Verification policy : POLICIES) {
            Load.fill(cluster, cluster.setup().policy(policy));
        }
        int warm = Math.max(1, ROUNDS / 4);
        for (int round = 0; round < warm + ROUNDS; round++) {
            List<Verification> turn = new ArrayList<>(POLICIES);
            Collections.rotate(turn, round);
            for (Verification policy : turn) {
                // Let lazy verification finish its remaining work, so that it does not disturb the other policies.
                var _ = cluster.settles(cluster.setup().policy(Verification.LAZY), 2_000);
                Latencies latencies = Load.mixed(cluster, cluster.setup().policy(policy), pairs, random);
                if (round >= warm) {
                    measured.computeIfAbsent(policy, _ -> new ArrayList<>()).add(latencies);
                }
            }
        }
        return measured;
    }

    /** Write throughput against the size of the history pool, without idle time (5.3). */
    @Test
    void figure4() throws Exception {
        throughputs("lazy-4", "Write throughput without idle time", BLOCKS, 0);
    }

    /** The same where each node's network is the bottleneck, as it was in the paper, and not the processor that all share. */
    @Test
    void figure4Capped() throws Exception {
        String title = String.format(Locale.ROOT, "Write throughput, %.0f MiB/s for each node", CAP / 1048576.0);
        throughputs("lazy-4-capped", title, BLOCKS / 2, CAP);
    }

    private void throughputs(String file, String title, int blocks, long cap) throws Exception {
        warmUp();
        long workingSet = (long) blocks * BLOCK_BYTES / 2;
        Map<String, List<Point>> lines = new LinkedHashMap<>();
        say("| pool of the working set | pool, MiB | none, MB/s | lazy + coop | lazy | write-time | lazy + coop of"
                + " none | lazy + coop of write-time | lazy + coop of lazy | writes per verification of a node,"
                + " coop / alone |");
        say("|---|---|---|---|---|---|---|---|---|---|");
        for (double pool : POOLS) {
            Map<String, Throughput> row = new LinkedHashMap<>();
            long poolBytes = (long) (pool * workingSet);
            for (Way way : WAYS) {
                Setup setup = setup(
                        1,
                        List.of(way.policy),
                        blocks,
                        4,
                        new Versions(way.cooperative, poolBytes, NO_BOUND),
                        Network.ofNodes(cap));
                // Until the pool is full, and a little longer.
                long warm = way.policy == Verification.LAZY ? poolBytes * 5 / 4 / (BLOCK_BYTES / 2) : blocks;
                Throughput measured = FigureCluster.measure(setup, cluster -> measured(cluster, way.policy, warm));
                row.put(way.name, measured);
                lines.computeIfAbsent(way.name, _ -> new ArrayList<>())
                        .add(new Point(pool, measured.megabytesPerSecond()));
            }
            say(
                    "| %.1f | %.0f | %.1f | %.1f | %.1f | %.1f | %.2f | %.2f | %.2f | %.1f / %.1f |",
                    pool,
                    poolBytes / 1048576.0,
                    rate(row, "none"),
                    rate(row, "lazy + coop"),
                    rate(row, "lazy"),
                    rate(row, "write-time"),
                    rate(row, "lazy + coop") / rate(row, "none"),
                    rate(row, "lazy + coop") / rate(row, "write-time"),
                    rate(row, "lazy + coop") / rate(row, "lazy"),
                    perVerification(row, "lazy + coop"),
                    perVerification(row, "lazy"));
        }
        draw(file, new Chart(title, "history pool of a node, as a multiple of its working set", "MB/s", lines(lines)));
    }

    private static Throughput measured(FigureCluster cluster, Verification verification, long warmWrites)
            throws InterruptedException {
        ProtectionPolicy policy = cluster.setup().policy(verification);
        return Load.throughput(
                cluster,
                Load.writesOf(cluster, policy),
                IN_FLIGHT,
                warmWrites,
                WARM_SECONDS_MAX,
                SECONDS,
                () -> cluster.sum(policy, VersionsReport::verifications));
    }

    private static double rate(Map<String, Throughput> row, String way) {
        return of(row, way).megabytesPerSecond();
    }

    /** Each write comes to all five nodes. */
    private static double perVerification(Map<String, Throughput> row, String way) {
        Throughput measured = of(row, way);
        return 5.0 * measured.operations() / Math.max(1, measured.counted());
    }

    private static Throughput of(Map<String, Throughput> row, String way) {
        Throughput measured = row.get(way);
        if (measured == null) {
            throw new IllegalStateException(way + " was not measured");
        }
        return measured;
    }

    /** Reads behind poisonous writes, without and with lazy verification (5.4). */
    @Test
    void figure5a() throws Exception {
        int most = 10;
        int blocks = 8;
        List<Verification> policies = List.of(Verification.READ_TIME, Verification.LAZY);
        Setup setup = setup(1, policies, (most + 1) * blocks, 2, LARGE, Network.LOOPBACK);
        Map<Verification, List<List<Double>>> measured =
                FigureCluster.measure(setup, cluster -> readsBehind(cluster, policies, most, blocks));
        Map<Verification, List<Point>> lines = new EnumMap<>(Verification.class);
        say("| poisonous writes | read, ms, without lazy verification | with | without of with |");
        say("|---|---|---|---|");
        for (int count = 0; count <= most; count++) {
            for (Verification policy : policies) {
                double median = Sample.of(of(measured, policy).get(count)).median();
                add(lines, policy, new Point(count, median));
            }
            Sample without = Sample.of(of(measured, Verification.READ_TIME).get(count));
            Sample lazily = Sample.of(of(measured, Verification.LAZY).get(count));
            say(
                    "| %d | %s | %s | %.2f |",
                    count, without.text("%.2f"), lazily.text("%.2f"), without.median() / lazily.median());
        }
        draw("lazy-5a", new Chart("Read latency behind poisonous writes", "poisonous writes", "ms", named(lines)));
    }

    /** By policy and number of poisonous writes: milliseconds. */
    private static Map<Verification, List<List<Double>>> readsBehind(
            FigureCluster cluster, List<Verification> policies, int most, int blocks)
            throws InterruptedException, ExecutionException {
        SplittableRandom random = new SplittableRandom(2);
        Map<Verification, List<List<Double>>> measured = new EnumMap<>(Verification.class);
        for (Verification policy : policies) {
            Load.fill(cluster, cluster.setup().policy(policy));
            for (int block = 0; block < (most + 1) * blocks; block++) {
                for (int i = 0; i < block / blocks; i++) {
                    PasisGroup group = cluster.group(cluster.setup().policy(policy), block);
                    int taken = cluster.poison(1, group, 100 + i, random).get();
                    assertThat(taken).as("nodes that took a poisonous write").isGreaterThanOrEqualTo(4);
                }
            }
        }
        assertThat(cluster.settles(cluster.setup().policy(Verification.LAZY), 30_000))
                .as("all is verified, or discarded")
                .isTrue();
        int warm = 4 * ROUNDS;
        for (int round = 0; round < warm + 4 * ROUNDS; round++) {
            for (int count = 0; count <= most; count++) {
                for (Verification policy : policies) {
                    PasisGroup group = cluster.group(cluster.setup().policy(policy), count * blocks + round % blocks);
                    long begun = System.nanoTime();
                    var _ = cluster.read(0, group).get();
                    double millis = (System.nanoTime() - begun) / 1e6;
                    List<List<Double>> all = measured.computeIfAbsent(policy, _ -> new ArrayList<>());
                    if (all.size() == count) {
                        all.add(new ArrayList<>());
                    }
                    if (round >= warm) {
                        all.get(count).add(millis);
                    }
                }
            }
        }
        return measured;
    }

    /** Write throughput of one client against the bound of possible versions per client and block (5.4). */
    @Test
    void figure5b() throws Exception {
        warmUp();
        List<Point> line = new ArrayList<>();
        Map<Integer, Throughput> measured = new LinkedHashMap<>();
        List<Integer> bounds = List.of(1, 2, 3, 4, 5, 6, 8, 10);
        for (int bound : bounds) {
            Setup setup = setup(
                    1,
                    List.of(Verification.LAZY),
                    BLOCKS,
                    1,
                    new Versions(true, LARGE_POOL_BYTES, bound),
                    Network.LOOPBACK);
            // Until most blocks have met their bound.
            Throughput rate = FigureCluster.measure(
                    setup, cluster -> measured(cluster, Verification.LAZY, (long) BLOCKS * Math.min(bound + 1, 6)));
            measured.put(bound, rate);
            line.add(new Point(bound, rate.megabytesPerSecond()));
        }
        double best = line.stream().mapToDouble(Point::y).max().orElse(1);
        say("| possible versions per client and block | MB/s | of the best | writes per verification of a node |");
        say("|---|---|---|---|");
        measured.forEach((bound, rate) -> say(
                "| %d | %.1f | %.2f | %.1f |",
                bound,
                rate.megabytesPerSecond(),
                rate.megabytesPerSecond() / best,
                5.0 * rate.operations() / Math.max(1, rate.counted())));
        draw(
                "lazy-5b",
                new Chart(
                        "Write throughput of one client",
                        "possible versions per client and block",
                        "MB/s",
                        List.of(new Line("lazy + coop", line))));
    }

    /** The compiler's first work belongs to nobody. */
    private static void warmUp() throws Exception {
        for (Way way : List.of(WAYS.getLast(), WAYS.getFirst(), WAYS.get(1))) {
            Setup setup = setup(
                    1, List.of(way.policy), 64, 4, new Versions(true, 64L * BLOCK_BYTES, NO_BOUND), Network.LOOPBACK);
            var _ = FigureCluster.measure(setup, cluster -> measured(cluster, way.policy, 64));
        }
    }

    private static Setup setup(
            int b, List<Verification> policies, int blocks, int clients, Versions versions, Network network) {
        return new Setup(
                policies.stream()
                        .map(policy -> ProtectionPolicy.pasis(b, b + 1, 4 * b + 1, BLOCK_BYTES, policy))
                        .toList(),
                blocks,
                clients,
                versions,
                network);
    }

    private static Sample medians(
            Map<Verification, List<Latencies>> measured, Verification policy, Function<Latencies, Sample> which) {
        return Sample.of(of(measured, policy).stream()
                .map(each -> which.apply(each).median())
                .toList());
    }

    /** Returns the ratio of lazy verification to another policy, round by round. */
    private static Sample ratio(
            Map<Verification, List<Latencies>> measured, Verification other, Function<Latencies, Sample> which) {
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            ratios.add(which.apply(of(measured, Verification.LAZY).get(round)).median()
                    / which.apply(of(measured, other).get(round)).median());
        }
        return Sample.of(ratios);
    }

    private static <T> List<T> of(Map<Verification, List<T>> measured, Verification policy) {
        return measured.getOrDefault(policy, List.of());
    }

    private static void add(Map<Verification, List<Point>> lines, Verification policy, Point point) {
        lines.computeIfAbsent(policy, _ -> new ArrayList<>()).add(point);
    }

    private static String last(Map<Verification, List<Point>> lines) {
        return String.join(
                " / ",
                POLICIES.stream()
                        .map(policy -> String.format(
                                Locale.ROOT, "%.2f", of(lines, policy).getLast().y()))
                        .toList());
    }

    private static List<Line> named(Map<Verification, List<Point>> points) {
        return points.entrySet().stream()
                .map(each -> new Line(each.getKey().text(), each.getValue()))
                .toList();
    }

    private static List<Line> lines(Map<String, List<Point>> points) {
        return points.entrySet().stream()
                .map(each -> new Line(each.getKey(), each.getValue()))
                .toList();
    }
}
