package io.bulwark.metadata.locking;

import io.bulwark.metadata.log.FrameFile;
import io.bulwark.metadata.log.Uninterruptible;
import io.bulwark.protocol.locking.LockingMessage;
import io.bulwark.protocol.locking.LogId;
import io.bulwark.protocol.locking.LogStoreRecord;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs of holders on disk, in one file, {@code logs-N}. A thread of its own writes; records that arrive during a sync
 * share the next one. A file is replaced by one with the records that are still needed, at each start and whenever more
 * than half of it is not. Used by one thread, but for the listener.
 *
 * <p>It does not share the log of promises and its syncs. While a holder appends, little is ordered, so that few syncs
 * would be saved; promises are written twice, and rewritten with each checkpoint; and what is lost differs: here the
 * server abstains from a few logs, there the replica has forgotten its promises.
 *
 * <p>A store that is new or damaged does not know which logs it had. So it abstains from all logs (rule 11, {@link
 * #UNKNOWN}), until the replica has executed all that it had executed before, and {@link #abstainUpTo} is called. Only
 * the store of a member that has just come abstains from none: else one faulty server beside it could hold up rounds.
 * Bad frames with nothing behind them that was written after their sync are a torn tail: nobody was told of them.
 */
public final class LogStore implements AutoCloseable {
    /** Number of {@link #abstains} while that is not known yet: no lock has a greater one. */
    public static final long UNKNOWN = Long.MAX_VALUE;

    private static final Logger LOG = LoggerFactory.getLogger(LogStore.class);
    private static final long MAGIC = 0x42574B4C53303031L; // BWKLS001
    private static final Pattern FILE = Pattern.compile("logs-00(\\d{18})");

    /** A file is not replaced below this length. */
    private static final long REPLACED_BYTES_MIN = 16 << 20;

    /** Length of a record beside its entries, at most. */
    private static final int OVERHEAD_BYTES = 256;

    /** Bound on the waiting writes; beyond it the thread that appends waits. */
    private static final int QUEUE_MAX = 65_536;

    /** A sync with none after it for so long is written down. */
    private static final long SEAL_MILLIS = 100;

    /** Earlier lives of the replica. */
    public enum Past {
        /** Its directory has all of them: a store that is missing is lost. */
        KEPT,
        /** It has lost other parts of its directory: it may have lost a store, too. */
        FORGOTTEN,
        /** It has none: a store that is missing never was, and no log rests on it. */
        NONE
    }

    /** Listener for completed writes, called by the writing thread. */
    public interface Listener {
        /** The record with this token and all before it are durable. */
        void onStored(long token);

        /** Called once if the disk fails: nothing becomes durable any more. */
        void onFailure(IOException failed);
    }

    private sealed interface Write {}

    private record Append(long token, LogStoreRecord record) implements Write {}

    /** Begins another file with these records, which replace all before. */
    private record Replace(long abstains, List<LogStoreRecord> records) implements Write {
        private Replace {
            records = List.copyOf(records);
        }
    }

    private record End() implements Write {}

    private final Path directory;
    private final Listener listener;
    private final BlockingQueue<Write> queue = new LinkedBlockingQueue<>(QUEUE_MAX);
    private final Thread writer;
    private final Map<LogId, List<LogStoreRecord>> records = new TreeMap<>();
    private final Map<LogId, Long> bytes = new TreeMap<>();
    private long recordBytes;
    private long fileBytes;
    private long abstains;

    // Owned by the writing thread.
    private long number;
    private @Nullable FrameFile file;
    private boolean isSealed = true;

    private LogStore(Path directory, Past past, Listener listener) throws IOException {
        this.directory = directory;
        this.listener = listener;
        Files.createDirectories(directory);
        List<Path> files = files();
        number = files.isEmpty() ? 0 : numberOf(files.getLast());
        abstains = past == Past.NONE && files.isEmpty() ? 0 : UNKNOWN;
        if (!files.isEmpty()) {
            read(files.getLast());
        }
        abstains = past == Past.FORGOTTEN ? UNKNOWN : abstains;
        writer = Thread.ofPlatform().daemon().name("bulwark-logs").unstarted(this::write);
    }

    private void read(Path newest) throws IOException {
        FrameFile.Contents contents = FrameFile.read(newest, MAGIC, LogStoreRecord.BYTES_MAX);
        String damage = contents.damage();
        if (damage.isEmpty()) {
            try {
                contents.records().forEach(each -> keep(LogStoreRecord.decode(each)));
                abstains = contents.number();
            } catch (MalformedException e) {
                damage = "a record is malformed: " + e.getMessage();
            }
        }
        if (!damage.isEmpty()) {
            LOG.error(
                    "the store of logs {} is damaged ({}): this log server abstains from the logs that are open now",
                    newest,
                    damage);
            records.clear();
            bytes.clear();
            recordBytes = 0;
        }
    }

    /**
     * Opens the store in a directory; if nothing is there, it is new.
     *
     * @throws IOException if it cannot be read, or has the format of another version
     */
    public static LogStore open(Path directory, Past past, Listener listener) throws IOException {
        LogStore store = new LogStore(directory, past, listener);
        store.writer.start();
        store.replace();
        return store;
    }

    /** Returns the number up to which locks have logs that the server abstains from; {@link #UNKNOWN} at first. */
    public long abstains() {
        return abstains;
    }

    /** Determines, durably before any later record, from which logs the server abstains. */
    public void abstainUpTo(long lock) {
        abstains = lock;
        replace();
    }

    /** Returns all records, those of a log in their order; perhaps not durable yet. */
    public List<LogStoreRecord> records() {
        return records.values().stream().flatMap(List::stream).toList();
    }

    /** Returns the number of logs that have records. */
    public int logs() {
        return records.size();
    }

    /** Returns the length of the largest log in bytes. */
    public long largestBytes() {
        return bytes.values().stream().mapToLong(Long::longValue).max().orElse(0);
    }

    /** Appends a record. Tokens grow. */
    public void append(long token, LogStoreRecord record) {
        fileBytes += keep(record);
        put(new Append(token, record));
        if (fileBytes > Math.max(REPLACED_BYTES_MIN, 2 * recordBytes)) {
            replace();
        }
    }

    /** Removes the records of a log, soon. */
    public void delete(LogId log) {
        records.remove(log);
        Long removed = bytes.remove(log);
        recordBytes -= removed == null ? 0 : removed;
    }

    private long keep(LogStoreRecord record) {
        long length = OVERHEAD_BYTES + (record instanceof LogStoreRecord.Batch batch ? bytesOf(batch.append()) : 0L);
        records.computeIfAbsent(record.log(), _ -> new ArrayList<>()).add(record);
        bytes.merge(record.log(), length, Long::sum);
        recordBytes += length;
        return length;
    }

    private static long bytesOf(LockingMessage.Append append) {
        return append.entries().stream().mapToLong(entry -> entry.length()).sum();
    }

    private void replace() {
        put(new Replace(abstains, records()));
        fileBytes = recordBytes;
    }

    private void put(Write write) {
        Uninterruptible.put(queue, write);
    }

    private void write() {
        List<Write> writes = new ArrayList<>();
        try {
            boolean ended = false;
            while (!ended) {
                writes.clear();
                Write first = isSealed ? queue.take() : queue.poll(SEAL_MILLIS, TimeUnit.MILLISECONDS);
                if (first != null) {
                    writes.add(first);
                    queue.drainTo(writes);
                }
                write(writes);
                ended = writes.contains(new End());
            }
            seal();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            listener.onFailure(e);
            discardAfter(writes);
        } catch (RuntimeException e) {
            listener.onFailure(new IOException("the store of logs has a gap", e));
            discardAfter(writes);
        }
    }

    private void write(List<Write> writes) throws IOException {
        long token = 0;
        List<Bytes> appended = new ArrayList<>();
        for (Write write : writes) {
            switch (write) {
                case Append append -> {
                    appended.add(append.record().encoded());
                    token = append.token();
                }
                case Replace replace -> {
                    appended.clear(); // it has them
                    begin(replace);
                }
                case End _ -> {}
            }
        }
        FrameFile current = file;
        if (current == null) {
            return;
        }
        if (!appended.isEmpty()) {
            current.append(appended);
            current.force();
            isSealed = false;
        } else if (writes.isEmpty()) {
            seal();
        }
        if (token > 0) {
            listener.onStored(token);
        }
    }

    private void seal() throws IOException {
        FrameFile current = file;
        if (current != null && !isSealed) {
            current.seal();
            isSealed = true;
        }
    }

    /** Begins a new file; returns once it is durable, and the only one. */
    private void begin(Replace replace) throws IOException {
        FrameFile before = file;
        List<Path> older = files();
        List<Bytes> encoded =
                replace.records().stream().map(LogStoreRecord::encoded).toList();
        file = FrameFile.create(
                directory.resolve(String.format("logs-%020d", ++number)), MAGIC, replace.abstains(), encoded);
        isSealed = true;
        if (before != null) {
            before.close();
        }
        for (Path each : older) {
            Files.deleteIfExists(each);
        }
    }

    /** Discards everything after a failure: nothing is written, and no appending thread waits for room. */
    private void discardAfter(List<Write> taken) {
        try {
            boolean ended = taken.contains(new End());
            while (!ended) {
                ended = queue.take() instanceof End;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.filter(each ->
                            FILE.matcher(String.valueOf(each.getFileName())).matches())
                    .sorted()
                    .toList();
        }
    }

    private static long numberOf(Path path) {
        String name = String.valueOf(path.getFileName());
        return Long.parseLong(name.substring(name.indexOf('-') + 1));
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
        FrameFile current = file;
        if (current != null) {
            current.close();
        }
    }
}
