package io.bulwark.appliance.cli;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import io.bulwark.appliance.cluster.DataDirectory;
import io.bulwark.appliance.transfer.LockingRun;
import io.bulwark.appliance.transfer.LockingRun.Pair;
import io.bulwark.appliance.transfer.LockingRun.Side;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/** {@code bench locking}: tables of operations with everything ordered, and with locks. */
final class LockingBench {
    private static final int[] CALLERS = {1, 8, 16, 32};
    private static final int[] LENGTHS = {1, 2, 5, 10, 20, 50, 100, 500};
    private static final int SEVERAL = 8;
    private static final int FILES_PER_DIRECTORY = 25;

    private final ClusterAccess access;
    private final double seconds;
    private final int files;
    private final boolean silence;

    /**
     * @param files number of those that are synchronized
     * @param silence whether to measure with one replica silent, too
     */
    LockingBench(ClusterAccess access, double seconds, int files, boolean silence) {
        this.access = access;
        this.seconds = seconds;
        this.files = files;
        this.silence = silence;
    }

    int run(String bucket) throws InterruptedException {
        OptionalLong silent = silence ? OptionalLong.of(replica()) : OptionalLong.empty();
        Map<String, List<Pair>> tables = new LinkedHashMap<>();
        List<String> failures;
        try (LockingRun run = new LockingRun(
                locking -> access.connect(config -> config.withLocking(locking)), appliance(), bucket, seconds)) {
            List<Pair> operations = new ArrayList<>();
            for (LockingRun.Kind kind : LockingRun.Kind.values()) {
                for (int callers : CALLERS) {
                    operations.add(run.operations(kind, callers));
                }
            }
            tables.put("operations", operations);
            List<Pair> lengths = new ArrayList<>();
            for (int length : LENGTHS) {
                lengths.add(run.runsOf(length));
            }
            tables.put("creates between two locks", lengths);
            tables.put(
                    "loads",
                    List.of(
                            run.contention(SEVERAL),
                            run.smallFiles(SEVERAL),
                            run.sync(files, Math.max(1, files / FILES_PER_DIRECTORY), 2 * SEVERAL)));
            if (silent.isPresent()) {
                tables.put("creates with all replicas", creates(run));
                tables.put("creates with one replica silent", silenced(run, silent.getAsLong()));
            }
            failures = run.failures();
        } catch (IOException e) {
            throw new CommandFailure(CommandFailure.FAILED, "no files to synchronize: " + e.getMessage());
        }
        failures.stream().limit(5).forEach(line -> System.err.println("bulwark: " + line));
        print(tables, failures.size());
        return failures.isEmpty() ? 0 : CommandFailure.FAILED;
    }

    /** Returns the process of a replica alone. */
    private long replica() {
        return StatusCommand.ask(access).members().stream()
                .filter(member -> member.name().startsWith("replica-") && member.pid() != null)
                .mapToLong(member -> Objects.requireNonNull(member.pid()))
                .max()
                .orElseThrow(() -> new CommandFailure(
                        CommandFailure.FAILED,
                        "no replica has a process of its own here: start the appliance with `up --processes`"));
    }

    /** Measures while a replica takes everything and answers nothing (figure 5.5.8). */
    private List<Pair> silenced(LockingRun run, long pid) throws IOException, InterruptedException {
        signal("STOP", pid);
        try {
            return creates(run);
        } finally {
            signal("CONT", pid);
        }
    }

    private static List<Pair> creates(LockingRun run) throws InterruptedException {
        List<Pair> pairs = new ArrayList<>();
        for (int callers : CALLERS) {
            pairs.add(run.operations(LockingRun.Kind.CREATE, callers));
        }
        return pairs;
    }

    private static void signal(String name, long pid) throws IOException, InterruptedException {
        int code = new ProcessBuilder("kill", "-" + name, Long.toString(pid))
                .inheritIO()
                .start()
                .waitFor();
        if (code != 0) {
            throw new IOException("kill -" + name + " " + pid + " ended with " + code);
        }
    }

    /** Returns the process of the appliance, whose processor time counts, if it runs on this machine. */
    private Optional<ProcessHandle> appliance() {
        try {
            OptionalLong holder = DataDirectory.at(access.global().data()).holder();
            return holder.isEmpty() ? Optional.empty() : ProcessHandle.of(holder.getAsLong());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private void print(Map<String, List<Pair>> tables, int failed) {
        Map<String, List<PairView>> views = new LinkedHashMap<>();
        List<String> texts = new ArrayList<>();
        tables.forEach((title, pairs) -> {
            views.put(title, pairs.stream().map(PairView::of).toList());
            texts.add(title + System.lineSeparator() + table(pairs));
        });
        access.global()
                .print(
                        new TablesView(views, failed),
                        String.join(System.lineSeparator() + System.lineSeparator(), texts));
    }

    private static String table(List<Pair> pairs) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of(
                "OPERATION",
                "CALLERS",
                "ORDERED/S",
                "LOCKED/S",
                "GAIN",
                "P50 MS",
                "LOCKED",
                "CLIENT CPU MS",
                "LOCKED",
                "SERVER CPU MS",
                "LOCKED"));
        for (Pair pair : pairs) {
            rows.add(List.of(
                    pair.what(),
                    Integer.toString(pair.callers()),
                    Text.number("%.0f", pair.off().perSecond()),
                    Text.number("%.0f", pair.auto().perSecond()),
                    Text.number("%.2f", pair.gain()),
                    Text.number("%.2f", pair.off().micros().getValueAtPercentile(50) / 1000.0),
                    Text.number("%.2f", pair.auto().micros().getValueAtPercentile(50) / 1000.0),
                    Text.number("%.2f", pair.off().clientMillisEach()),
                    Text.number("%.2f", pair.auto().clientMillisEach()),
                    Text.number("%.2f", pair.off().serverMillisEach()),
                    Text.number("%.2f", pair.auto().serverMillisEach())));
        }
        return Text.table(rows);
    }

    /** @param tables by their titles, which become fields */
    private record TablesView(@JsonAnyGetter Map<String, List<PairView>> tables, int failed) {}

    private record PairView(String what, int callers, double gain, SideView off, SideView auto) {
        static PairView of(Pair pair) {
            return new PairView(
                    pair.what(), pair.callers(), pair.gain(), SideView.of(pair.off()), SideView.of(pair.auto()));
        }
    }

    private record SideView(
            double operationsPerSecond,
            long p50Micros,
            double clientProcessorMillisPerOperation,
            double serverProcessorMillisPerOperation) {
        static SideView of(Side side) {
            return new SideView(
                    side.perSecond(),
                    side.micros().getValueAtPercentile(50),
                    side.clientMillisEach(),
                    side.serverMillisEach());
        }
    }
}
