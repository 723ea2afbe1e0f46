package io.bulwark.simulation.pasis;

import io.bulwark.protocol.cluster.RevocationWatch;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.pasis.PasisGroup;
import io.bulwark.protocol.pasis.PasisLimits;
import io.bulwark.protocol.pasis.PasisRead;
import io.bulwark.protocol.pasis.PasisReadOutcome;
import io.bulwark.protocol.pasis.PasisServer;
import io.bulwark.protocol.pasis.PasisWrite;
import io.bulwark.protocol.pasis.PasisWriteOutcome;
import io.bulwark.protocol.pasis.ReadPlan;
import io.bulwark.protocol.pasis.VerificationWatch;
import io.bulwark.protocol.wire.Bytes;
import java.util.function.IntSupplier;

/** Parts that correct parties run: the production classes, unless a test plants a bug. */
public interface PasisParts {
    PasisParts PRODUCTION = new PasisParts() {};

    default ProtocolServer server(
            PrincipalId self,
            PasisLimits limits,
            IntSupplier clients,
            VerificationWatch watch,
            RevocationWatch revocations) {
        return new PasisServer(self, limits, clients, watch, revocations);
    }

    default ClientOperation<PasisWriteOutcome> write(
            PasisGroup group, PrincipalId client, long session, Bytes value, Timeouts times) {
        return new PasisWrite(group, client, session, value, times);
    }

    /** By a client that may write. */
    default ClientOperation<PasisReadOutcome> readWritingBack(
            PasisGroup group, PrincipalId client, long session, Timeouts times, ReadPlan plan) {
        return PasisRead.withWriteBack(group, client, session, times, plan);
    }

    /** By a client that may only read. */
    default ClientOperation<PasisReadOutcome> readAskingForRepair(PasisGroup group, Timeouts times, ReadPlan plan) {
        return PasisRead.withRepairRequests(group, times, plan);
    }
}
