package io.bulwark.appliance.transfer;

import io.bulwark.client.Bucket;
import io.bulwark.client.Bulwark;
import io.bulwark.client.bulk.ParallelWork;
import io.bulwark.client.config.ClientConfig.Locking;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * Measures operations on small objects by clients that lock what they use, and by clients that have everything ordered, in
 * turn (thesis, 5.5).
 */
public final class LockingRun implements AutoCloseable {
    private static final int SMALL_BYTES = 2_048;
    private static final int EXISTING = 256;

    private final Function<Locking, Bulwark> connecting;
    private final Optional<ProcessHandle> servers;
    private final double seconds;
    private final String bucket;
    private final Bulwark off;
    private final Bulwark auto;
    private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
    private int directories;

    /** Kind of operation. */
    public enum Kind {
        /** An empty object of a new name. */
        CREATE,
        /** Facts of an object. */
        STAT,
        /** An empty object in the place of another. */
        UPDATE,
        /** An object of 2 KiB of a new name. */
        PUT
    }

    /** Measurements of one kind of client; processor time of the servers is 0 if they run elsewhere. */
    public record Side(long operations, double seconds, double clientSeconds, double serverSeconds, Histogram micros) {
        public double perSecond() {
            return operations / seconds;
        }

        public double clientMillisEach() {
            return 1000 * clientSeconds / Math.max(1, operations);
        }

        public double serverMillisEach() {
            return 1000 * serverSeconds / Math.max(1, operations);
        }
    }

    /** Measurements of both. */
    public record Pair(String what, int callers, Side off, Side auto) {
        /** Returns how many times faster the client with locks was. */
        public double gain() {
            return auto.perSecond() / off.perSecond();
        }
    }

    /**
     * Connects both clients.
     *
     * @param servers the process of the appliance, if it runs here
     * @param bucket temporary, and made here
     * @param seconds of each measurement
     */
    public LockingRun(
            Function<Locking, Bulwark> connecting, Optional<ProcessHandle> servers, String bucket, double seconds) {
        this.connecting = connecting;
        this.servers = servers;
        this.bucket = bucket;
        this.seconds = seconds;
        off = connecting.apply(Locking.OFF);
        auto = connecting.apply(Locking.AUTO);
        off.createBucket(bucket);
    }

    public List<String> failures() {
        return List.copyOf(failures);
    }

    /** Measures one kind of operation, in a directory of the client's own. */
    public Pair operations(Kind kind, int callers) throws InterruptedException {
        return new Pair(
                kind.name().toLowerCase(Locale.ROOT),
                callers,
                operations(off, kind, callers),
                operations(auto, kind, callers));
    }

    private Side operations(Bulwark client, Kind kind, int callers) throws InterruptedException {
        Bucket objects = client.bucket(bucket);
        String directory = directory();
        objects.lock(directory);
        byte[] content = new byte[kind == Kind.PUT ? SMALL_BYTES : 0];
        List<Runnable> existing = new ArrayList<>();
        for (int i = 0; i < EXISTING; i++) {
            int number = i;
            existing.add(() -> objects.put(directory + number, new byte[0]));
        }
        ParallelWork.run(existing, callers);
        Side side = run(callers, (caller, round) -> {
            switch (kind) {
                case CREATE, PUT -> objects.put(directory + caller + "-" + round, content);
                case STAT -> objects.head(directory + (caller + round) % EXISTING);
                case UPDATE -> objects.put(directory + (caller + round * callers) % EXISTING, content);
            }
        });
        objects.unlock(directory);
        return side;
    }

    /** Measures creates of one caller whose lock ends after so many of them (figure 5.5.9). */
    public Pair runsOf(int length) throws InterruptedException {
        return new Pair(length + " creates", 1, runsOf(off, length), runsOf(auto, length));
    }

    private Side runsOf(Bulwark client, int length) throws InterruptedException {
        Bucket objects = client.bucket(bucket);
        String above = directory();
        return run(1, (caller, round) -> {
            String directory = above + round / length + "/";
            if (round % length == 0) {
                objects.lock(directory);
            }
            objects.put(directory + round, new byte[0]);
            if (round % length == length - 1) {
                objects.unlock(directory);
            }
        });
    }

