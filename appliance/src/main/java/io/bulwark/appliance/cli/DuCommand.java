package io.bulwark.appliance.cli;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.bulwark.appliance.transfer.TreeFilter;
import io.bulwark.client.Bucket;
import io.bulwark.client.Bulwark;
import io.bulwark.client.ObjectInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code du BUCKET[/PREFIX]}. */
@Command(
        name = "du",
        description = {
            "Show the number and the size of the objects below a prefix, and below its directories.",
            "Sizes are those of the latest versions, before coding. The prefix may be a pattern such as 'logs/*.gz'."
        })
final class DuCommand implements Callable<Integer> {
    private static final int DEPTH_MAX = 64;

    @Mixin
    private final ClusterAccess access = new ClusterAccess();

    @Parameters(paramLabel = "BUCKET[/PREFIX]", converter = ObjectPath.Converter.class)
    private ObjectPath path = new ObjectPath("", "");

    @Option(
            names = "--max-depth",
            paramLabel = "N",
            defaultValue = "1",
            description = "Levels of directories to show, 0 for the sum only (default: ${DEFAULT-VALUE}).")
    private int depth = 1;

    @Mixin
    private final FilterOptions filter = new FilterOptions();

    /** Size of all objects of a directory. */
    private static final class Sum {
        private long objects;
        private long bytes;

        private void add(ObjectInfo object) {
            objects++;
            bytes += object.length();
        }

        private SumView view(String prefix) {
            return new SumView(prefix, objects, bytes);
        }
    }

    @Override
    public Integer call() {
        if (depth < 0 || depth > DEPTH_MAX) {
            throw new CommandFailure(CommandFailure.USAGE, "--max-depth is 0 to " + DEPTH_MAX);
        }
        TreeFilter taken = filter.filter();
        SortedMap<String, Sum> sums = new TreeMap<>();
        Sum total = new Sum();
        String prefix;
        try (Bulwark client = access.connect()) {
            Bucket bucket = client.bucket(path.bucket());
            KeyPattern pattern = KeyPattern.of(bucket, path.key());
            prefix = pattern.directory();
            boolean[] found = new boolean[1];
            try (Stream<ObjectInfo> all =
                    pattern.isPattern() ? pattern.objects(bucket, true).stream() : bucket.stream(prefix)) {
                all.forEach(object -> {
                    found[0] = true;
                    if (taken.accepts(object.key().substring(prefix.length()))) {
                        total.add(object);
                        addBelow(sums, object, prefix);
                    }
                });
            }
            pattern.requireAny(bucket, found[0]);
        }
        print(sums, total, prefix);
        return 0;
    }

    private void addBelow(SortedMap<String, Sum> sums, ObjectInfo object, String prefix) {
        int end = prefix.length() - 1;
        for (int level = 0; level < depth; level++) {
            end = object.key().indexOf('/', end + 1);
            if (end < 0) {
                return;
            }
            sums.computeIfAbsent(object.key().substring(0, end + 1), _ -> new Sum())
                    .add(object);
        }
    }

    private void print(SortedMap<String, Sum> sums, Sum total, String prefix) {
        if (access.global().json()) {
            List<SumView> below = new ArrayList<>();
            sums.forEach((directory, sum) -> below.add(sum.view(directory)));
            GlobalOptions.printJson(new TotalView(total.view(prefix), below));
            return;
        }
        sums.forEach(DuCommand::line);
        line(path.bucket() + "/" + prefix, total);
    }

    private static void line(String name, Sum sum) {
        System.out.printf(
                Locale.ROOT, "%12s  %,10d objects  %s%n", Text.bytes(sum.bytes), sum.objects, Text.printable(name));
    }

    private record SumView(String prefix, long objects, long bytes) {}

    private record TotalView(@JsonUnwrapped SumView total, List<SumView> below) {}
}
