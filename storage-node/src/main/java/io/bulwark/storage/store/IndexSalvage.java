package io.bulwark.storage.store;

import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.file.AtomicFile;
import io.bulwark.transport.file.Directories;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.SstFileReader;
import org.rocksdb.SstFileReaderIterator;
import org.rocksdb.WALRecoveryMode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rebuilds an index from all readable parts of a damaged one: from its tables, one by one, and from its logs. Of
 * several entries of one key the last change counts. Deleted entries may come back, and the last changes may be lost:
 * the node counts as unverified after each start, and compares. The damaged index stays beside the new one, as {@code
 * index-damaged}, until the next start.
 */
final class IndexSalvage {
    private static final Logger LOG = LoggerFactory.getLogger(IndexSalvage.class);

    private final Path damaged;
    private final RecordIndex made;
    private long entries;
    private long lost;

    private IndexSalvage(Path damaged, RecordIndex made) {
        this.damaged = damaged;
        this.made = made;
    }

    /** Ends a salvage that was interrupted while it put the new index in the place of the damaged one, and forgets an earlier one. */
    static void resume(Path index) throws IOException {
        if (!Files.exists(index) && Files.exists(beside(index, "-new"))) {
            AtomicFile.move(beside(index, "-new"), index);
            RecordIndex.trust(index);
        } else if (Files.exists(index)) {
            Directories.delete(beside(index, "-damaged"));
        }
    }

    /**
     * Puts another index in the place of the damaged one.
     *
     * @param segments the directory of the fragments
     */
    static void salvage(Path index, Path segments) throws IOException {
        Path fresh = beside(index, "-new");
        Path logs = beside(index, "-logs");
        Directories.delete(fresh);
        try (RecordIndex made = RecordIndex.open(fresh)) {
            new IndexSalvage(index, made).run(logs, segments);
        }
        Directories.delete(logs);
        Directories.delete(beside(index, "-damaged"));
        AtomicFile.move(index, beside(index, "-damaged"));
        AtomicFile.move(fresh, index);
        RecordIndex.trust(index);
    }

    private static Path beside(Path index, String ending) {
        return index.resolveSibling(index.getFileName() + ending);
    }

