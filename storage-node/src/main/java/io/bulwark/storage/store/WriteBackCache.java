package io.bulwark.storage.store;

import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The write-back cache of a store (lazy verification paper, 3.4 and 4): acknowledged stores of some kinds of records,
 * by block, until they are written together. Records that are put and deleted in between are never written. A block's
 * mutations reach the disk all together, in an order that agrees with that of its other stores.
 *
 * <p>Thread-safe; the lock is held while a write is handed to the sink, so that a reader finds each record either here
 * or behind the sink.
 */
final class WriteBackCache {
    private static final Logger LOG = LoggerFactory.getLogger(WriteBackCache.class);
    /** Memory of an entry beyond its bytes. */
    private static final long ENTRY_BYTES = 256;

    private final long heldNanos;
    private final long bytesMax;
    private final Set<RecordKind> kinds;
    private final Sink sink;
    private final LongSupplier room;
    private final LinkedHashMap<BlockId, HeldMutations> held = new LinkedHashMap<>();
    private final Thread thread =
            Thread.ofPlatform().daemon().name("store-write-back").unstarted(this::run);
    private long heldBytes;
    private long writingBytes;
    private long roomBytes;
    private long died;
    private long lost;
    private boolean closed;

    /** Destination of mutations. */
    interface Sink {
        /** Takes mutations of one block, in the order of the calls; must not block. */
        CompletableFuture<Stored> write(List<Mutation> mutations);
    }

    /** The mutations of one block: the last of each record. */
    private static final class HeldMutations {
        private final long sinceNanos;
        private final LinkedHashMap<RecordKey, Mutation> last = new LinkedHashMap<>();
        private long bytes;

        HeldMutations(long sinceNanos) {
            this.sinceNanos = sinceNanos;
        }
    }

    /**
     * A cache that holds nothing yet.
     *
     * @param heldMillis how long a block's mutations are held
     * @param room how many bytes the device has for more, asked from time to time
     */
    WriteBackCache(WriteBack config, long heldMillis, Sink sink, LongSupplier room) {
        this.heldNanos = TimeUnit.MILLISECONDS.toNanos(heldMillis);
        this.bytesMax = config.bytesMax();
        this.kinds = config.kinds();
        this.sink = sink;
        this.room = room;
        this.roomBytes = room.getAsLong();
    }

    /** Begins to write what has been held for long enough; a cache that may hold nothing never does. */
    void start() {
        if (heldNanos > 0) {
            thread.start();
        }
    }

    /**
     * Takes mutations if they may be held. Otherwise returns false: they must be written at once, and the held
     * mutations of their blocks have been written before.
     */
    synchronized boolean take(long nowNanos, List<Mutation> mutations) {
        long added = 0;
        Set<BlockId> blocks = new HashSet<>();
        boolean kept = !closed && heldNanos > 0;
        for (Mutation mutation : mutations) {
            added += bytes(mutation);
            blocks.add(mutation.key().block());
            kept &= kinds.contains(mutation.key().kind());
        }
        long taken = heldBytes + writingBytes;
        if (!kept || blocks.size() != 1 || taken + added > 2 * bytesMax || taken + added > roomBytes) {
            blocks.forEach(this::writeNow);
            return false;
        }
        HeldMutations block = held.computeIfAbsent(blocks.iterator().next(), _ -> new HeldMutations(nowNanos));
        for (Mutation mutation : mutations) {
            apply(block, mutation);
        }
        for (BlockId oldest = first(); heldBytes > bytesMax && oldest != null; oldest = first()) {
            writeNow(oldest);
        }
        return true;
    }

    /** Returns the held record; empty if the disk must answer, to which the record has been written by then. */
    synchronized Optional<Loaded> find(RecordKey key) {
        HeldMutations block = held.get(key.block());
        Mutation last = block == null ? null : block.last.get(key);
        return switch (last) {
            case null -> Optional.empty();
            case Mutation.Put put -> Optional.of(new Loaded.Found(key, put.meta(), put.fragment()));
            case Mutation.Delete _ -> Optional.of(new Loaded.Missing(key));
            case Mutation.UpdateMeta _ -> {
                writeNow(key.block());
                yield Optional.empty();
            }
        };
    }

