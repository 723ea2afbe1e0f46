package io.bulwark.metadata.log;

import io.bulwark.protocol.ordering.PeerMessage;
import io.bulwark.protocol.ordering.Position;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.file.AtomicFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The applied-command log: the records of all batches since the oldest kept snapshot. Each of its files begins with the
 * position it starts from. One thread writes; another syncs everything written since its last sync, so that many
 * batches share one, and reports how far the log is durable.
 *
 * <p>A record that ends early or does not match its checksum ends the log: everything from there is cut, for the peers
 * have it. Whole records behind such a place mean damage, not a torn tail, and are reported.
 */
public final class AppliedLog implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AppliedLog.class);
    private static final String PREFIX = "log-";

    private record Entry(LogFile file, long offset, int length, Bytes digest) {}

    private final Path directory;
    private final Runnable durable;
    private final Deque<LogFile> files = new ArrayDeque<>();
    private final List<Entry> entries = new ArrayList<>();
    private final Object syncing = new Object();
    private final Thread syncer;
    private Position base = Position.GENESIS;
    private Position end = Position.GENESIS;
    private boolean damaged;
    private long writtenSequence;
    private long durableSequence;
    private long cuts;
    private boolean closed;
    /** After a failed sync the content of the device is unknown, even if the next sync succeeds. */
    private boolean syncFailed;

    /**
     * Opens the log of a directory, or begins one.
     *
     * @param durable called, mostly by the syncing thread, each time the log is durable further
     */
    public static AppliedLog open(Path directory, Runnable durable) throws IOException {
        AppliedLog log = new AppliedLog(directory, durable);
        log.recover();
        log.writtenSequence = log.end.sequence();
        log.durableSequence = log.end.sequence();
        log.syncer.start();
        return log;
    }

    private AppliedLog(Path directory, Runnable durable) {
        this.directory = directory;
        this.durable = durable;
        this.syncer = Thread.ofPlatform()
                .daemon()
                .name("bulwark-log-" + directory.getFileName())
                .unstarted(this::sync);
    }

    /** Returns the position at which the oldest file starts. */
    public Position base() {
        return base;
    }

    /** Returns the position after the last record. */
    public Position end() {
        return end;
    }

    /** Returns the last synced sequence. */
    public long durableSequence() {
        synchronized (syncing) {
            return durableSequence;
        }
    }

    /** Returns whether records in the middle were found damaged when the log was opened. */
    public boolean damaged() {
        return damaged;
    }

    /** The digest of the history of this length, if the log reaches back so far. */
    public Optional<Bytes> digestAt(long sequence) {
        if (sequence == base.sequence()) {
            return Optional.of(base.digest());
        }
        long index = sequence - base.sequence() - 1;
        return index < 0 || index >= entries.size()
                ? Optional.empty()
                : Optional.of(entries.get((int) index).digest());
    }

    /** Appends a record; it is durable once the callback says so, or after {@link #flush}. */
    public Position append(Bytes batchRecord) throws IOException {
        LogFile file = files.getLast();
        long offset = file.append(batchRecord);
        end = end.after(batchRecord);
        entries.add(new Entry(file, offset, batchRecord.length(), end.digest()));
        synchronized (syncing) {
            writtenSequence = end.sequence();
            syncing.notifyAll();
        }
        return end;
    }

    /** Records after {@code after} batches, as many as fit into a chunk; none if that place is not in the log. */
    public List<Bytes> read(long after) throws IOException {
        List<Bytes> records = new ArrayList<>();
        long bytes = 0;
        for (long index = after - base.sequence(); index >= 0 && index < entries.size(); index++) {
            Entry entry = entries.get((int) index);
            bytes += entry.length();
            boolean full = bytes > PeerMessage.CHUNK_BYTES || records.size() == PeerMessage.CHUNK_RECORDS_MAX;
            if (full && !records.isEmpty()) {
                break;
            }
            records.add(entry.file().read(entry.offset(), entry.length()));
        }
        return records;
    }

    /** Returns once everything written is durable. */
    public void flush() throws IOException {
        synchronized (syncing) {
            if (syncFailed) {
                throw new IOException(directory + ": an earlier sync of the log failed");
            }
            files.getLast().force();
            durableSequence = writtenSequence;
        }
        durable.run();
    }

    /** Cuts everything after a position that the log reaches. */
    public void truncate(long sequence) throws IOException {
        int kept = (int) (sequence - base.sequence());
        if (kept < 0 || kept > entries.size()) {
            throw new IllegalArgumentException("cannot cut at " + sequence + ": " + base + " to " + end);
        }
        synchronized (syncing) {
            if (kept < entries.size()) {
                Entry first = entries.get(kept);
                while (files.getLast() != first.file()) {
                    files.removeLast().delete();
                }
                first.file().truncateFrom(first.offset());
            }
            Bytes digest = digestAt(sequence).orElseThrow();
            entries.subList(kept, entries.size()).clear();
            end = new Position(sequence, digest);
            files.getLast().force();
            cuts++;
            writtenSequence = sequence;
            durableSequence = sequence;
        }
    }

    /** Forgets everything and starts from a position whose state is in a snapshot. */
    public void reset(Position position) throws IOException {
        synchronized (syncing) {
            while (!files.isEmpty()) {
                files.removeFirst().delete();
            }
            entries.clear();
            base = position;
            end = position;
            files.add(LogFile.create(path(position.sequence()), position));
            cuts++;
            writtenSequence = position.sequence();
            durableSequence = position.sequence();
        }
    }

    /** Begins a new file. */
    public void roll() throws IOException {
        flush();
        synchronized (syncing) {
            if (!files.getLast().start().equals(end)) {
                files.add(LogFile.create(path(end.sequence()), end));
            }
        }
    }

    /** Drops the files that hold nothing after {@code sequence}. */
    public void dropBefore(long sequence) throws IOException {
        synchronized (syncing) {
            while (files.size() > 1) {
                LogFile oldest = files.removeFirst();
                Position next = files.getFirst().start();
                if (next.sequence() > sequence) {
                    files.addFirst(oldest);
                    return;
                }
                entries.subList(0, (int) (next.sequence() - base.sequence())).clear();
                base = next;
                oldest.delete();
            }
        }
    }

    @Override
    public void close() throws IOException {
        synchronized (syncing) {
            closed = true;
            syncing.notifyAll();
        }
        boolean interrupted = false;
        while (syncer.isAlive()) {
            try {
                syncer.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        for (LogFile file : files) {
            file.close();
        }
    }

    private void sync() {
        try {
            while (true) {
                LogFile file;
                long target;
                long cutsBefore;
                synchronized (syncing) {
                    while (!closed && writtenSequence <= durableSequence) {
                        syncing.wait();
                    }
                    if (closed && writtenSequence <= durableSequence) {
                        return;
                    }
                    file = files.getLast();
                    target = writtenSequence;
                    cutsBefore = cuts;
                }
                // Rolling and cutting sync by themselves, so only the last file can hold what is not durable yet.
                file.force();
                synchronized (syncing) {
                    if (cuts == cutsBefore) {
                        durableSequence = Math.max(durableSequence, target);
                    }
                }
                durable.run();
            }
        } catch (IOException e) {
            LOG.error("{}: the log cannot be synced; no further request is acknowledged", directory, e);
            synchronized (syncing) {
                syncFailed = true;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns whether this is the name of a log's file. */
    public static boolean isLog(Path file) {
        return file.getFileName().toString().startsWith(PREFIX);
    }

    private void recover() throws IOException {
        List<Path> paths;
        try (Stream<Path> all = Files.list(directory)) {
            paths = all.filter(AppliedLog::isLog).sorted().toList();
        }
        boolean intact = true;
        for (Path path : paths) {
            if (path.toString().endsWith(".tmp")) {
                // A crash came between writing the file and giving it its name.
                Files.delete(path);
                continue;
            }
            Optional<LogFile> opened = intact ? LogFile.open(path) : Optional.empty();
            boolean follows = opened.isPresent()
                    && (files.isEmpty() || opened.get().start().equals(end));
            if (!follows) {
                if (intact && files.isEmpty()) {
                    LOG.error("{} has no valid log header and is not used", path);
                }
                // A file begins when the one before is synced to its end: whatever broke the row, it was no crash.
                damaged = true;
                intact = false;
                if (opened.isPresent()) {
                    opened.get().close();
                }
                Files.delete(path);
                continue;
            }
            intact = recover(opened.get());
        }
        if (files.isEmpty()) {
            reset(Position.GENESIS);
        }
        if (damaged) {
            LOG.error("{}: the log is damaged after batch {}; the rest comes from peers", directory, end.sequence());
        }
        AtomicFile.syncDirectory(directory);
    }

    private boolean recover(LogFile file) throws IOException {
        if (files.isEmpty()) {
            base = file.start();
            end = file.start();
        }
        files.add(file);
        LogFile.Scan scan = file.scan((offset, batchRecord) -> {
            end = end.after(batchRecord);
            entries.add(new Entry(file, offset, batchRecord.length(), end.digest()));
        });
        if (scan != LogFile.Scan.WHOLE) {
            file.truncate(file.length());
            file.force();
            damaged |= scan == LogFile.Scan.DAMAGED;
        }
        return scan == LogFile.Scan.WHOLE;
    }

    private Path path(long sequence) {
        return directory.resolve(String.format("%s%020d", PREFIX, sequence));
    }

    /** Reads every record after a position, oldest first. */
    public void replay(long after, Consumer<Bytes> consumer) {
        try {
            for (long index = after - base.sequence(); index < entries.size(); index++) {
                Entry entry = entries.get((int) index);
                consumer.accept(entry.file().read(entry.offset(), entry.length()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
