package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bulwark.appliance.cluster.JavaCommand;
import io.bulwark.client.Bucket;
import io.bulwark.client.BucketSpec;
import io.bulwark.client.Bulwark;
import io.bulwark.client.LockInfo;
import io.bulwark.client.LockUse;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.PutOptions;
import io.bulwark.client.bulk.ParallelWork;
import io.bulwark.client.config.ClientConfig;
import io.bulwark.client.error.NoSuchKeyException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Locks of clients on a running cluster: the fast way, others who come, and a replica that is killed meanwhile. */
class LockingIT {
    private static final int OBJECTS = 60;
    private static final int FILES = 800;
    private static final int DIRECTORIES = 8;
    private static final int HEAP_MEBIBYTES = 256;

    /** Puts that fill several logs. */
    private static final int LARGE_PUTS = 800;

    /** The replicas have processes of their own. */
    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.ofReplicaProcesses(4, 0);

    private static Bulwark holder() {
        return Bulwark.connect(CLUSTER.clientConfig(0).withLocking(ClientConfig.Locking.AUTO));
    }

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

    private static boolean isLocked(Bulwark client, Bucket bucket) {
        return client.locks().list().stream().anyMatch(lock -> lock.bucket().equals(bucket.name()));
    }

    private static Bucket bucket(Bulwark client, TestInfo test) {
        String name = "locks-" + test.getTestMethod().orElseThrow().getName().toLowerCase(Locale.ROOT);
        return client.createBucket(BucketSpec.of(name.substring(0, Math.min(60, name.length()))));
    }

    private static void awaitLock(Bulwark client, Bucket bucket) {
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            bucket.put("dir/first", content(0));
            return isLocked(client, bucket);
        });
    }

    @Test
    void operationsOfAClientAloneGoToItsLog(TestInfo test) {
        try (Bulwark client = holder()) {
            Bucket bucket = bucket(client, test);
            bucket.lock("dir/");
            awaitLock(client, bucket);
            long before = client.locks().use().logged();
            for (int i = 0; i < OBJECTS; i++) {
                bucket.put("dir/" + i, content(i));
                assertThat(bucket.getBytes("dir/" + i)).isEqualTo(content(i));
            }
            bucket.copy("dir/1", "dir/copy");
            bucket.rename("dir/copy", "dir/moved");
            bucket.delete("dir/0");
            assertThatThrownBy(() -> bucket.getBytes("dir/0")).isInstanceOf(NoSuchKeyException.class);
            assertThat(bucket.stream("dir/").map(ObjectInfo::key))
                    .contains("dir/moved")
                    .hasSize(OBJECTS + 1);
            assertThat(client.locks().use().logged() - before).isGreaterThan(OBJECTS);
            assertThat(client.locks().list()).extracting(LockInfo::prefix).contains("dir/");
        }
    }

    @Test
    void logsThatFillUpFollowEachOther(TestInfo test) throws Exception {
        try (Bulwark client = holder()) {
            Bucket bucket = bucket(client, test);
            PutOptions large = PutOptions.DEFAULT.withProperties(new TreeMap<>(Map.of("filler", "x".repeat(4_000))));
            List<Runnable> puts = new ArrayList<>();
            for (int i = 0; i < LARGE_PUTS; i++) {
                int number = i;
                puts.add(() -> bucket.put("dir/" + number, content(number), large));
            }
            bucket.lock("dir/");
            awaitLock(client, bucket);
            LockUse before = client.locks().use();
            ParallelWork.run(puts, 8);
            LockUse after = client.locks().use();
            assertThat(after).isEqualTo(new LockUse(before.logged() + LARGE_PUTS, before.ordered()));
            assertThat(bucket.stream("dir/")).hasSize(LARGE_PUTS + 1);
        }
    }

    /** A log may draw a small part of what is free: here it is full after a few puts. */
    @Test
    void bucketThatIsNearlyFullIsNotWorthALock(TestInfo test) {
        try (Bulwark client = holder()) {
            Bucket bucket = client.createBucket(
                    BucketSpec.of(bucket(client, test).name() + "-small").withQuota(1 << 20));
            bucket.lock("dir/");
            for (int i = 0; i < 4 * OBJECTS; i++) {
                bucket.put("dir/" + i, new byte[2_000]);
            }
            assertThat(client.locks().use().ordered())
                    .isGreaterThan(client.locks().use().logged());
        }
    }

    @Test
    void othersSeeAllAndTakeTheLockAway(TestInfo test) throws Exception {
        try (Bulwark client = holder();
                Bulwark other = CLUSTER.freshClient()) {
            Bucket bucket = bucket(client, test);
            bucket.lock("dir/");
            awaitLock(client, bucket);
            for (int i = 0; i < OBJECTS; i++) {
                bucket.put("dir/" + i, content(i));
            }
            Bucket same = other.bucket(bucket.name());
            for (int i = 0; i < OBJECTS; i++) {
                assertThat(same.getBytes("dir/" + i)).as("dir/" + i).isEqualTo(content(i));
            }
            same.put("dir/1", content(1001));
            assertThat(bucket.getBytes("dir/1")).isEqualTo(content(1001));
            bucket.put("dir/2", content(1002));
            assertThat(same.getBytes("dir/2")).isEqualTo(content(1002));
        }
    }

    /** Rounds end logs with entries under way. */
    @Test
    void twoClientsInOneSubtreeLoseNothing(TestInfo test) throws Exception {
        try (Bulwark one = holder();
                Bulwark two = holder()) {
            Bucket bucket = bucket(one, test);
            List<Runnable> puts = new ArrayList<>();
            for (int i = 0; i < 4 * OBJECTS; i++) {
                int number = i;
                Bucket own = i % 2 == 0 ? bucket : two.bucket(bucket.name());
                own.lock("dir/");
                puts.add(() -> own.put("dir/" + number, content(number)));
            }
            ParallelWork.run(puts, 12);
            for (int i = 0; i < 4 * OBJECTS; i++) {
                assertThat(bucket.getBytes("dir/" + i)).isEqualTo(content(i));
            }
        }
    }

    @Test
    void aKilledReplicaLosesNothing(TestInfo test) throws Exception {
        try (Bulwark client = holder();
                Bulwark other = CLUSTER.freshClient()) {
            Bucket bucket = bucket(client, test);
            bucket.lock("dir/");
            awaitLock(client, bucket);
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
    @Tag("long")
    void aKilledHolderLosesNothingAndBlocksNobody(TestInfo test) throws Exception {
        try (Bulwark other = CLUSTER.freshClient()) {
            Bucket bucket = bucket(other, test);
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
                        assertThat(isLocked(other, bucket)).isTrue();
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
            assertThat(isLocked(other, bucket)).isFalse();
        } finally {
            CLUSTER.startAll();
        }
    }

    /** A sync dies in the middle, after a replica. The next one completes it, though the replica is still dead. */
    @Test
    @Tag("long")
    void aKilledSyncIsCompletedByTheNext(TestInfo test, @TempDir Path files) throws Exception {
        for (int i = 0; i < FILES; i++) {
            Path directory = Files.createDirectories(files.resolve("d" + i % DIRECTORIES));
            Files.write(directory.resolve("f" + i), content(i));
        }
        try (Bulwark other = CLUSTER.freshClient()) {
            Bucket bucket = bucket(other, test);
            Process first = sync(files, bucket);
            try {
                await().pollInterval(Duration.ofMillis(10))
                        .atMost(Duration.ofMinutes(2))
                        .until(() -> isLocked(other, bucket));
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
