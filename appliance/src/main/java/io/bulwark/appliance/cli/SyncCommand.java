package io.bulwark.appliance.cli;

import io.bulwark.appliance.transfer.TreeSync;
import io.bulwark.client.Bulwark;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sync DIR BUCKET[/PREFIX]}. */
@Command(
        name = "sync",
        description = {
            "Store the changed files of a directory tree, in parallel.",
            "Exit code 1 if a file could not be read or stored."
        })
final class SyncCommand implements Callable<Integer> {
    private static final int SHOWN_MAX = 10;

    @Mixin
    private final ClusterAccess access = new ClusterAccess();

    @Parameters(index = "0", paramLabel = "DIR")
    private Path directory = Path.of("");

    @Parameters(index = "1", paramLabel = "BUCKET[/PREFIX]", converter = ObjectPath.Converter.class)
    private ObjectPath target = new ObjectPath("", "");

    @Option(
            names = "--delete",
            description = {
                "After all files are stored, delete the objects below the prefix that have no file any more.",
                "Objects below unreadable or skipped directories are kept; an empty DIR deletes nothing."
            })
    private boolean delete;

    @Option(names = "--dry-run", description = "Only print the changes.")
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
            show("skipped: ", plan.skipped());
            show("cannot read ", plan.failures());
            if (delete && plan.isEmptied()) {
                throw new CommandFailure(
                        CommandFailure.FAILED,
                        directory + " has no files, and --delete would delete all "
                                + Text.count(plan.gone().size(), "object") + "; is a file system not mounted?"
                                + " Nothing was deleted. To delete all objects, use `bulwark rm -r "
                                + new ObjectPath(target.bucket(), sync.prefix()).printable() + "`");
            }
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
                return plan.failures().isEmpty() ? 0 : CommandFailure.FAILED;
            }
            TreeSync.Result result;
            try (Progress progress =
                    Progress.of("sync", plan.bytes(), access.global().json())) {
                result = sync.run(plan, delete, progress::add);
            }
            show("", result.failures());
            show("", result.grown());
            showKept(plan, result);
            report(plan, result, (System.nanoTime() - start) / 1e9);
            return result.failures().isEmpty() && plan.failures().isEmpty() ? 0 : CommandFailure.FAILED;
        }
    }

    /** Some of them on standard error. */
    private static void show(String what, List<String> lines) {
        lines.stream().limit(SHOWN_MAX).forEach(line -> System.err.println("bulwark: " + what + Text.printable(line)));
        if (lines.size() > SHOWN_MAX) {
            System.err.println("bulwark: ... and " + (lines.size() - SHOWN_MAX) + " more");
        }
    }

    /** Shows the reason why objects without a file were kept. */
    private void showKept(TreeSync.Plan plan, TreeSync.Result result) {
        if (delete && plan.kept() > 0) {
            System.err.println("bulwark: not deleted: " + Text.count(plan.kept(), "object")
                    + " below unreadable or skipped paths");
        }
        if (delete
                && result.deleted() < plan.gone().size()
                && !result.failures().isEmpty()) {
            System.err.println("bulwark: not deleted: "
                    + Text.count(plan.gone().size() - result.deleted(), "object")
                    + " without a file, since not all files were stored; repeat the command");
        }
    }

    private void report(TreeSync.Plan plan, TreeSync.Result result, double seconds) {
        long failed = (long) plan.failures().size() + result.failures().size();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("stored", result.stored());
        json.put("bytes", result.bytes());
        json.put("unchanged", plan.unchanged());
        json.put("deleted", result.deleted());
        json.put("skipped", plan.skipped().size());
        json.put("emptyDirectories", plan.emptyDirectories());
        json.put("failed", failed);
        json.put("seconds", seconds);
        String text = String.format(
                Locale.ROOT,
                "Stored %s (%s) in %.1f s; %,d unchanged, %,d deleted, %,d skipped, %,d failed%s.",
                Text.count(result.stored(), "file"),
                Text.bytes(result.bytes()),
                seconds,
                plan.unchanged(),
                result.deleted(),
                plan.skipped().size(),
                failed,
                plan.emptyDirectories() == 0 ? "" : "; not stored: " + Text.empty(plan.emptyDirectories()));
        access.global().print(json, text);
    }
}
