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
 * A node asks its peers for their latest timestamps only, to see whether its own latest is what READ would find: it is once
 * 2f + 1 of the first 3f + 1 slots claim just that and nobody claims more. Anything else is for REPAIR to find out.
 */
final class LatestPoll implements ClientOperation<LatestPoll.Outcome> {
    /** How it ended. */
    enum Outcome {
        AGREED,
        /** Somebody claims something later, or too few claim the same. */
        DIFFERENT,
        /** Fewer than 2f + 1 of the first 3f + 1 slots could be asked. */
        UNKNOWN
    }

    private final FpGroup group;
    private final int ownSlot;
    private final Timestamp own;
    private final FpTimes times;
    private final @Nullable Timestamp[] claims;
    private long startedMillis;
    private long sentMillis;
    private @Nullable Outcome outcome;

    LatestPoll(FpGroup group, int ownSlot, Timestamp own, FpTimes times) {
        this.group = group;
        this.ownSlot = ownSlot;
        this.own = own;
        this.times = times;
        this.claims = new Timestamp[group.n()];
        this.claims[ownSlot] = own;
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
            if (claims[slot] == null) {
                effects.add(
                        new Effect.Send(group.node(slot), 0, new FpMessage.FindTimestamp(group.target(slot), false)));
            }
        }
        return effects;
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        if (message instanceof FpMessage.FoundTimestamp found && group.fits(found.latest())) {
            int slot = group.slotOf(from, found.target());
            if (slot >= 0 && slot != ownSlot) {
                claims[slot] = found.latest();
                decide(false);
            }
        }
        return List.of();
    }

    /** @param late whether those that have not answered are not waited for any longer */
    private void decide(boolean late) {
        int answered = 0;
        int quorum = 0;
        int agreeing = 0;
        boolean later = false;
        for (int slot = 0; slot < group.n(); slot++) {
            Timestamp claim = claims[slot];
            if (claim != null) {
                boolean counts = slot < group.policy().timestampSlots();
                answered++;
                quorum += counts ? 1 : 0;
                agreeing += counts && claim.equals(own) ? 1 : 0;
                later |= claim.isAfter(own);
            }
        }
        int needed = group.policy().timestampQuorum();
        if (outcome == null && (answered == group.n() || (late && quorum >= needed))) {
            outcome = agreeing >= needed && !later ? Outcome.AGREED : Outcome.DIFFERENT;
        }
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        if (outcome == null && nowMillis - startedMillis >= times.retryMillis()) {
            decide(true);
        }
        if (outcome == null && nowMillis - startedMillis >= times.timeoutMillis()) {
            outcome = Outcome.UNKNOWN;
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
