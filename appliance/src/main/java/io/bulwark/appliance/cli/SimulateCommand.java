package io.bulwark.appliance.cli;

import io.bulwark.protocol.cluster.Protocol;
import io.bulwark.simulation.campaign.Campaign;
import io.bulwark.simulation.campaign.InvariantViolation;
import io.bulwark.simulation.campaign.Run;
import io.bulwark.simulation.campaign.Shape;
import io.bulwark.simulation.campaign.SimulatedProtocol;
import io.bulwark.simulation.engine.Trace;
import io.bulwark.simulation.exhaustive.TinyWorld;
import io.bulwark.simulation.extent.ExtentProtocol;
import io.bulwark.simulation.fp.FpParts;
import io.bulwark.simulation.fp.FpProtocol;
import io.bulwark.simulation.history.HistoryWriter;
import io.bulwark.simulation.locking.LockingProtocol;
import io.bulwark.simulation.object.ObjectParts;
import io.bulwark.simulation.object.ObjectProtocol;
import io.bulwark.simulation.ordering.MembersProtocol;
import io.bulwark.simulation.ordering.OrderingProtocol;
import io.bulwark.simulation.pasis.PasisParts;
import io.bulwark.simulation.pasis.PasisProtocol;
import io.bulwark.transport.file.FileFailure;
import io.bulwark.transport.file.OutputFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code simulate}: a campaign of simulated clusters, each from one seed, until time is up or an invariant is violated. */
@Command(
        name = "simulate",
        description = {
            "Run simulated clusters with faults, lying nodes and malicious clients for a given time.",
            "Stop at the first violation with exit code 1, and print its seed and the last events that concern it."
        })
final class SimulateCommand implements Callable<Integer> {
    private static final long PROGRESS_NANOS = 2_000_000_000L;
    private static final int EVENTS_SHOWN = 80;
    private static final int FRAMES_MAX = 20;
    private static final int LINE_LENGTH_MAX = 400;
    private static final int DEPTH = 200;
    private static final long STATES = 2_000_000;

    /** All that can be simulated. */
    private static final List<SimulatedProtocol> PROTOCOLS = List.of(
            new FpProtocol(),
            FpProtocol.replacing(FpParts.PRODUCTION),
            new PasisProtocol(),
            PasisProtocol.replacing(PasisParts.PRODUCTION),
            PasisProtocol.masking(PasisParts.PRODUCTION, false),
            PasisProtocol.masking(PasisParts.PRODUCTION, true),
            FpProtocol.changingPolicy(FpParts.PRODUCTION),
            PasisProtocol.changingPolicy(PasisParts.PRODUCTION, Protocol.PASIS),
            PasisProtocol.changingPolicy(PasisParts.PRODUCTION, Protocol.MASKING),
            new ExtentProtocol(),
            ExtentProtocol.pasis(),
            ExtentProtocol.archive(),
            new ObjectProtocol(),
            ObjectProtocol.pasis(),
            ObjectProtocol.archive(),
            ObjectProtocol.replacing(ObjectParts.PRODUCTION, Protocol.FP),
            ObjectProtocol.replacing(ObjectParts.PRODUCTION, Protocol.PASIS),
            ObjectProtocol.replacing(ObjectParts.PRODUCTION, Protocol.ARCHIVE),
            ObjectProtocol.changingPolicy(ObjectParts.PRODUCTION, Protocol.FP),
            ObjectProtocol.changingPolicy(ObjectParts.PRODUCTION, Protocol.PASIS),
            ObjectProtocol.changingPolicy(ObjectParts.PRODUCTION, Protocol.ARCHIVE),
            new OrderingProtocol(),
            new MembersProtocol(),
            new LockingProtocol());

    @Option(names = "--seed", description = "First seed; later runs take the following ones (default: from the clock).")
    private @Nullable Long seed;

    @Option(
            names = "--seconds",
            defaultValue = "10",
            description = "Duration; 0 for a single run (default: ${DEFAULT-VALUE}).")
    private double seconds;

    @Option(
            names = "--protocol",
            defaultValue = "fp",
            description = {
                "Simulated protocol: fp, pasis, masking, extent, extent-pasis, extent-archive, objects, objects-pasis,",
                "objects-archive, fp-replacing, pasis-replacing, masking-replacing, objects-replacing,",
                "objects-pasis-replacing, objects-archive-replacing, objects-policies, objects-pasis-policies,",
                "objects-archive-policies, ordering, members, locking",
                "(default: ${DEFAULT-VALUE}).",
            })
    private String protocol = "fp";

