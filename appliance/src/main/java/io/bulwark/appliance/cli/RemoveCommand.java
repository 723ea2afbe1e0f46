package io.bulwark.appliance.cli;

import io.bulwark.appliance.transfer.ObjectTree;
import io.bulwark.appliance.transfer.TreeFilter;
import io.bulwark.client.Bucket;
import io.bulwark.client.Bulwark;
import io.bulwark.client.DeleteOptions;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.Upload;
import io.bulwark.client.bulk.BulkDelete;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code rm BUCKET/KEY}. */
@Command(name = "rm", description = "Delete an object, all that match a pattern, or with -r all below a directory.")
final class RemoveCommand implements Callable<Integer> {
    @Mixin
    private final ClusterAccess access = new ClusterAccess();

    @Parameters(
            paramLabel = "BUCKET/KEY",
            converter = ObjectPath.Converter.class,
            description = "A key, or a pattern such as 'logs/*.gz'. The key of an object is never taken for a pattern.")
    private ObjectPath path = new ObjectPath("", "");

    @Option(
            names = {"-r", "--recursive"},
            description = "Delete all objects below this directory, or for a pattern those that match and those below.")
    private boolean recursive;

    @Option(names = "--version-id", paramLabel = "V", description = "Delete only this version, permanently.")
    private long version;

    @Option(
            names = "--bypass-governance",
            description = "With --version-id: also if it is retained under governance; for administrators.")
    private boolean bypass;

    @Option(
            names = "--uploads",
            description = "Abort unfinished uploads in parts instead: of this key, or with -r of all keys below this"
                    + " directory.")
    private boolean uploads;

    @Option(names = "--dry-run", description = "Only print the keys.")
    private boolean dryRun;

    @Mixin
    private final FilterOptions filter = new FilterOptions();

    @Mixin
    private final ParallelOption parallel = new ParallelOption();

    @Override
    public Integer call() throws InterruptedException {
        if (version != 0 && (recursive || dryRun)) {
            throw new CommandFailure(CommandFailure.USAGE, "--version-id takes one object");
        }
        if (uploads && (version != 0 || dryRun)) {
            throw new CommandFailure(CommandFailure.USAGE, "--uploads goes with -r alone");
        }
        TreeFilter taken = filter.filter();
        try (Bulwark client = access.connect()) {
            Bucket bucket = client.bucket(path.bucket());
            if (uploads) {
                long aborted = abortUploads(bucket);
                access.global().print(new AbortedView(aborted), "Aborted " + Text.count(aborted, "upload") + ".");
                return 0;
            }
            if (version != 0) {
                DeleteOptions options = DeleteOptions.DEFAULT.withVersion(version);
                bucket.delete(path.needKey().key(), bypass ? options.bypassingGovernance() : options);
                print(new BulkDelete.Result(1, List.of()));
                return 0;
            }
            List<String> keys = keys(bucket, taken);
            if (dryRun) {
                showPlan(keys);
                return 0;
            }
            if (keys.size() == 1 && !recursive) {
                bucket.delete(keys.getFirst()); // Fails if it is not there.
                print(new BulkDelete.Result(1, List.of()));
                return 0;
            }
            BulkDelete.Result result = BulkDelete.run(bucket, keys, parallel.value());
            TransferRun.show("", result.failures());
            print(result);
            return result.failures().isEmpty() ? 0 : CommandFailure.FAILED;
        }
    }

    private long abortUploads(Bucket bucket) {
        String key =
                recursive ? ObjectTree.directory(path.key()) : path.needKey().key();
        long aborted = 0;
        for (Upload upload : UnfinishedUploads.below(bucket, key)) {
            if (recursive || upload.key().equals(key)) {
                bucket.uploads().abort(upload);
                aborted++;
            }
        }
        return aborted;
    }

    private List<String> keys(Bucket bucket, TreeFilter taken) {
        KeyPattern pattern =
                KeyPattern.of(bucket, recursive ? path.key() : path.needKey().key());
        if (!pattern.isPattern() && !recursive) {
            return List.of(pattern.key());
        }
        if (recursive) {
            return pattern.tree(bucket, taken).stream().map(ObjectInfo::key).toList();
        }
        int from = pattern.directory().length();
        return pattern.objects(bucket, false).stream()
                .map(ObjectInfo::key)
                .filter(key -> taken.accepts(key.substring(from)))
                .toList();
    }

    private void showPlan(List<String> keys) {
        if (access.global().json()) {
            GlobalOptions.printJson(new PlanView(path.bucket(), keys));
            return;
        }
        keys.forEach(key -> System.out.println("delete  " + Text.printable(key)));
        System.out.println("Would remove " + Text.count(keys.size(), "object") + ".");
    }

    private void print(BulkDelete.Result result) {
        RemovedView json = new RemovedView(
                result.deleted(), path.bucket(), path.key(), result.failures().size());
        access.global().print(json, "Removed " + Text.count(result.deleted(), "object") + ".");
    }

    private record AbortedView(long aborted) {}

    private record PlanView(String bucket, List<String> keys) {}

    private record RemovedView(long removed, String bucket, String key, int failed) {}
}
