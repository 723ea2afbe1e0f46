package io.bulwark.metadata.log;

import io.bulwark.protocol.ordering.Position;
import io.bulwark.protocol.ordering.replica.LogRecord;
import io.bulwark.protocol.ordering.replica.LogRecordCodec;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.stream.Stream;

/**
 * What a replica of the ordering engine has promised, on disk (PROTOCOLS section 7, durable before send): a file for each
 * segment, {@code promises-N.log} in the format of {@link LogFile}, that begins with a summary of all before it. A segment
 * appears under its name with its whole summary or not at all; the one before goes after that. A thread of its own writes;
 * whatever was handed over while it synced shares the next sync.
 *
 * <p>A last record that is not complete is a torn tail, and is cut: nothing that it promises was sent. A bad record with a
 * good one behind it is damage.
 */
public final class PromiseLog implements AutoCloseable {
    private static final String PREFIX = "promises-";
    private static final String SUFFIX = ".log";

    /** More than so many records do not wait; whoever appends waits instead. */
    private static final int QUEUE_MAX = 65_536;

    /** What a start finds wrong: this replica may have forgotten what it promised. */
    public static final class DamagedException extends IOException {
        private static final long serialVersionUID = 1L;

        private DamagedException(Path file, String what) {
            super(file + " " + what
                    + ": this replica may have forgotten what it promised to the others; it counts as one of"
                    + " the faulty until its directory has been removed and it has copied their state");
        }
    }

    private sealed interface Write {}

    private record Append(long index, LogRecord record) implements Write {}

    private record Roll(long index, List<LogRecord> summary) implements Write {}

    private record End() implements Write {}

    private final Path directory;
    private final List<LogRecord> found;
    private final LongConsumer durable;
    private final Consumer<IOException> failed;
    private final BlockingQueue<Write> queue = new LinkedBlockingQueue<>(QUEUE_MAX);
    private final Thread writer;
    private LogFile segment;
    private long number;

    private PromiseLog(
            Path directory,
            LogFile segment,
            long number,
            List<LogRecord> found,
            LongConsumer durable,
            Consumer<IOException> failed) {
        this.directory = directory;
        this.segment = segment;
        this.number = number;
        this.found = List.copyOf(found);
        this.durable = durable;
        this.failed = failed;
        writer = Thread.ofPlatform().daemon().name("bulwark-promises").unstarted(this::write);
    }

    /**
     * Opens what the directory holds.
     *
     * @param durable told, by the writing thread, up to which index all is synced
     * @param failed told once if the disk fails; nothing is durable any more from then on
     * @throws DamagedException if it does not hold what was once synced
     */
    public static PromiseLog open(Path directory, LongConsumer durable, Consumer<IOException> failed)
            throws IOException {
        Files.createDirectories(directory);
        List<Path> files;
        try (Stream<Path> all = Files.list(directory)) {
            files = all.filter(PromiseLog::isSegment).sorted().toList();
        }
        if (files.isEmpty()) {
            LogFile first = create(directory, 0, List.of());
            return started(new PromiseLog(directory, first, 0, List.of(), durable, failed));
        }
        Path last = files.getLast();
        LogFile segment = LogFile.open(last).orElseThrow(() -> new DamagedException(last, "has no right header"));
        List<LogRecord> found = new ArrayList<>();
        try {
            LogFile.Scan scan = segment.scan((_, bytes) -> found.add(LogRecordCodec.read(bytes)));
            if (scan == LogFile.Scan.DAMAGED) {
                throw new DamagedException(last, "is damaged at " + segment.scannedBytes());
            }
        } catch (MalformedException e) {
            throw new DamagedException(last, "holds what is no record (" + e.getMessage() + ")");
        }
        segment.truncate(segment.scannedBytes());
        for (Path older : files.subList(0, files.size() - 1)) {
            Files.delete(older);
        }
        return started(new PromiseLog(directory, segment, segment.start().sequence(), found, durable, failed));
    }

    private static PromiseLog started(PromiseLog log) {
        log.writer.start();
        return log;
    }

    /** What was found when it was opened, in order. */
    public List<LogRecord> found() {
        return found;
    }

    /** Appends a record. Indices count appends and rolls from 1 since it was opened. */
    public void append(long index, LogRecord record) {
        put(new Append(index, record));
    }

    /** Begins a new segment with these records, which stand for all before. */
    public void roll(long index, List<LogRecord> summary) {
        put(new Roll(index, summary));
    }

    private void put(Write write) {
        boolean interrupted = false;
        while (true) {
            try {
                queue.put(write);
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void write() {
        try {
            List<Write> writes = new ArrayList<>();
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
            discard();
        }
    }

    /** Writes and syncs; returns false at the end. */
    private boolean write(List<Write> writes) throws IOException {
        long upTo = 0;
        boolean goesOn = true;
        for (Write write : writes) {
            switch (write) {
                case Append append -> {
                    segment.append(encoded(append.record()));
                    upTo = append.index();
                }
                case Roll roll -> {
                    LogFile next = create(directory, number + 1, roll.summary());
                    segment.delete();
                    segment = next;
                    number++;
                    upTo = roll.index();
                }
                case End _ -> goesOn = false;
            }
        }
        if (upTo > 0) {
            segment.force();
            durable.accept(upTo);
        }
        return goesOn;
    }

    /** After a failure nothing is written, and nobody shall wait for room. */
    private void discard() {
        try {
            while (!(queue.take() instanceof End)) {
                // Dropped: it never becomes durable, so nothing that it promises is sent.
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static LogFile create(Path directory, long number, List<LogRecord> summary) throws IOException {
        Path file = directory.resolve(String.format("%s%020d%s", PREFIX, number, SUFFIX));
        Path beside = file.resolveSibling(file.getFileName() + ".new");
        LogFile segment = LogFile.create(beside, new Position(number, Position.GENESIS.digest()));
        for (LogRecord record : summary) {
            segment.append(encoded(record));
        }
        segment.force();
        Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        Durably.syncDirectory(directory);
        return segment.movedTo(file);
    }

    private static Bytes encoded(LogRecord record) {
        WireWriter out = new WireWriter(256);
        LogRecordCodec.write(record, out);
        return out.toBytes();
    }

    private static boolean isSegment(Path file) {
        String name = file.getFileName().toString();
        return name.startsWith(PREFIX) && name.endsWith(SUFFIX);
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
        segment.close();
    }
}
