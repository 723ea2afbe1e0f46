package io.bulwark.appliance.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.client.PutOptions;
import io.bulwark.client.error.NoSuchKeyException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of trees that come back from a bucket: what is written, what is left alone, and which keys are refused. */
@NullMarked
class TreeDownloadTest {
    private static final TransferSettings SETTINGS = TransferSettings.ofParallel(4);

    private final MemoryBucket memory = new MemoryBucket("bucket");

    @TempDir
    private Path outside = Path.of("");

    private Path root = Path.of("");

    @BeforeEach
    void make() throws IOException {
        outside = outside.toRealPath();
        root = Files.createDirectory(outside.resolve("root"));
    }

    private TransferPlan plan() throws Exception {
        return new TreeDownload(memory.bucket(), "", root, SETTINGS).plan();
    }

    private Transfer.Result get(boolean delete) throws Exception {
        return get(delete, SETTINGS);
    }

    private Transfer.Result get(boolean delete, TransferSettings settings) throws Exception {
        TreeDownload download = new TreeDownload(memory.bucket(), "", root, settings);
        return download.run(download.plan(), delete, TransferListener.NONE);
    }

    private List<String> names() throws IOException {
        try (Stream<Path> all = Files.walk(outside)) {
            return all.filter(path -> !Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS))
                    .map(path -> outside.relativize(path).toString())
                    .sorted()
                    .toList();
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void timesAndModesComeBack() throws Exception {
        memory.put(
                "run.sh",
                bytes("#!/bin/sh"),
                Map.of(FileFacts.MODIFIED, "1600000000.123456789", FileFacts.MODE, "0104755"));
        memory.put("plain", bytes("content"), Map.of());
        Transfer.Result result = get(false);
        assertThat(result.failures()).isEmpty();
        assertThat(result.files()).isEqualTo(2);
        Path script = root.resolve("run.sh");
        assertThat(Files.getLastModifiedTime(script).toInstant())
                .isEqualTo(Instant.ofEpochSecond(1_600_000_000, 123_456_789));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(script)))
                .isEqualTo("rwxr-xr-x");
        assertThat(Files.getLastModifiedTime(root.resolve("plain")).toInstant())
                .as("an object without a time has the time of its version")
                .isEqualTo(memory.info("plain").modified());
        assertThat(plan().changed()).isEmpty();
        assertThat(plan().unchanged()).isEqualTo(2);
    }

    @Test
    void hostileKeysAreFailuresAndWriteNothingOutside() throws Exception {
        List<String> hostile = List.of(
                "../escape",
                "a/../../escape",
                "/absolute",
                "a//b",
                "./here",
                "a/./b",
                "..",
                "nul\0byte",
                ".bulwark-0123456789abcdef01234567.part",
                "sub/.bulwark-0123456789abcdef01234567.state");
        hostile.forEach(key -> memory.put(key, "hostile"));
        memory.put("good", "good");
        TransferPlan plan = plan();
        assertThat(plan.changed()).extracting(TransferPlan.Change::path).containsExactly("good");
        assertThat(plan.findings().failures()).hasSize(hostile.size());
        hostile.forEach(key -> assertThat(plan.findings().failures()).anyMatch(line -> line.startsWith(key + ": ")));
        assertThat(get(true).failures()).isEmpty();
        assertThat(names()).containsExactly("root/good");
    }

    @Test
    void aNameThatIsTooLongIsAFailureOfItsOwn() throws Exception {
        String name = "n".repeat(300);
        memory.put(name, "content");
        memory.put(name + "/below", "content");
        memory.put("good", "good");
        memory.remove(name);
        Transfer.Result result = get(false);
        assertThat(result.failures()).singleElement().asString().startsWith(name);
        assertThat(names()).containsExactly("root/good");
    }

    @Test
    void aKeyThatIsFileAndDirectoryIsADirectory() throws Exception {
        memory.put("a", "the file");
        memory.put("a/b", "below");
        memory.put("a/c/", "");
        memory.put("empty/", "");
        memory.put("marker/", "with content");
        TransferPlan plan = plan();
        assertThat(plan.findings().failures()).hasSize(2);
        assertThat(plan.findings().failures()).anyMatch(line -> line.startsWith("a: it cannot be a file"));
        assertThat(plan.findings().failures()).anyMatch(line -> line.startsWith("marker/: "));
        assertThat(get(false).failures()).isEmpty();
        assertThat(root.resolve("a/b")).hasContent("below");
        assertThat(root.resolve("a/c")).isDirectory();
        assertThat(root.resolve("empty")).isDirectory();
    }

    @Test
    void namesThatTheFileSystemTakesForOneAreAFailure() throws Exception {
        memory.put("Name", bytes("one"), Map.of(FileFacts.MODIFIED, "1600000000"));
        memory.put("name", "other");
        // Two names of one inode, as a file system without case shows them.
        Files.writeString(root.resolve("Name"), "one");
        Files.setLastModifiedTime(root.resolve("Name"), FileTime.from(Instant.ofEpochSecond(1_600_000_000)));
        Files.createLink(root.resolve("name"), root.resolve("Name"));
        Transfer.Result result = get(true);
        assertThat(result.failures()).containsExactly("name: this file system takes its name for that of Name");
        assertThat(root.resolve("Name")).hasContent("one");
        Files.delete(root.resolve("name"));
        assertThat(get(true).failures()).as("here they are two files").isEmpty();
        assertThat(root.resolve("Name")).hasContent("one");
        assertThat(root.resolve("name")).hasContent("other");
    }

    @Test
    void noLinkIsFollowed() throws Exception {
        Path victim = Files.writeString(outside.resolve("victim"), "victim");
        Path away = Files.createDirectory(outside.resolve("away"));
        Files.createSymbolicLink(root.resolve("directory"), away);
        Files.createSymbolicLink(root.resolve("file"), victim);
        memory.put("directory/planted", "hostile");
        memory.put("file", "new content");
        Transfer.Result result = get(true);
        assertThat(result.failures()).singleElement().asString().contains("a symbolic link is in the place");
        assertThat(victim).hasContent("victim");
        assertThat(away).isEmptyDirectory();
        assertThat(root.resolve("file")).isRegularFile().hasContent("new content");
        assertThat(Files.isSymbolicLink(root.resolve("file"))).isFalse();
    }

    @Test
    void onlyWhatTheBucketLacksIsDeletedAndOnlyIfAsked() throws Exception {
        memory.put("kept", "kept");
        Files.createDirectories(root.resolve("old/deep"));
        Files.writeString(root.resolve("old/deep/file"), "gone");
        Files.writeString(root.resolve("left.tmp"), "left out");
        Files.createSymbolicLink(root.resolve("nowhere"), Path.of("missing"));
        assertThat(get(false).deleted()).isZero();
        assertThat(root.resolve("old/deep/file")).exists();
        TransferSettings filtered = SETTINGS.withFilter(TreeFilter.excluding(List.of("*.tmp")));
        assertThat(get(true, filtered).deleted()).isEqualTo(1);
        assertThat(names()).containsExactly("root/kept", "root/left.tmp", "root/nowhere");
        assertThat(root.resolve("old")).doesNotExist();
    }

    @Test
    void nothingIsDeletedAfterAFailure() throws Exception {
        memory.put("kept", "kept");
        memory.breakReadsAfter(1);
        Files.writeString(root.resolve("old"), "gone");
        Transfer.Result result = get(true);
        assertThat(result.failures()).hasSize(1);
        assertThat(result.deleted()).isZero();
        assertThat(names()).containsExactly("root/old");
    }

    @Test
    void aFileThatChangesAfterThePlanIsNotDeleted() throws Exception {
        memory.put("kept", "kept");
        Path old = Files.writeString(root.resolve("old"), "gone");
        TreeDownload download = new TreeDownload(memory.bucket(), "", root, SETTINGS);
        TransferPlan plan = download.plan();
        Files.writeString(old, "somebody works on it");
        Transfer.Result result = download.run(plan, true, TransferListener.NONE);
        assertThat(result.failures()).singleElement().asString().contains("it changed meanwhile");
        assertThat(old).exists();
    }

    @Test
    void aFileMakesRoomForADirectoryAndTheReverse() throws Exception {
        memory.put("a/b", "below");
        memory.put("c", "a file");
        Files.writeString(root.resolve("a"), "was a file");
        Files.createDirectories(root.resolve("c/d"));
        Files.writeString(root.resolve("c/d/e"), "was below");
        assertThat(get(false).failures()).hasSize(2);
        assertThat(names()).containsExactly("root/a", "root/c/d/e");
        Transfer.Result result = get(true);
        assertThat(result.failures()).isEmpty();
        assertThat(result.deleted()).isEqualTo(2);
        assertThat(names()).containsExactly("root/a/b", "root/c");
    }

    @Test
    void otherBytesOfTheSameSizeAndTimeAreNoticed() throws Exception {
        FileUpload upload = new FileUpload(memory.bucket(), RateLimit.NONE);
        Path file = Files.writeString(outside.resolve("file"), "right");
        FileTime time = Files.getLastModifiedTime(file);
        upload.put(file, "file", PutOptions.DEFAULT, TransferListener.NONE);
        assertThat(get(false).files()).isEqualTo(1);
        Files.writeString(root.resolve("file"), "wrong");
        Files.setLastModifiedTime(root.resolve("file"), time);
        assertThat(get(false).files()).isEqualTo(1);
        assertThat(root.resolve("file")).hasContent("right");
    }

    @Test
    void onlyAttributesAreSetWhereTheContentIsTheSame() throws Exception {
        FileUpload upload = new FileUpload(memory.bucket(), RateLimit.NONE);
        Path file = Files.writeString(outside.resolve("file"), "content");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        upload.put(file, "file", PutOptions.DEFAULT, TransferListener.NONE);
        Files.writeString(root.resolve("file"), "content");
        Files.setLastModifiedTime(root.resolve("file"), FileTime.fromMillis(1_000));
        assertThat(plan().changed()).singleElement().matches(TransferPlan.Change::attributesOnly);
        assertThat(get(false).failures()).isEmpty();
        assertThat(memory.bytesRead()).isZero();
        assertThat(Files.getLastModifiedTime(root.resolve("file"))).isEqualTo(Files.getLastModifiedTime(file));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(root.resolve("file"))))
                .isEqualTo("rw-r-----");
    }

    @Test
    void checksumReadsObjectsWithoutADigest() throws Exception {
        memory.put("file", bytes("right"), Map.of(FileFacts.MODIFIED, "1600000000"));
        Files.writeString(root.resolve("file"), "wrong");
        Files.setLastModifiedTime(root.resolve("file"), FileTime.from(Instant.ofEpochSecond(1_600_000_000)));
        assertThat(plan().changed()).as("nothing tells them apart").isEmpty();
        Transfer.Result result = get(false, SETTINGS.withChecksum(true));
        assertThat(result.files()).isEqualTo(1);
        assertThat(root.resolve("file")).hasContent("right");
    }

    @Test
    void aBrokenDownloadGoesOnWhereItWas() throws Exception {
        byte[] content = new byte[(int) ObjectDownload.RESUMABLE_BYTES + 12_345];
        new Random(7).nextBytes(content);
        memory.put("large", content, Map.of());
        long first = 40L << 20;
        memory.breakReadsAfter(first);
        assertThat(get(false).failures()).hasSize(1);
        assertThat(root.resolve("large")).doesNotExist();
        assertThat(names()).hasSize(2).allMatch(name -> name.contains(".bulwark-"));

        memory.breakReadsAfter(Long.MAX_VALUE);
        long before = memory.bytesRead();
        Transfer.Result result = get(false);
        assertThat(result.failures()).isEmpty();
        assertThat(memory.bytesRead() - before).isEqualTo(content.length - first);
        assertThat(Files.readAllBytes(root.resolve("large"))).isEqualTo(content);
        assertThat(names()).containsExactly("root/large");
    }

    @Test
    void anotherVersionBeginsAgain() throws Exception {
        byte[] content = new byte[(int) ObjectDownload.RESUMABLE_BYTES];
        memory.put("large", content, Map.of());
        memory.breakReadsAfter(40L << 20);
        assertThat(get(false).failures()).hasSize(1);
        content[0] = 1;
        memory.put("large", content, Map.of());
        memory.breakReadsAfter(Long.MAX_VALUE);
        long before = memory.bytesRead();
        assertThat(get(false).failures()).isEmpty();
        assertThat(memory.bytesRead() - before).isEqualTo(content.length);
        assertThat(Files.readAllBytes(root.resolve("large"))[0]).isEqualTo((byte) 1);
    }

    @Test
    void aPrefixWithoutObjectsIsAFailure() {
        memory.put("tree/file", "content");
        assertThatThrownBy(() -> new TreeDownload(memory.bucket(), "tre", root, SETTINGS).plan())
                .isInstanceOf(NoSuchKeyException.class)
                .hasMessageContaining("tre/");
    }

    @Test
    void anObjectThatChangesAfterThePlanComesInItsNewVersion() throws Exception {
        memory.put("replaced", "old");
        memory.put("deleted", "old");
        TreeDownload download = new TreeDownload(memory.bucket(), "", root, SETTINGS);
        TransferPlan plan = download.plan();
        memory.put("replaced", "newer");
        memory.remove("deleted");
        Transfer.Result result = download.run(plan, false, TransferListener.NONE);
        assertThat(result.failures()).isEmpty();
        assertThat(result.notes()).singleElement().asString().startsWith("deleted: ");
        assertThat(names()).containsExactly("root/replaced");
        assertThat(root.resolve("replaced")).hasContent("newer");
    }
}
