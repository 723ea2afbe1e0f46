package io.bulwark.appliance.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.client.ObjectInfo;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the scan of a tree, and of the objects whose file is gone. */
@NullMarked
class TreeScanTest {
    @TempDir
    private Path directory = Path.of("");

    private Path root = Path.of("");

    @BeforeEach
    void make() throws IOException {
        root = directory.toRealPath().resolve("root");
        Files.createDirectories(root.resolve("open"));
        Files.writeString(root.resolve("open/file"), "content");
    }

    private static List<String> gone(TreeScan scan, String... keys) {
        return planned(scan, keys).gone();
    }

    private static TransferPlan planned(TreeScan scan, String... objects) {
        MemoryBucket bucket = new MemoryBucket("bucket");
        Map<String, ObjectInfo> there = new TreeMap<>();
        for (String key : objects) {
            there.put(key, bucket.put(key, new byte[0], Map.of()));
        }
        return TreeUpload.planned(scan, there, Set.of(), List.of());
    }

    @Test
    void onlyWhatHasNoFileIsGone() throws IOException {
        TreeScan scan = TreeScan.of(root, TreeFilter.ALL);
        assertThat(gone(scan, "open/file", "open/other", "file", "open")).containsExactly("file", "open", "open/other");
    }

    @Test
    void nothingBelowADirectoryThatCannotBeReadIsGone() throws IOException {
        TreeScan scan = TreeScan.of(root, TreeFilter.ALL);
        Path secret = root.resolve("secret");
        scan.visitor().visitFileFailed(secret, new AccessDeniedException(secret.toString()));
        assertThat(scan.findings().failures()).containsExactly(secret + ": permission denied");
        assertThat(gone(scan, "secret", "secret/a", "secret/b/c", "secrets", "open/a"))
                .containsExactly("open/a", "secrets");
    }

    @Test
    void nothingBelowADirectoryThatIsReadHalfIsGone() throws IOException {
        TreeScan scan = TreeScan.of(root, TreeFilter.ALL);
        scan.visitor().postVisitDirectory(root.resolve("open"), new FileSystemException("open", null, "stale handle"));
        assertThat(scan.findings().failures()).containsExactly(root.resolve("open") + ": stale handle");
        assertThat(gone(scan, "open/a", "opened")).containsExactly("opened");
    }

    @Test
    void nothingAtAllIsGoneIfTheRootCannotBeRead() throws IOException {
        TreeScan scan = TreeScan.of(root, TreeFilter.ALL);
        scan.visitor().visitFileFailed(root, new AccessDeniedException(root.toString()));
        assertThat(scan.findings().failures()).containsExactly(root + ": permission denied");
        assertThat(gone(scan, "a", "b/c")).isEmpty();
    }

    @Test
    void keptObjectsAreCountedByThePlaceThatWasNotRead() throws IOException {
        TreeScan scan = TreeScan.of(root, TreeFilter.ALL);
        Path secret = root.resolve("secret");
        scan.visitor().visitFileFailed(secret, new AccessDeniedException(secret.toString()));
        assertThat(planned(scan, "secret", "secret/b/c", "open/a").kept()).isEqualTo(Map.of("secret", 2L));
        scan.visitor().visitFileFailed(root, new AccessDeniedException(root.toString()));
        assertThat(planned(scan, "secret/b/c", "open/a").kept()).isEqualTo(Map.of("", 2L));
    }

    @Test
    void aNameThatNoKeyCanHaveIsAFailureOfThePlan() throws Exception {
        Path line = Files.writeString(root.resolve("open/two\nlines"), "content");
        MemoryBucket memory = new MemoryBucket("bucket");
        for (String key : List.of("open/old", "old")) {
            memory.put(key, new byte[0], Map.of());
        }
        TransferPlan plan = new TreeUpload(root, memory.bucket(), "", TransferSettings.ofParallel(1)).plan();
        assertThat(plan.changed()).extracting(TransferPlan.Change::path).containsExactly("open/file");
        assertThat(plan.findings().failures())
                .singleElement()
                .asString()
                .startsWith(line + ": ")
                .contains("control character");
        assertThat(plan.gone()).as("the file may be their new name").isEmpty();
        assertThat(plan.kept()).isEqualTo(Map.of("", 2L));
    }

