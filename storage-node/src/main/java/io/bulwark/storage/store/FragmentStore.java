package io.bulwark.storage.store;

import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps records, each with meta data and a fragment, on the disk. Thread-safe.
 *
 * <p>Futures complete on the store's own threads: attached callbacks must be quick and must not block. A write that
 * fails with a device error ends as {@link Stored#FAILED}, and from then on the store is read-only.
 */
public final class FragmentStore implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FragmentStore.class);
    private static final long LOG_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int LOST_AT_ONCE = 1_000;

    private final StoreConfig config;
    private final DeviceSpace space;
    private final RecordIndex index;
    private final SegmentFiles segments;
    private final StoreWriter writer;
    private final SegmentCompactor compactor;
    private final WriteBackCache cache;
    private final ExecutorService readers;
    private final LongAdder damaged = new LongAdder();
    private final AtomicLong damageLoggedNanos = new AtomicLong(System.nanoTime() - LOG_INTERVAL_NANOS);
    /** The last store of each block that is not done yet: reading waits for it. */
    private final Map<BlockId, CompletableFuture<Stored>> pending = new ConcurrentHashMap<>();

    private volatile @Nullable NodeStarts lives;
    private volatile boolean closed;

    private FragmentStore(StoreConfig config, DeviceSpace space, RecordIndex index, SegmentFiles segments)
            throws IOException {
        this.config = config;
        this.index = index;
        this.segments = segments;
        this.space = space;
        this.writer = new StoreWriter(config, space, index, segments, this::wakeCompactor);
        this.compactor = new SegmentCompactor(index, segments, writer);
        this.cache = new WriteBackCache(
                config.writeBack(),
                config.writeBack().heldMillis(config.durability(), config.flushIntervalMillis()),
                mutations -> write(mutations, true),
                writer::roomBytes);
        this.readers = Executors.newFixedThreadPool(
                config.readerThreads(),
                Thread.ofPlatform().daemon().name("store-reader-", 0).factory());
    }

    /**
     * Opens the store in a directory, or makes one.
     *
     * @throws StoreException if another process has it open, or it cannot be read
     * @throws IOException if the device fails
     */
    public static FragmentStore open(StoreConfig config) throws IOException {
        Files.createDirectories(config.directory());
        FileStore device = Files.getFileStore(config.directory());
        return open(config, device::getUsableSpace);
    }

    /** Does the same as {@link #open(StoreConfig)}, on a device whose free space the source reports. */
    static FragmentStore open(StoreConfig config, DeviceSpace.Source device) throws IOException {
        Files.createDirectories(config.directory());
        Path directory = config.directory().resolve("index");
        IndexSalvage.resume(directory);
        if (RecordIndex.isSuspect(directory)) {
            IndexSalvage.salvage(directory, segments(config));
        }
        FragmentStore store;
        try {
            store = assemble(config, device, directory);
        } catch (StoreException e) {
            if (!e.isDamage()) {
                throw e;
            }
            LOG.error("{}; all readable records are copied to a new index", e.getMessage());
            IndexSalvage.salvage(directory, segments(config));
            store = assemble(config, device, directory);
        }
        store.writer.start();
        store.compactor.start();
        store.cache.start();
        return store;
    }

    private static FragmentStore assemble(StoreConfig config, DeviceSpace.Source device, Path directory)
            throws IOException {
        RecordIndex index = RecordIndex.open(directory);
        SegmentFiles segments = null;
        try {
            segments = new SegmentFiles(config, segments(config), index);
            FragmentStore store = new FragmentStore(config, new DeviceSpace(config, device), index, segments);
            store.count();
            store.dropMissing();
            return store;
        } catch (IOException | RuntimeException e) {
            if (segments != null) {
                segments.close();
            }
            index.close();
            throw e;
        }
    }

    private static Path segments(StoreConfig config) {
        return config.directory().resolve("segments");
    }

    /**
     * Checks that the index belongs to this node, whatever the files beside it say; an index without an owner becomes
     * this node's.
     *
     * @throws io.bulwark.client.error.ConfigException if it is another one's
     */
    public void claim(StoreIdentity identity) throws IOException {
        identity.claim(config.directory(), index);
        lives = new NodeStarts(index);
    }

    /** The starts of this node and of its peers, as far as this store knows of them. Only of a store that is {@link #claim}ed. */
    public NodeStarts lives() {
        return Objects.requireNonNull(lives);
    }

    /**
     * Makes mutations durable together or not at all. Stores of one caller keep their order; later reads of this caller
     * see them.
     *
     * @throws IllegalArgumentException if meta data or a fragment is longer than a record may be
     */
    public CompletableFuture<Stored> store(List<Mutation> mutations) {
        mutations.forEach(this::check);
        return !writer.failed() && cache.take(System.nanoTime(), mutations)
                ? CompletableFuture.completedFuture(Stored.DURABLE)
                : write(mutations, false);
    }

    /** Returns whether memory holds data of the block that has not been written yet. */
    public boolean holdsUnwritten(BlockId block) {
        return cache.holds(block);
    }

    private CompletableFuture<Stored> write(List<Mutation> mutations, boolean owed) {
        CompletableFuture<Stored> done = new CompletableFuture<>();
        Set<BlockId> blocks = new HashSet<>();
        mutations.forEach(mutation -> blocks.add(mutation.key().block()));
        blocks.forEach(block -> pending.put(block, done));
        var _ = done.whenComplete((stored, error) -> blocks.forEach(block -> pending.remove(block, done)));
        writer.submit(new StoreTask.Write(List.copyOf(mutations), owed, done));
        return done;
    }

    /** Reads a record and checks it. A record whose meta data is unreadable is damaged, with empty meta data. */
    public CompletableFuture<Loaded> load(RecordKey key) {
        return cache.find(key)
                .map(CompletableFuture::completedFuture)
                .orElseGet(() -> read(pending.get(key.block()), () -> loadNow(key)));
    }

    /**
     * Reads the meta data of all records of one kind and block; unreadable meta data is empty. Completes exceptionally
     * if the index cannot be read.
     */
    public CompletableFuture<Loaded.Metas> loadMetas(RecordKind kind, BlockId block) {
        if (cache.mayHold(kind)) {
            cache.writeNow(block, block);
        }
        CompletableFuture<Stored> before = pending.get(block);
        return kind == RecordKind.EXTENT
                ? read(before, () -> onlyMeta(RecordKey.of(kind, block)))
                : read(before, () -> scanNow(kind, block, block, Integer.MAX_VALUE, each -> true));
    }

    /** Looks up the only record of its kind and block. For an extent that is new the index's filters answer from memory. */
    private Loaded.Metas onlyMeta(RecordKey key) throws StoreException {
        Bytes encoded = key.encoded();
        byte[] value = index.get(encoded);
        return new Loaded.Metas(key.kind(), value == null ? List.of() : List.of(meta(key, encoded, value)));
    }

    /**
     * Reads the meta data of at most {@code max} records of one kind whose blocks lie between two, both included, in the
     * order of their keys; unreadable meta data is empty. Completes exceptionally if the index cannot be read.
     *
     * @param wanted which blocks count; called on a thread of the store
     */
    public CompletableFuture<Loaded.Metas> scan(
            RecordKind kind, BlockId from, BlockId to, int max, Predicate<BlockId> wanted) {
        return read(written(kind, from, to), () -> scanNow(kind, from, to, max, wanted));
    }

    /** Done when all earlier stores of these blocks are. */
    private CompletableFuture<?> written(RecordKind kind, BlockId from, BlockId to) {
        if (cache.mayHold(kind)) {
            cache.writeNow(from, to);
        }
        return CompletableFuture.allOf(pending.entrySet().stream()
                .filter(each ->
                        each.getKey().compareTo(from) >= 0 && each.getKey().compareTo(to) <= 0)
                .map(Map.Entry::getValue)
                .toArray(CompletableFuture[]::new));
    }

    /** Does the same as {@link #scan}, but passes over what is held in memory or under way to the disk, and leaves it there. */
    public CompletableFuture<Loaded.Metas> scanWritten(
            RecordKind kind, BlockId from, BlockId to, int max, Predicate<BlockId> wanted) {
        return read(null, () -> scanNow(kind, from, to, max, wanted));
    }

    /**
     * Returns the greatest suffix of the records of each block of one kind, for blocks between two, both included. It
     * reads no more records than {@code max}, unless one block alone has more. Completes exceptionally if the index
     * cannot be read.
     */
    public CompletableFuture<LatestRecords> latest(RecordKind kind, BlockId from, BlockId to, int max) {
        return read(written(kind, from, to), () -> latestNow(kind, from, to, max));
    }

    /** Makes everything acknowledged so far durable, whatever the setting. */
    public CompletableFuture<Stored> flush() {
        cache.writeAll();
        StoreTask.Flush task = new StoreTask.Flush(new CompletableFuture<>());
        writer.submit(task);
        return task.done();
    }

    public StoreUsage usage() {
        long stored = writer.storedBytes.get();
        boolean failed = writer.checkDirectory();
        boolean refuses = !failed && space.refuses(stored);
        return new StoreUsage(
                writer.records.get(),
                stored,
                config.capacityBytes(),
                segments.count(),
                segments.spareCount(),
                segments.liveBytes(),
                space.usableBytes(),
                refuses ? 0 : Math.max(failed ? 1 : 0, space.roomBytes(stored)),
                refuses,
                damaged.sum(),
                writer.stores.get(),
                writer.refused.get(),
                writer.batches.get(),
                writer.syncs.get(),
                writer.moved.get(),
                cache.heldBytes(),
                cache.discardedCount(),
                failed);
    }

    /** Returns text for people: why stores are refused for lack of space. */
    public String shortage() {
        return space.shortage(writer.storedBytes.get());
    }

    /** Finishes what was asked for, makes it durable and closes; later stores fail. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        boolean interrupted = false;
        for (BlockingTask step : List.<BlockingTask>of(
                compactor::close,
                cache::close,
                () -> writer.submit(new StoreTask.Stop(new CompletableFuture<>())),
                writer::join,
                this::joinReaders)) {
            interrupted |= uninterruptibly(step);
        }
        try {
            segments.close();
        } catch (IOException e) {
            LOG.warn("a segment of {} does not close", config.directory(), e);
        }
        index.close();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** The entry of a record, or null if there is none that can be read. */
    @Nullable
    IndexEntry entry(RecordKey key) throws StoreException {
        Bytes encoded = key.encoded();
        byte[] value = index.get(encoded);
        return value == null ? null : IndexEntry.decode(encoded, value);
    }

    RecordIndex index() {
        return index;
    }

    SegmentFiles segments() {
        return segments;
    }

    private void count() throws StoreException {
        index.forEachFrom(Bytes.EMPTY, (key, value) -> {
            IndexEntry entry = IndexEntry.decode(key, value);
            writer.records.incrementAndGet();
            if (entry != null) {
                writer.storedBytes.addAndGet(entry.bytes());
                index.noteNumber(Math.max(entry.sequence(), entry.change()));
            }
            return true;
        });
    }

    /** Marks records whose segment is missing, or too short, as lost; readers of the index alone must see the loss. */
    private void dropMissing() throws StoreException {
        List<RecordIndex.LiveRecord> gone = segments.gone();
        if (gone.isEmpty()) {
            return;
        }
        LOG.error(
                "{} fragments in {} are lost with their segments; they are rebuilt from the peers",
                gone.size(),
                segments.directory());
        for (int from = 0; from < gone.size(); from += LOST_AT_ONCE) {
            try (RecordIndex.Changes changes = index.change()) {
                IndexUpdate update = new IndexUpdate(index, changes, index::takeNumber);
                for (RecordIndex.LiveRecord place : gone.subList(from, Math.min(gone.size(), from + LOST_AT_ONCE))) {
                    update.lose(place);
                }
                changes.commit(true);
                writer.storedBytes.addAndGet(update.bytesDelta());
            }
        }
    }

    private void check(Mutation mutation) {
        Bytes meta = switch (mutation) {
            case Mutation.Put put -> {
                int length = put.fragment().length();
                if (length > config.segmentBytes() - RecordHeader.PAGE_BYTES) {
                    throw new IllegalArgumentException("fragment of " + length + " bytes for segments of "
                            + config.segmentBytes() + ": " + put.key());
                }
                yield put.meta();
            }
            case Mutation.UpdateMeta update -> update.meta();
            case Mutation.Delete delete -> Bytes.EMPTY;
        };
        if (meta.length() > Mutation.META_BYTES_MAX) {
            throw new IllegalArgumentException("meta data of " + meta.length() + " bytes: " + mutation.key());
        }
    }

    private <T> CompletableFuture<T> read(@Nullable CompletableFuture<?> before, Callable<T> call) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Runnable task = () -> {
            try {
                result.complete(call.call());
            } catch (Exception e) {
                result.completeExceptionally(e);
            }
        };
        if (before == null) {
            execute(task, result);
        } else {
            var _ = before.whenComplete((stored, error) -> execute(task, result));
        }
        return result;
    }

    private void execute(Runnable task, CompletableFuture<?> result) {
        try {
            readers.execute(task);
        } catch (RejectedExecutionException e) {
            result.completeExceptionally(new StoreException("the store in " + config.directory() + " is closed", e));
        }
    }

    private Loaded loadNow(RecordKey key) {
        Bytes encoded = key.encoded();
        try {
            IndexEntry tried = null;
            while (true) {
                byte[] value = index.get(encoded);
                if (value == null) {
                    return new Loaded.Missing(key);
                }
                IndexEntry entry = IndexEntry.decode(encoded, value);
                if (entry == null) {
                    return damaged(key, Bytes.EMPTY);
                }
                Bytes fragment = fragment(encoded, entry);
                if (fragment != null) {
                    return new Loaded.Found(key, entry.meta(), fragment);
                }
                // The record may have moved between the index and the segment: only the same place twice is damage.
                if (tried != null && entry.hasSamePlace(tried)) {
                    return damaged(key, entry.meta());
                }
                tried = entry;
            }
        } catch (StoreException e) {
            LOG.warn("record {} cannot be read", key, e);
            return damaged(key, Bytes.EMPTY);
        }
    }

    private @Nullable Bytes fragment(Bytes key, IndexEntry entry) throws StoreException {
        return switch (entry.place()) {
            case SEGMENT -> segments.read(key, entry);
            case LOST -> null;
            case INLINE -> {
                byte[] value = entry.length() == 0 ? new byte[0] : index.fragment(key);
                Bytes fragment = value == null ? null : Bytes.of(value);
                yield fragment != null
                                && fragment.length() == entry.length()
                                && RecordHeader.checksum(key, entry.sequence(), fragment) == entry.checksum()
                        ? fragment
                        : null;
            }
        };
    }

    private Loaded damaged(RecordKey key, Bytes meta) {
        damaged.increment();
        long now = System.nanoTime();
        long last = damageLoggedNanos.get();
        if (now - last > LOG_INTERVAL_NANOS && damageLoggedNanos.compareAndSet(last, now)) {
            LOG.warn("{} {} is damaged on this disk; {} damaged reads so far", key.kind(), key.block(), damaged.sum());
        }
        return new Loaded.Damaged(key, meta);
    }

    private Loaded.Metas scanNow(RecordKind kind, BlockId from, BlockId to, int max, Predicate<BlockId> wanted)
            throws StoreException {
        List<Loaded.Meta> found = new ArrayList<>();
        index.forEachFrom(prefix(kind, from), (encoded, value) -> {
            RecordKey key = RecordKey.decode(encoded);
            if (key.kind() != kind || key.block().compareTo(to) > 0) {
                return false;
            }
            if (!wanted.test(key.block())) {
                return true;
            }
            found.add(meta(key, encoded, value));
            return found.size() < max;
        });
        return new Loaded.Metas(kind, found);
    }

    private Loaded.Meta meta(RecordKey key, Bytes encoded, byte[] value) {
        IndexEntry entry = IndexEntry.decode(encoded, value);
        Bytes meta = Bytes.EMPTY;
        if (entry == null) {
            damaged(key, Bytes.EMPTY);
        } else if (key.kind() != RecordKind.EXTENT || entry.place() != IndexEntry.Place.LOST) {
            meta = entry.meta();
        }
        // An extent is its fragment: a comparison of the index with the referenced extents must see the loss.
        return new Loaded.Meta(key, meta);
    }

    private LatestRecords latestNow(RecordKind kind, BlockId from, BlockId to, int max) throws StoreException {
        LatestRecords.Collector collector = new LatestRecords.Collector(max);
        index.forEachFrom(prefix(kind, from), (encoded, value) -> {
            RecordKey key = RecordKey.decode(encoded);
            if (key.kind() != kind || key.block().compareTo(to) > 0) {
                return false;
            }
            IndexEntry entry = IndexEntry.decode(encoded, value);
            return collector.add(key, entry != null && entry.place() != IndexEntry.Place.LOST);
        });
        return collector.end();
    }

    private static Bytes prefix(RecordKind kind, BlockId block) {
        WireWriter out = new WireWriter().u8(kind.ordinal());
        block.write(out);
        return out.toBytes();
    }

    private void wakeCompactor() {
        compactor.wake();
    }

    private interface BlockingTask {
        void run() throws InterruptedException;
    }

    private void joinReaders() throws InterruptedException {
        readers.shutdown();
        while (!readers.awaitTermination(1, TimeUnit.MINUTES)) {
            LOG.warn("still reading from {}", config.directory());
        }
    }

    private static boolean uninterruptibly(BlockingTask step) {
        boolean interrupted = false;
        while (true) {
            try {
                step.run();
                return interrupted;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
    }
}
