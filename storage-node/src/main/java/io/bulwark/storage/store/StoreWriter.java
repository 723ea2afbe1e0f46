package io.bulwark.storage.store;

import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.wire.Bytes;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that writes. It takes the tasks queued during the last sync, writes the fragments to segments, syncs
 * these, then commits the index with a synced log. That is two syncs for any number of stores, one if none has a large
 * fragment. Nothing is acknowledged before, and a record that the index does not name does not exist.
 */
final class StoreWriter {
    private static final Logger LOG = LoggerFactory.getLogger(StoreWriter.class);
    private static final long BATCH_BYTES_MAX = 16L << 20;
    private static final int BATCH_TASKS_MAX = 1024;

    private final StoreConfig config;
    private final DeviceSpace space;
    private final RecordIndex index;
    private final SegmentFiles segments;
    private final Runnable afterBatch;
    private final BlockingQueue<StoreTask> queue = new LinkedBlockingQueue<>();
    private final Thread thread = Thread.ofPlatform().name("store-writer").unstarted(this::run);
    private final Object stopLock = new Object();
    private boolean stopped;

    final AtomicLong records = new AtomicLong();
    final AtomicLong storedBytes = new AtomicLong();
    final AtomicLong stores = new AtomicLong();
    final AtomicLong refused = new AtomicLong();
    final AtomicLong batches = new AtomicLong();
    final AtomicLong syncs = new AtomicLong();
    final AtomicLong moved = new AtomicLong();
    private volatile boolean failed;

    /** Number of the next write of a fragment or change of an entry. */
    private long nextSequence;

    private boolean unsynced;
    private long flushAtNanos;

    /** @param afterBatch called on the writer thread after each batch; must be quick */
    StoreWriter(StoreConfig config, DeviceSpace space, RecordIndex index, SegmentFiles segments, Runnable afterBatch)
            throws IOException {
        this.config = config;
        this.space = space;
        this.index = index;
        this.segments = segments;
        this.afterBatch = afterBatch;
        space.addReusable(segments.reusableBytes());
    }

    void start() {
        nextSequence = index.nextNumber();
        thread.start();
    }

    /** Queues a task; once stopped, it fails at once. */
    void submit(StoreTask task) {
        boolean queued;
        synchronized (stopLock) {
            queued = !stopped && queue.add(task);
            stopped |= task instanceof StoreTask.Stop;
        }
        if (!queued) {
            task.done().complete(Stored.FAILED);
        }
    }

    boolean failed() {
        return failed;
    }

    /** A store whose directory was taken away has failed, though files that are open take bytes for a while, which nobody finds again. */
    synchronized boolean checkDirectory() {
        if (!failed && Files.notExists(segments.directory())) {
            failed = true;
            LOG.error(
                    "{} or its disk is missing: the store has failed and is read-only until the node is restarted",
                    segments.directory());
        }
        return failed;
    }

    /** Returns whether stores are refused for lack of space, so that compaction should try harder. */
    boolean isShortOfSpace() {
        return space.refuses(storedBytes.get());
    }

    /** Returns whether a batch, even an empty one, would give back space that is wanted. */
    boolean hasToGiveBack() {
        return !failed && segments.canGiveBack() && space.isUnderPressure(storedBytes.get());
    }

    void join() throws InterruptedException {
        thread.join();
    }

    private void run() {
        boolean running = true;
        while (running) {
            List<Prepared> batch = new ArrayList<>();
            try {
                running = gather(batch);
            } catch (InterruptedException e) {
                LOG.error("the store's writer was interrupted; the store is read-only until it is reopened", e);
                failed = true;
                continue;
            }
            commit(batch);
            batch.forEach(Prepared::complete);
            afterBatch.run();
        }
    }

    /** Waits for work; false if the last task of the batch ends the thread. */
    private boolean gather(List<Prepared> batch) throws InterruptedException {
        StoreTask task = next();
        long bytes = 0;
        while (task != null) {
            batch.add(new Prepared(task));
            bytes += task.fragmentBytes();
            if (task instanceof StoreTask.Stop) {
                return false;
            }
            task = bytes < BATCH_BYTES_MAX && batch.size() < BATCH_TASKS_MAX ? queue.poll() : null;
        }
        return true;
    }

