package io.bulwark.appliance.cli;

import io.bulwark.client.Bucket;
import io.bulwark.client.Bulwark;
import io.bulwark.client.GetOptions;
import io.bulwark.client.ObjectInfo;
import io.bulwark.transport.file.OutputFile;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cat BUCKET/KEY...}. */
@Command(
        name = "cat",
        description = {
            "Write objects to standard output, one after the other.",
            "A key may be a pattern such as 'logs/*.txt': then all that match, in their order."
        })
final class CatCommand implements Callable<Integer> {
    @Mixin
    private final ClusterAccess access = new ClusterAccess();

    @Parameters(arity = "1..*", paramLabel = "BUCKET/KEY", converter = ObjectPath.Converter.class)
    private List<ObjectPath> paths = new ArrayList<>();

    @Mixin
    private final RangeOption range = new RangeOption();

    @Option(names = "--version-id", paramLabel = "V", description = "Read this version (default: the latest).")
    private long version;

    @Override
    public Integer call() throws IOException {
        paths.forEach(ObjectPath::needKey);
        if (version != 0 && paths.size() > 1) {
            throw new CommandFailure(CommandFailure.USAGE, "--version-id takes one object");
        }
        GetOptions options = range.applyTo(GetOptions.DEFAULT);
        try (Bulwark client = access.connect();
                OutputStream out = OutputFile.standardOutput()) {
            for (ObjectPath path : paths) {
                Bucket bucket = client.bucket(path.bucket());
                for (ObjectInfo object : objects(bucket, path)) {
                    RangeOption.check(options, object);
                    bucket.readTo(object.key(), out, options.withVersion(object.version()));
                }
            }
        }
        return 0;
    }

    private List<ObjectInfo> objects(Bucket bucket, ObjectPath path) {
        KeyPattern pattern = KeyPattern.of(bucket, path.key());
        if (!pattern.isPattern()) {
            return List.of(bucket.head(pattern.key(), version));
        }
        if (version != 0) {
            throw new CommandFailure(CommandFailure.USAGE, "--version-id takes one object, not a pattern");
        }
        return pattern.objects(bucket, false);
    }
}
