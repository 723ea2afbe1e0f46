package io.bulwark.appliance.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.client.ObjectInfo;
import io.bulwark.client.ProgressListener;
import io.bulwark.client.PutOptions;
import io.bulwark.client.error.UnavailableException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of files that change while they are put. */
@NullMarked
class FileUploadTest {
    private final MemoryBucket memory = new MemoryBucket("bucket");

    @TempDir
    private Path directory = Path.of("");

    private ObjectInfo put(Path file, ProgressListener progress) throws IOException {
        return new FileUpload(memory.bucket(), RateLimit.NONE)
                .put(file, "file", PutOptions.DEFAULT.withProgress(progress), TransferListener.NONE);
    }

    @Test
    void aFileThatHasJustBeenWrittenKeepsAllFacts() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "content");
        ObjectInfo stored = put(file, ProgressListener.NONE);
        assertThat(stored.properties())
                .containsOnlyKeys(FileFacts.MODIFIED, FileFacts.CHANGED, FileFacts.MODE, FileFacts.SHA256)
                .containsEntry(FileFacts.SHA256, ContentDigest.of(file));
    }

    @Test
    void afterAChangeOfTheModeAloneNoBytesAreStored() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "content");
        ObjectInfo first = put(file, ProgressListener.NONE);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
        memory.refuse("file");
        FileUpload upload = new FileUpload(memory.bucket(), RateLimit.NONE);
        ObjectInfo second = upload.replace(file, first, PutOptions.DEFAULT, TransferListener.NONE);
        assertThat(second.properties())
                .containsEntry(FileFacts.MODE, "0700")
                .containsEntry(FileFacts.SHA256, ContentDigest.of(file));
        assertThat(memory.text("file")).isEqualTo("content");

        Files.writeString(file, "CONTENT");
        assertThatThrownBy(() -> upload.replace(file, second, PutOptions.DEFAULT, TransferListener.NONE))
                .as("other bytes are put, which is refused")
                .isInstanceOf(UnavailableException.class);
    }

    @Test
    void aFileThatChangesMeanwhileHasNoDigestOfAnotherContent() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "first");
        FileTime time = Files.getLastModifiedTime(file);
        boolean[] changed = new boolean[1];
        ObjectInfo stored = put(file, (done, total) -> {
            if (!changed[0]) {
                changed[0] = true;
                try {
                    Files.writeString(file, "other");
                    Files.setLastModifiedTime(file, time);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        });
        assertThat(memory.text("file")).isEqualTo("other");
        assertThat(stored.properties()).containsOnlyKeys(FileFacts.MODIFIED, FileFacts.MODE);
        assertThat(new FileComparison(memory.bucket(), TransferSettings.ofParallel(1))
                        .isStored(TreeFile.of(file, "file"), stored))
                .as("nothing vouches for the content")
                .isFalse();
    }
}
