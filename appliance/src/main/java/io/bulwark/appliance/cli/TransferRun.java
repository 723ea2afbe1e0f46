package io.bulwark.appliance.cli;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.bulwark.appliance.transfer.Transfer;
import io.bulwark.appliance.transfer.TransferPlan;
import io.bulwark.appliance.transfer.TransferPlan.Change;
import io.bulwark.appliance.transfer.TreeDownload;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Plans and runs one transfer, and reports it to people and to scripts. */
final class TransferRun {
    private static final int SHOWN_MAX = 10;

    private final GlobalOptions global;
    private final String task;
    private final boolean delete;

    /** @param task name of the command */
    TransferRun(GlobalOptions global, String task, boolean delete) {
        this.global = global;
        this.task = task;
        this.delete = delete;
    }

    /** Returns the exit code. */
    int run(Transfer transfer, boolean dryRun) throws IOException, InterruptedException {
        long start = System.nanoTime();
        TransferPlan plan = transfer.plan();
        show("skipped: ", plan.findings().skipped());
        show("", plan.findings().failures());
        if (delete && plan.isEmptied()) {
            throw new CommandFailure(
                    CommandFailure.FAILED,
                    "the source has no files, and --delete would delete all "
                            + Text.count(plan.gone().size(), "file")
                            + " of the target; is a file system not mounted? Nothing was deleted. To delete all, use"
                            + " `bulwark rm -r` or `rm -r`");
        }
        if (delete) {
            show("", kept(plan));
        }
        if (dryRun) {
            showPlan(plan);
            return plan.findings().failures().isEmpty() ? 0 : CommandFailure.FAILED;
        }
        Transfer.Result result;
        try (Progress progress = Progress.of(task, plan.bytes(), plan.changed().size(), global.json())) {
            result = transfer.run(plan, delete, progress);
        }
        show("", result.failures());
        show("", result.notes());
        showKept(plan, result);
        report(transfer instanceof TreeDownload ? "Wrote" : "Stored", plan, result, (System.nanoTime() - start) / 1e9);
        return result.failures().isEmpty() && plan.findings().failures().isEmpty() ? 0 : CommandFailure.FAILED;
    }

    private void showPlan(TransferPlan plan) {
        List<ChangeView> changes = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        for (Change change : plan.changed()) {
            String action = change.attributesOnly() ? "attributes" : change.there() ? "replace" : "new";
            changes.add(new ChangeView(action, change.path(), change.bytes()));
            text.append(String.format(
                    Locale.ROOT,
                    "%-10s  %12s  %s%n",
                    action,
                    Text.bytes(change.bytes()),
                    Text.printable(change.path())));
        }
        List<String> gone = delete ? plan.gone() : List.of();
        for (String path : gone) {
            changes.add(new ChangeView("delete", path, null));
            text.append(String.format(Locale.ROOT, "%-10s  %12s  %s%n", "delete", "", Text.printable(path)));
        }
        text.append("Would move ")
                .append(Text.count(plan.changed().size(), "file"))
                .append(" (")
                .append(Text.bytes(plan.bytes()))
                .append(')')
                .append(delete ? ", delete " + Text.count(gone.size(), "file") : "")
                .append("; ")
                .append(Text.count(plan.unchanged(), "file"))
                .append(" unchanged.");
        PlanView json = new PlanView(
                plan.changed().size(),
                plan.unchanged(),
                changes,
                plan.findings().failures().size());
        global.print(json, text.toString());
    }

    /** Some of them on standard error. */
    static void show(String what, List<String> lines) {
        lines.stream().limit(SHOWN_MAX).forEach(line -> System.err.println("bulwark: " + what + Text.printable(line)));
        if (lines.size() > SHOWN_MAX) {
            System.err.println("bulwark: ... and " + (lines.size() - SHOWN_MAX) + " more");
        }
    }

    /** Returns the reasons why the plan keeps files of the target that were not found in the source. */
    static List<String> kept(TransferPlan plan) {
        List<String> lines = new ArrayList<>();
        plan.kept().forEach((place, objects) -> {
            lines.add("not deleted: " + Text.count(objects, "object") + " at or below "
                    + (place.isEmpty() ? "the top of the source" : place)
                    + ", where a file was skipped or could not be read or stored");
        });
        return lines;
    }

    /** Shows the reason why files of the target without one in the source were kept. */
    private void showKept(TransferPlan plan, Transfer.Result result) {
        if (delete
                && result.deleted() < plan.gone().size()
                && !result.failures().isEmpty()) {
            System.err.println("bulwark: not deleted: "
                    + Text.count(plan.gone().size() - result.deleted(), "file")
                    + " of the target, since not all files were moved; repeat the command");
        }
    }

    private void report(String done, TransferPlan plan, Transfer.Result result, double seconds) {
        TransferPlan.Findings findings = plan.findings();
        long failed = (long) findings.failures().size() + result.failures().size();
        ResultView json = new ResultView(
                result.files(),
                result.bytes(),
                plan.unchanged(),
                result.deleted(),
                findings.skipped().size(),
                findings.emptyDirectories(),
                failed,
                seconds);
        String text = String.format(
                Locale.ROOT,
                "%s %s (%s) in %.1f s; %,d unchanged, %,d deleted, %,d skipped, %,d failed%s.",
                done,
                Text.count(result.files(), "file"),
                Text.bytes(result.bytes()),
                seconds,
                plan.unchanged(),
                result.deleted(),
                findings.skipped().size(),
                failed,
                findings.emptyDirectories() == 0 ? "" : "; not stored: " + Text.empty(findings.emptyDirectories()));
        global.print(json, text);
    }

    /** @param bytes null for a file that is deleted */
    private record ChangeView(
            String action,
            String path,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            Long bytes) {}

    private record PlanView(int changed, long unchanged, List<ChangeView> changes, int failed) {}

    private record ResultView(
            long stored,
            long bytes,
            long unchanged,
            long deleted,
            int skipped,
            long emptyDirectories,
            long failed,
            double seconds) {}
}
