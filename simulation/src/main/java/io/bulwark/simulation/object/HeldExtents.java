package io.bulwark.simulation.object;

import io.bulwark.protocol.bucket.ObjectGet;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.extent.ExtentLimits;
import io.bulwark.protocol.extent.ExtentRead;
import io.bulwark.protocol.extent.ExtentTiming;
import io.bulwark.protocol.extent.ReadOutcome;
import io.bulwark.protocol.extent.WriteOutcome;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.object.Inode;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

/** The parts of a world, and what their reads found m+f slots to hold, whoever wrote it. */
final class HeldExtents implements ObjectParts {
    private final ObjectParts parts;
    private final List<Read> reads = new ArrayList<>();
    private final Map<BlockId, Bytes> held = new HashMap<>();

    private record Read(BlockId block, Bytes pin, ExtentRead operation) {}

    HeldExtents(ObjectParts parts) {
        this.parts = parts;
    }

    /** Calls with each extent and its pin. */
    void forEach(BiConsumer<BlockId, Bytes> then) {
        look();
        held.forEach(then);
    }

    /** Of reads that are over. */
    void look() {
        reads.removeIf(read -> {
            if (read.operation.isHeld()) {
                held.put(read.block, read.pin);
            }
            return read.operation.outcome().isPresent();
        });
    }

    @Override
    public ClientOperation<ReadOutcome> read(
            Volume volume, BlockId block, Bytes pin, Set<Integer> askLast, ExtentTiming timing) {
        ClientOperation<ReadOutcome> operation = parts.read(volume, block, pin, askLast, timing);
        if (operation instanceof ExtentRead read) {
            reads.add(new Read(block, pin, read));
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
    public ObjectGet get(Volume volume, Inode inode, long offset, long length, ObjectGet.Room room) {
        return parts.get(volume, inode, offset, length, room);
    }

    @Override
    public int replicasHeard(int replicas) {
        return parts.replicasHeard(replicas);
    }
}
