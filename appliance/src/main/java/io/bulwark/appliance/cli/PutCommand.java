package io.bulwark.appliance.cli;

import io.bulwark.appliance.transfer.ContentTypes;
import io.bulwark.appliance.transfer.FileUpload;
import io.bulwark.appliance.transfer.GrowthNotice;
import io.bulwark.appliance.transfer.RateLimit;
import io.bulwark.appliance.transfer.TransferSettings;
import io.bulwark.appliance.transfer.TreeUpload;
import io.bulwark.client.Bulwark;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.Precondition;
import io.bulwark.client.PutOptions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code put FILE BUCKET[/KEY]}. */
@Command(
        name = "put",
        description = {
            "Store a file as an object, or with -r the files of a directory.",
            "Its times, its mode and the SHA-256 of its content are kept as properties. A tree is stored as by `sync`."
        })
final class PutCommand implements Callable<Integer> {
    @Mixin
    private final ClusterAccess access = new ClusterAccess();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(
            index = "0",
            paramLabel = "FILE",
            description = "A file, a pipe, - for standard input, or with -r a directory.")
    private String file = "";

    @Parameters(
            index = "1",
            paramLabel = "BUCKET[/KEY]",
            converter = ObjectPath.Converter.class,
            description = "Without a key, or with one that ends in '/', the file's name is added.")
    private ObjectPath target = new ObjectPath("", "");

    @Option(
            names = "--content-type",
            paramLabel = "TYPE",
            description = "Media type (default: guessed from the file's name).")
    private @Nullable String contentType;

    @Option(names = "--tag", paramLabel = "NAME=VALUE", description = "A tag of yours; may be repeated.")
    private Map<String, String> tags = new LinkedHashMap<>();

    @Option(names = "--if-absent", description = "Fail if there is an object of this name.")
    private boolean ifAbsent;

    @Option(names = "--if-version", paramLabel = "V", description = "Fail unless the object has this version.")
    private @Nullable Long ifVersion;

    @Option(
            names = "--offset",
            paramLabel = "BYTES",
            description = "Replace the object's bytes from here on; only these are stored.")
    private @Nullable Long offset;

    @Option(
            names = {"-r", "--recursive"},
            description = "Store the changed files of a directory below the key.")
    private boolean recursive;

    @Option(names = "--dry-run", description = "Of a tree: only print the changes.")
    private boolean dryRun;

    @Mixin
    private final TransferOptions transfer = new TransferOptions();

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (recursive) {
            return tree();
        }
        TransferOptions.refuse(
                spec, "without -r", "--dry-run", "--checksum", "--parallel", "--include", "--exclude", "--filter-from");
        Long from = offset;
        if (from != null) {
            return overwrite(from);
        }
        RateLimit limit = transfer.settings().limits().up();
        boolean standardInput = file.equals("-");
        Path path = Path.of(file);
        boolean endless = standardInput || isPipe(path);
        String key = endless
                ? target.needKey().key()
                : target.keyOr(String.valueOf(path.toAbsolutePath().getFileName()));
        PutOptions options = PutOptions.DEFAULT
                .withContentType(contentType == null ? ContentTypes.of(endless ? key : file) : contentType)
                .withTags(tags)
                .withPrecondition(precondition());
        long size = endless ? -1 : Files.size(path);
        try (Bulwark client = access.connect();
                Progress progress = Progress.of("put", size, access.global().json())) {
            FileUpload upload = new FileUpload(client.bucket(target.bucket()), limit);
            ObjectInfo stored = standardInput
                    ? upload.put(System.in, key, options, progress)
                    : endless
                            ? putPipe(upload, key, path, options, progress)
                            : upload.put(path, key, options, progress);
            progress.finish();
            if (!endless) {
                GrowthNotice.of(path, stored).ifPresent(line -> System.err.println("bulwark: " + Text.printable(line)));
            }
            access.global().print(ObjectText.json(stored), "Stored " + ObjectText.line(stored));
        }
        return 0;
    }

    /** Replaces a part of an object by the content of the file. */
    private int overwrite(long from) throws IOException {
        if (from < 0 || ifAbsent) {
            throw new CommandFailure(CommandFailure.USAGE, "--offset is at least 0, and goes without --if-absent");
        }
        RateLimit limit = transfer.settings().limits().up();
        PutOptions options = PutOptions.DEFAULT
                .withContentType(contentType == null ? "" : contentType)
                .withTags(tags)
                .withPrecondition(precondition());
        boolean standardInput = file.equals("-");
        long size = standardInput || isPipe(Path.of(file)) ? -1 : Files.size(Path.of(file));
        try (Bulwark client = access.connect();
                InputStream content = standardInput ? System.in : Files.newInputStream(Path.of(file));
                Progress progress = Progress.of("put", size, access.global().json())) {
            ObjectInfo stored = new FileUpload(client.bucket(target.needKey().bucket()), limit)
                    .overwrite(content, target.key(), from, options.withExpectedLength(size), progress);
            progress.finish();
            access.global().print(ObjectText.json(stored), "Stored " + ObjectText.line(stored));
        }
        return 0;
    }

    private int tree() throws IOException, InterruptedException {
        TransferOptions.refuse(spec, "with -r", "--offset", "--content-type", "--tag", "--if-absent", "--if-version");
        Path directory = Path.of(file);
        if (!Files.isDirectory(directory)) {
            throw new CommandFailure(CommandFailure.FAILED, file + " is not a directory");
        }
        TransferSettings settings = transfer.settings();
        try (Bulwark client = access.connect()) {
            return new TransferRun(access.global(), "put", false)
                    .run(new TreeUpload(directory, client.bucket(target.bucket()), target.key(), settings), dryRun);
        }
    }

    private static ObjectInfo putPipe(FileUpload upload, String key, Path pipe, PutOptions options, Progress progress)
            throws IOException {
        try (InputStream content = Files.newInputStream(pipe)) {
            return upload.put(content, key, options, progress);
        }
    }

    /** Returns whether the source has no length and ends only when its writer closes it. */
    private boolean isPipe(Path path) throws IOException {
        BasicFileAttributes attributes;
        try {
            attributes = Files.readAttributes(path, BasicFileAttributes.class);
        } catch (NoSuchFileException e) {
            throw new CommandFailure(CommandFailure.FAILED, "there is no file " + file);
        }
        if (attributes.isDirectory()) {
            throw new CommandFailure(
                    CommandFailure.FAILED, file + " is not a file; `bulwark put -r` takes directories");
        }
        return !attributes.isRegularFile();
    }

    private Precondition precondition() {
        if (ifAbsent && ifVersion != null) {
            throw new CommandFailure(CommandFailure.USAGE, "--if-absent and --if-version exclude each other");
        }
        if (ifVersion != null && ifVersion < 1) {
            throw new CommandFailure(CommandFailure.USAGE, "a version is at least 1");
        }
        return ifVersion != null
                ? Precondition.ifVersion(ifVersion)
                : ifAbsent ? Precondition.IF_ABSENT : Precondition.NONE;
    }
}
