package io.bulwark.it;

import io.bulwark.client.Bucket;
import io.bulwark.client.error.BulwarkException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Puts objects under ever new names and reads back what was acknowledged, in several threads, until it is told to stop.
 * What an object must be follows from its name and the seed, so nothing but the names is remembered.
 */
final class CheckedLoad implements AutoCloseable {
    private static final long PROGRESS_MILLIS_MAX = 120_000;
    private static final int SMALL_BYTES_MAX = 20_000;
    private static final int LARGE_BYTES = (1 << 20) + 1;
    private static final int ONE_LARGE_OF = 20;

    /** Between two operations of a thread: all that was put is read again in the end, and that is to take seconds. */
    private static final long PAUSE_MILLIS = 30;

    private final Bucket bucket;
    private final long seed;
    private final Map<String, Long> acknowledged = new ConcurrentHashMap<>();
    private final AtomicLong operations = new AtomicLong();
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private final List<Thread> running = new ArrayList<>();
    private volatile boolean stopped;

    private CheckedLoad(Bucket bucket, long seed) {
        this.bucket = bucket;
        this.seed = seed;
    }

    static CheckedLoad start(Bucket bucket, int threads, long seed) {
        CheckedLoad load = new CheckedLoad(bucket, seed);
        for (int i = 0; i < threads; i++) {
            int number = i;
            load.running.add(Thread.ofVirtual().start(() -> load.run(number)));
        }
        return load;
    }

    /** Waits until so many more puts, each with the read of another object, have succeeded. */
    void awaitOperations(long more) throws InterruptedException {
        long wanted = operations.get() + more;
        long end = System.nanoTime() + PROGRESS_MILLIS_MAX * 1_000_000;
        while (operations.get() < wanted) {
            if (System.nanoTime() > end) {
                throw new AssertionError(
                        "no progress: " + operations.get() + " operations of " + wanted + ", failures " + failures);
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

    /** What failed, or was read as something else than was put. */
    List<String> failures() {
        return List.copyOf(failures);
    }

    /** Which of all acknowledged objects are not there as they were put. */
    List<String> wrong(Bucket from) {
        List<String> wrong = new ArrayList<>();
        acknowledged.forEach((key, contentSeed) -> check(from, key, contentSeed, wrong));
        return wrong;
    }

    /** Ends it without waiting; {@link #stop} waits. */
    @Override
    public void close() {
        stopped = true;
    }

    private void run(int thread) {
        Random random = new Random(seed + thread);
        for (int i = 0; !stopped; i++) {
            String key = "thread-" + thread + "/" + i;
            long contentSeed = random.nextLong();
            try {
                bucket.put(key, content(contentSeed));
                acknowledged.put(key, contentSeed);
                List<String> wrong = new ArrayList<>();
                String old = "thread-" + thread + "/" + random.nextInt(i + 1);
                Long oldSeed = acknowledged.get(old);
                if (oldSeed != null) {
                    check(bucket, old, oldSeed, wrong);
                }
                failures.addAll(wrong);
                operations.incrementAndGet();
                Thread.sleep(PAUSE_MILLIS);
            } catch (BulwarkException e) {
                failures.add("put " + key + ": " + e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private static void check(Bucket from, String key, long contentSeed, List<String> wrong) {
        try {
            if (!Arrays.equals(from.getBytes(key), content(contentSeed))) {
                wrong.add(key + " has other bytes");
            }
        } catch (BulwarkException e) {
            wrong.add("get " + key + ": " + e);
        }
    }

    private static byte[] content(long contentSeed) {
        Random random = new Random(contentSeed);
        byte[] content = new byte[random.nextInt(ONE_LARGE_OF) == 0 ? LARGE_BYTES : random.nextInt(SMALL_BYTES_MAX)];
        random.nextBytes(content);
        return content;
    }
}
