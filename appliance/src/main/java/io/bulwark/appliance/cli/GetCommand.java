package io.bulwark.appliance.cli;

import io.bulwark.appliance.transfer.Glob;
import io.bulwark.appliance.transfer.ObjectDownload;
import io.bulwark.appliance.transfer.RateLimit;
import io.bulwark.appliance.transfer.TransferSettings;
import io.bulwark.appliance.transfer.TreeDownload;
import io.bulwark.appliance.transfer.TreeFilter;
import io.bulwark.client.Bucket;
import io.bulwark.client.Bulwark;
import io.bulwark.client.GetOptions;
import io.bulwark.client.ObjectInfo;
import io.bulwark.transport.file.OutputFile;
import io.bulwark.transport.file.PartFile;
import io.bulwark.transport.file.TargetAttributes;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code get BUCKET/KEY [FILE]}. */
@Command(
        name = "get",
        description = {
            "Write an object to a file or to standard output, all that match a pattern, or with -r a tree.",
            "A tree gets the times and modes that `put` and `sync` keep. What the directory has already is not read"
                    + " again, and a large object goes on where an earlier command was broken off.",
            "Exit code 1 if an object could not be read or written."
        })
final class GetCommand implements Callable<Integer> {
    @Mixin
    private final ClusterAccess access = new ClusterAccess();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(
            index = "0",
            paramLabel = "BUCKET/KEY",
            converter = ObjectPath.Converter.class,
            description = "A key, with -r a directory, or a pattern such as 'logs/*.gz'.")
    private ObjectPath source = new ObjectPath("", "");

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "FILE",
            description = "A file or directory, or - for standard output (default: the last part of the key, in "
                    + "this directory).")
    private @Nullable String target;

    @Option(
            names = {"-r", "--recursive"},
            description = "Write all objects below a directory, or below those that match, to a directory.")
    private boolean recursive;

    @Option(names = "--version-id", paramLabel = "V", description = "Read this version (default: the latest).")
    private long version;

    @Mixin
    private final RangeOption range = new RangeOption();

    @Option(
            names = "--salvage",
            description = {
                "Read also what too few nodes hold: for objects of groups that have lost more than F nodes for good.",
                "The bytes are right or the command fails. If the object's writer was faulty, others may be unable to"
                        + " read",
                "it later."
            })
    private boolean salvage;

    @Option(names = "--dry-run", description = "Of a tree: only print the changes.")
    private boolean dryRun;

    @Mixin
    private final TransferOptions transfer = new TransferOptions();

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (recursive) {
            TransferOptions.refuse(spec, "with -r", "--version-id", "--range", "--salvage");
        }
        TransferSettings settings = transfer.settings();
        GetOptions options =
                range.applyTo(GetOptions.DEFAULT.withVersion(version).withSalvage(salvage));
        try (Bulwark client = access.connect()) {
            Bucket bucket = client.bucket(source.bucket());
            KeyPattern pattern = KeyPattern.of(
                    bucket, recursive ? source.key() : source.needKey().key());
            if (pattern.isPattern()) {
                TransferOptions.refuse(spec, "with a pattern", "--version-id", "--range", "--salvage");
                pattern.objects(bucket, recursive);
                TreeFilter matching = matching(source.key(), recursive);
                return tree(bucket, pattern.directory(), settings.withFilter(matching.and(settings.filter())));
            }
            if (recursive) {
                return tree(bucket, pattern.key(), settings);
            }
            TransferOptions.refuse(
                    spec,
                    "without -r",
                    "--dry-run",
                    "--checksum",
                    "--parallel",
                    "--include",
                    "--exclude",
                    "--filter-from");
            return object(bucket, pattern.key(), options, settings.limits().down());
        }
    }

    /** Returns the filter for paths below the directory of a pattern that takes what the pattern takes. */
    static TreeFilter matching(String pattern, boolean recursive) {
        String rule = "/" + Glob.belowPlainDirectory(pattern);
        return TreeFilter.including(recursive ? List.of(rule, rule + "/**") : List.of(rule));
    }

    private int tree(Bucket bucket, String prefix, TransferSettings settings) throws IOException, InterruptedException {
        if (target == null) {
            throw new CommandFailure(CommandFailure.USAGE, "name the directory to write to, such as . for this one");
        }
        Path directory = Path.of(target);
        if (Files.exists(directory) && !Files.isDirectory(directory)) {
            throw new CommandFailure(CommandFailure.FAILED, target + " is not a directory");
        }
        return new TransferRun(access.global(), "get", false)
                .run(new TreeDownload(bucket, prefix, directory, settings), dryRun);
    }

    private int object(Bucket bucket, String key, GetOptions options, RateLimit limit) throws IOException {
        ObjectInfo object = bucket.head(key, version);
        RangeOption.check(options, object);
        if (isStandardOutput()) {
            try (OutputStream out = OutputFile.standardOutput()) {
                bucket.readTo(key, limit.limiting(out), options);
            }
            return 0;
        }
        Path file = file(key);
        long size = Math.min(options.length(), object.length() - options.offset());
        try (Progress progress = Progress.of("get", size, access.global().json())) {
            Optional<Path> place = object.length() < ObjectDownload.RESUMABLE_BYTES || range.isGiven()
                    ? Optional.empty()
                    : PartFile.placeOf(file);
            ObjectInfo read = object;
            if (place.isPresent()) {
                new ObjectDownload(bucket, limit).write(object, place.get(), TargetAttributes.NONE, options, progress);
            } else {
                read = OutputFile.write(file, out -> bucket.readTo(key, limit.limiting(out, progress), options));
            }
            progress.finish();
            String what = range.isGiven() ? Text.count(size, "byte") + " to " : "";
            access.global().print(ObjectText.json(read), "Wrote " + what + file + " from " + ObjectText.line(read));
        }
        return 0;
    }

    /** Any other output on standard output would be taken for the object's bytes. */
    private boolean isStandardOutput() throws IOException {
        return target != null && (target.equals("-") || OutputFile.isStandardOutput(Path.of(target)));
    }

    private Path file(String key) {
        String name = key.substring(key.lastIndexOf('/') + 1);
        if (target == null || Files.isDirectory(Path.of(target))) {
            if (name.isEmpty() || name.equals(".") || name.equals("..") || name.indexOf('\0') >= 0) {
                throw new CommandFailure(CommandFailure.USAGE, "this key yields no file name; give the file");
            }
            return target == null ? Path.of(name) : Path.of(target, name);
        }
        return Path.of(target);
    }
}
