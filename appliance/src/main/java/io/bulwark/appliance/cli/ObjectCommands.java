package io.bulwark.appliance.cli;

import io.bulwark.client.Bucket;
import io.bulwark.client.Bulwark;
import io.bulwark.client.DeleteOptions;
import io.bulwark.client.FragmentMap;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.Precondition;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code rm}, {@code stat}, {@code cp} and {@code mv}. */
final class ObjectCommands {
    private ObjectCommands() {}

    @Command(name = "rm", description = "Delete an object, or with -r all objects below a prefix.")
    static final class Remove implements Callable<Integer> {
        @Mixin
        private final ClusterAccess access = new ClusterAccess();

        @Parameters(paramLabel = "BUCKET/KEY", converter = ObjectPath.Converter.class)
        private ObjectPath path = new ObjectPath("", "");

        @Option(
                names = {"-r", "--recursive"},
                description = "Delete all objects whose key begins with this prefix.")
        private boolean recursive;

        @Option(names = "--version-id", paramLabel = "V", description = "Delete only this version, permanently.")
        private long version;

        @Option(
                names = "--bypass-governance",
                description = "With --version-id: also if it is retained under governance; for administrators.")
        private boolean bypass;

        @Override
        public Integer call() {
            long removed = 0;
            try (Bulwark client = access.connect()) {
                Bucket bucket = client.bucket(path.bucket());
                if (recursive) {
                    try (Stream<ObjectInfo> all = bucket.stream(path.key())) {
                        List<String> keys = all.map(ObjectInfo::key).toList();
                        for (String key : keys) {
                            bucket.delete(key);
                            removed++;
                        }
                    }
                } else if (version != 0) {
                    DeleteOptions options = DeleteOptions.DEFAULT.withVersion(version);
                    bucket.delete(path.needKey().key(), bypass ? options.bypassingGovernance() : options);
                    removed = 1;
                } else {
                    bucket.delete(path.needKey().key());
                    removed = 1;
                }
            }
            access.global()
                    .print(
                            Map.of("removed", removed, "bucket", path.bucket(), "key", path.key()),
                            "Removed " + Text.count(removed, "object") + ".");
            return 0;
        }
    }

    @Command(name = "stat", description = "Show the attributes of an object.")
    static final class Stat implements Callable<Integer> {
        @Mixin
        private final ClusterAccess access = new ClusterAccess();

        @Parameters(paramLabel = "BUCKET/KEY", converter = ObjectPath.Converter.class)
        private ObjectPath path = new ObjectPath("", "");

        @Option(names = "--version-id", paramLabel = "V", description = "Show this version (default: the latest).")
        private long version;

        @Option(
                names = "--fragments",
                description = {
                    "Ask each node for its fragment of the first extents, check it, and show the state of every slot.",
                    "The states are what this client saw."
                })
        private boolean fragments;

        @Option(
                names = "--first-extent",
                paramLabel = "N",
                description = "With --fragments: the first extent to show (default: 0).")
        private long firstExtent;

        @Override
        public Integer call() {
            if (fragments) {
                return fragments();
            }
            try (Bulwark client = access.connect()) {
                ObjectInfo object =
                        client.bucket(path.bucket()).head(path.needKey().key(), version);
                StringBuilder text = new StringBuilder();
                text.append("object:       ").append(object.bucket()).append('/');
                text.append(Text.printable(object.key())).append(System.lineSeparator());
                text.append("size:         ").append(object.length()).append(" bytes (");
                text.append(Text.bytes(object.length())).append(')').append(System.lineSeparator());
                text.append("version:      ").append(object.version()).append(System.lineSeparator());
                text.append("modified:     ").append(object.modified()).append(System.lineSeparator());
                text.append("encrypted:    ").append(object.encrypted() ? "yes, by a client" : "no");
                text.append(System.lineSeparator());
                text.append("content type: ").append(Text.printable(object.contentType()));
                object.tags()
                        .forEach((name, value) -> text.append(System.lineSeparator())
                                .append("tag:          ")
                                .append(Text.printable(name))
                                .append('=')
                                .append(Text.printable(value)));
                object.properties()
                        .forEach((name, value) -> text.append(System.lineSeparator())
                                .append("property:     ")
                                .append(Text.printable(name))
                                .append('=')
                                .append(Text.printable(value)));
                if (!object.lock().isNone()) {
                    text.append(System.lineSeparator()).append("lock:         ").append(LockText.of(object.lock()));
                }
                access.global().print(ObjectText.json(object), text.toString());
            }
            return 0;
        }

        private int fragments() {
            try (Bulwark client = access.connect()) {
                FragmentMap map = client.bucket(path.bucket())
                        .fragments(path.needKey().key(), version, firstExtent, FragmentMap.EXTENTS_MAX);
                access.global().print(FragmentText.json(map), FragmentText.of(map));
            }
            return 0;
        }
    }

    @Command(name = "cp", description = "Copy an object; within one volume no data is copied.")
    static final class Copy extends ToTarget {
        @Override
        ObjectInfo apply(Bucket from, String key, Bucket to, String targetKey, Precondition precondition) {
            return from.copy(key, to, targetKey, precondition);
        }

        @Override
        String done() {
            return "Copied to ";
        }
    }

    @Command(name = "mv", description = "Rename an object; within one volume no data is copied.")
    static final class Move extends ToTarget {
        @Override
        ObjectInfo apply(Bucket from, String key, Bucket to, String targetKey, Precondition precondition) {
            return from.rename(key, to, targetKey, precondition);
        }

        @Override
        String done() {
            return "Moved to ";
        }
    }

    abstract static class ToTarget implements Callable<Integer> {
        @Mixin
        private final ClusterAccess access = new ClusterAccess();

        @Parameters(index = "0", paramLabel = "BUCKET/KEY", converter = ObjectPath.Converter.class)
        private ObjectPath source = new ObjectPath("", "");

        @Parameters(index = "1", paramLabel = "BUCKET[/KEY]", converter = ObjectPath.Converter.class)
        private ObjectPath target = new ObjectPath("", "");

        @Option(names = "--if-absent", description = "Fail if the new name exists.")
        private boolean ifAbsent;

        abstract ObjectInfo apply(Bucket from, String key, Bucket to, String targetKey, Precondition precondition);

        abstract String done();

        @Override
        public Integer call() {
            String key = source.needKey().key();
            String targetKey = target.keyOr(key.substring(key.lastIndexOf('/') + 1));
            try (Bulwark client = access.connect()) {
                ObjectInfo made = apply(
                        client.bucket(source.bucket()),
                        key,
                        client.bucket(target.bucket()),
                        targetKey,
                        ifAbsent ? Precondition.IF_ABSENT : Precondition.NONE);
                access.global().print(ObjectText.json(made), done() + ObjectText.line(made));
            }
            return 0;
        }
    }
}
