package io.bulwark.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bulwark.metadata.bft.HistoryRestore;
import io.bulwark.protocol.ordering.Phase;
import io.bulwark.protocol.ordering.driver.ReplicaConfig.Recoveries;
import io.bulwark.protocol.ordering.driver.StartReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Directories of replicas that were set back to an older copy while all were down, or that are another replica's. Each test
 * starts groups of four, so it takes some 10 s.
 */
@NullMarked
@Execution(ExecutionMode.CONCURRENT)
class BftDiskRollbackTest {
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final int SNAPSHOT_BATCHES = 16;
    private static final int BEFORE = 5;
    private static final int AFTER = 25;

    /** Keys with a short life, so that a replica that has forgotten need not wait minutes until all keys have ended. */
    private static final Recoveries YOUNG_KEYS = new Recoveries(20_000, 5_000, 120_000);

    @TempDir
    private Path temporary = Path.of("");

    @SuppressWarnings("NullAway.Init")
    private ReplicaGroup group;

    private int numbers;

    @BeforeEach
    void start() {
        group = ReplicaGroup.withIdentities(
                temporary.resolve("group"), ReplicaGroup.Starter.bft(), SNAPSHOT_BATCHES, Recoveries.DEFAULT);
    }

    @AfterEach
    void stop() {
        group.close();
    }

    private void write(int count) {
        for (int i = 0; i < count; i++) {
            String text = "text-" + numbers;
            group.client()
                    .submit(RecordingApplication.command(numbers++, text))
                    .orTimeout(LONG.toSeconds(), TimeUnit.SECONDS)
                    .join();
        }
    }

    private void awaitAllHave(int count) {
        await().atMost(LONG).untilAsserted(() -> {
            for (int replica = 0; replica < ReplicaGroup.REPLICAS; replica++) {
                assertThat(group.texts(replica)).hasSize(count);
            }
        });
    }

    /** Something is acknowledged, and these replicas do not know of it any more. All are stopped. */
    private void setBack(List<Integer> replicas) throws IOException {
        group.startAll();
        write(BEFORE);
        awaitAllHave(BEFORE);
        group.stopAll();
        for (int replica : replicas) {
            copy(group.directoryOf(replica), copyOf(replica));
        }
        group.startAll();
        write(AFTER);
        awaitAllHave(BEFORE + AFTER);
        group.stopAll();
        for (int replica : replicas) {
            delete(group.directoryOf(replica));
            copy(copyOf(replica), group.directoryOf(replica));
        }
    }

    private Path copyOf(int replica) {
        return temporary.resolve("copy-" + replica);
    }

    private String failure(int replica) {
        return group.replica(replica).status().failure();
    }

    @Test
    @Tag("long")
    void whoAloneKnowsWhatWasAcknowledgedStopsAndTheGroupIsRestoredFromIt() throws Exception {
        setBack(List.of(0, 1, 3));
        group.start(0);
        group.start(1);
        group.start(3);
        write(1);
        group.start(2);
        await().atMost(LONG).until(() -> failure(2).contains("replica restore"));
        assertThat(failure(2)).contains("this replica has executed", "but", "set back");
        group.stop(2);
        group.start(2, StartReason.RECOVERING);
        assertThat(failure(2)).as("not by a recovery either").contains("this replica has executed");
        group.stopAll();

        HistoryRestore restore = restore();
        long kept = restore.reach(group.directoryOf(2)).executed();
        assertThat(kept).isGreaterThan(restore.reach(group.directoryOf(0)).executed());
        HistoryRestore.RestoreResult restored = restore.restore(directories(), 2);
        assertThat(restored.executed()).isEqualTo(kept);
        assertThat(restored.checkpoint()).isGreaterThan(kept);
        group.startAll();
        write(1);
        awaitAllHave(BEFORE + AFTER + 1);
        assertThat(group.texts(1))
                .startsWith(IntStream.range(0, BEFORE + AFTER)
                        .mapToObj(number -> "text-" + number)
                        .toArray(String[]::new));
        for (int replica = 0; replica < ReplicaGroup.REPLICAS; replica++) {
            int each = replica;
            await().atMost(LONG).until(() -> group.replica(each).status().phase() == Phase.RUNNING);
            assertThat(failure(replica)).isEmpty();
        }
    }

    /** Chance decides with which of the others the view begins. */
    @Test
    void withTwoOfFourSetBackNothingVanishesInSilence() throws Exception {
        setBack(List.of(0, 1));
        group.start(0);
        group.start(1);
        group.start(3);
        group.start(2);
        await().atMost(LONG)
                .until(() -> (group.texts(2).size() == BEFORE + AFTER
                                && group.texts(0).size() == BEFORE + AFTER)
                        || !failure(2).isEmpty()
                        || !failure(3).isEmpty());
        for (int kept : List.of(2, 3)) {
            assertThat(group.texts(kept)).as("replica " + kept).hasSize(BEFORE + AFTER);
        }
    }

    @Test
    @Tag("long")
    void aDirectoryOlderThanItsReplicasRecoveryIsNoticed() throws Exception {
        group.close();
        group = ReplicaGroup.withIdentities(
                temporary.resolve("young-keys"), ReplicaGroup.Starter.bft(), SNAPSHOT_BATCHES, YOUNG_KEYS);
        group.startAll();
        write(BEFORE);
        awaitAllHave(BEFORE);
        group.stop(3);
        copy(group.directoryOf(3), copyOf(3));
        group.start(3, StartReason.RECOVERING);
        await().atMost(LONG).until(() -> group.hasRecovered(3));
        group.stop(3);
        delete(group.directoryOf(3));
        copy(copyOf(3), group.directoryOf(3));
        group.start(3);
        await().atMost(LONG).until(() -> group.recovery(3).forgotten());
        write(AFTER);
        await().atMost(LONG)
                .until(() -> group.hasRecovered(3) && group.replica(3).status().phase() == Phase.RUNNING);
        awaitAllHave(BEFORE + AFTER);
        assertThat(failure(3)).isEmpty();
    }

    @Test
    void aDirectoryOfAnotherReplicaIsRefused() throws Exception {
        group.startAll();
        write(1);
        group.stopAll();
        delete(group.directoryOf(1));
        copy(group.directoryOf(0), group.directoryOf(1));
        assertThatThrownBy(() -> group.start(1))
                .hasMessageContaining("is the directory of replica-0, not of replica-1")
                .hasMessageContaining("empty one");
        delete(group.directoryOf(1));
        group.startAll();
        write(1);
        awaitAllHave(2);
    }

    private List<Path> directories() {
        return IntStream.range(0, ReplicaGroup.REPLICAS)
                .mapToObj(group::directoryOf)
                .toList();
    }

    private HistoryRestore restore() {
        return new HistoryRestore(
                new ReplicaConfig(0, group.addresses(), group.directoryOf(0), SNAPSHOT_BATCHES),
                new RecordingMachine.Factory(),
                temporary.resolve("scratch"));
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file).toString()));
            }
        }
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
