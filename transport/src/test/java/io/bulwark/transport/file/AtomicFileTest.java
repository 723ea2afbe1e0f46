package io.bulwark.transport.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Replaces files from several threads at once, and after processes that were killed. */
@NullMarked
class AtomicFileTest {
    private static final int WRITERS = 8;
    private static final int TIMES = 25;
    private static final int LENGTH = 100_000;

    @TempDir
    private Path directory = Path.of("");

    @Test
    void concurrentWritersNeverLeaveAMixture() throws Exception {
        Path file = directory.resolve("registry.replicas");
        AtomicFile.replace(file, content(0));
        try (ExecutorService threads = Executors.newFixedThreadPool(WRITERS)) {
            List<Future<?>> writers = new ArrayList<>();
            for (int i = 0; i < WRITERS; i++) {
                int own = i;
                writers.add(threads.submit(() -> {
                    for (int time = 0; time < TIMES; time++) {
                        AtomicFile.replace(file, content(own));
                        byte[] there = Files.readAllBytes(file);
                        assertThat(there).hasSize(LENGTH + there[0]).containsOnly(there[0]);
                    }
                    return null;
                }));
            }
            for (Future<?> writer : writers) {
                writer.get();
            }
        }
        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left).containsExactly(file);
        }
    }

    @Test
    void filesOfKilledProcessesGoAfterADay() throws Exception {
        Path file = directory.resolve("registry");
        Path old = Files.write(directory.resolve("registry.1.tmp"), new byte[1]);
        Files.setLastModifiedTime(old, FileTime.from(Instant.now().minus(Duration.ofDays(2))));
        Path young = Files.write(directory.resolve("registry.2.tmp"), new byte[2]);

        AtomicFile.replace(file, content(0));

        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left).containsExactlyInAnyOrder(file, young);
        }
    }

    @Test
    void theLongestNameWorks() throws Exception {
        Path file = directory.resolve("€".repeat(83) + "012345");

        AtomicFile.replace(file, content(0));

        assertThat(file).hasBinaryContent(content(0).array());
    }

    /** Content of a length and bytes that only this writer uses. */
    private static ByteBuffer content(int writer) {
        byte[] bytes = new byte[LENGTH + writer];
        Arrays.fill(bytes, (byte) writer);
        return ByteBuffer.wrap(bytes);
    }
}
