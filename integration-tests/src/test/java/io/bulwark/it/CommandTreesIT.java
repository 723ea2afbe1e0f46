package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.Bucket;
import io.bulwark.client.PutOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Commands that move trees of files in all directions, and commands that take patterns. */
@NullMarked
class CommandTreesIT {
    private static final int DONE = 0;
    private static final int FAILED = 1;
    private static final int USAGE = 2;

    /** A directory of every checkout, seen from where the tests run, and the name of a bucket. */
    private static final String TWOFOLD = "src";

    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.shared();

    @TempDir
    private Path directory = Path.of("");

    private static CommandRun run(String... arguments) {
        return new CommandRun(CLUSTER, arguments).go();
    }

    private static JsonNode json(String... arguments) {
        return new CommandRun(CLUSTER, arguments).json();
    }

    private static void fails(int exitCode, String saying, String... arguments) {
        CommandRun run = run(arguments);
        assertThat(run.exitCode())
                .as("%s: %s", Arrays.toString(arguments), run.err())
                .isEqualTo(exitCode);
        assertThat(run.err()).as(Arrays.toString(arguments)).contains(saying);
    }

    private Path makeTree() throws IOException {
        Path tree = directory.resolve("tree");
        Files.createDirectories(tree.resolve("sub/deep"));
        byte[] content = new byte[(3 << 20) + 17];
        new Random(LiveCluster.SEED).nextBytes(content);
        Files.write(tree.resolve("large.bin"), content);
        Files.writeString(tree.resolve("sub/run.sh"), "#!/bin/sh");
        Files.setPosixFilePermissions(tree.resolve("sub/run.sh"), PosixFilePermissions.fromString("rwxr-x---"));
        Files.writeString(tree.resolve("sub/deep/old name"), "old");
        Files.setLastModifiedTime(
                tree.resolve("sub/deep/old name"), FileTime.from(Instant.ofEpochSecond(-5, 123_456_789)));
        Files.createFile(tree.resolve("nothing.log"));
        return tree;
    }

    private static SortedMap<String, String> state(Path root) throws IOException {
        SortedMap<String, String> state = new TreeMap<>();
        try (Stream<Path> all = Files.walk(root)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                state.put(
                        root.relativize(file).toString(),
                        Arrays.hashCode(Files.readAllBytes(file)) + " "
                                + Files.getLastModifiedTime(file).toInstant() + " "
                                + PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
            }
        }
        return state;
    }

    @Test
    void aTreeGoesInAndComesBack() throws IOException {
        Path tree = makeTree();
        Path back = directory.resolve("back");
        json("mb", "trees");
        assertThat(json("put", "-r", tree.toString(), "trees/one").get("stored").asInt())
                .isEqualTo(4);
        assertThat(json("get", "-r", "trees/one", back.toString()).get("stored").asInt())
                .isEqualTo(4);
        assertThat(state(back)).isEqualTo(state(tree));
        assertThat(json("diff", back.toString(), "trees/one").get("same").asInt())
                .isEqualTo(4);
        assertThat(json("sync", tree.toString(), "trees/one").get("unchanged").asInt())
                .isEqualTo(4);

        Path changed = back.resolve("sub/run.sh");
        FileTime time = Files.getLastModifiedTime(changed);
        Files.writeString(changed, "#!/bin/xx");
        Files.setLastModifiedTime(changed, time);
        Files.writeString(back.resolve("extra"), "only here");
        CommandRun different = run("diff", "bucket:trees/one", back.toString());
        assertThat(different.exitCode()).isEqualTo(FAILED);
        List<String> marks = new ArrayList<>();
        different
                .printed()
                .get("differences")
                .forEach(line ->
                        marks.add(line.get("mark").asString() + line.get("path").asString()));
        assertThat(marks).containsExactly("-extra", "*sub/run.sh");
        JsonNode planned = json("sync", "bucket:trees/one", back.toString(), "--delete", "--dry-run");
        assertThat(planned.get("changes").size()).isEqualTo(2);
        assertThat(back.resolve("extra")).exists();
        JsonNode synced = json("sync", "bucket:trees/one", back.toString(), "--delete");
        assertThat(synced.get("stored").asInt()).isEqualTo(1);
        assertThat(synced.get("deleted").asInt()).isEqualTo(1);
        assertThat(state(back)).isEqualTo(state(tree));

        json("mb", "copies");
        assertThat(json("sync", "bucket:trees/one", "bucket:copies/two")
                        .get("stored")
                        .asInt())
                .isEqualTo(4);
        assertThat(json("sync", "bucket:trees/one", "bucket:copies/two")
                        .get("unchanged")
                        .asInt())
                .isEqualTo(4);
        assertThat(json("diff", "bucket:trees/one", "bucket:copies/two", "--checksum")
                        .get("same")
                        .asInt())
                .isEqualTo(4);
        Path again = directory.resolve("again");
        json("get", "-r", "copies/two", again.toString(), "--exclude", "*.log", "--bwlimit", "1G");
        assertThat(state(again).keySet()).containsExactly("large.bin", "sub/deep/old name", "sub/run.sh");
    }

