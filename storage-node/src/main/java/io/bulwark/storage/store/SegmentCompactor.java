package io.bulwark.storage.store;

import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Empties segments with little live data: reads each live record and makes the writer store a copy. The index switches
 * to the copy only if it still names the record read. The writer recycles the segment once it is empty.
 */
final class SegmentCompactor {
    private static final Logger LOG = LoggerFactory.getLogger(SegmentCompactor.class);
    private static final double LIVE_SHARE_MAX = 0.5;
    /** Limit while stores are refused for lack of space. */
    private static final double LIVE_SHARE_MAX_SHORT = 0.9;

    /** Time for which segments that could not be emptied are left alone. */
    private static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final long WINDOW_BYTES = 4L << 20;

    private final RecordIndex index;
    private final SegmentFiles segments;
    private final StoreWriter writer;
    private final Semaphore wakeups = new Semaphore(1);
    private final Set<Integer> stuck = new HashSet<>();
    private final Thread thread =
            Thread.ofPlatform().name("store-compactor").daemon().unstarted(this::run);
    private long stuckSinceNanos = System.nanoTime();
    private volatile boolean closed;

    SegmentCompactor(RecordIndex index, SegmentFiles segments, StoreWriter writer) {
        this.index = index;
        this.segments = segments;
        this.writer = writer;
    }

    void start() {
        thread.start();
    }

    /** Looks for work, if it is not doing so already. */
    void wake() {
        if (wakeups.availablePermits() == 0) {
            wakeups.release();
        }
    }

    void close() throws InterruptedException {
        closed = true;
        wakeups.release();
        thread.join();
    }

    private void run() {
        while (!closed) {
            try {
                var _ = wakeups.tryAcquire(STUCK_NANOS, TimeUnit.NANOSECONDS);
                if (System.nanoTime() - stuckSinceNanos >= STUCK_NANOS) {
                    stuck.clear();
                    stuckSinceNanos = System.nanoTime();
                }
                if (writer.hasToGiveBack()) {
                    // Others that share the device have filled it meanwhile.
                    writer.submit(new StoreTask.Flush(new CompletableFuture<>()));
                }
                Optional<Segment> next = candidate();
                while (next.isPresent() && !closed && !writer.failed()) {
                    compact(next.get());
                    next = candidate();
                }
            } catch (InterruptedException e) {
                return;
            } catch (StoreException | RuntimeException e) {
                LOG.error("compaction stops: the index cannot be read", e);
                return;
            }
        }
    }

    private Optional<Segment> candidate() {
        return segments.sparsest(writer.isShortOfSpace() ? LIVE_SHARE_MAX_SHORT : LIVE_SHARE_MAX, stuck);
    }

    private void compact(Segment segment) throws StoreException {
        List<CompletableFuture<Stored>> window = new ArrayList<>();
        long windowBytes = 0;
        boolean complete = true;
        for (RecordIndex.LiveRecord place : index.occupied(segment.number)) {
            if (closed) {
                return;
            }
            StoreTask task = task(place);
            writer.submit(task);
            window.add(task.done());
            windowBytes += place.length();
            if (windowBytes >= WINDOW_BYTES) {
                complete &= settle(window);
                windowBytes = 0;
            }
        }
        complete &= settle(window);
        if (!complete || (segment.liveBytes() > 0 && segment.sealed())) {
            // Trying again at once would not help.
            stuck.add(segment.number);
        }
    }

    private StoreTask task(RecordIndex.LiveRecord place) throws StoreException {
        byte[] value = index.get(place.key());
        IndexEntry entry = value == null ? null : IndexEntry.decode(place.key(), value);
        boolean pointedTo = entry != null
                && entry.place() == IndexEntry.Place.SEGMENT
                && entry.segment() == place.segment()
                && entry.offset() == place.offset();
        if (entry == null || !pointedTo) {
            return new StoreTask.Reclaim(place, new CompletableFuture<>());
        }
        Bytes fragment = segments.read(place.key(), entry);
        return new StoreTask.Move(place.key(), entry, fragment, new CompletableFuture<>());
    }

    private static boolean settle(List<CompletableFuture<Stored>> window) {
        boolean complete = true;
        for (CompletableFuture<Stored> each : window) {
            complete &= each.join() == Stored.DURABLE;
        }
        window.clear();
        return complete;
    }
}