    /** Measures two clients of one kind that put and read in one directory, without hints. */
    public Pair contention(int callers) throws InterruptedException {
        try (Bulwark secondOff = connecting.apply(Locking.OFF);
                Bulwark secondAuto = connecting.apply(Locking.AUTO)) {
            return new Pair(
                    "two clients",
                    callers,
                    contention(List.of(off, secondOff), callers),
                    contention(List.of(auto, secondAuto), callers));
        }
    }

    private Side contention(List<Bulwark> clients, int callers) throws InterruptedException {
        String directory = directory();
        List<Bucket> objects =
                clients.stream().map(client -> client.bucket(bucket)).toList();
        for (int caller = 0; caller < callers; caller++) {
            objects.getFirst().put(directory + caller, new byte[0]);
        }
        return run(callers, (caller, round) -> {
            Bucket own = objects.get(caller % 2);
            if (round % 2 == 0) {
                own.put(directory + caller, new byte[0]);
            } else {
                own.head(directory + (caller + 1) % callers);
            }
        });
    }

    /** Measures transactions on small files as Postmark makes them: reads, replacements, creations and deletions. */
    public Pair smallFiles(int callers) throws InterruptedException {
        return new Pair("small files", callers, smallFiles(off, callers), smallFiles(auto, callers));
    }

    private Side smallFiles(Bulwark client, int callers) throws InterruptedException {
        Bucket objects = client.bucket(bucket);
        String directory = directory();
        List<PostmarkFiles> all = new ArrayList<>();
        List<Runnable> creations = new ArrayList<>();
        for (int caller = 0; caller < callers; caller++) {
            PostmarkFiles files = new PostmarkFiles(objects, directory + caller + "/", caller);
            all.add(files);
            creations.add(files::create);
        }
        ParallelWork.run(creations, callers);
        return run(callers, (caller, round) -> all.get(caller).transact());
    }

    /** Measures the synchronization of a tree of files of 2 KiB, each time by a client of its own. */
    public Pair sync(int files, int ofDirectories, int parallel) throws IOException, InterruptedException {
        Path tree = Files.createTempDirectory("bulwark-bench");
        try {
            SplittableRandom random = new SplittableRandom(1);
            for (int i = 0; i < files; i++) {
                byte[] content = new byte[SMALL_BYTES];
                random.nextBytes(content);
                Path parent = Files.createDirectories(tree.resolve("d" + i % ofDirectories));
                Files.write(parent.resolve("f" + i), content);
            }
            return new Pair(
                    "sync of " + files,
                    parallel,
                    sync(Locking.OFF, tree, parallel),
                    sync(Locking.AUTO, tree, parallel));
        } finally {
            try (Stream<Path> all = Files.walk(tree)) {
                for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(each);
                }
            }
        }
    }

    private Side sync(Locking locking, Path tree, int parallel) throws IOException, InterruptedException {
        Cost before = cost();
        long start = System.nanoTime();
        Transfer.Result result;
        try (Bulwark client = connecting.apply(locking)) {
            TreeUpload upload =
                    new TreeUpload(tree, client.bucket(bucket), directory(), TransferSettings.ofParallel(parallel));
            result = upload.run(upload.plan(), false, TransferListener.NONE);
        }
        failures.addAll(result.failures());
        return side(result.files(), (System.nanoTime() - start) / 1e9, before, ClosedLoop.noLatencies());
    }

    private Side run(int callers, ClosedLoop.Operation operation) throws InterruptedException {
        Cost before = cost();
        ClosedLoop loop = ClosedLoop.run(callers, seconds, operation);
        failures.addAll(loop.failures());
        return side(loop.operations(), loop.seconds(), before, loop.micros());
    }

    private Side side(long operations, double took, Cost before, Histogram micros) {
        Cost after = cost();
        return new Side(operations, took, after.client - before.client, after.servers - before.servers, micros);
    }

    /** Processor seconds so far. */
    private record Cost(double client, double servers) {}

    private Cost cost() {
        Duration used = servers.stream()
                .flatMap(process -> Stream.concat(Stream.of(process), process.descendants()))
                .flatMap(process -> process.info().totalCpuDuration().stream())
                .reduce(Duration.ZERO, Duration::plus);
        return new Cost(ProcessCost.now().processorSeconds(), used.toMillis() / 1e3);
    }

    private String directory() {
        return "run-" + directories++ + "/";
    }

    /** Removes the bucket, and disconnects. */
    @Override
    public void close() {
        auto.close();
        try (off) {
            LoadRun.clear(off.bucket(bucket), 64);
            off.deleteBucket(bucket);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
