package io.bulwark.storage.completion;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.control.NodeControlMessage.VolumeWork;
import io.bulwark.protocol.extent.CompletionResult;
import io.bulwark.protocol.extent.ExtentMessage.Complete;
import io.bulwark.protocol.extent.ExtentMessage.Completed;
import io.bulwark.storage.node.NodeAccess;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the node's own server of each reference, a few at a time, and counts what came of it. */
final class ExtentChecks {
    private static final Logger LOG = LoggerFactory.getLogger(ExtentChecks.class);
    /** Longer than a repair takes before it gives up. */
    private static final long ANSWER_MILLIS = 30_000;

    private final NodeAccess node;
    private final int atOnce;
    private final Semaphore permits;
    private final Pace pace;
    private final AtomicLong checked = new AtomicLong();
    private final AtomicLong scrubbed = new AtomicLong();
    private final Map<CompletionResult, AtomicLong> results = new EnumMap<>(CompletionResult.class);

    ExtentChecks(NodeAccess node, CompletionConfig config) {
        this.node = node;
        this.atOnce = config.requestsAtOnce();
        this.permits = new Semaphore(atOnce);
        this.pace = new Pace(config.extentsPerSecond());
        for (CompletionResult result : CompletionResult.values()) {
            results.put(result, new AtomicLong());
        }
    }

    /** Sees to it that the extent is here; returns when the server was asked. */
    void complete(Referenced extent, VolumeProgress progress) throws InterruptedException {
        pace.await();
        ask(extent, progress, false);
        checked.incrementAndGet();
    }

    /** The same for its bytes. */
    void scrub(Referenced extent, VolumeProgress progress) throws InterruptedException {
        ask(extent, progress, true);
        scrubbed.incrementAndGet();
    }

    /** Waits for all answers that are due. */
    void awaitAll() throws InterruptedException {
        permits.acquire(atOnce);
        permits.release(atOnce);
    }

    CompletionStatus status(long reported, List<VolumeWork> volumes) {
        return new CompletionStatus(
                checked.get(),
                count(CompletionResult.COMPLETED),
                count(CompletionResult.REPAIRED),
                count(CompletionResult.INCOMPLETE),
                scrubbed.get(),
                reported,
                volumes);
    }

    private long count(CompletionResult result) {
        AtomicLong counter = results.get(result);
        return counter == null ? 0 : counter.get();
    }

    private void ask(Referenced extent, VolumeProgress progress, boolean verify) throws InterruptedException {
        PlacementGroup group = extent.volume().group(extent.block());
        Complete request = new Complete(extent.block(), group.epoch(), group.slotOf(node.node()), extent.pin(), verify);
        permits.acquire();
        var _ = node.ask(request, ANSWER_MILLIS).whenComplete((answer, error) -> {
            permits.release();
            CompletionResult result =
                    answer instanceof Completed completed ? completed.result() : CompletionResult.UNAVAILABLE;
            AtomicLong counter = results.get(result);
            if (counter != null) {
                counter.incrementAndGet();
            }
            switch (result) {
                case HELD, FREED -> progress.done(extent);
                case COMPLETED, REPAIRED -> {
                    progress.done(extent);
                    LOG.debug("{} of inode {} is {}", extent.block(), extent.inode(), result);
                }
                case INCOMPLETE -> {
                    progress.done(extent);
                    LOG.info("{} of inode {} was left incomplete by its writer", extent.block(), extent.inode());
                }
                case UNAVAILABLE, NO_SPACE, REFUSED -> progress.notDone(extent);
            }
        });
    }
}
