package io.bulwark.appliance.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@NullMarked
class ClusterShapeTest {
    @TempDir
    Path directory = Path.of("");

    @Test
    void whatWasChosenFirstStays() throws IOException {
        DataDirectory data = DataDirectory.create(directory.resolve("data"));
        ClusterShape first = new ClusterShape(7, 4, 9000, "bft-smart", "interval");
        assertThat(data.shape(first)).isEqualTo(first);
        assertThat(data.shape(new ClusterShape(5, 4, 7400, "bft", "sync"))).isEqualTo(first);
    }

    @Test
    void aDamagedFileIsNamed() throws IOException {
        DataDirectory data = DataDirectory.create(directory.resolve("data"));
        Files.writeString(data.root().resolve("cluster.properties"), "nodes=many\n");
        assertThatThrownBy(() -> data.shape(new ClusterShape(5, 4, 7400, "bft-smart", "sync")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cluster.properties is damaged");
    }

    @Test
    void shapesThatCannotWorkAreRefused() {
        assertThatThrownBy(() -> new ClusterShape(3, 4, 7400, "bft-smart", "sync"))
                .hasMessageContaining("4 to");
        assertThatThrownBy(() -> new ClusterShape(5, 5, 7400, "bft-smart", "sync"))
                .hasMessageContaining("3f + 1");
        assertThatThrownBy(() -> new ClusterShape(5, 4, 80, "bft-smart", "sync"))
                .hasMessageContaining("port base");
        assertThatThrownBy(() -> new ClusterShape(5, 4, 7400, "raft", "sync")).hasMessageContaining("raft");
        assertThatThrownBy(() -> new ClusterShape(5, 4, 7400, "bft-smart", "some"))
                .hasMessageContaining("some");
    }

    @Test
    void onlyOneProcessMayHaveADirectory() throws IOException {
        DataDirectory data = DataDirectory.create(directory.resolve("data"));
        try (var lock = data.lock()) {
            assertThat(lock.isValid()).isTrue();
            assertThatThrownBy(data::lock).isInstanceOf(IOException.class).hasMessageContaining("already runs");
        }
    }
}
