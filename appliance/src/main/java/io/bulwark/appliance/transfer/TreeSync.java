package io.bulwark.appliance.transfer;

import io.bulwark.client.Bucket;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.PutOptions;
import io.bulwark.client.bulk.ParallelWork;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.transport.file.FileFailure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.stream.Stream;

/**
 * Synchronizes a bucket's objects below a prefix with a directory tree. It stores regular files whose size or
 * modification time differs from what the object's tag says. It deletes objects last, and only those whose file is
 * certainly gone.
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

    /** Returns the prefix of all files' keys. */
    public String prefix() {
        return prefix;
    }

    /** A file to store. */
    public record Entry(Path file, String key, long bytes, long modifiedMillis) {}

    /**
     * Plan of a synchronization.
     *
     * @param scan the scan of the tree
     * @param gone objects whose file is no longer there
     * @param kept number of objects without a file that was found, which may have one in a place that could not be read
     */
    public record Plan(TreeScan scan, List<Entry> changed, long unchanged, List<String> gone, long kept) {
        public long bytes() {
            return changed.stream().mapToLong(Entry::bytes).sum();
        }

        /** Files that are neither regular nor links to regular files of the tree, with the reason. */
        public List<String> skipped() {
            return scan.skipped();
        }

        /** Returns the parts of the tree that could not be read, with the cause. */
        public List<String> failures() {
            return scan.failures();
        }

        /** Directories without entries, for which no object can stand. */
        public long emptyDirectories() {
            return scan.emptyDirectories();
        }

        /**
         * Returns whether the tree is empty although there are objects, for example because a file system is not
         * mounted.
         */
        public boolean isEmptied() {
            return changed.isEmpty() && unchanged == 0 && !gone.isEmpty();
        }

        /** The same, of which only the first files are to be stored. */
        public Plan beginning(int files) {
            return new Plan(scan, changed.subList(0, Math.min(files, changed.size())), 0, List.of(), kept);
        }
    }

    /**
     * Result of a synchronization.
     *
     * @param failures messages that name the file
     * @param grown files that grew while they were read: their initial content is stored
     */
    public record Result(long stored, long bytes, long deleted, List<String> failures, List<String> grown) {}

    /**
     * Compares the tree with the bucket.
     *
     * @throws IOException if there is no such directory
     */
    public Plan plan(Path root) throws IOException {
        TreeScan scan = TreeScan.of(root, prefix);
        try (Stream<ObjectInfo> all = bucket.stream(prefix)) {
            return compare(scan, all.toList());
        }
    }

    static Plan compare(TreeScan scan, List<ObjectInfo> objects) {
        Map<String, ObjectInfo> present = new HashMap<>();
        objects.forEach(object -> present.put(object.key(), object));
        List<Entry> changed = new ArrayList<>();
        long unchanged = 0;
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
        List<String> gone =
                present.keySet().stream().filter(scan::isGone).sorted().toList();
        return new Plan(scan, changed, unchanged, gone, present.size() - gone.size());
    }

    /**
     * Stores changed files in parallel. Then deletes objects without a file if asked to, unless a file could not be
     * stored: that file may be the renamed one.
     *
     * @param moved receives the bytes of each file that is stored
     */
    public Result run(Plan plan, boolean deleteGone, LongConsumer moved) throws InterruptedException {
        AtomicLong stored = new AtomicLong();
        AtomicLong bytes = new AtomicLong();
        AtomicLong deleted = new AtomicLong();
        ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
        ConcurrentLinkedQueue<String> grown = new ConcurrentLinkedQueue<>();
        List<Runnable> work = new ArrayList<>();
        for (Entry entry : plan.changed()) {
            work.add(() -> {
                runNoting(failures, entry.file().toString(), () -> {
                    PutOptions options = PutOptions.DEFAULT
                            .withContentType(ContentTypes.of(entry.key()))
                            .withTags(Map.of(MODIFIED_TAG, Long.toString(entry.modifiedMillis())));
                    ObjectInfo object = bucket.put(entry.key(), entry.file(), options);
                    stored.incrementAndGet();
                    bytes.addAndGet(object.length());
                    GrowthNotice.of(entry.file(), object).ifPresent(grown::add);
                });
                moved.accept(entry.bytes());
            });
        }
        ParallelWork.run(work, parallel);
        if (deleteGone && failures.isEmpty()) {
            List<Runnable> deletions = new ArrayList<>();
            for (String key : plan.gone()) {
                deletions.add(() -> runNoting(failures, key, () -> {
                    if (isStillGone(plan.scan(), key)) {
                        bucket.delete(key);
                        deleted.incrementAndGet();
                    }
                }));
            }
            ParallelWork.run(deletions, parallel);
        }
        return new Result(stored.get(), bytes.get(), deleted.get(), List.copyOf(failures), List.copyOf(grown));
    }

    private static boolean isStillGone(TreeScan scan, String key) {
        try {
            return scan.isStillGone(key);
        } catch (IOException e) {
            throw new UncheckedIOException("not deleted: " + FileFailure.text(e), e);
        }
    }

    /** Runs the step; what it could not do, or a file that went away or cannot be read, ends only this step. */
    static void runNoting(Queue<String> failures, String name, Runnable step) {
        try {
            step.run();
        } catch (BulwarkException | UncheckedIOException e) {
            failures.add(name + ": " + e.getMessage());
        }
    }
}
