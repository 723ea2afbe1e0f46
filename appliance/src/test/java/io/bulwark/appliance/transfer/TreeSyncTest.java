package io.bulwark.appliance.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Queue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TreeSyncTest {
    @TempDir
    private Path root = Path.of("");

    @Test
    void aBackslashIsPartOfANameAndDoesNotHideAnotherFile() throws IOException {
        Files.createDirectory(root.resolve("a"));
        Files.writeString(root.resolve("a/b"), "below a");
        Files.writeString(root.resolve("a\\b"), "beside a");
        Path real = root.toRealPath();
        TreeScan scan = TreeScan.of(root, "p/");
        assertThat(scan.files())
                .extracting(TreeSync.Entry::key, TreeSync.Entry::file)
                .containsExactlyInAnyOrder(tuple("p/a/b", real.resolve("a/b")), tuple("p/a\\b", real.resolve("a\\b")));
        assertThat(scan.skipped()).isEmpty();
        assertThat(scan.emptyDirectories()).isZero();
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
        TreeScan scan = TreeScan.of(root, "");
        assertThat(scan.files()).extracting(TreeSync.Entry::key).containsExactly("plain");
        assertThat(scan.failures()).hasSize(2).allMatch(line -> line.endsWith("a name that this locale cannot decode"));
        assertThat(scan.isGone("x"))
                .as("whichever name it had in another locale")
                .isFalse();
    }

    @Test
    void aFileThatWentAwayIsAFailureOfItsOwn() {
        Queue<String> failures = new ArrayDeque<>();
        TreeSync.runNoting(failures, "gone", () -> {
            throw new UncheckedIOException(new NoSuchFileException("gone"));
        });
        assertThat(failures).singleElement().asString().startsWith("gone: ");
    }

    @Test
    void directoriesWithoutEntriesAreCounted() throws IOException {
        Files.createDirectories(root.resolve("empty"));
        Files.createDirectories(root.resolve("nested/empty-too"));
        Files.createDirectories(root.resolve("full"));
        Files.writeString(root.resolve("full/file.txt"), "content");
        TreeScan scan = TreeScan.of(root, "");
        assertThat(scan.files()).extracting(TreeSync.Entry::key).containsExactly("full/file.txt");
        assertThat(scan.emptyDirectories()).isEqualTo(2);
    }

    @Test
    void aTypeIsGuessedFromTheNameAloneAndNeverFails() {
        assertThat(ContentTypes.of("2026/page.html")).isEqualTo("text/html");
        assertThat(ContentTypes.of("no-such-suffix")).isEqualTo("application/octet-stream");
        assertThat(ContentTypes.of("not a path\0.html")).isEqualTo("application/octet-stream");
    }
}
