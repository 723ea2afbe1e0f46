package io.bulwark.protocol.fp;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A holder asks its peers for their latest until m + f slots, its own among them, claim a version or a later one in this epoch. Those
 * that are behind are asked for REPAIR.
 */
final class ClaimPoll implements ClientOperation<ClaimPoll.Outcome> {
    /** How it ended. */
    enum Outcome {
        CLAIMED,
        TIMED_OUT
    }

    private final FpGroup group;
    private final int ownSlot;
    private final Timestamp version;
    private final FpTimes times;
    private final @Nullable Timestamp[] claims;
    private long startedMillis;
    private long sentMillis;
    private @Nullable Outcome outcome;

    /** @param version this node's latest, or one before it */
    ClaimPoll(FpGroup group, int ownSlot, Timestamp version, FpTimes times) {
        this.group = group;
        this.ownSlot = ownSlot;
        this.version = version;
        this.times = times;
        this.claims = new Timestamp[group.n()];
    }

    @Override
    public List<Effect> start(long nowMillis) {
        startedMillis = nowMillis;
        return ask(nowMillis);
    }

    private List<Effect> ask(long nowMillis) {
        sentMillis = nowMillis;
        List<Effect> effects = new ArrayList<>();
        for (int slot = 0; slot < group.n(); slot++) {
            Timestamp claim = claims[slot];
            if (slot == ownSlot) {
                continue;
            }
            if (claim == null) {
                effects.add(
                        new Effect.Send(group.node(slot), 0, new FpMessage.FindTimestamp(group.target(slot), false)));
            } else if (version.isAfter(claim)) {
                effects.add(repair(slot));
            }
        }
        return effects;
    }

    private Effect repair(int slot) {
        return new Effect.Send(group.node(slot), 0, new FpMessage.Repair(group.target(slot), version));
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        return switch (message) {
            case FpMessage.FoundTimestamp found -> take(from, found.target(), found.latest());
            case FpMessage.RepairAnswer answer -> take(from, answer.target(), answer.latest());
            default -> List.of();
        };
    }

    private List<Effect> take(PrincipalId from, Target target, Timestamp latest) {
        int slot = group.slotOf(from, target);
        if (slot < 0 || slot == ownSlot || !group.fits(latest)) {
            return List.of();
        }
        boolean first = claims[slot] == null;
        claims[slot] = latest;
        int claiming = 1;
        for (int other = 0; other < group.n(); other++) {
            Timestamp claim = claims[other];
            claiming += claim != null && !version.isAfter(claim) ? 1 : 0;
        }
        if (outcome == null && claiming >= group.policy().writeQuorum()) {
            outcome = Outcome.CLAIMED;
        }
        return first && outcome == null && version.isAfter(latest) ? List.of(repair(slot)) : List.of();
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        if (outcome == null && nowMillis - startedMillis >= times.timeoutMillis()) {
            outcome = Outcome.TIMED_OUT;
        }
        return outcome == null && nowMillis - sentMillis >= times.retryMillis() ? ask(nowMillis) : List.of();
    }

    @Override
    public Optional<Outcome> outcome() {
        return Optional.ofNullable(outcome);
    }

    @Override
    public boolean finished() {
        return outcome != null;
    }
}
