package io.bulwark.simulation.fp;

import io.bulwark.protocol.cluster.RevocationWatch;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.fp.FpGroup;
import io.bulwark.protocol.fp.FpLimits;
import io.bulwark.protocol.fp.FpRead;
import io.bulwark.protocol.fp.FpReadOutcome;
import io.bulwark.protocol.fp.FpServer;
import io.bulwark.protocol.fp.FpWrite;
import io.bulwark.protocol.fp.FpWriteOutcome;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.mac.TagKeys;
import io.bulwark.protocol.wire.Bytes;

/** Parts that correct parties run: the production classes, unless a test plants a bug. */
public interface FpParts {
    FpParts PRODUCTION = new FpParts() {};

    default ProtocolServer server(TagKeys keys, FpLimits limits, RevocationWatch revocations) {
        return new FpServer(keys, limits, _ -> true, revocations);
    }

    default ClientOperation<FpWriteOutcome> write(FpGroup group, long session, Bytes value, Timeouts times) {
        return new FpWrite(group, session, value, times);
    }

    /** By a client that may write. */
    default ClientOperation<FpReadOutcome> readWritingBack(FpGroup group, long session, Timeouts times) {
        return FpRead.withWriteBack(group, session, times);
    }

    /** By a client that may only read. */
    default ClientOperation<FpReadOutcome> readAskingForRepair(FpGroup group, Timeouts times) {
        return FpRead.withRepairRequests(group, times);
    }
}
