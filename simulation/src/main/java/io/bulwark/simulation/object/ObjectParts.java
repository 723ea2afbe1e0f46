package io.bulwark.simulation.object;

import io.bulwark.protocol.bucket.ObjectGet;
import io.bulwark.protocol.bucket.ObjectVersion;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.extent.ExtentLimits;
import io.bulwark.protocol.extent.ExtentRead;
import io.bulwark.protocol.extent.ExtentServer;
import io.bulwark.protocol.extent.ExtentTiming;
import io.bulwark.protocol.extent.ExtentWrite;
import io.bulwark.protocol.extent.ReadOutcome;
import io.bulwark.protocol.extent.WriteOutcome;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.wire.Bytes;
import java.util.Set;

/** Parts that correct parties run: the production classes, unless a test plants a bug. */
public interface ObjectParts {
    ObjectParts PRODUCTION = new ObjectParts() {};

    /** A node's side of extents. */
    default ProtocolServer extents(int node, ExtentLimits limits) {
        return new ExtentServer(node, limits);
    }

    /** A client's write of one extent. */
    default ClientOperation<WriteOutcome> write(Volume volume, BlockId block, Bytes content, ExtentTiming timing) {
        return new ExtentWrite(volume, block, content, timing);
    }

    /**
     * A client's read of one extent.
     *
     * @param askLast slots that the client doubts
     */
    default ClientOperation<ReadOutcome> read(
            Volume volume, BlockId block, Bytes pin, Set<Integer> askLast, ExtentTiming timing) {
        return new ExtentRead(volume, block, pin, askLast, timing);
    }

    /**
     * Returns a client's read of a range of an object.
     *
     * @param room bounds the read-ahead of all reads of the client
     */
    default ObjectGet get(
            Volume volume, ObjectVersion object, long offset, long length, ObjectGet.ReadAheadQuota room) {
        return new ObjectGet(volume, object, offset, length, room);
    }

    /** Returns how many of this number of replicas a client or node listens to. */
    default int replicasHeard(int replicas) {
        return replicas;
    }
}
