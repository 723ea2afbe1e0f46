package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.bulwark.protocol.ordering.replica.ReplicaConfig.Recoveries;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole replicas on what a machine can give them: a disk that is full. */
@NullMarked
class ReplicaFaultsIT {
    private static final int LAST = ReplicaGroup.REPLICAS - 1;
    private static final String ROOM = "64m";

    @TempDir
    Path root = Path.of("");

    private @Nullable ReplicaGroup group;
    private @Nullable Path mounted;
    private boolean passed;

    @BeforeEach
    void prepare() throws Exception {
        group = new ReplicaGroup(root, Recoveries.DEFAULT);
    }

    private ReplicaGroup group() {
        return Objects.requireNonNull(group);
    }

    /** A file system of its own, so that its end is a real one. */
    @Test
    void aReplicaWhoseDiskIsFullStepsAsideAndComesBackOnceThereIsRoom() throws Exception {
        Path directory = Files.createDirectories(group().plan().data().replica(LAST));
        assumeTrue(
                run("mount", "-t", "tmpfs", "-o", "size=" + ROOM, "tmpfs", directory.toString()) == 0,
                "no file system of a limited size can be mounted here: that takes root, and a kernel that lets it");
        mounted = directory;
        group().startAll();
        group().load(5);
        Path filler = directory.resolve("filler");
        fill(filler);
        await().atMost(ReplicaGroup.LONG)
                .pollInterval(ReplicaGroup.POLL)
                .until(() -> !group().takesPart(LAST) && saidWhy());
        group().awaitMore();
        assertThat(group().member(LAST).running()).as("its process goes on").isTrue();
        Files.delete(filler);
        await().atMost(ReplicaGroup.LONG).pollInterval(ReplicaGroup.POLL).until(() -> group().takesPart(LAST));
        // Of the other three now only two are left: nothing goes on without it.
        group().member(0).stop();
        group().awaitMore();
        assertThat(group().lost()).isEmpty();
        passed = true;
    }

    private boolean saidWhy() throws IOException {
        return Files.readString(group().log(LAST)).contains("No space left on device");
    }

    /** To the last byte. */
    private static void fill(Path file) throws IOException {
        byte[] chunk = new byte[1 << 16];
        try (OutputStream out = Files.newOutputStream(file, StandardOpenOption.CREATE_NEW)) {
            for (int size = chunk.length; size > 0; size /= 2) {
                writeUntilFull(out, chunk, size);
            }
        }
    }

    private static void writeUntilFull(OutputStream out, byte[] chunk, int size) {
        try {
            while (true) {
                out.write(chunk, 0, size);
            }
        } catch (IOException full) {
            assertThat(full).hasMessageContaining("No space left");
        }
    }

    private static int run(String... command) throws InterruptedException {
        try {
            return new ProcessBuilder(List.of(command)).inheritIO().start().waitFor();
        } catch (IOException e) {
            System.out.println(e.getMessage());
            return -1;
        }
    }

    @AfterEach
    void end() throws Exception {
        if (!passed) {
            group().showLogs();
        }
        group().close();
        if (mounted != null) {
            assertThat(run("umount", mounted.toString())).isZero();
        }
    }
}
