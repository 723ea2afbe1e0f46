package io.bulwark.appliance.adapt;

import io.bulwark.client.Bucket;
import io.bulwark.client.Bulwark;
import io.bulwark.client.Volume;
import io.bulwark.client.error.BulwarkException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/** Callers that read and write blocks of a register volume, and small objects, until they are stopped. */
final class AdaptationLoad implements AutoCloseable {
    private static final int OBJECTS = 32;
    private static final int OBJECT_BYTES = 16 << 10;
    private static final long PAUSE_MILLIS = 20;

    /** An operation that succeeded. */
    record Sample(long endNanos, long nanos) {}

    private interface Operation {
        void run();
    }

    private final Volume volume;
    private final Bucket bucket;
    private final long blocks;
    private final int blockBytes;
    private final Queue<Sample> samples = new ConcurrentLinkedQueue<>();
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private final List<Thread> running = new ArrayList<>();
    private volatile boolean stopped;

    AdaptationLoad(Bulwark client, String volume, String bucket) {
        this.volume = client.volume(volume);
        this.bucket = client.bucket(bucket);
        this.blocks = this.volume.info().blocks();
        this.blockBytes = this.volume.info().policy().blockBytes();
    }

    /** Writes each block and object once, so that reads find them. */
    void prepare() {
        for (long block = 0; block < blocks; block++) {
            volume.writeBlock(block, content(block, blockBytes));
        }
        for (int object = 0; object < OBJECTS; object++) {
            bucket.put("object-" + object, content(object, OBJECT_BYTES));
        }
    }

    void start(int callers, long seed) {
        for (int caller = 0; caller < callers; caller++) {
            Random random = new Random(seed + caller);
            running.add(Thread.ofVirtual().start(() -> {
                while (!stopped) {
                    measure(operation(random));
                    pause();
                }
            }));
        }
    }

    /** Returns once what is under way has ended. */
    void stop() throws InterruptedException {
        stopped = true;
        for (Thread thread : running) {
            thread.join();
        }
    }

    @Override
    public void close() {
        stopped = true;
    }

    List<Sample> samples() {
        return List.copyOf(samples);
    }

    List<String> failures() {
        return List.copyOf(failures);
    }

    private Operation operation(Random random) {
        long number = random.nextLong() >>> 1;
        long block = random.nextLong(blocks);
        String object = "object-" + random.nextInt(OBJECTS);
        return switch (random.nextInt(10)) {
            case 0, 1 -> () -> volume.writeBlock(block, content(number, blockBytes));
            case 2 -> () -> bucket.put(object, content(number, OBJECT_BYTES));
            case 3, 4 ->
                () -> {
                    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                    bucket.readTo(object, bytes);
                    check(object, bytes.toByteArray());
                };
            default -> () -> check("block " + block, volume.readBlock(block));
        };
    }

    private void measure(Operation operation) {
        long begun = System.nanoTime();
        try {
            operation.run();
            long end = System.nanoTime();
            samples.add(new Sample(end, end - begun));
        } catch (BulwarkException e) {
            failures.add(String.valueOf(e.getMessage()));
        }
    }

    /** The rest of a content follows from its first eight bytes. */
    private void check(String what, byte[] found) {
        long number = ByteBuffer.wrap(found).getLong();
        if (!Arrays.equals(found, content(number, found.length))) {
            failures.add("wrong bytes of " + what);
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

    private static byte[] content(long number, int length) {
        byte[] content = new byte[length];
        new Random(number).nextBytes(content);
        ByteBuffer.wrap(content).putLong(number);
        return content;
    }
}
