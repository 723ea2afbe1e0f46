package io.bulwark.appliance.cli;

import io.bulwark.client.Bulwark;
import io.bulwark.client.GetOptions;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.bulk.BucketVerifier;
import io.bulwark.protocol.effect.Verdict;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code verify BUCKET[/PREFIX]}. */
@Command(
        name = "verify",
        description = {
            "Read all objects, check every byte, and list the bad fragments of each node.",
            "Exit code 1 if an object could not be read. Bad fragments that were masked are no failure."
        })
final class VerifyCommand implements Callable<Integer> {
    private static final int SHOWN_MAX = 10;
    private static final Set<Verdict> WRONG = Set.of(Verdict.CORRUPT, Verdict.DAMAGED, Verdict.MISBEHAVED);

    @Mixin
    private final ClusterAccess access = new ClusterAccess();

    @Parameters(paramLabel = "BUCKET[/PREFIX]", converter = ObjectPath.Converter.class)
    private ObjectPath path = new ObjectPath("", "");

    @Option(
            names = "--salvage",
            description = "Try also what too few nodes hold: says which objects `get --salvage` returns.")
    private boolean salvage;

    @Mixin
    private final ParallelOption parallel = new ParallelOption();

    @Override
    public Integer call() throws InterruptedException {
        int atOnce = parallel.value();
        long start = System.nanoTime();
        try (Bulwark client = access.connect()) {
            GetOptions options = GetOptions.DEFAULT.withSalvage(salvage);
            BucketVerifier verifier = new BucketVerifier(client, client.bucket(path.bucket()), atOnce, options);
            List<ObjectInfo> objects = verifier.objects(path.key()).stream()
                    .filter(object -> path.reaches(object.key()))
                    .toList();
            long total = objects.stream().mapToLong(ObjectInfo::length).sum();
            BucketVerifier.Report report;
            try (Progress progress =
                    Progress.of("verify", total, access.global().json())) {
                report = verifier.run(objects, progress::add);
            }
            print(report, (System.nanoTime() - start) / 1e9);
            return report.unreadable().isEmpty() ? 0 : CommandFailure.FAILED;
        }
    }

    private void print(BucketVerifier.Report report, double seconds) {
        VerifiedView json = new VerifiedView(
                report.objects(), report.bytes(), report.unreadable(), report.seen(), report.examples(), seconds);
        StringBuilder text = new StringBuilder();
        text.append(String.format(
                Locale.ROOT,
                "Read %s (%s) in %.1f s: %s.",
                Text.count(report.objects(), "object"),
                Text.bytes(report.bytes()),
                seconds,
                report.unreadable().isEmpty()
                        ? "all are intact"
                        : Text.count(report.unreadable().size(), "object") + " could not be read"));
        report.unreadable().stream()
                .limit(SHOWN_MAX)
                .forEach(line -> text.append(System.lineSeparator())
                        .append("  unreadable: ")
                        .append(Text.printable(line)));
        if (report.seen().values().stream()
                .noneMatch(verdicts -> verdicts.keySet().stream().anyMatch(WRONG::contains))) {
            text.append(System.lineSeparator())
                    .append("No node returned bad data. `bulwark status` lists the faults that nodes have recorded.");
        }
        report.seen()
                .forEach((node, verdicts) -> text.append(System.lineSeparator())
                        .append("  ")
                        .append(node)
                        .append(": ")
                        .append(verdicts.entrySet().stream()
                                .map(seen -> seen.getKey().text() + " " + times(seen.getValue()))
                                .collect(Collectors.joining(", "))));
        report.examples().stream()
                .limit(SHOWN_MAX)
                .forEach(line ->
                        text.append(System.lineSeparator()).append("    ").append(Text.printable(line)));
        access.global().print(json, text.toString());
    }

    private static String times(long count) {
        return count == 1 ? "once" : count + " times";
    }

    private record VerifiedView(
            long objects,
            long bytes,
            List<String> unreadable,
            Map<String, Map<Verdict, Long>> nodes,
            List<String> examples,
            double seconds) {}
}
