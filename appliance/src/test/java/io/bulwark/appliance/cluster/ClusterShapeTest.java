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
        ClusterShape first = new ClusterShape(7, 4, 9000, Ordering.BFT_SMART, "interval", false);
        assertThat(data.shape(first)).isEqualTo(first);
        assertThat(data.shape(new ClusterShape(5, 4, 7400, Ordering.BFT, "sync", true)))
                .isEqualTo(first);
        DataDirectory plain = DataDirectory.create(directory.resolve("plain"));
        ClusterShape insecure = new ClusterShape(7, 4, 9000, Ordering.BFT_SMART, "sync", true);
        plain.shape(insecure);
        assertThat(plain.shape(first)).isEqualTo(insecure);
    }

    @Test
    void aDamagedFileIsNamed() throws IOException {
        DataDirectory data = DataDirectory.create(directory.resolve("data"));
        Files.writeString(data.root().resolve("cluster.properties"), "nodes=many\n");
        assertThatThrownBy(() -> data.shape(new ClusterShape(5, 4, 7400, Ordering.BFT_SMART, "sync", false)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cluster.properties is damaged");
    }

    @Test
    void shapesThatCannotWorkAreRefused() {
        assertThatThrownBy(() -> new ClusterShape(3, 4, 7400, Ordering.BFT_SMART, "sync", false))
                .hasMessageContaining("4 to");
        assertThatThrownBy(() -> new ClusterShape(5, 5, 7400, Ordering.BFT_SMART, "sync", false))
                .hasMessageContaining("3f + 1");
        assertThatThrownBy(() -> new ClusterShape(5, 4, 80, Ordering.BFT_SMART, "sync", false))
                .hasMessageContaining("port base");
        assertThatThrownBy(() -> new ClusterShape(5, 4, 7400, Ordering.BFT_SMART, "some", false))
                .hasMessageContaining("some");
    }

    @Test
    void anApplianceStaysOnItsOrderingEngine() throws IOException {
        DataDirectory data = DataDirectory.create(directory.resolve("data"));
        data.keep(new ClusterShape(5, 4, 7400, Ordering.BFT_SMART, "sync", false));
        ClusterShape wanted = new ClusterShape(5, 4, 7400, Ordering.DEFAULT, "sync", false);
        assertThat(data.shape(wanted).ordering()).isEqualTo(Ordering.BFT_SMART);
        assertThat(Ordering.DEFAULT).isEqualTo(Ordering.BFT);
        data.keep(wanted);
        assertThat(data.shape()).contains(wanted);
    }

    @Test
    void orderingEnginesHaveNames() {
        for (Ordering each : Ordering.values()) {
            assertThat(Ordering.named(each.toString())).isEqualTo(each);
        }
        assertThatThrownBy(() -> Ordering.named("raft"))
                .hasMessageContaining("raft")
                .hasMessageContaining("bft-smart");
    }

    @Test
    void onlyOneProcessMayHaveADirectory() throws IOException {
        DataDirectory data = DataDirectory.create(directory.resolve("data"));
        try (DirectoryLock _ = data.lock()) {
            assertThatThrownBy(data::lock).isInstanceOf(IOException.class).hasMessageContaining("already runs");
        }
    }
}
