package io.bulwark.simulation.object;

import io.bulwark.protocol.bucket.ObjectGet;
import io.bulwark.protocol.bucket.ObjectVersion;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.extent.ExtentLimits;
import io.bulwark.protocol.extent.ExtentTiming;
import io.bulwark.protocol.extent.ReadOutcome;
import io.bulwark.protocol.extent.WriteOutcome;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

/** The parts of a world, and what their reads of extents came to: once it was read, an extent reads for ever, whoever wrote it. */
final class HeldExtents implements ObjectParts {
    private final ObjectParts parts;
    private final List<PendingRead> reads = new ArrayList<>();
    private final Map<Pinned, Bytes> held = new HashMap<>();

    private record Pinned(BlockId block, Bytes pin) {}

    /** @param later whether it began after another one had returned */
    private record PendingRead(Pinned extent, boolean later, ClientOperation<ReadOutcome> operation) {}

    HeldExtents(ObjectParts parts) {
        this.parts = parts;
    }

    /** Calls with each extent that was read, and its pin. */
    void forEach(BiConsumer<BlockId, Bytes> then) {
        look();
        held.keySet().forEach(extent -> then.accept(extent.block, extent.pin));
    }

    /** Records the extents that reads found held, and drops finished reads. */
    void look() {
        reads.removeIf(read -> {
            read.operation.outcome().ifPresent(outcome -> judge(read, outcome));
            return read.operation.outcome().isPresent();
        });
    }

    private void judge(PendingRead read, ReadOutcome outcome) {
        if (outcome instanceof ReadOutcome.Whole(Bytes content)) {
            Bytes before = held.putIfAbsent(read.extent, content);
            if (before != null && !before.equals(content)) {
                throw ObjectInvariants.STAYS_READABLE.violation(read.extent.block.toString(), "read with other bytes");
            }
        } else if (read.later
                && (outcome instanceof ReadOutcome.Incomplete || outcome instanceof ReadOutcome.Poisonous)) {
            throw ObjectInvariants.STAYS_READABLE.violation(read.extent.block.toString(), "was read, then " + outcome);
        }
    }

    @Override
    public ClientOperation<ReadOutcome> read(
            Volume volume, BlockId block, Bytes pin, Set<Integer> askLast, ExtentTiming timing) {
        ClientOperation<ReadOutcome> operation = parts.read(volume, block, pin, askLast, timing);
        if (volume.policy().checksFragments()) {
            look();
            Pinned extent = new Pinned(block, pin);
            reads.add(new PendingRead(extent, held.containsKey(extent), operation));
        }
        return operation;
    }

    @Override
    public ProtocolServer extents(int node, ExtentLimits limits) {
        return parts.extents(node, limits);
    }

    @Override
    public ClientOperation<WriteOutcome> write(Volume volume, BlockId block, Bytes content, ExtentTiming timing) {
        return parts.write(volume, block, content, timing);
    }

    @Override
    public ObjectGet get(Volume volume, ObjectVersion object, long offset, long length, ObjectGet.ReadAheadQuota room) {
        return parts.get(volume, object, offset, length, room);
    }

    @Override
    public int replicasHeard(int replicas) {
        return parts.replicasHeard(replicas);
    }
}