    @Option(
            names = "--nodes",
            description = "Number of nodes, at least m + 2f (not for ordering, members, locking). Default: each seed"
                    + " chooses.")
    private @Nullable Integer nodes;

    @Option(
            names = "--faults",
            description = "f: number of lying nodes or replicas. Default: each seed chooses 1 " + "or 2.")
    private @Nullable Integer faults;

    @Option(
            names = "--fragments",
            description =
                    "m: number of fragments that reconstruct a block, more than f (not for ordering). Default: each "
                            + "seed chooses.")
    private @Nullable Integer fragments;

    @Option(names = "--byzantine-clients", description = "Number of malicious clients. Default: each seed chooses.")
    private @Nullable Integer byzantineClients;

    @Option(names = "--steps", description = "Number of client operations in each run. Default: each seed chooses.")
    private @Nullable Integer steps;

    @Option(
            names = "--jobs",
            description = "Number of parallel runs, which do not influence each other (default: one per core).")
    private int jobs = Runtime.getRuntime().availableProcessors();

    @Option(
            names = "--history",
            description = "Write the history of the last run to this file, as JSON lines (not for extent).")
    private @Nullable Path history;

    @Option(
            names = "--exhaustive",
            description = {
                "Explore every delivery order of tiny worlds of the protocol (fp or extent) instead, within --seconds.",
                "Stop at the first violation with exit code 1, and print a shortest order that leads to it."
            })
    private boolean exhaustive;

    @Option(
            names = "--depth",
            description = "With --exhaustive: maximum number of steps in one order (default: " + DEPTH + ").")
    private @Nullable Integer depth;

    @Option(
            names = "--states",
            description = "With --exhaustive: maximum number of states of one world (default: " + STATES + ").")
    private @Nullable Long states;

    private long toldNanos;
    private volatile boolean over;

