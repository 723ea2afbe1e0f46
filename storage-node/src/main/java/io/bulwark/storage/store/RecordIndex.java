package io.bulwark.storage.store;

import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.file.Directories;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Status;
import org.rocksdb.WALRecoveryMode;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The RocksDB part of the store. Column families: {@code metas} (key to {@link IndexEntry}), {@code fragments} (key to
 * an inline fragment), {@code places} (segment and offset to the length that is live there and the key).
 */
final class RecordIndex implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RecordIndex.class);
    private static final String ROOT_FILE = "CURRENT";
    private static final String SUSPECT_FILE = "index-suspect";
    private static final byte[] OWNER_KEY = {'o', 'w', 'n', 'e', 'r'};
    private static final byte[] FORMAT_KEY = {'f', 'o', 'r', 'm', 'a', 't'};
    private static final byte[] FORMAT = {'1'};
    private static final int CACHE_BYTES = 32 << 20;
    private static final int WRITE_BUFFER_BYTES = 8 << 20;
    private static final int LOG_BYTES_MAX = 32 << 20;
    private static final int PLACE_KEY_BYTES = 8;

    static {
        RocksDB.loadLibrary();
    }

    private final List<AutoCloseable> natives = new ArrayList<>();
    private final WriteOptions synced;
    private final WriteOptions unsynced;
    private final RocksDB db;
    private final ColumnFamilyHandle metas;
    private final ColumnFamilyHandle fragments;
    private final ColumnFamilyHandle places;

    private final Path directory;
    private long numbers;

    private RecordIndex(Path directory, WALRecoveryMode logs) throws RocksDBException {
        this.directory = directory;
        Cache cache = keep(new LRUCache(CACHE_BYTES));
        BlockBasedTableConfig table = new BlockBasedTableConfig()
                .setBlockCache(cache)
                .setFilterPolicy(keep(new BloomFilter(10)))
                .setCacheIndexAndFilterBlocks(true);
        ColumnFamilyOptions family = keep(new ColumnFamilyOptions())
                .setTableFormatConfig(table)
                .setCompressionType(CompressionType.NO_COMPRESSION)
                .setWriteBufferSize(WRITE_BUFFER_BYTES);
        // A recycled log keeps its size, so that a synced write need not change the file system's own metadata.
        DBOptions options = keep(new DBOptions())
                .setCreateIfMissing(true)
                .setCreateMissingColumnFamilies(true)
                .setParanoidChecks(true)
                .setWalRecoveryMode(logs)
                .setRecycleLogFileNum(logs == WALRecoveryMode.PointInTimeRecovery ? 2 : 0)
                .setMaxTotalWalSize(LOG_BYTES_MAX)
                .setKeepLogFileNum(2)
                .setMaxLogFileSize(1 << 20)
                .setInfoLogLevel(InfoLogLevel.WARN_LEVEL);
        synced = keep(new WriteOptions().setSync(true));
        unsynced = keep(new WriteOptions());
        List<ColumnFamilyDescriptor> descriptors = new ArrayList<>();
        for (String name : List.of("default", "metas", "fragments", "places")) {
            descriptors.add(new ColumnFamilyDescriptor(ascii(name), family));
        }
        List<ColumnFamilyHandle> handles = new ArrayList<>();
        db = keep(RocksDB.open(options, directory.toString(), descriptors, handles));
        handles.forEach(this::keep);
        metas = handles.get(1);
        fragments = handles.get(2);
        places = handles.get(3);
    }

    /**
     * Opens the index in a directory, or makes one in an empty directory.
     *
     * @throws StoreException if it is in use, damaged, or of another format
     */
    static RecordIndex open(Path directory) throws IOException {
        requireRoot(directory);
        return open(directory, WALRecoveryMode.PointInTimeRecovery);
    }

    static RecordIndex open(Path directory, WALRecoveryMode logs) throws StoreException {
        RecordIndex index;
        try {
            index = new RecordIndex(directory, logs);
        } catch (RocksDBException e) {
            String message = String.valueOf(e.getMessage());
            throw message.contains("lock file") || message.contains("lock hold")
                    ? new StoreException("the store in " + directory + " is in use by another process", e)
                    : failure("the index in " + directory + " cannot be opened", e);
        }
        try {
            byte[] format = index.db.get(FORMAT_KEY);
            if (format == null) {
                index.db.put(index.synced, FORMAT_KEY, FORMAT);
            } else if (!Bytes.of(format).equals(Bytes.of(FORMAT))) {
                index.close();
                throw new StoreException("the store in " + directory + " has format "
                        + new String(format, StandardCharsets.ISO_8859_1).strip() + "; this build reads "
                        + new String(FORMAT, StandardCharsets.ISO_8859_1) + ": start the build that wrote it");
            }
            return index;
        } catch (RocksDBException e) {
            index.close();
            throw failure("the index in " + directory + " cannot be read", e);
        }
    }

    /** Requires the root file of an index with files. Without it RocksDB would begin anew, and delete all others. */
    private static void requireRoot(Path directory) throws IOException {
        if (Files.isDirectory(directory) && !Files.exists(directory.resolve(ROOT_FILE))) {
            List<Path> orphans = new ArrayList<>(Directories.files(directory, ".sst"));
            orphans.addAll(Directories.files(directory, ".log"));
            if (!orphans.isEmpty()) {
                throw StoreException.damaged(
                        "the index in " + directory + " has no file " + ROOT_FILE,
                        new NoSuchFileException(directory.resolve(ROOT_FILE).toString()));
            }
        }
    }

    /** Damage is what more of RocksDB's own files, or other bytes in them, would have avoided; a full disk is none. */
    private static StoreException failure(String what, RocksDBException e) {
        Status status = e.getStatus();
        String message = what + ": " + e.getMessage();
        boolean damaged = status == null
                || switch (status.getCode()) {
                    case Corruption, NotFound, NotSupported, Incomplete -> true;
                    // A later build may have families of its own.
                    case InvalidArgument -> !message.contains("open all column families");
                    case IOError ->
                        message.contains("No such file")
                                || message.contains("file is too short")
                                || message.contains("truncated");
                    default -> false;
                };
        return damaged ? StoreException.damaged(message, e) : new StoreException(message, e);
    }

    /** Has the next start salvage it: something that is seldom read was found damaged. */
    void suspect() {
        try {
            Files.createFile(directory.resolveSibling(SUSPECT_FILE));
        } catch (IOException e) {
            LOG.warn("{} cannot be marked as damaged: {}", directory, e.toString());
        }
    }

    static boolean isSuspect(Path directory) {
        return Files.exists(directory.resolveSibling(SUSPECT_FILE));
    }

    static void trust(Path directory) throws IOException {
        Files.deleteIfExists(directory.resolveSibling(SUSPECT_FILE));
    }

    /** Returns the owner of the index, as {@link StoreIdentity} writes it; null if it has none yet. */
    byte @Nullable [] owner() throws StoreException {
        try {
            return db.get(OWNER_KEY);
        } catch (RocksDBException e) {
            throw failure("the index in " + directory + " cannot be read", e);
        }
    }

    void own(byte[] owner) throws StoreException {
        change(() -> db.put(synced, OWNER_KEY, owner));
    }

    /** A number kept under a name; 0 if there is none. */
    long number(String name) throws StoreException {
        try {
            byte[] value = db.get(ascii(name));
            return value == null || value.length != Long.BYTES
                    ? 0
                    : ByteBuffer.wrap(value).getLong();
        } catch (RocksDBException e) {
            throw failure("the index in " + directory + " cannot be read", e);
        }
    }

    /** Durably. */
    void putNumber(String name, long number) throws StoreException {
        byte[] value = ByteBuffer.allocate(Long.BYTES).putLong(number).array();
        change(() -> db.put(synced, ascii(name), value));
    }

    static boolean isOwner(Bytes key) {
        return key.equals(Bytes.of(OWNER_KEY));
    }

    /** Returns a number that exceeds those of all changes and writes that have left a trace. */
    long nextNumber() {
        return Math.max(numbers, db.getLatestSequenceNumber()) + 1;
    }

    /** A number for one more change. */
    long takeNumber() {
        numbers = nextNumber();
        return numbers;
    }

    /** An entry has this number. */
    void noteNumber(long number) {
        numbers = Math.max(numbers, number);
    }

    /** The encoded {@link IndexEntry}, or null if there is none. */
    byte @Nullable [] get(Bytes key) throws StoreException {
        return get(metas, key);
    }

    byte @Nullable [] fragment(Bytes key) throws StoreException {
        return get(fragments, key);
    }

    /** Hands over all inline fragments. */
    void forEachFragment(BiPredicate<Bytes, byte[]> visitor) throws StoreException {
        iterate(fragments, Bytes.EMPTY, visitor);
    }

    /** Passes on the entries from {@code from}, until the visitor returns false. */
    void forEachFrom(Bytes from, BiPredicate<Bytes, byte[]> visitor) throws StoreException {
        iterate(metas, from, visitor);
    }

    /** One live record of a segment. */
    record LiveRecord(int segment, int offset, int length, Bytes key) {}

    /** The live records of one segment, in the order of their offsets. */
    List<LiveRecord> occupied(int segment) throws StoreException {
        List<LiveRecord> found = new ArrayList<>();
        iterate(places, placeKey(segment, 0), (key, value) -> {
            LiveRecord at = occupied(key, value);
            return at.segment == segment && found.add(at);
        });
        return found;
    }

    /** Hands over the live records of all segments. */
    void forEachOccupied(Consumer<LiveRecord> visitor) throws StoreException {
        iterate(places, Bytes.EMPTY, (key, value) -> {
            visitor.accept(occupied(key, value));
            return true;
        });
    }

    /** Returns whether the place belongs to this very record. */
    boolean occupies(LiveRecord place) throws StoreException {
        Bytes key = placeKey(place.segment(), place.offset());
        byte[] value = get(places, key);
        return value != null && occupied(key, value).equals(place);
    }

    Changes change() {
        return new Changes();
    }

    void sync() throws StoreException {
        try {
            db.syncWal();
        } catch (RocksDBException e) {
            throw failure("the index cannot be synced", e);
        }
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
    }

    /** Changes that become durable together or not at all. */
    final class Changes implements AutoCloseable {
        private final WriteBatch batch = new WriteBatch();

        void put(Bytes key, IndexEntry entry) throws StoreException {
            change(() -> batch.put(metas, key.toByteArray(), entry.encode(key)));
        }

        void delete(Bytes key) throws StoreException {
            change(() -> batch.delete(metas, key.toByteArray()));
        }

        void putFragment(Bytes key, Bytes fragment) throws StoreException {
            change(() -> batch.put(fragments, key.toByteArray(), fragment.toByteArray()));
        }

        void deleteFragment(Bytes key) throws StoreException {
            change(() -> batch.delete(fragments, key.toByteArray()));
        }

        void occupy(Bytes key, IndexEntry entry) throws StoreException {
            byte[] value = ByteBuffer.allocate(Integer.BYTES + key.length())
                    .putInt(entry.length())
                    .put(key.array(), key.offset(), key.length())
                    .array();
            change(() ->
                    batch.put(places, placeKey(entry.segment(), entry.offset()).toByteArray(), value));
        }

        void vacate(int segment, int offset) throws StoreException {
            change(() -> batch.delete(places, placeKey(segment, offset).toByteArray()));
        }

        boolean isEmpty() {
            return batch.count() == 0;
        }

        void commit(boolean sync) throws StoreException {
            change(() -> db.write(sync ? synced : unsynced, batch));
        }

        @Override
        public void close() {
            batch.close();
        }
    }

    private interface RocksCall {
        void run() throws RocksDBException;
    }

    private static void change(RocksCall call) throws StoreException {
        try {
            call.run();
        } catch (RocksDBException e) {
            throw failure("the index cannot be written", e);
        }
    }

    private byte @Nullable [] get(ColumnFamilyHandle family, Bytes key) throws StoreException {
        try {
            return db.get(family, key.toByteArray());
        } catch (RocksDBException e) {
            throw failure("the index cannot be read", e);
        }
    }

    private void iterate(ColumnFamilyHandle family, Bytes from, BiPredicate<Bytes, byte[]> visitor)
            throws StoreException {
        try (RocksIterator iterator = db.newIterator(family)) {
            iterator.seek(from.toByteArray());
            while (iterator.isValid() && visitor.test(Bytes.of(iterator.key()), iterator.value())) {
                iterator.next();
            }
            iterator.status();
        } catch (RocksDBException e) {
            throw failure("the index cannot be read", e);
        }
    }

    private static Bytes placeKey(int segment, int offset) {
        return Bytes.of(ByteBuffer.allocate(PLACE_KEY_BYTES)
                .putInt(segment)
                .putInt(offset)
                .array());
    }

    private static LiveRecord occupied(Bytes key, byte[] value) {
        ByteBuffer at = ByteBuffer.wrap(key.array(), key.offset(), key.length());
        int length = ByteBuffer.wrap(value).getInt();
        return new LiveRecord(
                at.getInt(), at.getInt(), length, Bytes.of(value, Integer.BYTES, value.length - Integer.BYTES));
    }

    private <T extends AutoCloseable> T keep(T part) {
        natives.add(part);
        return part;
    }

    private static byte[] ascii(String name) {
        return name.getBytes(StandardCharsets.US_ASCII);
    }
}
