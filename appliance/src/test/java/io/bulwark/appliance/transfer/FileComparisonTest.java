package io.bulwark.appliance.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.PutOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the question whether an object still holds a file. */
@NullMarked
class FileComparisonTest {
    private static final TransferSettings SETTINGS = TransferSettings.ofParallel(1);

    private final MemoryBucket memory = new MemoryBucket("bucket");

    @TempDir
    private Path directory = Path.of("");

    private Path file = Path.of("");

    @BeforeEach
    void put() throws IOException {
        file = Files.writeString(directory.resolve("file"), "content");
        Files.setLastModifiedTime(file, FileTime.fromMillis(1_600_000_000_000L));
        new FileUpload(memory.bucket(), RateLimit.NONE).put(file, "file", PutOptions.DEFAULT, TransferListener.NONE);
    }

    private boolean isStored(boolean checksum) throws IOException {
        return new FileComparison(memory.bucket(), SETTINGS.withChecksum(checksum))
                .isStored(TreeFile.of(file, "file"), memory.info("file"));
    }

    private void replace(String without) {
        TreeMap<String, String> properties = new TreeMap<>(memory.info("file").properties());
        properties.remove(without);
        memory.put("file", "content".getBytes(StandardCharsets.UTF_8), properties);
    }

    @Test
    void anUntouchedFileIsStored() throws IOException {
        assertThat(isStored(false)).isTrue();
        assertThat(isStored(true)).isTrue();
        assertThat(memory.info("file").properties()).containsKeys(FileFacts.MODIFIED, FileFacts.MODE, FileFacts.SHA256);
    }

    @Test
    void otherBytesOfTheSameSizeAndTimeAreNoticed() throws IOException {
        FileTime time = Files.getLastModifiedTime(file);
        Files.writeString(file, "CONTENT");
        Files.setLastModifiedTime(file, time);
        assertThat(isStored(false)).isFalse();
        assertThat(isStored(true)).isFalse();
        replace(FileFacts.SHA256);
        assertThat(isStored(false)).as("only the inode's time tells").isFalse();
        assertThat(isStored(true)).as("the object is read").isFalse();
    }

    @Test
    void aTouchedFileWithTheSameBytesIsStored() throws IOException {
        FileTime time = Files.getLastModifiedTime(file);
        Files.writeString(file, "content");
        Files.setLastModifiedTime(file, time);
        assertThat(isStored(false)).isTrue();
        replace(FileFacts.SHA256);
        assertThat(isStored(false)).as("nothing vouches for the bytes").isFalse();
        assertThat(isStored(true)).as("the object is read").isTrue();
    }

    @Test
    void aNanosecondIsAnotherTime() throws IOException {
        Files.setLastModifiedTime(
                file, FileTime.from(Files.getLastModifiedTime(file).toInstant().plusNanos(1)));
        assertThat(isStored(false)).isFalse();
        assertThat(isStored(true)).isTrue();
    }

    @Test
    void anotherModeIsAChange() throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx--x--x"));
        assertThat(isStored(false)).isFalse();
    }
}
