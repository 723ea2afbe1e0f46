package io.bulwark.client.object;

import io.bulwark.client.driver.OperationDriver;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.extent.ExtentRead;
import io.bulwark.protocol.extent.ExtentTiming;
import io.bulwark.protocol.extent.ExtentWrite;
import io.bulwark.protocol.extent.ReadOutcome;
import io.bulwark.protocol.extent.StoreRefusal;
import io.bulwark.protocol.extent.WriteOutcome;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.wire.Bytes;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/** Extents on the nodes: {@link ExtentWrite} and {@link ExtentRead} under the driver. */
public final class NodeExtents implements ExtentAccess {
    private final OperationDriver driver;
    private final NodeHealth health;
    private final ExtentTiming timing;

    public NodeExtents(OperationDriver driver, NodeHealth health, ExtentTiming timing) {
        this.driver = driver;
        this.health = health;
        this.timing = timing;
    }

    @Override
    public CompletableFuture<Bytes> write(Volume volume, BlockId block, Bytes content) {
        ProtectionPolicy policy = volume.policy();
        long held = (long) policy.fragmentBytes(content.length()) * (policy.m() + policy.writeQuorum());
        // Encoding is the constructor's work, and belongs on the driver's threads.
        return driver.submit(
                        () -> new ExtentWrite(
                                volume, block, content, health.slowSlots(volume.group(block), policy.f()), timing),
                        held)
                .thenApply(outcome -> pin(outcome, block));
    }

    @Override
    public CompletableFuture<Bytes> read(Volume volume, BlockId block, Bytes pin, int length) {
        ExtentRead read = new ExtentRead(volume, block, pin, health.doubtfulSlots(volume.group(block)), timing);
        int padded = volume.policy().m() * volume.policy().fragmentBytes(length);
        return driver.submit(read, padded).thenApply(outcome -> content(outcome, block, length, padded));
    }

    private static Bytes pin(WriteOutcome outcome, BlockId block) {
        return switch (outcome) {
            case WriteOutcome.Complete complete -> complete.pin();
            case WriteOutcome.Refused(Map<Integer, StoreRefusal> reasons) ->
                throw new ExtentFailure(reasonOf(reasons), block, "refused: " + named(reasons));
            case WriteOutcome.NoSpace(Map<Integer, StoreRefusal> reasons) ->
                throw new ExtentFailure(ExtentFailure.Reason.NO_SPACE, block, "no space: " + named(reasons));
            case WriteOutcome.StaleMap(long epoch) ->
                throw new ExtentFailure(ExtentFailure.Reason.STALE_EPOCH, block, "its group is in epoch " + epoch);
            case WriteOutcome.Unavailable(Map<Integer, String> reasons) ->
                throw new ExtentFailure(ExtentFailure.Reason.UNAVAILABLE, block, "too few nodes: " + named(reasons));
        };
    }

    private static Bytes content(ReadOutcome outcome, BlockId block, int length, int padded) {
        return switch (outcome) {
            case ReadOutcome.Whole(Bytes content) when content.length() == padded -> content.slice(0, length);
            case ReadOutcome.Whole(Bytes content) ->
                throw new ExtentFailure(
                        ExtentFailure.Reason.INCOMPLETE,
                        block,
                        "has " + content.length() + " bytes instead of " + padded + ": its writer lied");
            case ReadOutcome.Freed _ -> throw new ExtentFailure(ExtentFailure.Reason.FREED, block, "was freed");
            case ReadOutcome.NotPermitted _ ->
                throw new ExtentFailure(ExtentFailure.Reason.NOT_PERMITTED, block, "no grant to read");
            case ReadOutcome.Incomplete _ ->
                throw new ExtentFailure(ExtentFailure.Reason.INCOMPLETE, block, "incomplete by its writer");
            case ReadOutcome.StaleMap(long epoch) ->
                throw new ExtentFailure(ExtentFailure.Reason.STALE_EPOCH, block, "its group is in epoch " + epoch);
            case ReadOutcome.Unavailable(Map<Integer, String> reasons) ->
                throw new ExtentFailure(ExtentFailure.Reason.UNAVAILABLE, block, "too few nodes: " + named(reasons));
        };
    }

    private static ExtentFailure.Reason reasonOf(Map<Integer, StoreRefusal> reasons) {
        if (reasons.containsValue(StoreRefusal.SESSION_CLOSED)) {
            return ExtentFailure.Reason.SESSION_CLOSED;
        }
        return reasons.containsValue(StoreRefusal.LIMIT)
                ? ExtentFailure.Reason.LIMIT
                : ExtentFailure.Reason.UNAVAILABLE;
    }

    private static String named(Map<Integer, ?> reasons) {
        return new TreeMap<>(reasons)
                .entrySet().stream()
                        .map(entry -> "slot " + entry.getKey() + ": " + entry.getValue())
                        .collect(Collectors.joining(", "));
    }
}
