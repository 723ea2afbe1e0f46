package io.bulwark.appliance.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.FileLock;
import java.nio.file.Path;
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
        FileLock lock = data.lock();
        try (lock) {
            assertThat(data.holder())
                    .isEqualTo(OptionalLong.of(ProcessHandle.current().pid()));
            assertThatThrownBy(data::lock).isInstanceOf(IOException.class).hasMessageContaining("already runs on");
        }
        lock.channel().close();
        assertThat(data.holder()).isEmpty();
    }
}
