package io.bulwark.appliance.cli;

import io.bulwark.client.Bucket;
import io.bulwark.client.Bulwark;
import io.bulwark.client.GetOptions;
import io.bulwark.client.ObjectInfo;
import io.bulwark.transport.file.OutputFile;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code get BUCKET/KEY [FILE]}. */
@Command(name = "get", description = "Write an object to a file or to standard output.")
final class GetCommand implements Callable<Integer> {
    private static final Pattern RANGE = Pattern.compile("([0-9]{1,18})-([0-9]{1,18})?");

    @Mixin
    private final ClusterAccess access = new ClusterAccess();

    @Parameters(index = "0", paramLabel = "BUCKET/KEY", converter = ObjectPath.Converter.class)
    private ObjectPath source = new ObjectPath("", "");

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "FILE",
            description = "A file or directory, or - for standard output (default: the last part of the key, in "
                    + "this directory).")
    private @Nullable String target;

    @Option(names = "--version-id", paramLabel = "V", description = "Read this version (default: the latest).")
    private long version;

    @Option(
            names = "--range",
            paramLabel = "FIRST-[LAST]",
            description = "Read only this range of bytes, both ends " + "included.")
    private @Nullable String range;

    @Option(
            names = "--salvage",
            description = {
                "Read also what too few nodes hold: for objects of groups that have lost more than F nodes for good.",
                "The bytes are right or the command fails. If the object's writer was faulty, others may be unable to"
                        + " read",
                "it later."
            })
    private boolean salvage;

    @Override
    public Integer call() throws IOException {
        String key = source.needKey().key();
        GetOptions options = ranged(GetOptions.DEFAULT.withVersion(version).withSalvage(salvage));
        try (Bulwark client = access.connect()) {
            Bucket bucket = client.bucket(source.bucket());
            ObjectInfo object = bucket.head(key, version);
            if (options.offset() > 0 && options.offset() >= object.length()) {
                throw new CommandFailure(
                        CommandFailure.FAILED,
                        source.printable() + " has " + Text.count(object.length(), "byte")
                                + ", and --range begins at byte " + options.offset() + ", counted from 0");
            }
            if (isStandardOutput()) {
                try (OutputStream out = OutputFile.standardOutput()) {
                    bucket.readTo(key, out, options);
                }
                return 0;
            }
            Path file = file(key);
            long size = Math.min(options.length(), object.length() - options.offset());
            try (Progress progress = Progress.of("get", size, access.global().json())) {
                ObjectInfo read = bucket.readTo(key, file, options.withProgress((done, total) -> progress.to(done)));
                progress.finish();
                String what = range == null ? "" : Text.count(size, "byte") + " to ";
                access.global().print(ObjectText.json(read), "Wrote " + what + file + " from " + ObjectText.line(read));
            }
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

    private GetOptions ranged(GetOptions options) {
        if (range == null) {
            return options;
        }
        Matcher matcher = RANGE.matcher(range);
        if (!matcher.matches()) {
            throw new CommandFailure(CommandFailure.USAGE, "--range takes FIRST-LAST or FIRST-, in bytes from 0");
        }
        long first = Long.parseLong(matcher.group(1));
        if (matcher.group(2) == null) {
            return options.withRange(first, Long.MAX_VALUE);
        }
        long last = Long.parseLong(matcher.group(2));
        if (last < first) {
            throw new CommandFailure(CommandFailure.USAGE, "--range ends before it begins");
        }
        return options.withRange(first, last - first + 1);
    }
}
