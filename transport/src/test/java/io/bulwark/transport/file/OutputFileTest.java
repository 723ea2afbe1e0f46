package io.bulwark.transport.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the state of an output path after a write. */
@NullMarked
class OutputFileTest {
    private static final long PATIENCE_SECONDS = 120;

    @TempDir
    private Path directory = Path.of("");

    private void write(Path file, String text) throws IOException {
        OutputFile.write(file, text);
        assertNothingIsLeft();
    }

    private void assertNothingIsLeft() throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            assertThat(all.map(Path::toString)).noneMatch(name -> name.endsWith(".part"));
        }
    }

    private static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    @Test
    void aNewFileHasTheModeThatTheUmaskGives() throws IOException {
        Path other = Files.writeString(directory.resolve("other"), "made by anybody");
        Path file = directory.resolve("new");
        write(file, "content");
        assertThat(file).hasContent("content");
        assertThat(mode(file)).isEqualTo(mode(other));
    }

    @Test
    void aNewSecretIsForItsOwnerAlone() throws IOException {
        Path file = directory.resolve("secret");
        OutputFile.writeSecret(file, "content".getBytes(UTF_8));
        assertThat(mode(file)).isEqualTo("rw-------");
    }

    @Test
    void aFileThatIsReplacedKeepsItsMode() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "before");
        for (String mode : new String[] {"rwxr-x--x", "rw-------", "rw-rw-rw-"}) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
            write(file, mode);
            assertThat(file).hasContent(mode);
            assertThat(mode(file)).isEqualTo(mode);
        }
    }

    @Test
    void whoHasTheOldFileOpenKeepsAllOfIt() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "the old content");
        try (var reader = Files.newInputStream(file)) {
            write(file, "new");
            assertThat(new String(reader.readAllBytes(), UTF_8)).isEqualTo("the old content");
        }
    }

    @Test
    void aLinkStaysAndItsTargetIsReplaced() throws IOException {
        Path below = Files.createDirectory(directory.resolve("below"));
        Path target = Files.writeString(below.resolve("target"), "before");
        Path second = Files.createSymbolicLink(below.resolve("second"), Path.of("target"));
        Path first = Files.createSymbolicLink(directory.resolve("first"), Path.of("below/second"));
        write(first, "after");
        assertThat(target).hasContent("after").isRegularFile();
        assertThat(first).isSymbolicLink();
        assertThat(second).isSymbolicLink();
    }

    @Test
    void aLinkToNothingHasItsTargetMade() throws IOException {
        Path link = Files.createSymbolicLink(directory.resolve("link"), Path.of("target"));
        write(link, "content");
        assertThat(link).isSymbolicLink();
        assertThat(directory.resolve("target")).hasContent("content");
    }

    @Test
    void linksInALoopAreRefused() throws IOException {
        Path link = Files.createSymbolicLink(directory.resolve("link"), Path.of("link"));
        assertThatThrownBy(() -> write(link, "content")).isInstanceOf(FileSystemLoopException.class);
        assertThat(link).isSymbolicLink();
    }

    @Test
    void aDirectoryIsRefused() throws IOException {
        assertThatThrownBy(() -> write(directory, "content"))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("it is a directory");
    }

    @Test
    void aMissingDirectoryIsNamedAndNoTemporaryFileIs() {
        Path file = directory.resolve("missing/file");
        assertThatThrownBy(() -> OutputFile.write(file, "content"))
                .hasMessageContaining(file.toString())
                .hasMessageContaining("no such file or directory")
                .message()
                .doesNotContain(".part");
    }

    @Test
    void aPipeIsWrittenIntoAndStaysAPipe() throws Exception {
        Path pipe = directory.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString())
                        .inheritIO()
                        .start()
                        .waitFor())
                .isZero();
        CompletableFuture<String> read = CompletableFuture.supplyAsync(() -> {
            try {
                return Files.readString(pipe);
            } catch (IOException e) {
                return e.toString();
            }
        });
        write(Files.createSymbolicLink(directory.resolve("link"), pipe), "content");
        assertThat(read.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo("content");
        assertThat(Files.readAttributes(pipe, BasicFileAttributes.class).isOther())
                .isTrue();
    }

    @Test
    void aNameAsLongAsNamesMayBeIsTaken() throws IOException {
        Path file = directory.resolve("n".repeat(255));
        write(file, "content");
        write(file, "again");
        assertThat(file).hasContent("again");
    }

    @Test
    void afterAFailureTheOldContentIsThereAndNothingElse() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "before");
        for (Path target : new Path[] {file, directory.resolve("new")}) {
            assertThatThrownBy(() -> OutputFile.write(target, out -> {
                        out.write(1);
                        throw new IOException("no more");
                    }))
                    .hasMessage("no more");
        }
        assertThat(file).hasContent("before");
        try (Stream<Path> all = Files.list(directory)) {
            assertThat(all).containsExactly(file);
        }
    }

    @Test
    void whatMustBeNewReplacesNothing() throws IOException {
        Path file = directory.resolve("key");
        OutputFile.create(file, true, "first".getBytes(UTF_8));
        assertThat(mode(file)).isEqualTo("rw-------");
        assertThatThrownBy(() -> OutputFile.create(file, true, "second".getBytes(UTF_8)))
                .isInstanceOf(FileAlreadyExistsException.class);
        assertThat(file).hasContent("first");
    }

    @Test
    void aProcessThatIsEndedLeavesNoTemporaryFile() throws Exception {
        // SIGINT takes the same way, but is ignored by a process that a background job starts.
        Path file = Files.writeString(directory.resolve("file"), "before");
        Process writer = start(file.toString());
        try (BufferedReader out = writer.inputReader()) {
            assertThat(out.readLine()).isEqualTo("half");
            writer.destroy();
            assertThat(writer.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        } finally {
            writer.destroyForcibly();
        }
        assertThat(file).hasContent("before");
        try (Stream<Path> all = Files.list(directory)) {
            assertThat(all).containsExactly(file);
        }
    }

    @Test
    void standardOutputByItsNameIsWrittenBehindWhatStandsThere() throws Exception {
        Path output = directory.resolve("output");
        for (String name : new String[] {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) {
            Files.writeString(output, "before\n");
            Process writer = new ProcessBuilder(command(name))
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            assertThat(writer.waitFor()).isZero();
            assertThat(output).as(name).hasContent("before\nhalf\nwhole");
        }
    }

    private static Process start(String target) throws IOException {
        return new ProcessBuilder(command(target))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static String[] command(String target) {
        return new String[] {
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            Writer.class.getName(),
            target
        };
    }

    /**
     * A separate process that writes the given file. It stops in the middle unless the target is one of its own
     * outputs.
     */
    static final class Writer {
        private Writer() {}

        public static void main(String... target) throws IOException {
            boolean stops = !target[0].contains("/fd/") && !target[0].equals("/dev/stdout");
            OutputFile.write(Path.of(target[0]), out -> half(out, stops));
        }

        private static Optional<String> half(OutputStream out, boolean stops) throws IOException {
            if (stops) {
                out.write(new byte[100_000]);
                out.flush();
                System.out.println("half");
                new CompletableFuture<Void>().join();
            }
            System.out.println("half");
            out.write("whole".getBytes(UTF_8));
            return Optional.empty();
        }
    }
}
