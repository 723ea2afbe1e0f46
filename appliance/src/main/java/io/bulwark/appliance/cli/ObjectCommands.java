package io.bulwark.appliance.cli;

import io.bulwark.appliance.transfer.BucketCopy;
import io.bulwark.appliance.transfer.Glob;
import io.bulwark.appliance.transfer.TransferSettings;
import io.bulwark.client.Bucket;
import io.bulwark.client.Bulwark;
import io.bulwark.client.FragmentMap;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.Precondition;
import io.bulwark.client.encryption.ObjectEncryption;
import io.bulwark.client.error.NoSuchKeyException;
import java.io.IOException;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stat}, {@code cp} and {@code mv}. */
final class ObjectCommands {
    private ObjectCommands() {}

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
                object.tags().forEach((name, value) -> append(text, "tag:          ", name, value));
                SortedMap<String, String> properties = new TreeMap<>(object.properties());
                properties.remove(ObjectEncryption.PROPERTY);
                properties.forEach((name, value) -> append(text, "property:     ", name, value));
                if (!object.lock().isNone()) {
                    text.append(System.lineSeparator()).append("lock:         ").append(LockText.of(object.lock()));
                }
                access.global().print(ObjectText.json(object, properties), text.toString());
            }
            return 0;
        }

        private static void append(StringBuilder text, String what, String name, String value) {
            text.append(System.lineSeparator())
                    .append(what)
                    .append(Text.printable(name))
                    .append('=')
                    .append(Text.printable(value));
        }

        private int fragments() {
            try (Bulwark client = access.connect()) {
                FragmentMap map = client.bucket(path.bucket())
                        .fragments(path.needKey().key(), version, firstExtent, FragmentMap.EXTENTS_MAX);
                access.global().print(FragmentText.MapView.of(map), FragmentText.of(map));
            }
            return 0;
        }
    }

    @Command(
            name = "cp",
            description = {
                "Copy an object, or with -r the changed objects below a prefix; within one volume no data is copied.",
                "Trees are copied as by `sync`."
            })
    static final class Copy extends ToTarget {
        @Spec
        private CommandSpec spec = CommandSpec.create();

        @Option(
                names = {"-r", "--recursive"},
                description = "Copy the changed objects below a prefix.")
        private boolean recursive;

        @Option(names = "--dry-run", description = "Of a tree: only print the changes.")
        private boolean dryRun;

        @Mixin
        private final TransferOptions transfer = new TransferOptions();

        @Override
        public Integer call() throws IOException, InterruptedException {
            if (!recursive) {
                TransferOptions.refuse(
                        spec,
                        "without -r",
                        "--dry-run",
                        "--checksum",
                        "--parallel",
                        "--bwlimit",
                        "--include",
                        "--exclude",
                        "--filter-from");
                return super.call();
            }
            TransferOptions.refuse(spec, "with -r", "--if-absent");
            TransferSettings settings = transfer.settings();
            try (Bulwark client = access.connect()) {
                return new TransferRun(access.global(), "cp", false).run(copy(client, settings), dryRun);
            }
        }

        private BucketCopy copy(Bulwark client, TransferSettings settings) {
            try {
                return new BucketCopy(
                        client.bucket(source.bucket()),
                        source.key(),
                        client.bucket(target.bucket()),
                        target.key(),
                        settings);
            } catch (IllegalArgumentException e) {
                throw new CommandFailure(CommandFailure.USAGE, String.valueOf(e.getMessage()));
            }
        }

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
        final ClusterAccess access = new ClusterAccess();

        @Parameters(index = "0", paramLabel = "BUCKET/KEY", converter = ObjectPath.Converter.class)
        ObjectPath source = new ObjectPath("", "");

        @Parameters(index = "1", paramLabel = "BUCKET[/KEY]", converter = ObjectPath.Converter.class)
        ObjectPath target = new ObjectPath("", "");

        @Option(names = "--if-absent", description = "Fail if the new name exists.")
        private boolean ifAbsent;

        abstract ObjectInfo apply(Bucket from, String key, Bucket to, String targetKey, Precondition precondition);

        abstract String done();

        @Override
        public Integer call() throws IOException, InterruptedException {
            String key = source.needKey().key();
            String targetKey = target.keyOr(key.substring(key.lastIndexOf('/') + 1));
            try (Bulwark client = access.connect()) {
                ObjectInfo made = apply(
                        client.bucket(source.bucket()), key, client.bucket(target.bucket()), targetKey, precondition());
                access.global().print(ObjectText.json(made), done() + ObjectText.line(made));
            } catch (NoSuchKeyException e) {
                throw Glob.isPattern(key) ? new CommandFailure(CommandFailure.FAILED, noPattern(key)) : e;
            }
            return 0;
        }

        private Precondition precondition() {
            return ifAbsent ? Precondition.IF_ABSENT : Precondition.NONE;
        }

        /** Returns the message for a word that is no object's key, and which other commands would take for a pattern. */
        static String noPattern(String key) {
            return "there is no object " + Text.printable(key) + "; cp and mv take one object, and no patterns";
        }
    }
}
