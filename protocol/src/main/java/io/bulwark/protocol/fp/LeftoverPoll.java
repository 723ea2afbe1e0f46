package io.bulwark.protocol.fp;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Asks the peers about a version that a closed session left staged. If 2f + 1 of them durably refuse the session and have not
 * prepared the version, f + 1 correct ones never will, and m + f prepares can never come together. And if its owner is revoked,
 * and all peers refuse its COMMIT, gave nobody else MACs for the version and have not committed it, no correct node ever will.
 */
final class LeftoverPoll implements ClientOperation<LeftoverPoll.Outcome> {
    /** How it ended. */
    enum Outcome {
        /** It can never be committed. */
        NEVER,
        /** Not known: READ has to find it, or the state machine decides, later. */
        OPEN
    }

    private final FpGroup group;
    private final int ownSlot;
    private final FpAccess.SessionKey session;
    private final Timestamp version;
    private final boolean ownerRevoked;
    private final FpTimes times;
    private final Map<Integer, FpMessage.LeftoverState> states = new HashMap<>();
    private long startedMillis;
    private long sentMillis;
    private @Nullable Outcome outcome;

    /** @param ownerRevoked whether this node itself refuses its owner's COMMIT for good */
    LeftoverPoll(
            FpGroup group,
            int ownSlot,
            FpAccess.SessionKey session,
            Timestamp version,
            boolean ownerRevoked,
            FpTimes times) {
        this.group = group;
        this.ownSlot = ownSlot;
        this.session = session;
        this.version = version;
        this.ownerRevoked = ownerRevoked;
        this.times = times;
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
            if (slot != ownSlot && states.get(slot) != FpMessage.LeftoverState.NEVER_PREPARED) {
                effects.add(new Effect.Send(
                        group.node(slot),
                        0,
                        new FpMessage.AskLeftover(group.target(slot), session.owner(), session.session(), version)));
            }
        }
        return effects;
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        if (message instanceof FpMessage.Leftover answer && answer.version().equals(version.version())) {
            int slot = group.slotOf(from, answer.target());
            if (slot >= 0 && slot != ownSlot) {
                states.put(slot, answer.state());
                long never = count(FpMessage.LeftoverState.NEVER_PREPARED);
                long refused = count(FpMessage.LeftoverState.OWNER_REVOKED);
                if (never >= group.policy().timestampQuorum() || (ownerRevoked && refused == group.n() - 1)) {
                    outcome = Outcome.NEVER;
                }
            }
        }
        return List.of();
    }

    private long count(FpMessage.LeftoverState state) {
        return states.values().stream().filter(state::equals).count();
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        boolean allAnswered = states.size() == group.n() - 1 && count(FpMessage.LeftoverState.SESSION_NOT_CLOSED) == 0;
        boolean late = nowMillis - startedMillis >= times.timeoutMillis();
        if (outcome == null && (late || allAnswered)) {
            outcome = Outcome.OPEN;
        }
        if (outcome == null && nowMillis - sentMillis >= times.retryMillis()) {
            return ask(nowMillis);
        }
        return List.of();
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
