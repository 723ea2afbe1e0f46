package io.bulwark.transport.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests changes of a file between the reading of its beginning and of its end. */
@NullMarked
class SourceStreamTest {
    private static final String BEFORE = "the beginning and the end";
    private static final String AFTER = "THE BEGINNING AND THE END";
    private static final int HALF = 10;

    @TempDir
    private Path directory = Path.of("");

    private Path file = Path.of("");

    private interface Change {
        void make() throws IOException;
    }

    @BeforeEach
    void write() throws IOException {
        file = Files.writeString(directory.resolve("file"), BEFORE);
    }

    private String readWith(Change change) throws IOException {
        try (SourceStream in = SourceStream.open(file)) {
            String half = new String(in.readNBytes(HALF), UTF_8);
            change.make();
            return half + new String(in.readAllBytes(), UTF_8);
        }
    }

    private void assertChanged(String how, Change change) {
        assertThatThrownBy(() -> readWith(change))
                .isInstanceOf(FileChangedException.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining(how);
    }

    @Test
    void aFileThatStaysIsReadWhole() throws IOException {
        assertThat(readWith(() -> {})).isEqualTo(BEFORE);
        Files.writeString(file, "");
        assertThat(readWith(() -> {})).isEmpty();
    }

    @Test
    void aFileThatGrowsIsReadAsLongAsItWas() throws IOException {
        assertThat(readWith(() -> Files.writeString(file, ", and more", StandardOpenOption.APPEND)))
                .isEqualTo(BEFORE);
    }

    @Test
    void aFileThatIsRewrittenHasChanged() {
        assertChanged("it changed", () -> Files.writeString(file, AFTER));
    }

    @Test
    void aFileThatIsRewrittenAndGrowsHasChanged() {
        assertChanged(
                "it changed and grew", () -> Files.writeString(file, "another beginning, and an end that is far"));
    }

    @Test
    void aFileThatBecomesShorterHasChanged() throws IOException {
        assertChanged("shorter", () -> Files.writeString(file, "short"));
        write();
        assertChanged("shorter", () -> Files.writeString(file, ""));
    }

    @Test
    void aFileWhoseTimeIsSetBackAfterwardsHasChanged() throws IOException {
        assumeThat(file.getFileSystem().supportedFileAttributeViews()).contains("unix");
        FileTime old = FileTime.fromMillis(1_000_000_000_123L);
        Files.setLastModifiedTime(file, old);
        assertChanged("it changed", () -> {
            Files.writeString(file, AFTER);
            Files.setLastModifiedTime(file, old);
        });
    }

    @Test
    void anotherFileInItsPlaceHasChanged() {
        assertChanged("another file has replaced it", () -> {
            Path next = Files.writeString(directory.resolve("next"), BEFORE);
            Files.move(next, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        });
    }

    @Test
    void aFileThatWentAwaySaysSo() {
        assertThatThrownBy(() -> readWith(() -> Files.delete(file))).hasMessageContaining(file.toString());
    }

    @Test
    void aFileThatHidesItsSizeIsRefused() {
        file = Path.of("/proc/self/maps");
        assumeThat(file).exists();
        assertThatThrownBy(() -> readWith(() -> {})).hasMessageContaining("through a pipe");
    }

    @Test
    void whatWasReadOnceCanBeReadAgain() throws IOException {
        try (SourceStream in = SourceStream.open(file)) {
            assertThat(in.length()).isEqualTo(BEFORE.length());
            in.readNBytes(HALF);
            in.rewind();
            assertThat(new String(in.readAllBytes(), UTF_8)).isEqualTo(BEFORE);
            in.rewind();
            Files.writeString(file, AFTER);
            assertThatThrownBy(in::readAllBytes).isInstanceOf(FileChangedException.class);
        }
    }
}
