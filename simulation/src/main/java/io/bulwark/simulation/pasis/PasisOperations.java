package io.bulwark.simulation.pasis;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Failure;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.pasis.PasisGroup;
import io.bulwark.protocol.pasis.PasisReadOutcome;
import io.bulwark.protocol.pasis.PasisWrite;
import io.bulwark.protocol.pasis.PasisWriteOutcome;
import io.bulwark.protocol.pasis.ReadPlan;
import io.bulwark.protocol.pasis.ValidatingTimestamp;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.register.EpochRetry;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;

/** Reads and writes of correct clients; where holders change they go on, or begin again, in the epoch of now. */
final class PasisOperations {
    private final PasisParts parts;
    private final PasisVolume volume;
    private final Timeouts times;
    private final boolean follow;
    private final Random plans;

    /** @param plans draws the plan of each read: none may be unsafe */
    PasisOperations(PasisParts parts, PasisVolume volume, Timeouts times, boolean follow, Random plans) {
        this.parts = parts;
        this.volume = volume;
        this.times = times;
        this.follow = follow;
        this.plans = plans;
    }

    ClientOperation<PasisWriteOutcome> write(PasisGroup group, PrincipalId client, long session, Bytes value) {
        if (!follow) {
            return parts.write(group, client, session, value, times);
        }
        return new EpochRetry<>(
                () -> volume.group(group.block().counter()),
                now -> now.placement().epoch(),
                now -> parts.write(now, client, session, value, times),
                outcome -> switch (outcome) {
                    case PasisWriteOutcome.EpochOver(ValidatingTimestamp at) ->
                        Optional.of(now -> PasisWrite.continueInEpoch(now, session, value, at, times));
                    case PasisWriteOutcome.Failed(Failure reason, boolean mayBeWritten)
                    when reason == Failure.OTHER_EPOCH && !mayBeWritten ->
                        Optional.of(now -> parts.write(now, client, session, value, times));
                    default -> Optional.empty();
                });
    }

    /** @param session 0 for a client that may only read */
    ClientOperation<PasisReadOutcome> read(PasisGroup group, PrincipalId client, long session) {
        if (!follow) {
            return once(group, client, session);
        }
        return new EpochRetry<>(
                () -> volume.group(group.block().counter()),
                now -> now.placement().epoch(),
                now -> once(now, client, session),
                outcome -> outcome instanceof PasisReadOutcome.Failed(Failure reason) && reason == Failure.OTHER_EPOCH
                        ? Optional.of(now -> once(now, client, session))
                        : Optional.empty());
    }

    private ClientOperation<PasisReadOutcome> once(PasisGroup group, PrincipalId client, long session) {
        return session == 0
                ? parts.readAskingForRepair(group, times, plan(group))
                : parts.readWritingBack(group, client, session, times, plan(group));
    }

    private ReadPlan plan(PasisGroup group) {
        int n = group.policy().n();
        List<Integer> order = new ArrayList<>(IntStream.range(0, n).boxed().toList());
        Collections.shuffle(order, plans);
        return new ReadPlan(order, plans.nextInt(n), plans.nextInt(n));
    }
}
