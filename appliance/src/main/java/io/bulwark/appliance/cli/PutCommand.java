package io.bulwark.appliance.cli;

import io.bulwark.appliance.transfer.ContentTypes;
import io.bulwark.client.Bulwark;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.Precondition;
import io.bulwark.client.PutOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code put FILE BUCKET[/KEY]}. */
@Command(name = "put", description = "Store a file as an object.")
final class PutCommand implements Callable<Integer> {
    @Mixin
    private final ClusterAccess access = new ClusterAccess();

    @Parameters(index = "0", paramLabel = "FILE", description = "A file, or - for standard input.")
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

    @Override
    public Integer call() throws IOException {
        boolean standardInput = file.equals("-");
        Path path = Path.of(file);
        if (!standardInput && !Files.isRegularFile(path)) {
            throw new CommandFailure(CommandFailure.FAILED, file + " is not a file; `bulwark sync` takes directories");
        }
        String key = standardInput
                ? target.needKey().key()
                : target.keyOr(String.valueOf(path.toAbsolutePath().getFileName()));
        PutOptions options = PutOptions.DEFAULT
                .withContentType(contentType == null ? ContentTypes.of(standardInput ? key : file) : contentType)
                .withTags(tags)
                .withPrecondition(precondition());
        long size = standardInput ? -1 : Files.size(path);
        try (Bulwark client = access.connect();
                Progress progress = Progress.of("put", size, access.global().json())) {
            PutOptions watched = options.withProgress((done, total) -> progress.to(done));
            ObjectInfo stored = standardInput
                    ? client.bucket(target.bucket()).put(key, System.in, watched)
                    : client.bucket(target.bucket()).put(key, path, watched);
            progress.finish();
            access.global().print(ObjectText.json(stored), "Stored " + ObjectText.line(stored));
        }
        return 0;
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
