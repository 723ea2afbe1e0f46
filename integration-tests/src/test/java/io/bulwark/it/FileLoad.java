package io.bulwark.it;

import io.bulwark.client.Bucket;
import io.bulwark.client.Bulwark;
import io.bulwark.client.Volume;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.client.error.NoSuchKeyException;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.wire.Bytes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.NullMarked;

/**
 * Clients that put files under ever new names, read acknowledged ones, and use a few register blocks of their own,
 * until they are stopped. Acknowledged content is remembered by its SHA-256; each read must return it.
 */
@NullMarked
final class FileLoad implements AutoCloseable {
    static final int BLOCKS_EACH = 4;
    private static final int SMALL_BYTES_MAX = 60_000;
    private static final int LARGE_BYTES = (1 << 20) + 1;
    private static final int ONE_LARGE_OF = 30;
    private static final long PROGRESS_MILLIS_MAX = 300_000;
    private static final long PAUSE_MILLIS = 250;
    private static final int READERS = 4;

    private final String bucketName;
    private final String volumeName;
    private final int blockBytes;
    private final Path directory;
    private final long pauseMillis;
    private final Map<String, String> acknowledged = new ConcurrentHashMap<>();
    private final List<String> names = new ArrayList<>();

    /** Permitted contents of each block: the last acknowledged write, and the writes that failed since. */
    private final Map<Long, List<byte[]>> blocks = new ConcurrentHashMap<>();

    private final List<Client> clients = new ArrayList<>();
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
    private volatile boolean stopped;

    /** @param directory for the files, its alone */
    FileLoad(String bucketName, String volumeName, int blockBytes, Path directory) {
        this(bucketName, volumeName, blockBytes, directory, PAUSE_MILLIS);
    }

    /**
     * Creates a load as the other constructor does.
     *
     * @param pauseMillis of each client between two operations
     */
    FileLoad(String bucketName, String volumeName, int blockBytes, Path directory, long pauseMillis) {
        this.bucketName = bucketName;
        this.volumeName = volumeName;
        this.blockBytes = blockBytes;
        this.directory = directory;
        this.pauseMillis = pauseMillis;
    }

    /** One more client; it stays the caller's to close, after {@link #stop}. */
    void start(Bulwark client) {
        Client own = new Client(clients.size(), client);
        clients.add(own);
        own.thread = Thread.ofVirtual().start(own);
    }

    /** Waits until each client has done so many more operations, and nothing wrong was read. */
    void awaitOperations(String when, int more) throws InterruptedException {
        long[] wanted =
                clients.stream().mapToLong(client -> client.done.get() + more).toArray();
        long end = System.nanoTime() + PROGRESS_MILLIS_MAX * 1_000_000;
        for (Client client : clients) {
            while (client.done.get() < wanted[client.number]) {
                if (System.nanoTime() > end || !client.thread.isAlive()) {
                    throw new AssertionError(when + ": client " + client.number + " has done " + client.done + " of "
                            + wanted[client.number] + "; " + this);
                }
                Thread.sleep(50);
            }
        }
        if (!wrong.isEmpty()) {
            throw new AssertionError(when + ": " + wrong);
        }
    }

    /** Returns when what was under way has ended. */
    void stop() throws InterruptedException {
        stopped = true;
        for (Client client : clients) {
            client.thread.join();
        }
    }

    /** Ends it without waiting; {@link #stop} waits. */
    @Override
    public void close() {
        stopped = true;
    }

    /** Returns the failures so far. */
    List<String> failures() {
        return List.copyOf(failures);
    }

    int objects() {
        return acknowledged.size();
    }

    /** Reads all that was acknowledged; returns what is not so, and what clients have met before. */
    List<String> readAll(Bulwark client) {
        Bucket bucket = client.bucket(bucketName);
        Volume volume = client.volume(volumeName);
        try (ExecutorService readers = Executors.newFixedThreadPool(READERS)) {
            acknowledged.keySet().forEach(key -> readers.execute(() -> complains(key, () -> check(bucket, key))));
            blocks.keySet()
                    .forEach(block -> readers.execute(() -> complains("block " + block, () -> check(volume, block))));
        }
        return List.copyOf(wrong);
    }

