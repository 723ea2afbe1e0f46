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
import io.bulwark.simulation.register.FollowedOperation;
import io.bulwark.simulation.register.FollowedOperation.Attempt;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
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

    /** @param attempts is told of the group of each attempt, before it is made */
    ClientOperation<PasisWriteOutcome> write(
            PasisGroup group, PrincipalId client, long session, Bytes value, Consumer<PasisGroup> attempts) {
        Attempt<PasisGroup, PasisWriteOutcome> first = writing(group, client, session, value, attempts);
        if (!follow) {
            return first.operation();
        }
        return new FollowedOperation<>(first, (of, outcome) -> switch (outcome) {
            case PasisWriteOutcome.EpochOver(ValidatingTimestamp at) ->
                later(of).map(now -> new Attempt<>(now, PasisWrite.continueInEpoch(now, session, value, at, times)));
            case PasisWriteOutcome.Failed(Failure reason, boolean mayBeWritten)
            when reason == Failure.OTHER_EPOCH && !mayBeWritten ->
                later(of).map(_ -> writing(volume.group(of.block().number()), client, session, value, attempts));
            default -> Optional.empty();
        });
    }

    private Attempt<PasisGroup, PasisWriteOutcome> writing(
            PasisGroup group, PrincipalId client, long session, Bytes value, Consumer<PasisGroup> attempts) {
        attempts.accept(group);
        return new Attempt<>(group, parts.write(group, client, session, value, times));
    }

    /** Returns a group as it is now, if its epoch is over. */
    private Optional<PasisGroup> later(PasisGroup group) {
        return Optional.of(volume.group(group.block()))
                .filter(now -> now.placement().epoch() > group.placement().epoch());
    }

    /**
     * @param session 0 for a client that may only read
     * @param attempts is told of the group of each attempt, before it is made
     */
    ClientOperation<PasisReadOutcome> read(
            PasisGroup group, PrincipalId client, long session, Consumer<PasisGroup> attempts) {
        Attempt<PasisGroup, PasisReadOutcome> first = reading(group, client, session, attempts);
        if (!follow) {
            return first.operation();
        }
        return new FollowedOperation<>(first, (of, outcome) -> switch (outcome) {
            case PasisReadOutcome.Failed(Failure reason)
            when reason == Failure.OTHER_EPOCH ->
                later(of).map(_ -> reading(volume.group(of.block().number()), client, session, attempts));
            case PasisReadOutcome.NeverWritten _
            when of.block().generation() > 0 -> Optional.of(reading(volume.groupBelow(of), client, session, attempts));
            default -> Optional.empty();
        });
    }

    private Attempt<PasisGroup, PasisReadOutcome> reading(
            PasisGroup group, PrincipalId client, long session, Consumer<PasisGroup> attempts) {
        attempts.accept(group);
        return new Attempt<>(
                group,
                session == 0
                        ? parts.readAskingForRepair(group, times, plan(group))
                        : parts.readWritingBack(group, client, session, times, plan(group)));
    }

    private ReadPlan plan(PasisGroup group) {
        int n = group.policy().n();
        List<Integer> order = new ArrayList<>(IntStream.range(0, n).boxed().toList());
        Collections.shuffle(order, plans);
        return new ReadPlan(order, plans.nextInt(n), plans.nextInt(n));
    }
}
