package io.bulwark.appliance.transfer;

import io.bulwark.client.Bucket;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.PutOptions;
import io.bulwark.client.error.BulwarkException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.stream.Stream;

/**
 * Brings a bucket's objects below a prefix to the state of a directory tree: regular files whose size or modification
 * time differs from what the object's tag says are stored. Symbolic links are followed if they lead to regular files
 * inside the tree; other special files are left out and counted.
 */
public final class TreeSync {
    /** The tag that keeps a file's modification time, in milliseconds since 1970. */
    public static final String MODIFIED_TAG = "mtime-millis";

    private final Bucket bucket;
    private final String prefix;
    private final int parallel;

    /** @param prefix put before each relative path; a '/' is added between the two if it is not empty */
    public TreeSync(Bucket bucket, String prefix, int parallel) {
        this.bucket = bucket;
        this.prefix = prefix.isEmpty() || prefix.endsWith("/") ? prefix : prefix + "/";
        this.parallel = parallel;
    }

    /** A file to store. */
    public record Entry(Path file, String key, long bytes, long modifiedMillis) {}

    /**
     * What is to be done.
     *
     * @param skipped files that are neither regular nor links to regular files of the tree, or have no usable name
     * @param emptyDirectories directories without entries, for which no object can stand
     */
    public record Plan(
            List<Entry> changed, long unchanged, List<String> gone, List<String> skipped, long emptyDirectories) {
        public long bytes() {
            return changed.stream().mapToLong(Entry::bytes).sum();
        }
    }

    /** What was done; failures are messages that name the file. */
    public record Result(long stored, long bytes, long deleted, List<String> failures) {}

    /** Compares the tree with the bucket. */
    public Plan plan(Path root) throws IOException {
        Map<String, ObjectInfo> present = new HashMap<>();
        try (Stream<ObjectInfo> all = bucket.stream(prefix)) {
            all.forEach(object -> present.put(object.key(), object));
        }
        List<Entry> changed = new ArrayList<>();
        long unchanged = 0;
        Scan scan = scan(root, prefix);
        for (Entry entry : scan.files()) {
            ObjectInfo object = present.remove(entry.key());
            if (object != null
                    && object.length() == entry.bytes()
                    && Long.toString(entry.modifiedMillis())
                            .equals(object.tags().get(MODIFIED_TAG))) {
                unchanged++;
            } else {
                changed.add(entry);
            }
        }
        return new Plan(
                changed,
                unchanged,
                present.keySet().stream().sorted().toList(),
                scan.skipped(),
                scan.emptyDirectories());
    }

    /**
     * Stores what changed, in parallel, and deletes what is gone if asked to.
     *
     * @param moved is told of the bytes of each file that is stored
     */
    public Result run(Plan plan, boolean deleteGone, LongConsumer moved) throws InterruptedException {
        AtomicLong stored = new AtomicLong();
        AtomicLong bytes = new AtomicLong();
        AtomicLong deleted = new AtomicLong();
        ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
        List<Runnable> work = new ArrayList<>();
        for (Entry entry : plan.changed()) {
            work.add(() -> {
                noting(failures, entry.file().toString(), () -> {
                    PutOptions options = PutOptions.DEFAULT
                            .withContentType(ContentTypes.of(entry.key()))
                            .withTags(Map.of(MODIFIED_TAG, Long.toString(entry.modifiedMillis())));
                    ObjectInfo object = bucket.put(entry.key(), entry.file(), options);
                    stored.incrementAndGet();
                    bytes.addAndGet(object.length());
                });
                moved.accept(entry.bytes());
            });
        }
        if (deleteGone) {
            for (String key : plan.gone()) {
                work.add(() -> noting(failures, key, () -> {
                    bucket.delete(key);
                    deleted.incrementAndGet();
                }));
            }
        }
        inParallel(work, parallel);
        return new Result(stored.get(), bytes.get(), deleted.get(), List.copyOf(failures));
    }

    /** Runs the step; what it could not do, or a file that went away or cannot be read, ends only this step. */
    static void noting(Queue<String> failures, String name, Runnable step) {
        try {
            step.run();
        } catch (BulwarkException | UncheckedIOException e) {
            failures.add(name + ": " + e.getMessage());
        }
    }

    /** Runs all of it on virtual threads, so many at a time; returns when all has ended. */
    static void inParallel(List<Runnable> work, int atOnce) throws InterruptedException {
        Semaphore slots = new Semaphore(atOnce);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> running = new ArrayList<>();
            for (Runnable task : work) {
                slots.acquire();
                running.add(threads.submit(() -> {
                    try {
                        task.run();
                    } finally {
                        slots.release();
                    }
                }));
            }
            for (Future<?> future : running) {
                try {
                    future.get();
                } catch (ExecutionException e) {
                    throw new IllegalStateException(e.getCause());
                }
            }
        }
    }

    /** What is below a directory: files by key, names of what is no file to store, and how many directories are empty. */
    record Scan(List<Entry> files, List<String> skipped, long emptyDirectories) {}

    static Scan scan(Path root, String prefix) throws IOException {
        Map<String, Entry> found = new TreeMap<>();
        List<String> skipped = new ArrayList<>();
        Set<Path> empty = new HashSet<>();
        Path real = root.toRealPath();
        Files.walkFileTree(real, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                empty.remove(directory.getParent());
                empty.add(directory);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                empty.remove(file.getParent());
                String relative = real.relativize(file).toString();
                if (!isText(real.relativize(file))) {
                    skipped.add(relative + " (its name is not text in this locale)");
                    return FileVisitResult.CONTINUE;
                }
                BasicFileAttributes actual = attributes;
                if (attributes.isSymbolicLink()) {
                    if (!Files.isRegularFile(file) || !file.toRealPath().startsWith(real)) {
                        skipped.add(relative);
                        return FileVisitResult.CONTINUE;
                    }
                    actual = Files.readAttributes(file, BasicFileAttributes.class);
                } else if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                    skipped.add(relative);
                    return FileVisitResult.CONTINUE;
                }
                String key = prefix + relative;
                found.put(
                        key,
                        new Entry(
                                file,
                                key,
                                actual.size(),
                                actual.lastModifiedTime().toMillis()));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure) {
                empty.remove(file.getParent());
                skipped.add(real.relativize(file) + " (" + failure.getMessage() + ")");
                return FileVisitResult.CONTINUE;
            }
        });
        empty.remove(real);
        return new Scan(List.copyOf(found.values()), skipped, empty.size());
    }

    /** Whether the name can be told by its text; names that cannot would fall together with others. */
    private static boolean isText(Path name) {
        try {
            return Path.of(name.toString()).equals(name);
        } catch (InvalidPathException e) {
            return false;
        }
    }
}
