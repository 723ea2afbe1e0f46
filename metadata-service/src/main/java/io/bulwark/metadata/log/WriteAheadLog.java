package io.bulwark.metadata.log;

import io.bulwark.protocol.ordering.driver.LogRecord;
import io.bulwark.protocol.ordering.driver.StartReason;
import io.bulwark.transport.file.AtomicFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Promises of a replica of the ordering engine, on disk (docs/ordering/normal-case.md, durable before send; docs/ordering/checkpoints.md, damage). Each
 * segment has a file, {@code promises-N.log}, that begins with a summary of all before it. A segment appears under its
 * name with its whole summary or not at all; the previous one is removed after that. A thread of its own writes;
 * records that arrive during a sync share the next sync. Each life begins a segment of its own, and only reads older
 * ones.
 *
 * <p>Of a promise one good copy in two places ({@link WriteAheadLogSegment}) is enough. Two bad copies, with nothing behind
 * them that was written after a sync, are a torn tail, and are cut: nothing that they promise was sent. Otherwise the
 * promises are forgotten. The log begins anew, and {@link #start} reports the loss in each life until a summary that
 * records it is durable.
 */
public final class WriteAheadLog implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WriteAheadLog.class);
    private static final Pattern SEGMENT = Pattern.compile("promises-00(\\d{18})\\.log");

    /** A segment is made so much longer than the one before it was; one that becomes longer still, by as much at once. */
    private static final int AHEAD_BYTES = 256 << 10;

    private static final int SEGMENT_BYTES_MAX = 16 << 20;

    /** Bound on the waiting records; beyond it the thread that appends waits. */
    private static final int QUEUE_MAX = 65_536;

    private sealed interface Write {}

    private record Append(long index, LogRecord record) implements Write {}

    private record Roll(long index, List<LogRecord> summary) implements Write {}

    private record Forget() implements Write {}

    private record End() implements Write {}

    private final Path directory;
    private final Path forgottenMark;
    private final WriteAheadLogSegment.Disk disk;
    private final LongConsumer durable;
    private final Consumer<IOException> failed;
    private final SecureRandom random = new SecureRandom();
    private final BlockingQueue<Write> queue = new LinkedBlockingQueue<>(QUEUE_MAX);
    private final Thread writer;
    private final List<Path> older;
    private final StartReason start;
    private final List<LogRecord> found;
    /** The last index handed over; used by the thread that hands over. */
    private long handedOver;

    private long number;
    private @Nullable WriteAheadLogSegment segment;

    private WriteAheadLog(
            Path directory,
            boolean hasPromised,
            WriteAheadLogSegment.Disk disk,
            LongConsumer durable,
            Consumer<IOException> failed)
            throws IOException {
        this.directory = directory;
        this.forgottenMark = directory.resolve("forgotten");
        this.disk = disk;
        this.durable = durable;
        this.failed = failed;
        Files.createDirectories(directory);
        older = new ArrayList<>(segments(directory));
        number = older.isEmpty() ? -1 : numberOf(older.getLast());
        WriteAheadLogScan.Contents contents = contents(hasPromised);
        boolean forgotten = Files.exists(forgottenMark) || contents.isDamaged();
        if (contents.isDamaged() && !Files.exists(forgottenMark)) {
            LOG.error(
                    "the log in {} is damaged ({}): this replica has forgotten its promises, counts as faulty, and "
                            + "recovers",
                    directory,
                    contents.damage());
            AtomicFile.replace(forgottenMark);
        }
        start = forgotten ? StartReason.FORGOTTEN : StartReason.NORMAL;
        found = forgotten ? List.of() : List.copyOf(contents.records());
        writer = Thread.ofPlatform().daemon().name("bulwark-promises").unstarted(this::write);
    }

    private WriteAheadLogScan.Contents contents(boolean hasPromised) throws IOException {
        if (older.isEmpty()) {
            return new WriteAheadLogScan.Contents(List.of(), 0, hasPromised ? "it has no file" : "");
        }
        WriteAheadLogScan.Contents contents = WriteAheadLogScan.read(disk, older.getLast());
        if (contents.mended() > 0) {
            LOG.warn("{}: {} promises were intact in only one of two copies", older.getLast(), contents.mended());
        }
        return contents;
    }

    /**
     * Opens the log in a directory. It changes nothing there before the first {@link #roll}.
     *
     * @param hasPromised whether the replica's other files show that it had a log: if none is there, it is lost
     * @param durable receives, from the writing thread, the index up to which all is synced
     * @param failed called once if the disk fails; nothing becomes durable any more from then on
     */
    public static WriteAheadLog open(
            Path directory, boolean hasPromised, LongConsumer durable, Consumer<IOException> failed)
            throws IOException {
        return open(directory, hasPromised, FileChannel::open, durable, failed);
    }

    static WriteAheadLog open(
            Path directory,
            boolean hasPromised,
            WriteAheadLogSegment.Disk disk,
            LongConsumer durable,
            Consumer<IOException> failed)
            throws IOException {
        WriteAheadLog log = new WriteAheadLog(directory, hasPromised, disk, durable, failed);
        log.writer.start();
        return log;
    }

    /** Returns the replica's start: {@link StartReason#NORMAL}, or {@link StartReason#FORGOTTEN} if its promises are lost. */
    public StartReason start() {
        return start;
    }

    /** Returns the promises of earlier lives, in order, preceded by the bodies that are there. */
    public List<LogRecord> found() {
        return found;
    }

    /**
     * Appends a record. Indices count appends and rolls from 1 since it was opened. What comes before the first roll becomes
     * durable with that.
     */
    public void append(long index, LogRecord record) {
        follow(index);
        put(new Append(index, record));
    }

    /** Begins a new segment with these records, which replace all before. Each life does this first. */
    public void roll(long index, List<LogRecord> summary) {
        follow(index);
        put(new Roll(index, summary));
    }

    /** Once an index is durable, so is all that was promised before it. */
    private void follow(long index) {
        if (index != handedOver + 1) {
            throw new IllegalArgumentException("promise " + index + " does not follow " + handedOver);
        }
        handedOver = index;
    }

    /** Marks the log's content as wrong: nothing becomes durable any more, and the next life has forgotten it. */
    public void forget() {
        put(new Forget());
    }

    private void put(Write write) {
        Uninterruptible.put(queue, write);
    }

    private void write() {
        List<Write> writes = new ArrayList<>();
        try {
            while (true) {
                writes.clear();
                writes.add(queue.take());
                queue.drainTo(writes);
                if (!write(writes)) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            failed.accept(e);
            discardAfter(writes);
        } catch (RuntimeException e) {
            failed.accept(new IOException("the log of promises has a gap", e));
            discardAfter(writes);
        }
    }

    /** Writes and syncs; returns false at the end. */
    private boolean write(List<Write> writes) throws IOException {
        long upTo = 0;
        boolean ended = false;
        List<LogRecord> records = new ArrayList<>();
        for (Write write : writes) {
            switch (write) {
                case Append append -> {
                    records.add(append.record());
                    upTo = append.index();
                }
                case Roll roll -> {
                    // Its summary stands for the records that wait, too.
                    records.clear();
                    begin(roll.summary());
                    upTo = roll.index();
                }
                case Forget _ -> {
                    AtomicFile.replace(forgottenMark);
                    discardAfter(writes);
                    return false;
                }
                case End _ -> ended = true;
            }
        }
        WriteAheadLogSegment current = segment;
        if (current != null) {
            if (!records.isEmpty()) {
                append(current, records);
            }
            if (upTo > 0) {
                durable.accept(upTo);
            }
        }
        return !ended;
    }

    private void append(WriteAheadLogSegment current, List<LogRecord> records) throws IOException {
        if (current.append(records)) {
            current.force();
            return;
        }
        // The second place is full: all of it goes into a segment where it has twice the room.
        WriteAheadLogScan.Contents contents = WriteAheadLogScan.read(disk, current.path());
        if (contents.isDamaged()) {
            throw new IOException(current.path() + " is damaged: " + contents.damage());
        }
        List<LogRecord> all = new ArrayList<>(contents.records());
        all.addAll(records);
        begin(all);
    }

    /** Begins a new segment; returns once it is durable, and the only one. */
    private void begin(List<LogRecord> summary) throws IOException {
        WriteAheadLogSegment before = segment;
        long expected = before == null ? AHEAD_BYTES : Math.min(before.length() + AHEAD_BYTES, SEGMENT_BYTES_MAX);
        long next = number + 1;
        Path path = directory.resolve(String.format("promises-%020d.log", next));
        segment = WriteAheadLogSegment.create(disk, path, next, mark(), summary, (int) expected, AHEAD_BYTES);
        number = next;
        if (before != null) {
            before.close();
        }
        for (Path file : older) {
            Files.deleteIfExists(file);
        }
        older.clear();
        older.add(path);
        if (Files.deleteIfExists(forgottenMark)) {
            AtomicFile.syncDirectory(directory);
        }
    }

    private long mark() {
        long mark = random.nextLong();
        while (mark == 0) {
            mark = random.nextLong();
        }
        return mark;
    }

    /** Discards everything after a failure: nothing is written, and no appending thread waits for room. */
    private void discardAfter(List<Write> taken) {
        try {
            boolean ended = taken.contains(new End());
            while (!ended) {
                // Dropped: it never becomes durable, so nothing that it promises is sent.
                ended = queue.take() instanceof End;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static List<Path> segments(Path directory) throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.filter(file ->
                            SEGMENT.matcher(file.getFileName().toString()).matches())
                    .sorted()
                    .toList();
        }
    }

    private static long numberOf(Path segment) {
        String name = segment.getFileName().toString();
        return Long.parseLong(name.substring(name.indexOf('-') + 1, name.indexOf('.')));
    }

    /** Writes and syncs what was handed over, and closes the file. */
    @Override
    public void close() throws IOException {
        put(new End());
        try {
            writer.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        WriteAheadLogSegment current = segment;
        if (current != null) {
            current.close();
        }
    }
}
