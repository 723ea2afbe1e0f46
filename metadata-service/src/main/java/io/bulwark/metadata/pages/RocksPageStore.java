package io.bulwark.metadata.pages;

import io.bulwark.protocol.state.PageBatch;
import io.bulwark.protocol.state.PageStore;
import io.bulwark.protocol.wire.Bytes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import org.rocksdb.Status;
import org.rocksdb.WALRecoveryMode;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * Pages in RocksDB. Column families: {@code pages} (digest to page), {@code checkpoints} (number to record), {@code
 * staged} (digests). The pages are in blob files, so that merging the random digests does not write them again.
 *
 * <p>An unreadable page counts as absent: a reader finds that out by digest, and fetches it. It is overwritten or
 * removed as any other. Other damage, in RocksDB's own files except those of pages, is found when the store is opened,
 * which then fails. {@link PageSalvage} makes another one of its pages. A damaged log is replayed up to the damage,
 * which only {@link #checkpoints} shows: a replica compares them with what it promised. After a failed write the store
 * accepts no more until it is opened again. If RocksDB failed because it met damage while it merged its files, the
 * store then counts as damaged.
 */
public final class RocksPageStore implements PageStore, AutoCloseable {
    private static final byte[] FORMAT_KEY = {'f', 'o', 'r', 'm', 'a', 't'};
    private static final byte[] FORMAT = {'1'};
    private static final String PAGES = "pages";
    private static final int DIGEST_BYTES = 32;
    private static final int CACHE_BYTES = 32 << 20;
    private static final int WRITE_BUFFER_BYTES = 32 << 20;
    private static final int BLOB_FILE_BYTES = 64 << 20;
    private static final int LOG_BYTES_MAX = 96 << 20;
    /** The pages of a longer batch are written before it, staged, so that its memory has a bound. */
    private static final int PART_BYTES = 32 << 20;

    /** RocksDB met damage when nobody read: why. */
    private static final String DAMAGE_MARK = "DAMAGED";

    private static final byte[] BEFORE_ALL = {};
    private static final byte[] AFTER_ALL = new byte[DIGEST_BYTES + 1];
    private static final byte[] NOTHING = {};

    static {
        RocksDB.loadLibrary();
        Arrays.fill(AFTER_ALL, (byte) 0xFF);
    }

    private final List<AutoCloseable> natives = new ArrayList<>();
    private final AtomicLong unreadable = new AtomicLong();
    private final WriteOptions synced;
    private final WriteOptions unsynced;
    private final RocksDB db;
    private final ColumnFamilyHandle pages;
    private final ColumnFamilyHandle checkpoints;
    private final ColumnFamilyHandle staged;
    private final Path damageMark;
    private boolean anyStaged;

    private RocksPageStore(Path directory, WALRecoveryMode mode) throws RocksDBException {
        damageMark = directory.resolve(DAMAGE_MARK);
        BlockBasedTableConfig table = new BlockBasedTableConfig()
                .setBlockCache(own(new LRUCache(CACHE_BYTES)))
                .setFilterPolicy(own(new BloomFilter(10)))
                .setCacheIndexAndFilterBlocks(true);
        ColumnFamilyOptions family = own(new ColumnFamilyOptions())
                .setTableFormatConfig(table)
                .setCompressionType(CompressionType.NO_COMPRESSION)
                .setWriteBufferSize(WRITE_BUFFER_BYTES)
                .setLevel0FileNumCompactionTrigger(8)
                .setEnableBlobFiles(true)
                .setMinBlobSize(1 << 10)
                .setBlobFileSize(BLOB_FILE_BYTES)
                .setEnableBlobGarbageCollection(true)
                // Digests are random, so that each merge meets all of them: it moves the pages in this share of the
                // files.
                .setBlobGarbageCollectionAgeCutoff(0.2)
                .setBlobGarbageCollectionForceThreshold(0.5);
        DBOptions options = own(new DBOptions())
                .setCreateIfMissing(true)
                .setCreateMissingColumnFamilies(true)
                .setParanoidChecks(true)
                .setWalRecoveryMode(mode)
                .setRecycleLogFileNum(2)
                .setMaxTotalWalSize(LOG_BYTES_MAX)
                .setKeepLogFileNum(2)
                .setMaxLogFileSize(1 << 20)
                .setInfoLogLevel(InfoLogLevel.WARN_LEVEL);
        synced = own(new WriteOptions().setSync(true));
        unsynced = own(new WriteOptions());
        // All pages are in blob files, where they can be found whatever else is damaged.
        ColumnFamilyOptions ofPages = own(new ColumnFamilyOptions(family)).setMinBlobSize(0);
        List<ColumnFamilyDescriptor> descriptors = new ArrayList<>();
        for (String name : List.of("default", PAGES, "checkpoints", "staged")) {
            descriptors.add(new ColumnFamilyDescriptor(
                    name.getBytes(StandardCharsets.US_ASCII), name.equals(PAGES) ? ofPages : family));
        }
        List<ColumnFamilyHandle> handles = new ArrayList<>();
        try {
            db = own(RocksDB.open(options, directory.toString(), descriptors, handles));
        } catch (RocksDBException e) {
            close();
            throw e;
        }
        handles.forEach(this::own);
        pages = handles.get(1);
        checkpoints = handles.get(2);
        staged = handles.get(3);
    }

    /** Damage of the store: RocksDB reports it, or some of its files are gone. */
    public static final class DamagedException extends IOException {
        private static final long serialVersionUID = 1L;

        private DamagedException(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /**
     * Opens the store in this directory, or makes one.
     *
     * @throws DamagedException if it is damaged, which {@link PageSalvage} mends; nothing in the directory has changed then
     * @throws IOException if it is in use, or of another format
     */
    public static RocksPageStore open(Path directory) throws IOException {
        Path mark = directory.resolve(DAMAGE_MARK);
        if (Files.exists(mark)) {
            throw new DamagedException("the pages in " + directory + " are damaged: " + Files.readString(mark), null);
        }
        if (!Manifest.isRight(directory)) {
            throw new DamagedException("the list of the files of the pages in " + directory + " is damaged", null);
        }
        return open(directory, WALRecoveryMode.PointInTimeRecovery);
    }

    static RocksPageStore open(Path directory, WALRecoveryMode mode) throws IOException {
        RocksPageStore store;
        try {
            store = new RocksPageStore(directory, mode);
        } catch (RocksDBException e) {
            throw failure("the pages in " + directory + " cannot be opened: ", e);
        }
        try {
            store.check(directory);
            return store;
        } catch (RocksDBException e) {
            store.close();
            throw failure("the pages in " + directory + " cannot be read: ", e);
        } catch (IOException | RuntimeException e) {
            store.close();
            throw e;
        }
    }

    /** Reads all but the pages: what is rotten there would not be missed by its digest. */
    private void check(Path directory) throws RocksDBException, IOException {
        db.verifyChecksum();
        byte[] format = db.get(FORMAT_KEY);
        if (format == null) {
            db.put(synced, FORMAT_KEY, FORMAT);
        } else if (!Arrays.equals(format, FORMAT)) {
            throw new IOException("the pages in " + directory + " have format "
                    + new String(format, StandardCharsets.ISO_8859_1).strip() + "; this build reads "
                    + new String(FORMAT, StandardCharsets.ISO_8859_1) + ": start the build that wrote them");
        }
        iterate(checkpoints, _ -> {});
        iterate(staged, _ -> anyStaged = true);
    }

    private static IOException failure(String what, RocksDBException e) {
        return isDamage(e) ? new DamagedException(what + e.getMessage(), e) : new IOException(what + e.getMessage(), e);
    }

    /** Not: that it is in use, that the disk is full or fails. */
    private static boolean isDamage(RocksDBException e) {
        Status status = e.getStatus();
        if (status == null) {
            return false;
        }
        return status.getCode() == Status.Code.Corruption
                || (status.getCode() == Status.Code.IOError
                        && String.valueOf(e.getMessage()).contains("No such file"));
    }

    /** Returns the number of pages that were absent because RocksDB could not read them. */
    public long unreadable() {
        return unreadable.get();
    }

    @Override
    public Optional<Bytes> get(Bytes digest) {
        try {
            return Optional.ofNullable(db.get(pages, digest.toByteArray())).map(Bytes::of);
        } catch (RocksDBException e) {
            unreadable.incrementAndGet();
            return Optional.empty();
        }
    }

    @Override
    public void write(PageBatch changes) {
        try (WriteBatch batch = new WriteBatch()) {
            for (Map.Entry<Bytes, Bytes> page : changes.staged().entrySet()) {
                byte[] digest = page.getKey().toByteArray();
                if (!isThere(digest)) {
                    batch.put(staged, digest, NOTHING);
                    anyStaged = true;
                }
                batch.put(pages, digest, page.getValue().toByteArray());
            }
            writePages(changes.pages(), batch);
            for (Bytes digest : changes.removed()) {
                batch.delete(pages, digest.toByteArray());
                unstage(digest.toByteArray(), batch);
            }
            for (Map.Entry<Long, Bytes> checkpoint : changes.checkpoints().entrySet()) {
                batch.put(
                        checkpoints,
                        key(checkpoint.getKey()),
                        checkpoint.getValue().toByteArray());
            }
            for (long number : changes.discarded()) {
                batch.delete(checkpoints, key(number));
            }
            if (changes.adopted() && anyStaged) {
                batch.deleteRange(staged, BEFORE_ALL, AFTER_ALL);
            }
            db.write(changes.synced() ? synced : unsynced, batch);
            anyStaged &= !changes.adopted();
        } catch (RocksDBException e) {
            throw failed("the pages cannot be written: ", e);
        }
    }

    /** Puts pages into the batch; if they are many, most of them go before it, as staged ones that it unstages. */
    private void writePages(Map<Bytes, Bytes> changed, WriteBatch batch) throws RocksDBException {
        long bytes = changed.values().stream().mapToLong(Bytes::length).sum();
        try (WriteBatch part = new WriteBatch()) {
            for (Map.Entry<Bytes, Bytes> page : changed.entrySet()) {
                byte[] digest = page.getKey().toByteArray();
                if (bytes <= PART_BYTES) {
                    batch.put(pages, digest, page.getValue().toByteArray());
                    unstage(digest, batch);
                    continue;
                }
                if (!isThere(digest)) {
                    part.put(staged, digest, NOTHING);
                    anyStaged = true;
                }
                part.put(pages, digest, page.getValue().toByteArray());
                batch.delete(staged, digest);
                if (part.getDataSize() > PART_BYTES) {
                    db.write(unsynced, part);
                    part.clear();
                }
            }
            if (part.count() > 0) {
                db.write(unsynced, part);
            }
        }
    }

    /** Also if it cannot be read: then it is written over. */
    private boolean isThere(byte[] digest) {
        try {
            return db.get(pages, digest) != null;
        } catch (RocksDBException e) {
            unreadable.incrementAndGet();
            return true;
        }
    }

    private void unstage(byte[] digest, WriteBatch batch) throws RocksDBException {
        if (anyStaged && db.get(staged, digest) != null) {
            batch.delete(staged, digest);
        }
    }

    @Override
    public SortedMap<Long, Bytes> checkpoints() {
        SortedMap<Long, Bytes> found = new TreeMap<>();
        list(checkpoints, at -> found.put(ByteBuffer.wrap(at.key()).getLong(), Bytes.of(at.value())));
        return found;
    }

    @Override
    public Set<Bytes> staged() {
        Set<Bytes> found = new HashSet<>();
        list(staged, at -> found.add(Bytes.of(at.key())));
        return found;
    }

    @Override
    public List<Bytes> digests(Bytes above, int limit) {
        List<Bytes> found = new ArrayList<>();
        Bytes last = above;
        try (RocksIterator at = db.newIterator(pages)) {
            at.seek(keyAbove(last));
            while (found.size() < limit) {
                if (at.isValid()) {
                    last = Bytes.of(at.key());
                    at.next();
                } else {
                    try {
                        at.status();
                        break;
                    } catch (RocksDBException e) {
                        last = unreadableAbove(last, e);
                        at.seek(keyAbove(last));
                    }
                }
                found.add(last);
            }
        }
        return found;
    }

    /** The next digest, whose page cannot be read. */
    private Bytes unreadableAbove(Bytes last, RocksDBException why) {
        unreadable.incrementAndGet();
        try (Slice bound = new Slice(keyAbove(last));
                ReadOptions bounded = new ReadOptions().setIterateLowerBound(bound);
                RocksIterator at = db.newIterator(pages, bounded)) {
            Bytes next = UnreadableRange.firstAbove(last, digest -> {
                at.seekForPrev(digest);
                return !at.isValid() && isReadable(at);
            });
            if (UnreadableRange.follows(last, next)) {
                throw failed("the digests of pages cannot be listed: ", why);
            }
            return next;
        }
    }

    private static byte[] keyAbove(Bytes digest) {
        return digest.isEmpty() ? BEFORE_ALL : Arrays.copyOf(digest.toByteArray(), DIGEST_BYTES + 1);
    }

    private static boolean isReadable(RocksIterator at) {
        try {
            at.status();
            return true;
        } catch (RocksDBException e) {
            return false;
        }
    }

    private void list(ColumnFamilyHandle family, Consumer<RocksIterator> visitor) {
        try {
            iterate(family, visitor);
        } catch (RocksDBException e) {
            throw failed("the records cannot be listed: ", e);
        }
    }

    private void iterate(ColumnFamilyHandle family, Consumer<RocksIterator> visitor) throws RocksDBException {
        try (RocksIterator iterator = db.newIterator(family)) {
            for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
                visitor.accept(iterator);
            }
            iterator.status();
        }
    }

    /** Handles a failure that this life cannot mend; if it is damage, the next one begins with the correct pages. */
    private UncheckedIOException failed(String what, RocksDBException e) {
        IOException failure = failure(what, e);
        if (failure instanceof DamagedException) {
            try {
                Files.writeString(damageMark, String.valueOf(e.getMessage()));
            } catch (IOException unmarked) {
                failure.addSuppressed(unmarked);
            }
        }
        return new UncheckedIOException(failure);
    }

    @Override
    public void close() {
        for (AutoCloseable part : natives.reversed()) {
            try {
                part.close();
            } catch (Exception e) {
                throw new IllegalStateException("native part does not close", e);
            }
        }
        natives.clear();
    }

    private static byte[] key(long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }

    private <N extends AutoCloseable> N own(N part) {
        natives.add(part);
        return part;
    }
}
