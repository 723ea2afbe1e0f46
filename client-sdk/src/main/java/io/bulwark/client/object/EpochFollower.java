package io.bulwark.client.object;

import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.extent.ReadOutcome;
import io.bulwark.protocol.extent.WriteOutcome;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.wire.Bytes;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Follows the epochs of placement groups: where f+1 nodes name a later one than the volume has, the map is fetched, and a read begins
 * again with it. A write ends, since its object names one epoch for all its extents: who puts the object repeats it.
 */
public final class EpochFollower implements ExtentAccess {
    private static final int MAPS_MAX = 3;

    private final ExtentAccess extents;
    private final Function<Volume, CompletableFuture<Volume>> fetch;

    /** @param fetch asks the replicas for the volume as it is now, and remembers it */
    public EpochFollower(ExtentAccess extents, Function<Volume, CompletableFuture<Volume>> fetch) {
        this.extents = extents;
        this.fetch = fetch;
    }

    @Override
    public CompletableFuture<WriteOutcome> write(Volume volume, BlockId block, Bytes content) {
        return extents.write(volume, block, content);
    }

    @Override
    public CompletableFuture<Volume> later(Volume known) {
        return fetch.apply(known);
    }

    @Override
    public CompletableFuture<ReadOutcome> read(Volume volume, BlockId block, Bytes pin, int length) {
        FollowedRead reading = new FollowedRead(block, pin, length);
        reading.begin(volume, MAPS_MAX);
        return reading.result;
    }

    private final class FollowedRead {
        private final BlockId block;
        private final Bytes pin;
        private final int length;
        private final CompletableFuture<ReadOutcome> result = new CompletableFuture<>();

        FollowedRead(BlockId block, Bytes pin, int length) {
            this.block = block;
            this.pin = pin;
            this.length = length;
        }

        void begin(Volume volume, int mapsLeft) {
            CompletableFuture<ReadOutcome> read = extents.read(volume, block, pin, length);
            // Given up by who waits for it.
            var unusedCancellation = result.whenComplete((ignored1, ignored2) -> read.cancel(false));
            var unused = read.whenComplete((@Nullable ReadOutcome outcome, @Nullable Throwable failure) -> {
                if (outcome instanceof ReadOutcome.StaleMap stale && mapsLeft > 0 && !result.isDone()) {
                    proceed(volume, stale, mapsLeft - 1);
                } else if (outcome != null) {
                    result.complete(outcome);
                } else if (failure != null) {
                    result.completeExceptionally(failure);
                }
            });
        }

        private void proceed(Volume before, ReadOutcome.StaleMap stale, int mapsLeft) {
            var unused = fetch.apply(before).whenComplete((@Nullable Volume now, @Nullable Throwable ignored) -> {
                if (now != null
                        && now.group(block).epoch() > before.group(block).epoch()) {
                    begin(now, mapsLeft);
                } else {
                    result.complete(stale);
                }
            });
        }
    }
}
