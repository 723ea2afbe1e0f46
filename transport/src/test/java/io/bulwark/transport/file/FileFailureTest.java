package io.bulwark.transport.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** The JDK names the file alone for some failures, and the cause alone for others. */
@NullMarked
class FileFailureTest {
    @Test
    void theFileAndTheCauseAreNamed() {
        assertThat(FileFailure.text(new NoSuchFileException("a"))).isEqualTo("a: no such file or directory");
        assertThat(FileFailure.text(new AccessDeniedException("a"))).isEqualTo("a: permission denied");
        assertThat(FileFailure.text(new FileSystemException("a", null, "the disk is full")))
                .isEqualTo("a: the disk is full");
        assertThat(FileFailure.text(new IOException("no file is known"))).isEqualTo("no file is known");
        assertThat(FileFailure.text(new IOException())).contains("IOException");
    }
}
