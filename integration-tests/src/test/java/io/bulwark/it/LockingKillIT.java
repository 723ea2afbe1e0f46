package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bulwark.appliance.cluster.JavaCommand;
import io.bulwark.client.Bucket;
import io.bulwark.client.Bulwark;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Processes that are killed while a client has a lock: a replica, the holder, a {@code sync}. */
@Tag("long")
class LockingKillIT {
    private static final int OBJECTS = 60;
    private static final int FILES = 800;
    private static final int DIRECTORIES = 8;
    private static final int HEAP_MEBIBYTES = 256;

    /** The replicas have processes of their own. */
    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.ofReplicaProcesses(4, 0);

    private static byte[] content(int number) {
        return HolderProcess.content(number);
    }

    /** Returns the file of a client configuration with locking. */
    private static Path lockingClient() throws IOException {
        Path file = CLUSTER.plan().data().clientProperties();
        Path locking = file.resolveSibling("locking.properties");
        Properties properties = new Properties();
        try (Reader in = Files.newBufferedReader(file)) {
            properties.load(in);
        }
        properties.setProperty("locking", "auto");
        try (Writer out = Files.newBufferedWriter(locking)) {
            properties.store(out, null);
        }
        return locking;
    }

    private static Process start(List<String> java, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(java);
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private static Process sync(Path files, Bucket bucket) throws IOException {
        return start(
                JavaCommand.member(HEAP_MEBIBYTES),
                "sync",
                files.toString(),
                "bucket:" + bucket.name() + "/dir",
                "--data",
                CLUSTER.root().toString(),
                "--client",
                lockingClient().toString());
    }

    @Test
    void aKilledReplicaLosesNothing(TestInfo test) throws Exception {
        try (Bulwark client = LockingIT.holder(CLUSTER);
                Bulwark other = CLUSTER.freshClient()) {
            Bucket bucket = LockingIT.bucket(client, test);
            bucket.lock("dir/");
            LockingIT.awaitLock(client, bucket);
            for (int i = 0; i < OBJECTS; i++) {
                if (i == OBJECTS / 2) {
                    LiveCluster.kill(CLUSTER.member("replica-2"));
                }
                bucket.put("dir/" + i, content(i));
            }
            CLUSTER.startAll();
            Bucket same = other.bucket(bucket.name());
            for (int i = 0; i < OBJECTS; i++) {
                assertThat(same.getBytes("dir/" + i)).as("dir/" + i).isEqualTo(content(i));
            }
        }
    }

    /** A process dies, and with it the replica's log server; then the holder dies. Others wait for the round only. */
    @Test
    void aKilledHolderLosesNothingAndBlocksNobody(TestInfo test) throws Exception {
        try (Bulwark other = CLUSTER.freshClient()) {
            Bucket bucket = LockingIT.bucket(other, test);
            Process holder = start(
                    List.of(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx" + HEAP_MEBIBYTES + "m",
                            "--enable-native-access=ALL-UNNAMED",
                            "-cp",
                            System.getProperty("java.class.path")),
                    HolderProcess.class.getName(),
                    lockingClient().toString(),
                    bucket.name());
            List<Integer> acknowledged = new ArrayList<>();
            try (BufferedReader lines = holder.inputReader()) {
                while (acknowledged.size() < 2 * OBJECTS) {
                    acknowledged.add(Integer.parseInt(lines.readLine()));
                    if (acknowledged.size() == OBJECTS) {
                        assertThat(LockingIT.isLocked(other, bucket)).isTrue();
                        LiveCluster.kill(CLUSTER.member("replica-1"));
                    } else if (acknowledged.size() == 2 * OBJECTS) {
                        // The process would close what it has printed, and is not read yet.
                        holder.toHandle().destroyForcibly();
                    }
                }
            } finally {
                holder.destroyForcibly().waitFor();
            }
            // A replica is dead: the round needs nothing of it, nor of the holder.
            bucket.put("dir/0", content(1001));
            assertThat(bucket.getBytes("dir/0")).isEqualTo(content(1001));
            for (int number : acknowledged.subList(1, acknowledged.size())) {
                assertThat(bucket.getBytes("dir/" + number)).isEqualTo(content(number));
            }
            assertThat(LockingIT.isLocked(other, bucket)).isFalse();
        } finally {
            CLUSTER.startAll();
        }
    }

    /** A sync dies in the middle, after a replica. The next one completes it, though the replica is still dead. */
    @Test
    void aKilledSyncIsCompletedByTheNext(TestInfo test, @TempDir Path files) throws Exception {
        for (int i = 0; i < FILES; i++) {
            Path directory = Files.createDirectories(files.resolve("d" + i % DIRECTORIES));
            Files.write(directory.resolve("f" + i), content(i));
        }
        try (Bulwark other = CLUSTER.freshClient()) {
            Bucket bucket = LockingIT.bucket(other, test);
            Process first = sync(files, bucket);
            try {
                await().pollInterval(Duration.ofMillis(10))
                        .atMost(Duration.ofMinutes(2))
                        .until(() -> LockingIT.isLocked(other, bucket));
                LiveCluster.kill(CLUSTER.member("replica-3"));
                assertThat(first.isAlive()).as("the sync is under way").isTrue();
            } finally {
                first.destroyForcibly().waitFor();
            }
            bucket.put("dir/d0/other", content(1));
            Process second = sync(files, bucket);
            try {
                assertThat(second.waitFor(240, TimeUnit.SECONDS)).isTrue();
                assertThat(second.exitValue()).isZero();
            } finally {
                second.destroyForcibly().waitFor();
            }
            for (int i = 0; i < FILES; i += DIRECTORIES - 1) {
                assertThat(bucket.getBytes("dir/d" + i % DIRECTORIES + "/f" + i))
                        .isEqualTo(content(i));
            }
            assertThat(bucket.stream("dir/").count()).isEqualTo(FILES + 1);
        } finally {
            CLUSTER.startAll();
        }
    }
}