    @Override
    public Integer call() throws InterruptedException {
        SimulatedProtocol chosen = PROTOCOLS.stream()
                .filter(each -> each.name().equals(protocol.toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> wrong("--protocol is one of "
                        + PROTOCOLS.stream().map(SimulatedProtocol::name).collect(Collectors.joining(", "))));
        require(seconds >= 0, "--seconds is 0 or more");
        require(jobs >= 1, "--jobs is 1 or more");
        requireEffect(chosen);
        if (exhaustive) {
            return exhaust(chosen.name());
        }
        Shape shape = new Shape(
                optional(nodes), optional(faults), optional(fragments), optional(byzantineClients), optional(steps));
        long first = seed == null ? System.currentTimeMillis() : seed;
        try {
            shape.setting(first);
        } catch (IllegalArgumentException wrong) {
            throw wrong(String.valueOf(wrong.getMessage()));
        }
        long begun = System.nanoTime();
        toldNanos = begun;
        Campaign campaign = new Campaign(chosen, shape, first);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> tellOfInterruption(first, begun, campaign)));
        try {
            runAtOnce(() -> campaign.go(
                    () -> System.nanoTime() - begun >= seconds * 1e9, progress -> tell(first, begun, progress)));
        } finally {
            over = true;
        }
        Campaign.Progress end = campaign.progress();
        if (history != null) {
            write(history, end.run());
        }
        System.out.println(summary(first, begun, end));
        end.violation().ifPresent(violation -> print(end.run(), violation));
        return end.violation().isEmpty() ? 0 : CommandFailure.FAILED;
    }

    /** Rejects options that would have no effect, before anything runs. */
    private void requireEffect(SimulatedProtocol chosen) {
        boolean shaped =
                nodes != null || faults != null || fragments != null || byzantineClients != null || steps != null;
        require(
                !exhaustive || !(shaped || seed != null || history != null),
                "--exhaustive takes --protocol, --seconds, --depth and --states only");
        require(exhaustive || (depth == null && states == null), "--depth and --states are for --exhaustive");
        require(
                !hasReplicasOnly(chosen) || (nodes == null && fragments == null),
                "--protocol " + chosen.name() + " has 3f + 1 replicas and no fragments: give --faults only");
        if (history != null) {
            require(
                    !(chosen instanceof ExtentProtocol || chosen instanceof LockingProtocol),
                    "--history is for registers, objects and ordering: extents and locking are judged without one");
            Path directory = history.toAbsolutePath().getParent();
            require(
                    !Files.isDirectory(history) && directory != null && Files.isDirectory(directory),
                    "--history: cannot write " + history);
        }
    }

    private static boolean hasReplicasOnly(SimulatedProtocol chosen) {
        return chosen instanceof OrderingProtocol
                || chosen instanceof MembersProtocol
                || chosen instanceof LockingProtocol;
    }

    private static void require(boolean right, String rule) {
        if (!right) {
            throw wrong(rule);
        }
    }

    private static CommandFailure wrong(String rule) {
        return new CommandFailure(CommandFailure.USAGE, rule);
    }

    private static void write(Path file, Run run) {
        try {
            String lines = HistoryWriter.lines(run.world().history()).collect(Collectors.joining("\n", "", "\n"));
            OutputFile.write(file, lines);
        } catch (IOException e) {
            throw new CommandFailure(CommandFailure.FAILED, "cannot write " + FileFailure.text(e));
        }
    }

    /** Runs the job in as many threads as there are jobs, and throws the exception of any. */
    private void runAtOnce(Runnable job) throws InterruptedException {
        try (ExecutorService threads = Executors.newFixedThreadPool(jobs)) {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < jobs; i++) {
                running.add(threads.submit(job));
            }
            for (Future<?> each : running) {
                each.get();
            }
        } catch (ExecutionException failed) {
            throw new IllegalStateException("a run failed", failed.getCause());
        }
    }

    private int exhaust(String name) {
        List<TinyWorld> worlds = ExhaustiveSearch.worldsOf(name);
        int steps = depth == null ? DEPTH : depth;
        long most = states == null ? STATES : states;
        require(
                !worlds.isEmpty() && steps >= 1 && most >= 1,
                "--exhaustive is for fp and extent, with a --depth and --states of 1 or more");
        return new ExhaustiveSearch(steps, most, seconds).run(worlds);
    }

    private static OptionalInt optional(@Nullable Integer given) {
        return given == null ? OptionalInt.empty() : OptionalInt.of(given);
    }

    private void tell(long first, long begun, Campaign.Progress progress) {
        if (System.nanoTime() - toldNanos >= PROGRESS_NANOS) {
            toldNanos = System.nanoTime();
            System.err.println(summary(first, begun, progress));
        }
    }

    /** Reports what an interrupted campaign did; runs in progress do not count. */
    private void tellOfInterruption(long first, long begun, Campaign campaign) {
        if (!over) {
            System.out.println("interrupted after "
                    + campaign.standing()
                            .map(progress -> summary(first, begun, progress))
                            .orElse("less than one run"));
        }
    }

    private static String summary(long first, long begun, Campaign.Progress progress) {
        double elapsed = Math.max(1e-3, (System.nanoTime() - begun) / 1e9);
        return String.format(
                Locale.ROOT,
                "%.0f s: %s from seed %d, %s (%.0f/s), %s, %s%s",
                elapsed,
                Text.count(progress.runs(), "run"),
                first,
                Text.count(progress.operations(), "operation"),
                progress.operations() / elapsed,
                Text.count(progress.events(), "event"),
                progress.violation().isEmpty()
                        ? "no violation"
                        : "first violation at seed " + progress.run().setting().seed(),
                progress.undecided() == 0 ? "" : ", " + Text.count(progress.undecided(), "key") + " undecided");
    }

    private void print(Run run, InvariantViolation violation) {
        for (Trace.Entry entry : run.lastEvents(EVENTS_SHOWN)) {
            String line = entry.toString();
            System.out.println(line.length() <= LINE_LENGTH_MAX ? line : line.substring(0, LINE_LENGTH_MAX) + " ...");
        }
        System.out.println("faulty: " + run.world().faulty());
        System.out.println(run.setting());
        System.out.println("violated: " + violation.getMessage());
        Throwable thrown = violation.getCause();
        if (thrown != null) {
            Stream.of(thrown.getStackTrace()).limit(FRAMES_MAX).forEach(frame -> System.out.println("    at " + frame));
        }
        System.out.println("reproduce with: bulwark simulate --protocol " + protocol + " --seconds 0 --seed "
                + run.setting().seed() + given("--nodes", nodes) + given("--faults", faults)
                + given("--fragments", fragments) + given("--byzantine-clients", byzantineClients)
                + given("--steps", steps));
    }

    private static String given(String option, @Nullable Integer value) {
        return value == null ? "" : " " + option + " " + value;
    }
}
