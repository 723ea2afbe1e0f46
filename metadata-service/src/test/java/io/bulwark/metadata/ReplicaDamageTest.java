package io.bulwark.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bulwark.metadata.ordering.MemorySequencer;
import io.bulwark.metadata.ordering.OrderedBatch;
import io.bulwark.metadata.ordering.Submission;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.Phase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A replica whose durable state rots says so, and is healed by its peers or refuses. */
@NullMarked
class ReplicaDamageTest {
    private static final int SNAPSHOT_BATCHES = 8;
    private static final Duration LONG = Duration.ofMinutes(2);

    /** Damage to the directory of a replica that is down. */
    private interface Damage {
        void to(Path directory) throws IOException;
    }

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path temporary;

    @Test
    void theStateIsMadeFromTheOlderSnapshotWhereTheNewerIsDamaged() throws IOException {
        Path directory = filled();
        flip(last(directory, "snapshot-"));
        assertState(directory, 3 * SNAPSHOT_BATCHES + 3, true);
        assertState(directory, 3 * SNAPSHOT_BATCHES + 3, false);
    }

    @Test
    void aLogWithoutAnySnapshotThatFitsIsNotExecutedFromNothing() throws IOException {
        Path garbled = filled();
        for (Path snapshot : files(garbled, "snapshot-")) {
            flip(snapshot);
        }
        assertState(garbled, 0, true);
        Path missing = filled();
        for (Path snapshot : files(missing, "snapshot-")) {
            Files.delete(snapshot);
        }
        assertState(missing, 0, true);
    }

    @Test
    void theLogIsNotExecutedBeyondDamage() throws IOException {
        Path directory = filled();
        flip(last(directory, "log-"));
        assertState(directory, 3 * SNAPSHOT_BATCHES, true);
    }

    @Test
    void whatADamagedReplicaLacksComesFromItsPeers() throws IOException {
        List<Damage> damages = List.of(
                directory -> flip(last(directory, "log-")),
                directory -> flip(files(directory, "log-").getFirst()),
                directory -> Files.write(last(directory, "log-"), new byte[0]),
                directory -> flip(last(directory, "snapshot-")),
                directory -> {
                    for (Path snapshot : files(directory, "snapshot-")) {
                        Files.delete(snapshot);
                    }
                });
        try (ReplicaGroup group = new ReplicaGroup(
                temporary, ReplicaGroup.Starter.incarnations(new MemorySequencer()), SNAPSHOT_BATCHES)) {
            group.startAll();
            int sent = write(group, 0, 3 * SNAPSHOT_BATCHES + 3);
            for (Damage damage : damages) {
                group.stop(2);
                damage.to(group.directoryOf(2));
                group.start(2);
                assertThat(group.replica(2).status().damaged()).isTrue();
                sent = write(group, sent, sent + SNAPSHOT_BATCHES + 3);
                int expected = sent;
                await().atMost(LONG).untilAsserted(() -> {
                    assertThat(group.replica(2).status().phase()).isEqualTo(Phase.RUNNING);
                    assertThat(group.texts(2)).hasSize(expected).isEqualTo(group.texts(0));
                });
            }
        }
    }

    /** Its log looks whole at the second start, since the first has cut it. */
    @Test
    void thatAReplicaMayHaveForgottenIsNotForgottenOverRestarts() throws IOException {
        try (ReplicaGroup group = new ReplicaGroup(
                temporary, ReplicaGroup.Starter.incarnations(new MemorySequencer()), SNAPSHOT_BATCHES)) {
            group.startAll();
            write(group, 0, SNAPSHOT_BATCHES + 3);
            for (int replica = 0; replica < 4; replica++) {
                group.stop(replica);
            }
            flip(last(group.directoryOf(2), "log-"));
            Path mark = group.directoryOf(2).resolve("damaged");
            group.start(2);
            group.stop(2);
            assertThat(mark).exists();
            for (int replica = 0; replica < 4; replica++) {
                group.start(replica);
            }
            await().atMost(LONG)
                    .untilAsserted(
                            () -> assertThat(group.replica(2).status().phase()).isEqualTo(Phase.RUNNING));
            assertThat(mark).doesNotExist();
            assertThat(group.texts(2)).hasSize(SNAPSHOT_BATCHES + 3);
        }
    }

    @Test
    void aReplicaThatForgotItsIncarnationRefusesToStart() throws IOException {
        try (ReplicaGroup group = new ReplicaGroup(
                temporary, ReplicaGroup.Starter.incarnations(new MemorySequencer()), SNAPSHOT_BATCHES)) {
            group.startAll();
            write(group, 0, 3);
            group.stop(1);
            Path incarnation = group.directoryOf(1).resolve("incarnation");
            flip(incarnation);
            assertThatThrownBy(() -> group.start(1))
                    .isInstanceOf(UncheckedIOException.class)
                    .hasMessageContaining("set up again with an empty directory");
            Files.delete(incarnation);
            assertThatThrownBy(() -> group.start(1))
                    .isInstanceOf(UncheckedIOException.class)
                    .hasMessageContaining("set up again with an empty directory");
        }
    }

    private static int write(ReplicaGroup group, int from, int to) {
        for (int number = from; number < to; number++) {
            group.client()
                    .submit(RecordingApplication.command(number, "text-" + number))
                    .orTimeout(LONG.toSeconds(), TimeUnit.SECONDS)
                    .join();
        }
        return to;
    }

    /** The directory of a replica that executed three snapshots' worth of batches, and three more. */
    private Path filled() throws IOException {
        Path directory = Files.createTempDirectory(temporary, "state");
        for (int from = 0; from <= 3 * SNAPSHOT_BATCHES; from += SNAPSHOT_BATCHES) {
            // Closing waits for the snapshot, so that the log is cut at the same places each time.
            try (ReplicatedState state = open(directory, new RecordingApplication())) {
                for (int number = from;
                        number < Math.min(from + SNAPSHOT_BATCHES, 3 * SNAPSHOT_BATCHES + 3);
                        number++) {
                    Submission submission = new Submission(
                            PrincipalId.client(1),
                            number,
                            false,
                            RecordingApplication.command(number, "text-" + number));
                    state.apply(new OrderedBatch(number, List.of(submission)).encoded(), (_, _) -> {});
                }
                state.flush();
            }
        }
        return directory;
    }

    private static ReplicatedState open(Path directory, RecordingApplication application) throws IOException {
        return ReplicatedState.open(directory, SNAPSHOT_BATCHES, new Execution(application), () -> {});
    }

    private static void assertState(Path directory, int commands, boolean damaged) throws IOException {
        RecordingApplication application = new RecordingApplication();
        try (ReplicatedState state = open(directory, application)) {
            assertThat(state.damaged()).isEqualTo(damaged);
            assertThat(state.position().sequence()).isEqualTo(commands);
            assertThat(application.texts()).hasSize(commands);
        }
    }

    private static List<Path> files(Path directory, String prefix) throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.filter(file -> file.getFileName().toString().startsWith(prefix))
                    .sorted(Comparator.comparing(Path::toString))
                    .toList();
        }
    }

    private static Path last(Path directory, String prefix) throws IOException {
        return files(directory, prefix).getLast();
    }

    /** A bit of the first record or of the state; of a smaller file, of its last byte. */
    private static void flip(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[Math.min(100, bytes.length - 1)] ^= 1;
        Files.write(file, bytes);
    }
}
