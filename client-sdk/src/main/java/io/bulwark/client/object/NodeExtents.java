package io.bulwark.client.object;

import io.bulwark.client.driver.OperationDriver;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.extent.ExtentRead;
import io.bulwark.protocol.extent.ExtentTiming;
import io.bulwark.protocol.extent.ExtentWrite;
import io.bulwark.protocol.extent.ReadOutcome;
import io.bulwark.protocol.extent.VerifiedPins;
import io.bulwark.protocol.extent.WriteOutcome;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.wire.Bytes;
import java.util.concurrent.CompletableFuture;

/** Extents on the nodes: {@link ExtentWrite} and {@link ExtentRead} under the driver; reads may be salvage reads. */
public final class NodeExtents implements ExtentAccess {
    /** About 2 MiB of pins, for 16 GiB of blocks of 1 MiB. */
    private static final int VERIFIED_MAX = 16_384;

    private final VerifiedPins verified = new VerifiedPins(VERIFIED_MAX);
    private final OperationDriver driver;
    private final NodeHealth health;
    private final ExtentTiming timing;
    private final boolean salvage;

    /** @param salvage true if the reads are {@linkplain ExtentRead#withSalvage salvage reads} */
    public NodeExtents(OperationDriver driver, NodeHealth health, ExtentTiming timing, boolean salvage) {
        this.driver = driver;
        this.health = health;
        this.timing = timing;
        this.salvage = salvage;
    }

    @Override
    public CompletableFuture<WriteOutcome> write(Volume volume, BlockId block, Bytes content) {
        ProtectionPolicy policy = volume.policyOf(block);
        long held = (long) policy.fragmentBytes(content.length()) * (policy.m() + policy.n());
        // Encoding is the constructor's work, and belongs on the driver's threads.
        return driver.submit(() -> write(new ExtentWrite(volume, block, content, timing)), held);
    }

    private ExtentWrite write(ExtentWrite made) {
        verified.add(made.pin());
        return made;
    }

    @Override
    public CompletableFuture<ReadOutcome> read(Volume volume, BlockId block, Bytes pin, int length) {
        ExtentRead read = new ExtentRead(volume, block, pin, health.doubtfulSlots(volume.group(block)), timing)
                .withVerified(verified);
        ProtectionPolicy policy = volume.policyOf(block);
        long fragments = (long) policy.n() * policy.fragmentBytes(length);
        return driver.submit(salvage ? read.withSalvage() : read, fragments);
    }
}