    /** Returns whether records of this kind may be held. */
    boolean mayHold(RecordKind kind) {
        return heldNanos > 0 && kinds.contains(kind);
    }

    /** Returns whether anything of the block is held. */
    synchronized boolean holds(BlockId block) {
        return held.containsKey(block);
    }

    /** Hands what is held of the blocks between two, both included, to the sink. */
    synchronized void writeNow(BlockId from, BlockId to) {
        List<BlockId> between = held.keySet().stream()
                .filter(block -> block.compareTo(from) >= 0 && block.compareTo(to) <= 0)
                .toList();
        between.forEach(this::writeNow);
    }

    synchronized void writeAll() {
        List.copyOf(held.keySet()).forEach(this::writeNow);
    }

    /** Writes what has been held for long enough. */
    void tick(long nowNanos) {
        long bytes = room.getAsLong();
        synchronized (this) {
            roomBytes = bytes;
            writeDue(nowNanos);
        }
    }

    private void writeDue(long nowNanos) {
        List<BlockId> due = new ArrayList<>();
        for (Map.Entry<BlockId, HeldMutations> block : held.entrySet()) {
            if (nowNanos - block.getValue().sinceNanos < heldNanos) {
                break;
            }
            due.add(block.getKey());
        }
        due.forEach(this::writeNow);
    }

    /** Writes everything and holds nothing any more. */
    void close() {
        synchronized (this) {
            closed = true;
            writeAll();
        }
        thread.interrupt();
    }

    synchronized long heldBytes() {
        return heldBytes;
    }

    /** Records that were deleted or replaced before they were written. */
    synchronized long discardedCount() {
        return died;
    }

    /** Acknowledged mutations that the device did not take. */
    synchronized long lost() {
        return lost;
    }

    private @Nullable BlockId first() {
        Iterator<BlockId> blocks = held.keySet().iterator();
        return blocks.hasNext() ? blocks.next() : null;
    }

    private void apply(HeldMutations block, Mutation mutation) {
        Mutation before = block.last.remove(mutation.key());
        if (before != null) {
            charge(block, -bytes(before));
        }
        Mutation after = mutation;
        switch (mutation) {
            case Mutation.UpdateMeta(RecordKey key, Bytes meta) -> {
                if (before instanceof Mutation.Put put) {
                    after = new Mutation.Put(key, meta, put.fragment());
                } else if (before instanceof Mutation.Delete) {
                    // The store changes no record that is not there.
                    after = before;
                }
            }
            case Mutation.Put _, Mutation.Delete _ -> died += before instanceof Mutation.Put ? 1 : 0;
        }
        // A deletion stays even where the put was never written: an older record may be on the disk.
        block.last.put(after.key(), after);
        charge(block, bytes(after));
    }

    private void charge(HeldMutations block, long bytes) {
        block.bytes += bytes;
        heldBytes += bytes;
    }

    private void writeNow(BlockId id) {
        HeldMutations block = held.remove(id);
        if (block == null) {
            return;
        }
        heldBytes -= block.bytes;
        writingBytes += block.bytes;
        int mutations = block.last.size();
        var _ = sink.write(List.copyOf(block.last.values()))
                .whenComplete((stored, error) -> written(id, block.bytes, mutations, stored));
    }

    private synchronized void written(BlockId id, long bytes, int mutations, @Nullable Stored stored) {
        writingBytes -= bytes;
        if (stored != Stored.DURABLE) {
            lost += mutations;
            LOG.error("{} acknowledged changes of {} were lost: {}", mutations, id, stored);
        }
    }

    private static long bytes(Mutation mutation) {
        return ENTRY_BYTES
                + switch (mutation) {
                    case Mutation.Put put ->
                        put.meta().length() + put.fragment().length();
                    case Mutation.UpdateMeta update -> update.meta().length();
                    case Mutation.Delete _ -> 0;
                };
    }

    private void run() {
        long pauseNanos = Math.max(TimeUnit.MILLISECONDS.toNanos(5), heldNanos / 4);
        try {
            while (true) {
                TimeUnit.NANOSECONDS.sleep(pauseNanos);
                tick(System.nanoTime());
            }
        } catch (InterruptedException e) {
            LOG.debug("the write-back cache is closed");
        }
    }
}