    private void run(Path logs, Path segments) throws IOException {
        List<Path> tables = Directories.files(damaged, ".sst");
        for (Path table : tables) {
            read(table, "default", this::takeOwner);
            read(table, "metas", this::takeEntry);
        }
        try (RecordIndex replayed = replay(logs)) {
            byte[] owner = replayed.owner();
            if (owner != null) {
                made.own(owner);
            }
            replayed.forEachFrom(Bytes.EMPTY, (key, value) -> take(this::takeEntry, key, value));
            for (Path table : tables) {
                read(table, "fragments", this::takeFragment);
            }
            replayed.forEachFragment((key, value) -> take(this::takeFragment, key, value));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        place(segments);
        made.sync();
        LOG.error(
                "the index in {} was damaged: {} records are kept, of which {} have lost their fragments; missing "
                        + "data is rebuilt from the peers, and the damaged files are kept in {} until the next start",
                damaged,
                entries,
                lost,
                beside(damaged, "-damaged").getFileName());
    }

    /** Returns the records in the logs: RocksDB replays them itself into an otherwise empty index. */
    private RecordIndex replay(Path logs) throws IOException {
        Directories.delete(logs);
        RecordIndex.open(logs).close();
        for (Path log : Directories.files(damaged, ".log")) {
            Files.copy(log, logs.resolve(log.getFileName()), StandardCopyOption.REPLACE_EXISTING);
        }
        try {
            return RecordIndex.open(logs, WALRecoveryMode.SkipAnyCorruptedRecords);
        } catch (StoreException e) {
            LOG.error("the logs of {} cannot be replayed: {}", damaged, e.getMessage());
            Directories.delete(logs);
            return RecordIndex.open(logs);
        }
    }

    private interface RecordConsumer {
        void take(Bytes key, byte[] value) throws StoreException;
    }

    /** Reads a table from its beginning, and from its end back to what could not be read. */
    private static void read(Path table, String family, RecordConsumer taker) throws StoreException {
        try (Options options = new Options();
                ReadOptions reading = new ReadOptions();
                SstFileReader reader = new SstFileReader(options)) {
            reader.open(table.toString());
            if (!new String(reader.getTableProperties().getColumnFamilyName(), StandardCharsets.US_ASCII)
                    .equals(family)) {
                return;
            }
            Bytes last = null;
            boolean whole;
            try (SstFileReaderIterator iterator = reader.newIterator(reading)) {
                iterator.seekToFirst();
                while (iterator.isValid()) {
                    last = Bytes.of(iterator.key());
                    taker.take(last, iterator.value());
                    iterator.next();
                }
                whole = isWhole(iterator);
            }
            if (!whole) {
                LOG.error("a part of {} cannot be read", table);
                try (SstFileReaderIterator iterator = reader.newIterator(reading)) {
                    iterator.seekToLast();
                    while (iterator.isValid()
                            && (last == null || Bytes.of(iterator.key()).compareTo(last) > 0)) {
                        taker.take(Bytes.of(iterator.key()), iterator.value());
                        iterator.prev();
                    }
                }
            }
        } catch (RocksDBException e) {
            LOG.error("{} cannot be read: {}", table, e.getMessage());
        }
    }

    private static boolean isWhole(SstFileReaderIterator iterator) {
        try {
            iterator.status();
            return true;
        } catch (RocksDBException e) {
            return false;
        }
    }

    private static boolean take(RecordConsumer taker, Bytes key, byte[] value) {
        try {
            taker.take(key, value);
            return true;
        } catch (StoreException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void takeOwner(Bytes key, byte[] value) throws StoreException {
        if (RecordIndex.isOwner(key)) {
            made.own(value);
        }
    }

    private void takeEntry(Bytes key, byte[] value) throws StoreException {
        IndexEntry entry = IndexEntry.decode(key, value);
        byte[] known = made.get(key);
        IndexEntry before = known == null ? null : IndexEntry.decode(key, known);
        if (entry != null && (before == null || before.change() < entry.change())) {
            change(changes -> changes.put(key, entry));
        }
    }

    /** The one that the entry means, which its checksum tells. */
    private void takeFragment(Bytes key, byte[] value) throws StoreException {
        byte[] known = made.get(key);
        IndexEntry entry = known == null ? null : IndexEntry.decode(key, known);
        if (entry != null && isMeant(key, entry, value)) {
            change(changes -> changes.putFragment(key, Bytes.of(value)));
        }
    }

    private static boolean isMeant(Bytes key, IndexEntry entry, byte @Nullable [] fragment) {
        return entry.place() == IndexEntry.Place.INLINE
                && fragment != null
                && fragment.length == entry.length()
                && RecordHeader.checksum(key, entry.sequence(), Bytes.of(fragment)) == entry.checksum();
    }

    /** Records the occupied places in the segments, and the entries that have lost their fragment. */
    private void place(Path segments) throws IOException {
        Map<Integer, Optional<Segment>> open = new HashMap<>();
        try {
            made.forEachFrom(Bytes.EMPTY, (key, value) -> {
                take((each, encoded) -> place(each, encoded, segments, open), key, value);
                return true;
            });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        } finally {
            for (Optional<Segment> segment : open.values()) {
                if (segment.isPresent()) {
                    segment.get().close();
                }
            }
        }
    }

    private void place(Bytes key, byte[] value, Path segments, Map<Integer, Optional<Segment>> open)
            throws StoreException {
        IndexEntry entry = Objects.requireNonNull(IndexEntry.decode(key, value));
        entries++;
        boolean there = switch (entry.place()) {
            case SEGMENT ->
                open.computeIfAbsent(entry.segment(), number -> open(segments, number))
                        .filter(segment -> SegmentFiles.begins(segment, key, entry))
                        .isPresent();
            case INLINE -> entry.length() == 0 || isMeant(key, entry, made.fragment(key));
            case LOST -> false;
        };
        if (!there) {
            lost++;
            change(changes -> changes.put(key, IndexEntry.lost(entry.meta()).changed(entry.change())));
        } else if (entry.place() == IndexEntry.Place.SEGMENT) {
            change(changes -> changes.occupy(key, entry));
        }
    }

    private static Optional<Segment> open(Path segments, int number) {
        try {
            return Segment.isThere(segments, number) ? Optional.of(Segment.open(segments, number)) : Optional.empty();
        } catch (IOException e) {
            LOG.error("segment {} in {} cannot be opened", number, segments, e);
            return Optional.empty();
        }
    }

    private interface Edit {
        void apply(RecordIndex.Changes changes) throws StoreException;
    }

    private void change(Edit edit) throws StoreException {
        try (RecordIndex.Changes changes = made.change()) {
            edit.apply(changes);
            changes.commit(false);
        }
    }
}
