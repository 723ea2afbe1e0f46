package io.bulwark.appliance.cli;

import io.bulwark.client.Bulwark;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sync SOURCE TARGET}. */
@Command(
        name = "sync",
        description = {
            "Give a bucket or a directory the changed files of another, in parallel.",
            "A file is unchanged if size, mode and time of modification are the same, and the file has not been touched"
                    + " since or has the same SHA-256. Between buckets of one volume no bytes move.",
            "A word means the directory or the bucket that exists: ./NAME is always a directory, bucket:NAME a bucket.",
            "Exit code 1 if a file could not be read, stored or written."
        })
final class SyncCommand implements Callable<Integer> {
    @Mixin
    private final ClusterAccess access = new ClusterAccess();

    @Parameters(index = "0", paramLabel = "SOURCE", description = "DIR or BUCKET[/PREFIX]")
    private String source = "";

    @Parameters(index = "1", paramLabel = "TARGET", description = "BUCKET[/PREFIX] or DIR")
    private String target = "";

    @Option(
            names = "--delete",
            description = {
                "After all files are stored, delete those of the target that the source has no more.",
                "Those below unreadable or skipped directories, and those that the filter leaves out, are kept; an"
                        + " empty source deletes nothing."
            })
    private boolean delete;

    @Option(names = "--dry-run", description = "Only print the changes.")
    private boolean dryRun;

    @Mixin
    private final TransferOptions options = new TransferOptions();

    @Override
    public Integer call() throws IOException, InterruptedException {
        var settings = options.settings();
        try (Bulwark client = access.connect()) {
            return new TransferRun(access.global(), "sync", delete)
                    .run(new TreePlaces(client, source, target).transfer(settings), dryRun);
        }
    }
}
