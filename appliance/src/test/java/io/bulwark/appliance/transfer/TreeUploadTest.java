package io.bulwark.appliance.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TreeUploadTest {
    @TempDir
    private Path root = Path.of("");

    @Test
    void aBackslashIsPartOfANameAndDoesNotHideAnotherFile() throws IOException {
        Files.createDirectory(root.resolve("a"));
        Files.writeString(root.resolve("a/b"), "below a");
        Files.writeString(root.resolve("a\\b"), "beside a");
        Path real = root.toRealPath();
        TreeScan scan = TreeScan.of(root, TreeFilter.ALL);
        assertThat(scan.files().values())
                .extracting(TreeFile::path, TreeFile::file)
                .containsExactlyInAnyOrder(tuple("a/b", real.resolve("a/b")), tuple("a\\b", real.resolve("a\\b")));
        assertThat(scan.findings().skipped()).isEmpty();
        assertThat(scan.findings().emptyDirectories()).isZero();
    }

    @Test
    void namesThatAreNotTextAreFailuresAndProtectTheirDirectory() throws Exception {
        String script =
                "printf one > \"$(printf 'x\\377')\"; printf two > \"$(printf 'x\\376')\"; printf three > plain";
        int made = new ProcessBuilder("sh", "-c", script)
                .directory(root.toFile())
                .inheritIO()
                .start()
                .waitFor();
        if (made != 0) {
            System.out.println("LEFT OUT: names that are not text, since this file system takes none");
        }
        assumeThat(made).as("this file system takes such names").isZero();
        TreeScan scan = TreeScan.of(root, TreeFilter.ALL);
        assertThat(scan.files()).containsOnlyKeys("plain");
        assertThat(scan.findings().failures())
                .hasSize(2)
                .allMatch(line -> line.endsWith("a name that this locale cannot decode; rename it"));
        assertThat(scan.unreadPlaceOf("x"))
                .as("whichever name it had in another locale")
                .contains("");
    }

    @Test
    void aFileThatWentAwayIsAFailureOfItsOwn() {
        TransferLog log = new TransferLog();
        log.attempt("gone", () -> {
            throw new UncheckedIOException(new NoSuchFileException("gone"));
        });
        log.attempt("closed", () -> {
            throw new AccessDeniedException("closed");
        });
        assertThat(log.failures()).hasSize(2);
        assertThat(log.failures().getFirst()).startsWith("gone: ");
        assertThat(log.failures().getLast()).isEqualTo("closed: permission denied");
    }

    @Test
    void directoriesWithoutEntriesAreCounted() throws IOException {
        Files.createDirectories(root.resolve("empty"));
        Files.createDirectories(root.resolve("nested/empty-too"));
        Files.createDirectories(root.resolve("full"));
        Files.writeString(root.resolve("full/file.txt"), "content");
        TreeScan scan = TreeScan.of(root, TreeFilter.ALL);
        assertThat(scan.files()).containsOnlyKeys("full/file.txt");
        assertThat(scan.findings().emptyDirectories()).isEqualTo(2);
    }

    @Test
    void aTypeIsGuessedFromTheNameAloneAndNeverFails() {
        assertThat(ContentTypes.of("2026/page.html")).isEqualTo("text/html");
        assertThat(ContentTypes.of("no-such-suffix")).isEqualTo("application/octet-stream");
        assertThat(ContentTypes.of("not a path\0.html")).isEqualTo("application/octet-stream");
    }
}
