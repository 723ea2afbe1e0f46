package io.bulwark.simulation.extent;

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
public interface ExtentParts {
    ExtentParts PRODUCTION = new ExtentParts() {};

    default ProtocolServer server(int node, ExtentLimits limits) {
        return new ExtentServer(node, limits);
    }

    default ClientOperation<WriteOutcome> write(Volume volume, BlockId block, Bytes content, ExtentTiming timing) {
        return new ExtentWrite(volume, block, content, timing);
    }

    default ClientOperation<ReadOutcome> read(Volume volume, BlockId block, Bytes pin, ExtentTiming timing) {
        return new ExtentRead(volume, block, pin, Set.of(), timing);
    }
}
