package io.bulwark.appliance.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.client.ObjectInfo;
import io.bulwark.protocol.object.VersionState;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
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
        List<ObjectInfo> objects = Stream.of(keys)
                .map(key -> new ObjectInfo("bucket", key, 1, 1, Instant.EPOCH, VersionState.ofMarker(true), List.of()))
                .toList();
        return TreeSync.compare(scan, objects).gone();
    }

    @Test
    void onlyWhatHasNoFileIsGone() throws IOException {
        TreeScan scan = TreeScan.of(root, "p/");
        assertThat(gone(scan, "p/open/file", "p/open/other", "p/file", "p/open"))
                .containsExactly("p/file", "p/open", "p/open/other");
    }

    @Test
    void nothingBelowADirectoryThatCannotBeReadIsGone() throws IOException {
        TreeScan scan = TreeScan.of(root, "p/");
        Path secret = root.resolve("secret");
        scan.visitor().visitFileFailed(secret, new AccessDeniedException(secret.toString()));
        assertThat(scan.failures()).containsExactly(secret + ": permission denied");
        assertThat(gone(scan, "p/secret", "p/secret/a", "p/secret/b/c", "p/secrets", "p/open/a"))
                .containsExactly("p/open/a", "p/secrets");
    }

    @Test
    void nothingBelowADirectoryThatIsReadHalfIsGone() throws IOException {
        TreeScan scan = TreeScan.of(root, "");
        scan.visitor().postVisitDirectory(root.resolve("open"), new FileSystemException("open", null, "stale handle"));
        assertThat(scan.failures()).containsExactly(root.resolve("open") + ": stale handle");
        assertThat(gone(scan, "open/a", "opened")).containsExactly("opened");
    }

    @Test
    void nothingAtAllIsGoneIfTheRootCannotBeRead() throws IOException {
        TreeScan scan = TreeScan.of(root, "p/");
        scan.visitor().visitFileFailed(root, new AccessDeniedException(root.toString()));
        assertThat(scan.failures()).containsExactly(root + ": permission denied");
        assertThat(gone(scan, "p/a", "p/b/c")).isEmpty();
    }

    @Test
    void aMissingRootIsAFailure() {
        assertThatThrownBy(() -> TreeScan.of(root.resolve("missing"), "")).isInstanceOf(NoSuchFileException.class);
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
        TreeScan scan = TreeScan.of(root, "");
        assertThat(scan.files()).extracting(TreeSync.Entry::key).containsExactly("inside", "open/file");
        assertThat(scan.failures()).isEmpty();
        assertThat(scan.skipped())
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
        TreeScan scan = TreeScan.of(root, "");
        assertThat(scan.failures()).hasSize(2).allMatch(line -> line.endsWith(": the symbolic links form a loop"));
        assertThat(gone(scan, "one", "two/a")).isEmpty();
    }

    @Test
    void aFileThatCameSinceIsNotGoneAnyMore() throws IOException {
        TreeScan scan = TreeScan.of(root, "p/");
        Files.writeString(root.resolve("late"), "content");
        Files.createSymbolicLink(root.resolve("link"), Path.of("missing"));
        assertThat(scan.isStillGone("p/late")).isFalse();
        assertThat(scan.isStillGone("p/link")).isFalse();
        assertThat(scan.isStillGone("p/late/below")).isTrue();
        assertThat(scan.isStillGone("p/open")).as("a directory").isTrue();
        assertThat(scan.isStillGone("p/open/other")).isTrue();
        assertThat(scan.isStillGone("p/none/other")).isTrue();
        assertThat(scan.isStillGone("p/../" + root.getFileName() + "/late"))
                .as("no name of a file")
                .isTrue();
        assertThat(scan.isStillGone("p/open//file")).as("no name of a file").isTrue();
        assertThat(scan.isStillGone("p/nul\0")).as("no name of a file").isTrue();
    }

    @Test
    void aTreeWithoutFilesIsNotTakenForAnEmptiedOne() throws IOException {
        Path bare = directory.resolve("bare");
        Files.createDirectories(bare.resolve("empty"));
        TreeScan scan = TreeScan.of(bare, "");
        ObjectInfo object = new ObjectInfo("bucket", "a", 1, 1, Instant.EPOCH, VersionState.ofMarker(true), List.of());
        assertThat(TreeSync.compare(scan, List.of(object)).isEmptied()).isTrue();
        assertThat(TreeSync.compare(scan, List.of()).isEmptied()).isFalse();
        assertThat(TreeSync.compare(TreeScan.of(root, ""), List.of(object)).isEmptied())
                .isFalse();
    }
}