    /** The next task, or null if it is time to flush. */
    private @Nullable StoreTask next() throws InterruptedException {
        if (!unsynced || config.durability() != Durability.INTERVAL) {
            return queue.take();
        }
        long left = flushAtNanos - System.nanoTime();
        return left <= 0 ? null : queue.poll(left, TimeUnit.NANOSECONDS);
    }

    private void commit(List<Prepared> batch) {
        if (checkDirectory()) {
            batch.forEach(each -> each.outcome = Stored.FAILED);
            return;
        }
        try {
            admit(batch);
            append(batch);
            boolean synced = config.durability() == Durability.SYNC;
            if (synced) {
                syncs.addAndGet(segments.sync());
            }
            change(batch, synced);
            boolean pressed = space.isUnderPressure(storedBytes.get());
            segments.seal(pressed);
            if (!synced && !unsynced) {
                unsynced = true;
                flushAtNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(config.flushIntervalMillis());
            }
            boolean due = config.durability() == Durability.INTERVAL && flushAtNanos - System.nanoTime() <= 0;
            if (due || segments.hasEmptied() || batch.stream().anyMatch(Prepared::mustFlush)) {
                flush();
            }
            segments.recycle(pressed);
            space.addReusable(segments.reusableBytes());
            space.look(storedBytes.get());
            batches.incrementAndGet();
        } catch (IOException | RuntimeException e) {
            // After a failed sync the content of the device is unknown, and a retry would hide it.
            failed = true;
            batch.forEach(each -> each.outcome = Stored.FAILED);
            LOG.error("the store in {} failed; it is read-only until it is reopened", config.directory(), e);
            if (e instanceof StoreException cause && cause.isDamage()) {
                index.suspect();
            }
        }
    }

    private void flush() throws IOException {
        if (unsynced) {
            syncs.addAndGet(segments.sync() + 1);
            index.sync();
            unsynced = false;
        }
    }

    /** Returns how many bytes of fragments may still be stored. */
    long roomBytes() {
        return space.roomBytes(storedBytes.get());
    }

    /** Refuses, in the order of arrival, what would not fit. */
    private void admit(List<Prepared> batch) throws IOException {
        if (batch.stream().allMatch(each -> each.task.fragmentBytes() == 0)) {
            return;
        }
        long wanted = batch.stream().mapToLong(Prepared::wantedBytes).sum();
        if (wanted > space.roomBytes(storedBytes.get()) && segments.canGiveBack()) {
            giveBack();
        }
        long room = space.roomBytes(storedBytes.get());
        long moveRoom = space.moveRoomBytes();
        for (Prepared each : batch) {
            long added = each.wantedBytes();
            if (each.task instanceof StoreTask.Move move && move.fragmentBytes() > 0) {
                each.outcome = move.fragmentBytes() > moveRoom ? Stored.NO_SPACE : null;
                moveRoom -= move.fragmentBytes();
            } else if (added > 0 && added > room) {
                each.outcome = Stored.NO_SPACE;
                space.refused(added);
            } else {
                room -= added;
            }
        }
    }

    /** Reclaims the space of dead records before a write is refused. */
    private void giveBack() throws IOException {
        segments.seal(true);
        flush();
        segments.recycle(true);
        space.addReusable(segments.reusableBytes());
    }

    private static long addedBytes(StoreTask.Write write) {
        long bytes = 0;
        for (Mutation mutation : write.mutations()) {
            bytes += mutation instanceof Mutation.Put put
                    ? put.fragment().length() + put.meta().length()
                    : 0;
        }
        return bytes;
    }

    /** Writes large fragments to segments; if the device is full, refuses all stores of the batch that have some. */
    private void append(List<Prepared> batch) throws IOException {
        segments.begin();
        try {
            for (Prepared each : batch) {
                if (each.outcome == null) {
                    append(each);
                }
            }
            segments.flush();
            if (batch.stream().anyMatch(each -> each.outcome == null && each.task.fragmentBytes() > 0)) {
                space.taken();
            }
        } catch (IOException e) {
            if (!isNoSpace(e)) {
                throw e;
            }
            segments.abandon();
            space.onDeviceFull();
            for (Prepared each : batch) {
                if (each.task.fragmentBytes() > 0) {
                    each.outcome = Stored.NO_SPACE;
                }
            }
        }
    }

