package io.bulwark.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.bulwark.protocol.ordering.Phase;
import io.bulwark.protocol.wire.Bytes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * One replica of a group on a disk that becomes slow. It runs in a process of its own, where each sync of log, pages
 * and directories takes three seconds while a certain file exists. The machine's C compiler builds the library for
 * that.
 */
@NullMarked
@Timeout(600)
@Tag("long")
class SlowDiskTest {
    private static final String SLOW_SYNCS = """
        #include <fcntl.h>
        #include <stdlib.h>
        #include <sys/syscall.h>
        #include <unistd.h>

        static int synced(long call, int file) {
            if (access(getenv("SLOW_DISK"), F_OK) == 0) {
                close(open(getenv("SLOW_DISK_MET"), O_CREAT | O_WRONLY, 0600));
                sleep(3);
            }
            return (int) syscall(call, file);
        }

        int fsync(int file) {
            return synced(SYS_fsync, file);
        }

        int fdatasync(int file) {
            return synced(SYS_fdatasync, file);
        }
        """;

    private static final Duration LONG = Duration.ofMinutes(2);
    private static final int SLOW = 1;
    private static final List<Integer> FAST = List.of(0, 2, 3);

    /** More than a replica orders without a checkpoint; one sync each would take a quarter of an hour. */
    private static final int WRITES = 300;

    @TempDir
    private Path directory = Path.of("");

    private @Nullable Process process;
    private int numbers;

    @AfterEach
    void end() throws InterruptedException {
        if (process != null) {
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    void aBackupWithASlowDiskKeepsNobodyWaitingAndCountsAgainOnceItIsFast() throws Exception {
        makeLibrary();
        try (ReplicaGroup group =
                new ReplicaGroup(directory, ReplicaGroup.Starter.bft(), ReplicaProcess.SNAPSHOT_BATCHES)) {
            begin(group, false);
            slowDown();
            write(group, WRITES);
            assertThat(met()).exists();
            Files.delete(slow());
            assertNothingIsLostAndItCounts(group);
        }
    }

    /** The primary loses its power while its disk is slow, too: it has sent nothing that it had not synced. */
    @Test
    void aPrimaryWithASlowDiskStopsNothingAndWhatItHasNotSyncedNobodyCountsOn() throws Exception {
        makeLibrary();
        try (ReplicaGroup group =
                new ReplicaGroup(directory, ReplicaGroup.Starter.bft(), ReplicaProcess.SNAPSHOT_BATCHES)) {
            begin(group, true);
            slowDown();
            write(group, WRITES);
            assertThat(met()).exists();
            end();
            Files.delete(slow());
            launch(group);
            assertNothingIsLostAndItCounts(group);
        }
    }

    /** All four take part, and the one whose disk will be slow leads, or does not. */
    private void begin(ReplicaGroup group, boolean leads) throws Exception {
        launch(group);
        group.start(0);
        group.start(2);
        write(group, 20); // No two of them do that alone.
        group.start(3);
        await().atMost(LONG).pollInterval(Duration.ofSeconds(1)).until(() -> {
            Set<Integer> leaders = new TreeSet<>();
            for (int replica : FAST) {
                ReplicaStatus status = group.replica(replica).status();
                leaders.add(status.phase() == Phase.RUNNING ? status.leader() : -1);
            }
            int leader = leaders.iterator().next();
            if (leaders.size() == 1 && leader >= 0 && leads != (leader == SLOW)) {
                restart(group, leader);
            }
            return leaders.size() == 1 && leader >= 0 && leads == (leader == SLOW);
        });
    }

    /** Another one leads then. */
    private void restart(ReplicaGroup group, int replica) throws Exception {
        if (replica == SLOW) {
            end();
            launch(group);
        } else {
            group.stop(replica);
            group.start(replica);
        }
    }

    private void launch(ReplicaGroup group) throws IOException {
        process = ReplicaProcess.launch(
                SLOW,
                group.directoryOf(SLOW),
                group.addresses(),
                ProcessBuilder.Redirect.INHERIT,
                Map.of(
                        "LD_PRELOAD", library().toString(),
                        "SLOW_DISK", slow().toString(),
                        "SLOW_DISK_MET", met().toString()));
    }

    /** Stops one of the others, so that the group makes no progress without this replica. */
    private void assertNothingIsLostAndItCounts(ReplicaGroup group) throws Exception {
        group.stop(3);
        write(group, 20);
        await().atMost(LONG).untilAsserted(() -> {
            for (int replica : List.of(0, 2)) {
                assertThat(group.texts(replica)).hasSize(numbers).doesNotHaveDuplicates();
            }
        });
        Bytes all = group.client().query(Bytes.EMPTY).get(LONG.toSeconds(), TimeUnit.SECONDS);
        assertThat(RecordingApplication.texts(all)).isEqualTo(group.texts(0)).isEqualTo(group.texts(2));
    }

    /** Writes commands one after the other, each until it is acknowledged. */
    private void write(ReplicaGroup group, int count) throws Exception {
        long deadlineNanos = System.nanoTime() + LONG.toNanos();
        for (int i = 0; i < count; i++) {
            Bytes command = RecordingApplication.command(numbers, "text-" + numbers);
            numbers++;
            boolean acknowledged = false;
            while (!acknowledged) {
                acknowledged = isAcknowledged(group, command);
                assertThat(System.nanoTime())
                        .as("%s of %s writes after %s", i, count, LONG)
                        .isLessThan(deadlineNanos);
            }
        }
    }

    private static boolean isAcknowledged(ReplicaGroup group, Bytes command) throws InterruptedException {
        try {
            group.client().submit(command).get(LONG.toSeconds(), TimeUnit.SECONDS);
            return true;
        } catch (ExecutionException | TimeoutException notInTime) {
            return false; // The same number once more is the same command.
        }
    }

    private void makeLibrary() throws Exception {
        Path source = Files.writeString(directory.resolve("slow.c"), SLOW_SYNCS);
        String missing = "there is no C compiler here (cc), which makes what slows syncs down";
        int made = -1;
        try {
            made = new ProcessBuilder("cc", "-shared", "-fPIC", "-o", library().toString(), source.toString())
                    .inheritIO()
                    .start()
                    .waitFor();
        } catch (IOException notThere) {
            System.out.println("LEFT OUT: a replica with a slow disk, since " + missing);
        }
        assumeTrue(made >= 0, missing);
        assertThat(made).as("the compiler's exit code").isZero();
    }

    private void slowDown() throws IOException {
        Files.createFile(slow());
    }

    private Path library() {
        return directory.resolve("slow.so");
    }

    private Path slow() {
        return directory.resolve("slow");
    }

    /** Is there once a sync was slow. */
    private Path met() {
        return directory.resolve("met");
    }
}