    /** Takes some seconds: smaller files do not go in parts. */
    @Test
    void aLargeFileGoesInPartsAndComesBack() throws IOException {
        Path file = directory.resolve("large");
        byte[] content = new byte[(64 << 20) + 4321];
        new Random(LiveCluster.SEED).nextBytes(content);
        Files.write(file, content);
        json("mb", "large");
        assertThat(json("put", file.toString(), "large").get("bytes").asInt()).isEqualTo(content.length);
        assertThat(names("ls", "large", "--uploads")).isEmpty();
        Path back = directory.resolve("back");
        json("get", "large/large", back.toString());
        assertThat(Files.mismatch(file, back)).isEqualTo(-1);
        Path tree = directory.resolve("tree");
        json("get", "-r", "large", tree.toString());
        assertThat(Files.mismatch(file, tree.resolve("large"))).isEqualTo(-1);
        assertThat(Files.getLastModifiedTime(tree.resolve("large"))).isEqualTo(Files.getLastModifiedTime(file));
        json("rm", "-r", "large");
    }

    @Test
    void aWordWithTwoMeaningsIsRefused() {
        json("mb", "twofold");
        json("mb", TWOFOLD);
        assertThat(Files.isDirectory(Path.of(TWOFOLD))).isTrue();
        fails(USAGE, "is a directory here and a bucket", "sync", TWOFOLD, "twofold", "--dry-run");
        fails(USAGE, "is a directory here and a bucket", "sync", "twofold", TWOFOLD, "--delete");
        assertThat(json("sync", "./" + TWOFOLD, "twofold", "--dry-run")
                        .get("changed")
                        .asInt())
                .isPositive();
        assertThat(json("sync", "bucket:" + TWOFOLD, "twofold", "--dry-run")
                        .get("changed")
                        .asInt())
                .isZero();
        fails(FAILED, "neither a directory nor a bucket", "sync", "no-such-thing", "twofold");
        fails(FAILED, "is not a directory", "sync", directory + "/missing", "twofold");
        fails(FAILED, "is no bucket", "sync", "./" + TWOFOLD, "bucket:no-such-bucket");
        fails(USAGE, "overlap", "sync", "bucket:twofold/a", "bucket:twofold/a/b");
        fails(FAILED, "no objects below", "get", "-r", "twofold/missing", directory.toString());
    }

    @Test
    void keysOfOthersWriteNothingOutside() throws IOException {
        json("mb", "hostile");
        Bucket bucket = CLUSTER.client().bucket("hostile");
        for (String key : List.of("../escape", "/absolute", "a/../../escape", "a", "a/b", "n".repeat(300), "good")) {
            bucket.put(key, "hostile".getBytes(StandardCharsets.UTF_8));
        }
        Path target = directory.resolve("target");
        CommandRun run = run("get", "-r", "hostile", target.toString());
        assertThat(run.exitCode()).as(run.err()).isEqualTo(FAILED);
        assertThat(run.printed().get("failed").asInt()).isEqualTo(5);
        assertThat(run.err()).contains("../escape", "/absolute", "a: it cannot be a file", "nnn");
        assertThat(state(directory).keySet()).containsExactly("target/a/b", "target/good");
    }

