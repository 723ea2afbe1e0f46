package io.bulwark.metadata.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.ordering.PeerMessage;
import io.bulwark.protocol.ordering.Position;
import io.bulwark.protocol.wire.Bytes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Snapshots and the number of the incarnation on a disk that rots. */
@NullMarked
class SnapshotDamageTest {
    private static final Position FOUR = new Position(4, Bytes.of(new byte[32]));
    private static final Position EIGHT = new Position(8, Bytes.of(new byte[32]));
    private static final Bytes STATE = Bytes.of(new byte[50]);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    @Test
    void aSnapshotWithAnyByteChangedOrCutAnywhereIsReportedAndNotUsed() throws IOException {
        SnapshotStore.open(directory).write(FOUR, STATE);
        SnapshotStore.open(directory).write(EIGHT, STATE);
        Path file = file(8);
        byte[] whole = Files.readAllBytes(file);
        for (int at = 0; at < whole.length; at++) {
            byte[] changed = whole.clone();
            changed[at] ^= 4;
            // The position's digest is checked where it is used: against the log and the peers.
            boolean digest = at >= 16 && at < 48;
            if (!digest) {
                Files.write(file, changed);
                assertOnlyTheOlder();
            }
            Files.write(file, Arrays.copyOf(whole, at));
            assertOnlyTheOlder();
        }
        Files.write(file, Arrays.copyOf(whole, whole.length + 1));
        assertOnlyTheOlder();
    }

    @Test
    void aSnapshotThatACrashLeftHalfMadeIsNoDamage() throws IOException {
        SnapshotStore.open(directory).write(FOUR, STATE);
        Files.write(directory.resolve(file(8).getFileName() + ".tmp"), new byte[10]);
        SnapshotStore store = SnapshotStore.open(directory);
        assertThat(store.damaged()).isZero();
        assertThat(store.held()).hasSize(1);
    }

    @Test
    void aSnapshotUnderTheNameOfAnotherIsReportedAndNotUsed() throws IOException {
        SnapshotStore.open(directory).write(FOUR, STATE);
        Files.copy(file(4), file(8));
        assertOnlyTheOlder();
    }

    @Test
    void whatRotsWhileTheStoreIsOpenIsNotRestored() throws IOException {
        SnapshotStore store = SnapshotStore.open(directory);
        store.write(FOUR, STATE);
        PeerMessage.Snapshot held = store.held().getFirst();
        assertThat(store.read(held)).isEqualTo(STATE);
        byte[] changed = Files.readAllBytes(file(4));
        changed[changed.length - 1] ^= 1;
        Files.write(file(4), changed);
        assertThatThrownBy(() -> store.read(held))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("damaged");
    }

    @Test
    void aReplicaThatForgotItsIncarnationDoesNotGuessIt() throws IOException {
        IncarnationFile file = new IncarnationFile(directory);
        assertThat(file.read()).isZero();
        file.write(7);
        Path path = directory.resolve("incarnation");
        byte[] whole = Files.readAllBytes(path);
        assertThat(new IncarnationFile(directory).read()).isEqualTo(7);
        for (int at = 0; at < whole.length; at++) {
            byte[] changed = whole.clone();
            changed[at] ^= 1;
            Files.write(path, changed);
            assertThatThrownBy(new IncarnationFile(directory)::read)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("set up again");
            Files.write(path, Arrays.copyOf(whole, at));
            assertThatThrownBy(new IncarnationFile(directory)::read)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("set up again");
        }
    }

    private void assertOnlyTheOlder() throws IOException {
        SnapshotStore store = SnapshotStore.open(directory);
        assertThat(store.damaged()).isEqualTo(1);
        assertThat(store.held()).extracting(PeerMessage.Snapshot::position).containsExactly(FOUR);
        assertThat(file(8)).doesNotExist();
        assertThat(SnapshotStore.open(directory).damaged()).isZero();
    }

    private Path file(long sequence) {
        return directory.resolve(String.format("snapshot-%020d", sequence));
    }
}
