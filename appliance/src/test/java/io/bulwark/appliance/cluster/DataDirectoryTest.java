package io.bulwark.appliance.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.OptionalLong;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@NullMarked
class DataDirectoryTest {
    @TempDir
    Path directory = Path.of("");

    @Test
    void whoHasTheDirectoryIsKnownUntilItLetsGo() throws IOException {
        DataDirectory data = DataDirectory.create(directory.resolve("data"));
        assertThat(DataDirectory.at(directory.resolve("none")).holder()).isEmpty();
        assertThat(data.holder()).isEmpty();
        try (DirectoryLock _ = data.lock()) {
            assertThat(data.holder())
                    .isEqualTo(OptionalLong.of(ProcessHandle.current().pid()));
            assertThatThrownBy(data::lock).isInstanceOf(IOException.class).hasMessageContaining("already runs on");
        }
        assertThat(data.holder()).isEmpty();
        data.lock().close();
    }

    @Test
    void theNumberOfAnEarlierProcessIsNotThatOfTheNext() throws IOException {
        DataDirectory data = DataDirectory.create(directory.resolve("data"));
        Path file = data.root().resolve("lock");
        Files.writeString(file, "123456789");
        assertThat(data.holder()).isEmpty();
        try (FileChannel starting = FileChannel.open(file, StandardOpenOption.WRITE)) {
            var _ = starting.lock(Long.MAX_VALUE - 2, 1, false);
            assertThat(data.holder()).as("before it has told its own").isEqualTo(OptionalLong.of(0));
        }
    }
}
