package io.bulwark.storage.store;

import static io.bulwark.storage.store.Records.block;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.wire.Bytes;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kills a writing process again and again, and looks for the data acknowledged as durable. */
class StoreCrashTest {
    private static final int KEYS = 60;
    private static final int ROUNDS = 4;
    private static final int KILL_AFTER = 400;
    private static final int OUTSTANDING = 16;

    @TempDir
    Path directory;

    @Test
    void nothingAcknowledgedIsLostWhenTheProcessIsKilled() throws IOException, InterruptedException {
        Map<Integer, Integer> acknowledged = new HashMap<>();
        int next = 0;
        for (int round = 0; round < ROUNDS; round++) {
            Process writer = fork(next);
            try (BufferedReader lines = writer.inputReader(StandardCharsets.US_ASCII)) {
                int count = 0;
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    int step = Integer.parseInt(line);
                    acknowledged.merge(keyOf(step), step, Math::max);
                    next = Math.max(next, step + 1);
                    if (++count == KILL_AFTER) {
                        // Not through the process itself, which would close its output with the last lines unread.
                        assertThat(writer.toHandle().destroyForcibly()).isTrue();
                    }
                }
                assertThat(count).isGreaterThanOrEqualTo(KILL_AFTER);
            }
            assertThat(writer.waitFor(2, TimeUnit.MINUTES)).isTrue();
            next += OUTSTANDING;
            verify(acknowledged, next);
        }
    }

    private Process fork(int from) throws IOException {
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        classPath,
                        Writer.class.getName(),
                        directory.toString(),
                        Integer.toString(from))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** Each key must hold the result of its last acknowledged step, or of a later step that was in flight. */
    private void verify(Map<Integer, Integer> acknowledged, int end) throws IOException {
        try (FragmentStore store = FragmentStore.open(Records.small(directory))) {
            acknowledged.forEach((number, last) -> {
                Loaded loaded = store.load(key(number)).join();
                switch (loaded) {
                    case Loaded.Found(var key, Bytes meta, Bytes fragment) -> {
                        int step = ByteBuffer.wrap(meta.toByteArray()).getInt();
                        assertThat(step).isBetween(last, end);
                        assertThat(mutation(step)).isEqualTo(new Mutation.Put(key, meta, fragment));
                    }
                    case Loaded.Missing(var key) -> {
                        boolean deleted = false;
                        for (int step = last; step <= end; step += KEYS) {
                            deleted |= mutation(step) instanceof Mutation.Delete;
                        }
                        assertThat(deleted)
                                .as("%s is gone after step %d", key, last)
                                .isTrue();
                    }
                    default -> throw new AssertionError(loaded);
                }
            });
            assertThat(store.usage().damaged()).isZero();
        }
    }

    private static int keyOf(int step) {
        return step % KEYS;
    }

    private static RecordKey key(int number) {
        return RecordKey.of(RecordKind.EXTENT, block(number));
    }

    private static Mutation mutation(int step) {
        SplittableRandom random = new SplittableRandom(step);
        RecordKey key = key(keyOf(step));
        if (random.nextInt(5) == 0) {
            return new Mutation.Delete(key);
        }
        int length = random.nextBoolean() ? random.nextInt(4000) : random.nextInt(40_000);
        byte[] meta = ByteBuffer.allocate(Integer.BYTES).putInt(step).array();
        return new Mutation.Put(key, Bytes.of(meta), Records.bytes(random, length));
    }

    /** The process that is killed: prints the number of each step once it is durable. */
    static final class Writer {
        private Writer() {}

        public static void main(String[] arguments) throws IOException, InterruptedException {
            PrintStream out = new PrintStream(System.out, true, StandardCharsets.US_ASCII);
            Semaphore window = new Semaphore(OUTSTANDING);
            FragmentStore store = FragmentStore.open(Records.small(Path.of(arguments[0])));
            for (int step = Integer.parseInt(arguments[1]); ; step++) {
                window.acquire();
                int number = step;
                var _ = store.store(List.of(mutation(step))).thenAccept(stored -> {
                    if (stored == Stored.DURABLE) {
                        out.println(number);
                    }
                    window.release();
                });
            }
        }
    }
}
