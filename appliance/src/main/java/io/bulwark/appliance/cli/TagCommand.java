package io.bulwark.appliance.cli;

import io.bulwark.client.Bucket;
import io.bulwark.client.Bulwark;
import io.bulwark.client.ObjectInfo;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tag BUCKET/KEY [NAME=VALUE...]}. */
@Command(name = "tag", description = "Replace the tags of an object; without any, remove them all.")
final class TagCommand implements Callable<Integer> {
    @Mixin
    private final ClusterAccess access = new ClusterAccess();

    @Parameters(index = "0", paramLabel = "BUCKET/KEY", converter = ObjectPath.Converter.class)
    private ObjectPath path = new ObjectPath("", "");

    @Parameters(index = "1..*", arity = "0..*", paramLabel = "NAME=VALUE", description = "All tags that it has then.")
    private Map<String, String> tags = new LinkedHashMap<>();

    @Option(names = "--version-id", paramLabel = "V", description = "Tag this version (default: the latest).")
    private long version;

    @Override
    public Integer call() {
        try (Bulwark client = access.connect()) {
            Bucket bucket = client.bucket(path.bucket());
            ObjectInfo object = bucket.head(path.needKey().key(), version);
            bucket.setTags(object.key(), object.version(), new TreeMap<>(tags));
            ObjectInfo tagged = bucket.head(object.key(), object.version());
            access.global()
                    .print(
                            ObjectText.json(tagged),
                            ObjectText.line(tagged) + " has " + Text.count(tags.size(), "tag") + ".");
        }
        return 0;
    }
}
