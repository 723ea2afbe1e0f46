package io.bulwark.client.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.client.Bucket;
import io.bulwark.client.Bulwark;
import io.bulwark.client.PutOptions;
import io.bulwark.client.VolumeSpec;
import io.bulwark.client.encryption.KeyFiles;
import io.bulwark.client.error.DeadlineExceededException;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Files that are written while they are put: in the middle, as the first blocks are reported as stored. */
@NullMarked
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PutFileTest {
    private static final int BLOCK = 4096;
    private static final int LENGTH = 600 * BLOCK;

    @TempDir
    private Path directory = Path.of("");

    private MemoryCluster cluster;
    private Bulwark client;
    private Bucket[] buckets = {};

    private interface Change {
        void make(int attempt) throws IOException;
    }

    PutFileTest(@TempDir Path keys) throws IOException {
        cluster = new MemoryCluster(keys);
        client = Bulwark.connect(cluster.config());
    }

    @BeforeAll
    void begin(@TempDir Path keys) throws IOException {
        client.createVolume(VolumeSpec.objects("default", new ProtectionPolicy(1, 2, 4, BLOCK)));
        Bucket plain = client.createBucket("plain");
        Bucket encrypted = client.createBucket("encrypted");
        Path file = KeyFiles.create(keys.resolve("keys.p12"), "a");
        buckets = new Bucket[] {plain, client.bucket(encrypted.name(), KeyFiles.load(file, "a"))};
    }

    @AfterAll
    void close() {
        client.close();
        cluster.close();
    }

    private static byte[] content(int value) {
        byte[] content = new byte[LENGTH];
        Arrays.fill(content, (byte) value);
        return content;
    }

    /** Makes the change once in each attempt, while the file is read. */
    private static PutOptions changing(Change change) {
        AtomicInteger attempts = new AtomicInteger();
        long[] before = {Long.MAX_VALUE};
        return PutOptions.DEFAULT.withProgress((done, total) -> {
            if (done < before[0]) {
                try {
                    change.make(attempts.incrementAndGet());
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
            before[0] = done;
        });
    }

    @Test
    void aFileThatChangesOnceIsStoredAsItIsThen() throws IOException {
        for (Bucket bucket : buckets) {
            Path file = Files.write(directory.resolve("once"), content(1));
            bucket.put("once", file, changing(attempt -> {
                if (attempt == 1) {
                    Files.write(file, content(2));
                }
            }));
            assertThat(bucket.getBytes("once")).isEqualTo(content(2));
        }
    }

    @Test
    void aFileThatKeepsChangingLeavesTheOldObject() throws IOException {
        for (Bucket bucket : buckets) {
            Path file = Files.write(directory.resolve("often"), content(0));
            bucket.put("often", file);
            assertThatThrownBy(() ->
                            bucket.put("often", file, changing(attempt -> Files.write(file, content(attempt)))))
                    .isInstanceOf(UncheckedIOException.class)
                    .hasMessageContaining(bucket.name() + "/often")
                    .hasMessageContaining(file + ": it changed while it was read, 4 times");
            assertThat(bucket.getBytes("often")).isEqualTo(content(0));
        }
    }

    @Test
    void aFileThatGrowsIsStoredAsLongAsItWas() throws IOException {
        for (Bucket bucket : buckets) {
            Path file = Files.write(directory.resolve("log"), content(7));
            PutOptions growing = changing(_ -> Files.write(file, new byte[100], StandardOpenOption.APPEND));
            assertThat(bucket.put("log", file, growing).length()).isEqualTo(LENGTH);
            assertThat(bucket.getBytes("log")).isEqualTo(content(7));
        }
    }

    @Test
    void allAttemptsTogetherHaveOneDeadline() throws IOException {
        for (Bucket bucket : buckets) {
            Path file = Files.write(directory.resolve("late"), content(0));
            // Longer than an attempt, shorter than the pauses between them.
            Duration deadline = Duration.ofSeconds(1);
            assertThatThrownBy(() -> bucket.put(
                            "late",
                            file,
                            changing(attempt -> Files.write(file, content(attempt)))
                                    .withDeadline(deadline)))
                    .isInstanceOf(DeadlineExceededException.class);
        }
    }

    @Test
    void aFileThatCannotBeReadIsNamedWithTheCause() {
        for (Bucket bucket : buckets) {
            Path file = directory.resolve("missing");
            assertThatThrownBy(() -> bucket.put("key", file))
                    .hasMessage("cannot put " + bucket.name() + "/key: " + file + ": no such file or directory");
        }
    }

    @Test
    void whatIsReadFollowsALinkAndKeepsItsFilesMode() throws IOException {
        for (Bucket bucket : buckets) {
            bucket.put("object", content(3));
            Path target = Files.write(directory.resolve("target"), content(1));
            Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rwxr-x---"));
            Path link = Files.createSymbolicLink(directory.resolve("to-" + bucket.name()), target);
            bucket.readTo("object", link);
            assertThat(link).isSymbolicLink();
            assertThat(target).hasBinaryContent(content(3));
            assertThat(Files.getPosixFilePermissions(target)).isEqualTo(PosixFilePermissions.fromString("rwxr-x---"));
        }
    }
}
