package io.bulwark.it;

import io.bulwark.client.Bucket;
import io.bulwark.client.Bulwark;
import io.bulwark.client.Precondition;
import io.bulwark.client.PutOptions;
import io.bulwark.client.Volume;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.client.error.NoSuchKeyException;
import io.bulwark.client.error.PreconditionFailedException;
import io.bulwark.simulation.history.Action;
import io.bulwark.simulation.history.History;
import io.bulwark.simulation.history.HistoryRecorder;
import io.bulwark.simulation.history.Outcome;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Correct clients, each with its own connections, that use objects and a few register blocks until they are stopped.
 * They put, get and delete objects under a few names, and put others under ever new names. Everything is recorded. Each
 * content carries its number, from which the rest of it follows, so that a value that nobody wrote shows by its number.
 */
final class MixedLoad implements AutoCloseable {
    static final int BLOCKS = 4;
    private static final int SHARED_NAMES = 4;
    private static final int SMALL_BYTES_MAX = 20_000;
    private static final int LARGE_BYTES = (1 << 20) + 1;
    private static final int ONE_LARGE_OF = 40;
    private static final long PROGRESS_MILLIS_MAX = 120_000;

    /** Between two operations of a client: the check of a history grows with it, and so does the cluster's share of the machine. */
    private static final long PAUSE_MILLIS = 60;

    private final String bucketName;
    private final String volumeName;
    private final int blockBytes;
    private final long seed;
    private final HistoryRecorder recorder = new HistoryRecorder();
    private final AtomicLong values = new AtomicLong();
    private final AtomicLong done = new AtomicLong();
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private final Queue<String> names = new ConcurrentLinkedQueue<>();
    private final List<Thread> running = new ArrayList<>();
    private volatile boolean stopped;

    MixedLoad(String bucketName, String volumeName, int blockBytes, long seed) {
        this.bucketName = bucketName;
        this.volumeName = volumeName;
        this.blockBytes = blockBytes;
        this.seed = seed;
    }

    /** One more client; it stays the caller's to close, after {@link #stop}. */
    void start(Bulwark client, String name) {
        Random random = new Random(seed + running.size());
        Client own = new Client(name, client);
        running.add(Thread.ofVirtual().start(() -> {
            while (!stopped) {
                own.step(random);
                pause();
            }
        }));
    }

    /** Waits until so many more operations have succeeded. */
    void awaitOperations(long more) throws InterruptedException {
        long wanted = done.get() + more;
        long end = System.nanoTime() + PROGRESS_MILLIS_MAX * 1_000_000;
        while (done.get() < wanted) {
            if (System.nanoTime() > end) {
                throw new AssertionError(
                        "no progress: " + done + " operations of " + wanted + ", failures " + failures);
            }
            Thread.sleep(20);
        }
    }

    /** Returns when what was under way has ended. */
    void stop() throws InterruptedException {
        stopped = true;
        for (Thread thread : running) {
            thread.join();
        }
    }

    /** Ends it without waiting; {@link #stop} waits. */
    @Override
    public void close() {
        stopped = true;
    }

    /** Returns the number of successful operations. */
    long operations() {
        return done.get();
    }

    /** Returns the failures so far. */
    List<String> failures() {
        return List.copyOf(failures);
    }

    History history() {
        synchronized (recorder) {
            return recorder.history();
        }
    }

    /** Reads every name and every block once more, as a part of the history; returns what could not be read. */
    List<String> readAll(Bulwark client, String name) {
        int before = failures.size();
        Client reader = new Client(name, client);
        for (int i = 0; i < SHARED_NAMES; i++) {
            reader.get("shared-" + i);
        }
        names.forEach(reader::get);
        for (int block = 0; block < BLOCKS; block++) {
            reader.readBlock(block);
        }
        return failures().subList(before, failures.size());
    }

    /** Writes every block once: what a node has lost of older versions no longer matters. */
    void writeAllBlocks(Bulwark client, String name) {
        Client writer = new Client(name, client);
        for (int block = 0; block < BLOCKS; block++) {
            writer.writeBlock(block);
        }
    }