    @Test
    void aMissingRootIsAFailure() {
        assertThatThrownBy(() -> TreeScan.of(root.resolve("missing"), TreeFilter.ALL))
                .isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void linksAndSpecialFilesAreLeftOutAndNotGone() throws Exception {
        Path outside = Files.createDirectory(directory.resolve("outside"));
        Files.writeString(outside.resolve("file"), "content");
        Files.createSymbolicLink(root.resolve("inside"), Path.of("open/file"));
        Files.createSymbolicLink(root.resolve("out"), outside.resolve("file"));
        Files.createSymbolicLink(root.resolve("away"), outside);
        Files.createSymbolicLink(root.resolve("folder"), Path.of("open"));
        Files.createSymbolicLink(root.resolve("nowhere"), Path.of("missing"));
        assertThat(new ProcessBuilder("mkfifo", root.resolve("pipe").toString())
                        .start()
                        .waitFor())
                .isZero();
        TreeScan scan = TreeScan.of(root, TreeFilter.ALL);
        assertThat(scan.files()).containsOnlyKeys("inside", "open/file");
        assertThat(scan.findings().failures()).isEmpty();
        assertThat(scan.findings().skipped())
                .containsExactlyInAnyOrder(
                        "out (a link to a target outside the tree)",
                        "away (a link to a target outside the tree)",
                        "folder (a link to a directory)",
                        "nowhere (a broken link)",
                        "pipe (a pipe, socket or device)");
        assertThat(gone(scan, "out", "away/file", "folder/file", "nowhere", "pipe", "pipe/a", "truly"))
                .containsExactly("truly");
    }

    @Test
    void linksInALoopAreAFailure() throws IOException {
        Files.createSymbolicLink(root.resolve("one"), Path.of("two"));
        Files.createSymbolicLink(root.resolve("two"), Path.of("one"));
        TreeScan scan = TreeScan.of(root, TreeFilter.ALL);
        assertThat(scan.findings().failures())
                .hasSize(2)
                .allMatch(line -> line.endsWith(": the symbolic links form a loop"));
        assertThat(gone(scan, "one", "two/a")).isEmpty();
    }

    @Test
    void aFileThatCameSinceIsNotGoneAnyMore() throws IOException {
        TreeScan scan = TreeScan.of(root, TreeFilter.ALL);
        Files.writeString(root.resolve("late"), "content");
        Files.createSymbolicLink(root.resolve("link"), Path.of("missing"));
        assertThat(scan.isStillGone("late")).isFalse();
        assertThat(scan.isStillGone("link")).isFalse();
        assertThat(scan.isStillGone("late/below")).isTrue();
        assertThat(scan.isStillGone("open")).as("a directory").isTrue();
        assertThat(scan.isStillGone("open/other")).isTrue();
        assertThat(scan.isStillGone("none/other")).isTrue();
        assertThat(scan.isStillGone("../" + root.getFileName() + "/late"))
                .as("no name of a file")
                .isTrue();
        assertThat(scan.isStillGone("open//file")).as("no name of a file").isTrue();
        assertThat(scan.isStillGone("nul\0")).as("no name of a file").isTrue();
    }

    @Test
    void aTreeWithoutFilesIsNotTakenForAnEmptiedOne() throws IOException {
        Path bare = directory.resolve("bare");
        Files.createDirectories(bare.resolve("empty"));
        TreeScan scan = TreeScan.of(bare, TreeFilter.ALL);
        assertThat(planned(scan, "a").isEmptied()).isTrue();
        assertThat(planned(scan).isEmptied()).isFalse();
        assertThat(planned(TreeScan.of(root, TreeFilter.ALL), "a").isEmptied()).isFalse();
    }

    @Test
    void aPartOfAnUnfinishedDownloadIsLeftOut() throws IOException {
        Files.writeString(root.resolve("open/.bulwark-0123.part"), "half of a file");
        TreeScan scan = TreeScan.of(root, TreeFilter.ALL);
        assertThat(scan.files()).containsOnlyKeys("open/file");
        assertThat(scan.findings().skipped())
                .containsExactly("open/.bulwark-0123.part (part of an unfinished download)");
    }

    @Test
    void filteredFilesAreNeitherFoundNorReported() throws IOException {
        Files.createDirectories(root.resolve("cache/deep"));
        Files.writeString(root.resolve("cache/deep/file"), "content");
        Files.writeString(root.resolve("open/file.tmp"), "content");
        Files.createSymbolicLink(root.resolve("link.tmp"), Path.of("missing"));
        TreeScan scan = TreeScan.of(root, TreeFilter.excluding(List.of("*.tmp", "/cache/")));
        assertThat(scan.files()).containsOnlyKeys("open/file");
        assertThat(scan.findings().skipped()).isEmpty();
        Path secret = root.resolve("cache/secret");
        scan.visitor().visitFileFailed(secret, new AccessDeniedException(secret.toString()));
        assertThat(scan.findings().failures()).isEmpty();
    }
}
