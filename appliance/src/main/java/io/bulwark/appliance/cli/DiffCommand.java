package io.bulwark.appliance.cli;

import io.bulwark.appliance.transfer.TransferPlan;
import io.bulwark.client.Bulwark;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code diff SOURCE TARGET}. */
@Command(
        name = "diff",
        description = {
            "Show what `sync SOURCE TARGET` would change: a directory and a bucket, or two buckets.",
            "Marks: + only in the source, - only in the target, * other content, ~ other time or mode only.",
            "Exit code 0 if there is no difference, 1 if there is one or a file could not be compared."
        })
final class DiffCommand implements Callable<Integer> {
    @Mixin
    private final ClusterAccess access = new ClusterAccess();

    @Parameters(index = "0", paramLabel = "SOURCE", description = "DIR or BUCKET[/PREFIX]")
    private String source = "";

    @Parameters(index = "1", paramLabel = "TARGET", description = "BUCKET[/PREFIX] or DIR")
    private String target = "";

    @Mixin
    private final TransferOptions options = new TransferOptions();

    @Override
    public Integer call() throws IOException, InterruptedException {
        var settings = options.settings();
        try (Bulwark client = access.connect()) {
            TransferPlan plan =
                    new TreePlaces(client, source, target).transfer(settings).plan();
            SortedMap<String, String> marks = new TreeMap<>();
            plan.changed()
                    .forEach(change ->
                            marks.put(change.path(), change.attributesOnly() ? "~" : change.there() ? "*" : "+"));
            plan.gone().forEach(path -> marks.put(path, "-"));
            TransferRun.show("skipped: ", plan.findings().skipped());
            TransferRun.show("", plan.findings().failures());
            print(marks, plan);
            return marks.isEmpty() && plan.findings().failures().isEmpty() ? 0 : CommandFailure.FAILED;
        }
    }

    private void print(SortedMap<String, String> marks, TransferPlan plan) {
        if (!access.global().json()) {
            marks.forEach((path, mark) -> System.out.println(mark + " " + Text.printable(path)));
            return;
        }
        List<Difference> differences = new ArrayList<>();
        marks.forEach((path, mark) -> differences.add(new Difference(mark, path)));
        GlobalOptions.printJson(new DiffView(
                differences, plan.unchanged(), plan.findings().failures().size()));
    }

    private record Difference(String mark, String path) {}

    private record DiffView(List<Difference> differences, long same, int failed) {}
}