    private void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            stopped = true;
        }
    }

    /** Result of an SDK operation. */
    private record Result(Outcome outcome, @Nullable String returned, long version) {
        static Result done(long version) {
            return new Result(Outcome.OK, null, version);
        }

        static Result refused() {
            return new Result(Outcome.REFUSED, null, 0);
        }
    }

    private interface Call {
        Result run();
    }

    private final class Client {
        private final String name;
        private final Bucket bucket;
        private final Volume volume;

        private Client(String name, Bulwark client) {
            this.name = name;
            this.bucket = client.bucket(bucketName);
            this.volume = client.volume(volumeName);
        }

        private void step(Random random) {
            String shared = "shared-" + random.nextInt(SHARED_NAMES);
            switch (random.nextInt(10)) {
                case 0, 1 -> put(Action.PUT, shared);
                case 2 -> put(Action.PUT_IF_ABSENT, shared);
                case 3, 4 -> get(shared);
                case 5 -> delete(shared);
                case 6 -> {
                    String own = "own-" + values.get() + "-" + name;
                    put(Action.PUT, own);
                    names.add(own);
                }
                case 7, 8 -> writeBlock(random.nextInt(BLOCKS));
                default -> readBlock(random.nextInt(BLOCKS));
            }
        }

        private void put(Action action, String key) {
            long value = values.incrementAndGet();
            boolean ifAbsent = action == Action.PUT_IF_ABSENT;
            PutOptions options =
                    PutOptions.DEFAULT.withPrecondition(ifAbsent ? Precondition.IF_ABSENT : Precondition.NONE);
            record(action, key, "v" + value, () -> {
                try {
                    return Result.done(bucket.put(key, object(value), options).version());
                } catch (PreconditionFailedException e) {
                    return Result.refused();
                }
            });
        }

        private void get(String key) {
            record(Action.GET, key, null, () -> {
                try {
                    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                    long version = bucket.readTo(key, bytes).version();
                    byte[] content = bytes.toByteArray();
                    return new Result(Outcome.OK, named(content, object(number(content))), version);
                } catch (NoSuchKeyException e) {
                    return Result.done(0);
                }
            });
        }

        private void delete(String key) {
            record(Action.DELETE, key, null, () -> {
                try {
                    bucket.delete(key);
                    return Result.done(0);
                } catch (NoSuchKeyException e) {
                    return Result.refused();
                }
            });
        }

        private void writeBlock(int block) {
            long value = values.incrementAndGet();
            record(Action.WRITE, "block-" + block, "v" + value, () -> {
                volume.writeBlock(block, content(value, blockBytes));
                return Result.done(0);
            });
        }

        private void readBlock(int block) {
            record(Action.READ, "block-" + block, null, () -> {
                byte[] content = volume.readBlock(block);
                return Arrays.equals(content, new byte[blockBytes])
                        ? Result.done(0)
                        : new Result(Outcome.OK, named(content, content(number(content), blockBytes)), 0);
            });
        }

        private void record(Action action, String key, @Nullable String value, Call call) {
            HistoryRecorder.Pending pending;
            synchronized (recorder) {
                pending = recorder.invoke(name, action, key, value, now());
            }
            Result result;
            try {
                result = call.run();
                done.incrementAndGet();
            } catch (BulwarkException e) {
                failures.add(name + ": " + action.text() + " " + key + ": " + e);
                // It may have had an effect, or have one yet; what only reads has none.
                result = new Result(action.reads() ? Outcome.FAILED : Outcome.UNKNOWN, null, 0);
            }
            synchronized (recorder) {
                if (result.outcome == Outcome.OK) {
                    pending.ok(now(), result.returned, result.version);
                } else {
                    pending.ended(now(), result.outcome);
                }
            }
        }
    }

    private static long now() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    private static long number(byte[] content) {
        return content.length < Long.BYTES ? 0 : ByteBuffer.wrap(content).getLong();
    }

    private static String named(byte[] content, byte[] wanted) {
        return Arrays.equals(content, wanted) ? "v" + number(content) : "wrong bytes, " + Arrays.hashCode(content);
    }

    private byte[] object(long value) {
        Random random = new Random(seed ^ value);
        boolean large = random.nextInt(ONE_LARGE_OF) == 0;
        return content(value, large ? LARGE_BYTES : Long.BYTES + random.nextInt(SMALL_BYTES_MAX));
    }

    private byte[] content(long value, int length) {
        byte[] content = new byte[length];
        new Random(seed + value).nextBytes(content);
        ByteBuffer.wrap(content).putLong(value);
        return content;
    }
}