    @Override
    public String toString() {
        return acknowledged.size() + " objects acknowledged, operations "
                + clients.stream().map(client -> client.done).toList() + ", failed " + failures.size() + ": "
                + failures.stream().limit(10).toList() + ", wrong: " + wrong;
    }

    private interface Step {
        void run() throws IOException;
    }

    private void complains(String what, Step read) {
        try {
            read.run();
        } catch (RuntimeException | IOException e) {
            wrong.add(what + ": " + e);
        }
    }

    private void check(Bucket bucket, String key) throws IOException {
        Path copy = directory.resolve(
                "copy-" + key.replace('/', '-') + "-" + Thread.currentThread().threadId());
        try {
            bucket.readTo(key, copy);
            if (!digest(copy).equals(acknowledged.get(key))) {
                wrong.add(key + ": other bytes, " + Files.size(copy) + " of them");
            }
        } catch (NoSuchKeyException e) {
            wrong.add(key + " was acknowledged: " + e);
        } finally {
            Files.deleteIfExists(copy);
        }
    }

    private void check(Volume volume, long block) {
        byte[] read = volume.readBlock(block);
        List<byte[]> may = mayBe(block);
        if (may.stream().noneMatch(content -> Arrays.equals(content, read))) {
            wrong.add("block " + block + ": none of " + may.size() + " that it may be");
        }
    }

    private List<byte[]> mayBe(long block) {
        return blocks.getOrDefault(block, List.of(new byte[blockBytes]));
    }

    private static String digest(Path file) throws IOException {
        return Hashes.sha256(Bytes.of(Files.readAllBytes(file))).toHex();
    }

    private final class Client implements Runnable {
        private final int number;
        private final Bucket bucket;
        private final Volume volume;
        private final Random random;
        private final AtomicLong done = new AtomicLong();
        private Thread thread = Thread.currentThread();

        private Client(int number, Bulwark client) {
            this.number = number;
            this.bucket = client.bucket(bucketName);
            this.volume = client.volume(volumeName);
            this.random = new Random(LiveCluster.SEED + number);
        }

        @Override
        public void run() {
            for (long i = 0; !stopped; i++) {
                try {
                    step(i);
                    done.incrementAndGet();
                } catch (BulwarkException | IOException e) {
                    failures.add("client " + number + ": " + e);
                }
                try {
                    TimeUnit.MILLISECONDS.sleep(pauseMillis);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }

        private void step(long i) throws IOException {
            switch (random.nextInt(10)) {
                case 0, 1, 2, 3 -> put("client-" + number + "/" + i);
                case 4, 5, 6 -> get();
                case 7, 8 -> writeBlock(number * BLOCKS_EACH + random.nextInt(BLOCKS_EACH));
                default -> check(volume, number * BLOCKS_EACH + random.nextInt(BLOCKS_EACH));
            }
        }

        private void put(String key) throws IOException {
            boolean large = random.nextInt(ONE_LARGE_OF) == 0;
            byte[] content = new byte[large ? LARGE_BYTES : random.nextInt(SMALL_BYTES_MAX)];
            random.nextBytes(content);
            Path file = Files.write(directory.resolve("file-" + number), content);
            bucket.put(key, file);
            acknowledged.put(key, digest(file));
            synchronized (names) {
                names.add(key);
            }
        }

        private void get() throws IOException {
            String key;
            synchronized (names) {
                if (names.isEmpty()) {
                    return;
                }
                key = names.get(random.nextInt(names.size()));
            }
            check(bucket, key);
        }

        private void writeBlock(long block) {
            byte[] content = new byte[blockBytes];
            random.nextBytes(content);
            List<byte[]> may = new ArrayList<>(mayBe(block));
            may.add(content);
            blocks.put(block, may);
            volume.writeBlock(block, content);
            blocks.put(block, List.of(content));
        }
    }
}
