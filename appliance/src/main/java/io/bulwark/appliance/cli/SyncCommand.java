package io.bulwark.appliance.cli;

import io.bulwark.appliance.transfer.TreeSync;
import io.bulwark.client.Bulwark;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sync DIR BUCKET[/PREFIX]}. */
@Command(name = "sync", description = "Store a directory tree, in parallel; only what changed.")
final class SyncCommand implements Callable<Integer> {
    private static final int SHOWN_MAX = 10;

    @Mixin
    private final ClusterAccess access = new ClusterAccess();

    @Parameters(index = "0", paramLabel = "DIR")
    private Path directory = Path.of("");

    @Parameters(index = "1", paramLabel = "BUCKET[/PREFIX]", converter = ObjectPath.Converter.class)
    private ObjectPath target = new ObjectPath("", "");

    @Option(names = "--delete", description = "Delete objects below the prefix whose file is gone.")
    private boolean delete;

    @Option(names = "--dry-run", description = "Only say what would be done.")
    private boolean dryRun;

    @Mixin
    private final ParallelOption parallel = new ParallelOption();

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (!Files.isDirectory(directory)) {
            throw new CommandFailure(CommandFailure.FAILED, directory + " is not a directory");
        }
        int atOnce = parallel.value();
        long start = System.nanoTime();
        try (Bulwark client = access.connect()) {
            TreeSync sync = new TreeSync(client.bucket(target.bucket()), target.key(), atOnce);
            TreeSync.Plan plan = sync.plan(directory);
            plan.skipped().stream()
                    .limit(SHOWN_MAX)
                    .forEach(name -> System.err.println(
                            "bulwark: left out, not a regular file of this tree: " + Text.printable(name)));
            if (dryRun) {
                access.global()
                        .print(
                                Map.of("changed", plan.changed().size(), "unchanged", plan.unchanged()),
                                "Would store " + Text.count(plan.changed().size(), "file") + " ("
                                        + Text.bytes(plan.bytes()) + ")"
                                        + (delete
                                                ? ", delete "
                                                        + Text.count(plan.gone().size(), "object")
                                                : "") + "; "
                                        + Text.count(plan.unchanged(), "file") + " unchanged.");
                return 0;
            }
            TreeSync.Result result;
            try (Progress progress =
                    Progress.of("sync", plan.bytes(), access.global().json())) {
                result = sync.run(plan, delete, progress::add);
            }
            report(plan, result, (System.nanoTime() - start) / 1e9);
            return result.failures().isEmpty() ? 0 : CommandFailure.FAILED;
        }
    }

    private void report(TreeSync.Plan plan, TreeSync.Result result, double seconds) {
        result.failures().stream()
                .limit(SHOWN_MAX)
                .forEach(line -> System.err.println("bulwark: " + Text.printable(line)));
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("stored", result.stored());
        json.put("bytes", result.bytes());
        json.put("unchanged", plan.unchanged());
        json.put("deleted", result.deleted());
        json.put("skipped", plan.skipped().size());
        json.put("emptyDirectories", plan.emptyDirectories());
        json.put("failed", result.failures().size());
        json.put("seconds", seconds);
        String text = String.format(
                Locale.ROOT,
                "Stored %s (%s) in %.1f s; %,d unchanged, %,d deleted, %,d left out, %,d failed%s.",
                Text.count(result.stored(), "file"),
                Text.bytes(result.bytes()),
                seconds,
                plan.unchanged(),
                result.deleted(),
                plan.skipped().size(),
                result.failures().size(),
                plan.emptyDirectories() == 0
                        ? ""
                        : "; objects cannot stand for " + Text.empty(plan.emptyDirectories()));
        access.global().print(json, text);
    }
}