    private void append(Prepared each) throws IOException {
        switch (each.task) {
            case StoreTask.Write write -> {
                for (Mutation mutation : write.mutations()) {
                    if (mutation instanceof Mutation.Put put) {
                        each.entries.add(place(put));
                    }
                }
            }
            case StoreTask.Move move -> {
                if (move.fragment() != null) {
                    each.entries.add(segments.append(
                            move.key(), move.fragment(), move.from().meta(), nextSequence++));
                }
            }
            case StoreTask.Reclaim reclaim -> {}
            case StoreTask.Flush flush -> {}
            case StoreTask.Stop stop -> {}
        }
    }

    private IndexEntry place(Mutation.Put put) throws IOException {
        Bytes key = put.key().encoded();
        long sequence = nextSequence++;
        if (put.fragment().length() > config.inlineBytesMax()) {
            return segments.append(key, put.fragment(), put.meta(), sequence);
        }
        int checksum = RecordHeader.checksum(key, sequence, put.fragment());
        return new IndexEntry(
                IndexEntry.Place.INLINE, 0, 0, put.fragment().length(), sequence, 0, checksum, put.meta());
    }

    private void change(List<Prepared> batch, boolean synced) throws StoreException {
        try (RecordIndex.Changes changes = index.change()) {
            IndexUpdate update = new IndexUpdate(index, changes, () -> nextSequence++);
            for (Prepared each : batch) {
                if (each.outcome == null) {
                    apply(each, update);
                }
            }
            if (changes.isEmpty()) {
                return;
            }
            changes.commit(synced);
            syncs.addAndGet(synced ? 1 : 0);
            update.liveDeltas().forEach(segments::addLive);
            records.addAndGet(update.recordsDelta());
            storedBytes.addAndGet(update.bytesDelta());
        }
    }

    private void apply(Prepared each, IndexUpdate update) throws StoreException {
        switch (each.task) {
            case StoreTask.Write write -> {
                int put = 0;
                for (Mutation mutation : write.mutations()) {
                    Bytes key = mutation.key().encoded();
                    switch (mutation) {
                        case Mutation.Put(var _, var _, Bytes fragment) ->
                            update.put(key, each.entries.get(put++), fragment);
                        case Mutation.UpdateMeta(var _, Bytes meta) -> update.updateMeta(key, meta);
                        case Mutation.Delete delete -> update.delete(key);
                    }
                }
            }
            case StoreTask.Move move ->
                update.move(move.key(), move.from(), each.entries.isEmpty() ? null : each.entries.getFirst());
            case StoreTask.Reclaim reclaim -> update.reclaim(reclaim.place());
            case StoreTask.Flush flush -> {}
            case StoreTask.Stop stop -> {}
        }
        each.outcome = Stored.DURABLE;
    }

    private static boolean isNoSpace(IOException e) {
        String message = String.valueOf(e.getMessage());
        return message.contains("No space left on device") || message.contains("Disk quota exceeded");
    }

    /** A task, the places of its fragments in the order of its puts, and what became of it. */
    private final class Prepared {
        private final StoreTask task;
        private final List<IndexEntry> entries = new ArrayList<>();
        private @Nullable Stored outcome;

        Prepared(StoreTask task) {
            this.task = task;
        }

        /**
         * Returns the space that it needs. Stores without fragments may use the reserve: they free space. Owed writes
         * may use it too, and moves may use half of it.
         */
        long wantedBytes() {
            return task instanceof StoreTask.Write write && !write.owed() && write.fragmentBytes() > 0
                    ? addedBytes(write)
                    : 0;
        }

        boolean mustFlush() {
            return task instanceof StoreTask.Flush || task instanceof StoreTask.Stop;
        }

        void complete() {
            Stored result = outcome == null ? Stored.DURABLE : outcome;
            if (task instanceof StoreTask.Write) {
                stores.addAndGet(result == Stored.DURABLE ? 1 : 0);
                refused.addAndGet(result == Stored.NO_SPACE ? 1 : 0);
            } else if (task instanceof StoreTask.Move) {
                moved.addAndGet(result == Stored.DURABLE ? 1 : 0);
            }
            task.done().complete(result);
        }
    }
}
