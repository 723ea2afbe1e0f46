package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.Bucket;
import io.bulwark.client.Bulwark;
import io.bulwark.client.error.BulwarkException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.NullMarked;

/** Many connections that put and read large objects, all at once. What is in an object follows from its number. */
@NullMarked
final class LargeObjects implements AutoCloseable {
    static final int BYTES = 2 << 20;
    private static final int OF_EACH = 4;
    private static final int READERS = 4;

    private final String bucket;
    private final List<Bulwark> clients = new ArrayList<>();
    private final Queue<Integer> acknowledged = new ConcurrentLinkedQueue<>();
    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
    private final AtomicInteger numbers = new AtomicInteger();
    private final AtomicInteger reads = new AtomicInteger();

    /** @param connections of the client whose configuration this is */
    LargeObjects(Path client, int connections, String bucket) {
        this.bucket = bucket;
        for (int i = 0; i < connections; i++) {
            clients.add(Bulwark.connect(client));
        }
    }

    /** With some of the connections, as long as this holds; nothing may fail, and reads give what was put. */
    void run(int connections, BooleanSupplier goesOn) throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> all = new ArrayList<>();
            for (Bulwark client : clients.subList(0, connections)) {
                for (int i = 0; i < OF_EACH; i++) {
                    all.add(threads.submit(() -> putAndRead(client.bucket(bucket), goesOn)));
                }
            }
            for (Future<?> each : all) {
                each.get();
            }
        }
        assertThat(wrong).as("%s", this).isEmpty();
    }

    private void putAndRead(Bucket files, BooleanSupplier goesOn) {
        while (goesOn.getAsBoolean() && wrong.isEmpty()) {
            int number = numbers.incrementAndGet();
            try {
                files.put(key(number), content(number));
                acknowledged.add(number);
                check(files, ThreadLocalRandom.current().nextInt(1, number + 1));
            } catch (BulwarkException e) {
                wrong.add(key(number) + ": " + e);
            }
        }
    }

    /** Reads all that was acknowledged. */
    void check(Bulwark client) {
        Bucket files = client.bucket(bucket);
        try (ExecutorService readers = Executors.newFixedThreadPool(READERS)) {
            acknowledged.forEach(number -> readers.execute(() -> {
                try {
                    check(files, number);
                } catch (BulwarkException e) {
                    wrong.add(key(number) + ": " + e);
                }
            }));
        }
        assertThat(wrong).as("%s", this).isEmpty();
    }

    /** Checks an object if its write was acknowledged. */
    private void check(Bucket files, int number) {
        if (acknowledged.contains(number)) {
            reads.incrementAndGet();
            if (!Arrays.equals(files.getBytes(key(number)), content(number))) {
                wrong.add(key(number) + ": other bytes");
            }
        }
    }

    int acknowledged() {
        return acknowledged.size();
    }

    private static String key(int number) {
        return "large/" + number;
    }

    private static byte[] content(int number) {
        byte[] content = new byte[BYTES];
        new Random(LiveCluster.SEED + number).nextBytes(content);
        return content;
    }

    @Override
    public String toString() {
        return acknowledged.size() + " objects of " + BYTES + " bytes acknowledged, " + reads + " reads; wrong: "
                + wrong;
    }

    @Override
    public void close() {
        clients.forEach(Bulwark::close);
    }
}
