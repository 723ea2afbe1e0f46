package io.bulwark.appliance.cli;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.bulwark.client.Bucket;
import io.bulwark.client.BucketInfo;
import io.bulwark.client.Bulwark;
import io.bulwark.client.ListOptions;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.ObjectPage;
import io.bulwark.client.Upload;
import io.bulwark.client.VersionInfo;
import io.bulwark.client.error.BulwarkException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ls [BUCKET[/PREFIX]]}. */
@Command(name = "ls", description = "List buckets, or the objects of a bucket.")
final class ListCommand implements Callable<Integer> {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT).withZone(ZoneId.systemDefault());

    private static final int SIZE_WIDTH = 13;

    @Mixin
    private final ClusterAccess access = new ClusterAccess();

    @Parameters(
            arity = "0..1",
            paramLabel = "BUCKET[/PREFIX]",
            converter = ObjectPath.Converter.class,
            description = "Without it, all buckets. The prefix may be a pattern such as 'logs/*.gz'.")
    private @Nullable ObjectPath where;

    @Option(
            names = {"-r", "--recursive"},
            description = "List all objects below, not only one level.")
    private boolean recursive;

    @Option(names = "--versions", description = "List all versions, with their numbers.")
    private boolean versions;

    @Option(names = "--uploads", description = "List the unfinished uploads in parts, which count against quotas.")
    private boolean uploads;

    @Override
    public Integer call() {
        if (uploads && (where == null || versions)) {
            throw new CommandFailure(CommandFailure.USAGE, "--uploads takes a bucket, and no --versions");
        }
        try (Bulwark client = access.connect()) {
            if (uploads && where != null) {
                uploads(client.bucket(where.bucket()), where);
            } else if (where == null) {
                buckets(client);
            } else if (versions) {
                versions(client, where);
            } else {
                objects(client, where);
            }
        }
        return 0;
    }

    private void buckets(Bulwark client) {
        List<BucketInfo> buckets = client.buckets();
        if (access.global().json()) {
            GlobalOptions.printJson(buckets.stream().map(BucketView::of).toList());
            return;
        }
        for (BucketInfo bucket : buckets) {
            System.out.printf(
                    Locale.ROOT,
                    "%s  %,10d objects  %12s  %s%n",
                    TIME.format(bucket.created()),
                    bucket.objects(),
                    Text.bytes(bucket.bytes()),
                    bucket.name());
        }
    }

    private void objects(Bulwark client, ObjectPath path) {
        Bucket bucket = client.bucket(path.bucket());
        KeyPattern pattern = KeyPattern.of(bucket, path.key());
        if (pattern.isPattern()) {
            matching(bucket, pattern);
            return;
        }
        ListOptions options =
                ListOptions.DEFAULT.withPrefix(pattern.directory()).withDelimiter(recursive ? "" : "/");
        List<Object> json = new ArrayList<>();
        Optional<ObjectInfo> named = pattern.named(bucket);
        named.ifPresent(object -> {
            json.add(ObjectText.json(object));
            if (!access.global().json()) {
                line(object.modified(), Text.bytes(object.length()), object.key());
            }
        });
        boolean found = named.isPresent();
        CompletableFuture<ObjectPage> coming = bucket.listAsync(options);
        while (true) {
            ObjectPage page = joined(coming);
            if (!page.last()) {
                // The replicas read the next page while this one is printed.
                coming = bucket.listAsync(options.withContinuation(page.continuation()));
            }
            found |= !page.commonPrefixes().isEmpty() || !page.objects().isEmpty();
            if (access.global().json()) {
                page.commonPrefixes().forEach(prefix -> json.add(new PrefixView(prefix)));
                page.objects().forEach(object -> json.add(ObjectText.json(object)));
            } else {
                print(page);
            }
            if (page.last()) {
                break;
            }
        }
        pattern.requireAny(bucket, found);
        if (access.global().json()) {
            GlobalOptions.printJson(json);
        }
    }

    private static ObjectPage joined(CompletableFuture<ObjectPage> coming) {
        try {
            return coming.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof BulwarkException known ? known : e;
        }
    }

    private static void print(ObjectPage page) {
        StringBuilder lines = new StringBuilder();
        page.commonPrefixes()
                .forEach(prefix -> lines.append(String.format(Locale.ROOT, "%34s  %s%n", "", Text.printable(prefix))));
        for (ObjectInfo object : page.objects()) {
            line(lines, object.modified(), Text.bytes(object.length()), object.key());
        }
        System.out.print(lines);
    }

    /** Objects that match, and the directories that do; with -r the objects below these. */
    private void matching(Bucket bucket, KeyPattern pattern) {
        List<Object> json = new ArrayList<>();
        Set<String> directories = new HashSet<>();
        for (ObjectInfo object : pattern.objects(bucket, true)) {
            String directory = recursive ? "" : pattern.directoryOf(object.key());
            if (directory.isEmpty()) {
                json.add(ObjectText.json(object));
                if (!access.global().json()) {
                    line(object.modified(), Text.bytes(object.length()), object.key());
                }
            } else if (directories.add(directory)) {
                json.add(new PrefixView(directory));
                if (!access.global().json()) {
                    System.out.printf("%34s  %s%n", "", Text.printable(directory));
                }
            }
        }
        if (access.global().json()) {
            GlobalOptions.printJson(json);
        }
    }

    private void versions(Bulwark client, ObjectPath path) {
        List<VersionView> json = new ArrayList<>();
        Bucket bucket = client.bucket(path.bucket());
        boolean[] found = new boolean[1];
        try (Stream<VersionInfo> all = bucket.versions(path.key())) {
            all.filter(version -> path.reaches(version.key())).forEach(version -> {
                found[0] = true;
                if (access.global().json()) {
                    json.add(VersionView.of(version));
                } else {
                    String size = version.deleteMarker() ? "deleted" : Text.bytes(version.length());
                    line(version.modified(), size, version.key() + "  version " + version.version() + note(version));
                }
            });
        }
        new KeyPattern(path.key(), null).requireAny(bucket, found[0]);
        if (access.global().json()) {
            GlobalOptions.printJson(json);
        }
    }

    private static String note(VersionInfo version) {
        return (version.latest() ? " (latest)" : "")
                + (version.isNull() ? " (null)" : "")
                + (version.lock().isNone() ? "" : " (" + LockText.of(version.lock()) + ")");
    }

    private void uploads(Bucket bucket, ObjectPath path) {
        List<UploadView> json = new ArrayList<>();
        for (Upload upload : UnfinishedUploads.below(bucket, path.key())) {
            if (!path.reaches(upload.key())) {
                continue;
            }
            json.add(new UploadView(upload.key(), upload.id(), upload.begun().toString()));
            if (!access.global().json()) {
                line(upload.begun(), "upload " + upload.id(), upload.key());
            }
        }
        if (access.global().json()) {
            GlobalOptions.printJson(json);
        }
    }

    private static void line(Instant modified, String size, String name) {
        StringBuilder line = new StringBuilder();
        line(line, modified, size, name);
        System.out.print(line);
    }

    /** Appends a line without patterns, which take longer than all the rest of a long listing. */
    private static void line(StringBuilder to, Instant modified, String size, String name) {
        TIME.formatTo(modified, to);
        to.append("  ").repeat(' ', Math.max(0, SIZE_WIDTH - size.length())).append(size);
        to.append("  ").append(Text.printable(name)).append(System.lineSeparator());
    }

    /** Keys that begin with the same directory. */
    private record PrefixView(String prefix) {}

    private record UploadView(String key, long upload, String begun) {}

    private record BucketView(
            String name,
            String volume,
            boolean versions,
            long quotaBytes,
            boolean objectLock,
            long objects,
            long bytes,
            String created) {
        static BucketView of(BucketInfo bucket) {
            return new BucketView(
                    bucket.name(),
                    bucket.volume(),
                    bucket.keepsVersions(),
                    bucket.quotaBytes(),
                    bucket.settings().objectLock(),
                    bucket.objects(),
                    bucket.bytes(),
                    bucket.created().toString());
        }
    }

    private record VersionView(
            String key,
            long version,
            boolean latest,
            boolean deleteMarker,
            long bytes,
            String modified,
            @JsonProperty("null") boolean isNull,
            Map<String, String> tags,
            Map<String, String> properties,
            String lock) {
        static VersionView of(VersionInfo version) {
            return new VersionView(
                    version.key(),
                    version.version(),
                    version.latest(),
                    version.deleteMarker(),
                    version.length(),
                    version.modified().toString(),
                    version.isNull(),
                    version.tags(),
                    version.properties(),
                    LockText.of(version.lock()));
        }
    }
}