    @Test
    void patternsChooseObjects() throws IOException {
        json("mb", "globs");
        Bucket bucket = CLUSTER.client().bucket("globs");
        for (String key : List.of("logs/a.gz", "logs/b.gz", "logs/c.txt", "logs/old/d.gz", "odd[1]", "odd1")) {
            bucket.put(key, key.getBytes(StandardCharsets.UTF_8));
        }
        assertThat(names("ls", "globs/logs/*.gz")).containsExactly("logs/a.gz", "logs/b.gz");
        assertThat(names("ls", "globs/logs/**.gz")).contains("logs/old/d.gz");
        assertThat(names("ls", "globs/logs/*")).containsExactly("logs/a.gz", "logs/b.gz", "logs/c.txt", "logs/old/");
        assertThat(names("ls", "globs/odd[1]")).as("the key of an object").containsExactly("odd[1]");
        assertThat(names("ls", "globs/od?[1]")).containsExactly("odd1");
        fails(FAILED, "matches", "ls", "globs/none*");
        fails(USAGE, "pattern", "ls", "globs/bad[");

        // It writes to the file descriptor, which the test does not see.
        assertThat(new CommandRun(CLUSTER, "cat", "globs/logs/?.gz")
                        .goForPeople()
                        .exitCode())
                .isZero();
        assertThat(json("du", "globs/logs/*.gz").get("objects").asInt()).isEqualTo(2);
        assertThat(json("du", "globs/lo*").get("objects").asInt()).isEqualTo(4);
        fails(FAILED, "matches", "cat", "globs/none*");

        Path target = directory.resolve("target");
        assertThat(json("get", "globs/logs/*.gz", target.toString())
                        .get("stored")
                        .asInt())
                .isEqualTo(2);
        assertThat(target.resolve("a.gz")).hasContent("logs/a.gz");
        assertThat(state(target).keySet()).containsExactly("a.gz", "b.gz");
        assertThat(json("rm", "globs/logs/*.gz", "--dry-run").get("keys").size())
                .isEqualTo(2);
        assertThat(json("rm", "globs/logs/*.gz").get("removed").asInt()).isEqualTo(2);
        assertThat(json("rm", "globs/odd[1]").get("removed").asInt()).isEqualTo(1);
        assertThat(names("ls", "-r", "globs")).containsExactly("logs/c.txt", "logs/old/d.gz", "odd1");
        assertThat(json("rm", "-r", "globs/lo*", "--exclude", "*.txt")
                        .get("removed")
                        .asInt())
                .isEqualTo(1);
        assertThat(names("ls", "-r", "globs")).containsExactly("logs/c.txt", "odd1");
        fails(FAILED, "odd2", "rm", "globs/odd2");

        JsonNode usage = json("du", "globs");
        assertThat(usage.get("objects").asInt()).isEqualTo(2);
        assertThat(usage.get("bytes").asInt()).isEqualTo("logs/c.txt".length() + "odd1".length());
        assertThat(usage.get("below").get(0).get("prefix").asString()).isEqualTo("logs/");
    }

    @Test
    void unfinishedUploadsAreListedAndAborted() {
        json("mb", "unfinished");
        Bucket bucket = CLUSTER.client().bucket("unfinished");
        bucket.uploads().begin("one", PutOptions.DEFAULT);
        bucket.uploads().begin("one/more", PutOptions.DEFAULT);
        assertThat(names("ls", "unfinished", "--uploads")).containsExactly("one", "one/more");
        fails(FAILED, "2 uploads", "rb", "unfinished");
        assertThat(json("rm", "unfinished/one", "--uploads").get("aborted").asInt())
                .isEqualTo(1);
        assertThat(names("ls", "unfinished", "--uploads")).containsExactly("one/more");
        assertThat(json("rm", "-r", "unfinished", "--uploads").get("aborted").asInt())
                .isEqualTo(1);
        assertThat(run("rb", "unfinished").exitCode()).isEqualTo(DONE);
    }

    @Test
    void optionsThatWouldDoNothingAreRefused() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "content");
        json("mb", "options");
        fails(USAGE, "--dry-run does not go without -r", "put", file.toString(), "options", "--dry-run");
        fails(USAGE, "--tag does not go with -r", "put", "-r", directory.toString(), "options", "--tag", "a=b");
        json("put", file.toString(), "options");
        fails(
                USAGE,
                "--checksum",
                "get",
                "options/file",
                directory.resolve("out").toString(),
                "--checksum");
        fails(USAGE, "--range", "get", "-r", "options", directory.toString(), "--range", "0-1");
        fails(USAGE, "exclude each other", "get", "-r", "options", ".", "--include", "a", "--exclude", "b");
        fails(USAGE, "--bwlimit", "get", "-r", "options", ".", "--bwlimit", "fast");
        fails(USAGE, "--range", "cat", "options/file", "--range", "7-3");
        fails(FAILED, "7 bytes", "cat", "options/file", "--range", "7-");
        fails(USAGE, "name the directory", "get", "-r", "options");
    }

    private static List<String> names(String... arguments) {
        List<String> names = new ArrayList<>();
        json(arguments)
                .forEach(entry -> names.add((entry.has("prefix") ? entry.get("prefix") : entry.get("key")).asString()));
        return names;
    }
}
