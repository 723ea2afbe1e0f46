package io.bulwark.protocol.fp;

import io.bulwark.protocol.id.PrincipalId;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Asks the peers about a version that a closed session left staged. If 2f + 1 of them durably refuse the session and have not
 * prepared the version, f + 1 correct ones never will, and m + f prepares can never come together. And if its owner is revoked,
 * and all peers that are not revoked themselves refuse its COMMIT, gave nobody else MACs for the version and have not committed it, no correct node ever will.
 */
final class LeftoverPoll extends PeerPoll<LeftoverPoll.Outcome> {
    /** How it ended. */
    enum Outcome {
        /** It can never be committed. */
        NEVER,
        /** Not known: READ has to find it, or the state machine decides, later. */
        OPEN
    }

    private final FpAccess.SessionKey session;
    private final Timestamp version;
    private final boolean ownerRevoked;
    /** Slots of nodes that are revoked: each is one of the f, and says nothing any more. */
    private final Set<Integer> gone;

    private final Map<Integer, FpMessage.LeftoverState> states = new HashMap<>();

    /**
     * One version of one session.
     *
     * @param revoked who is revoked: if its owner is, this node itself refuses its COMMIT for good
     */
    LeftoverPoll(
            FpGroup group,
            int ownSlot,
            FpAccess.SessionKey session,
            Timestamp version,
            Predicate<PrincipalId> revoked,
            FpTimes times) {
        super(group, ownSlot, times);
        this.session = session;
        this.version = version;
        this.ownerRevoked = revoked.test(session.owner());
        this.gone = IntStream.range(0, group.n())
                .filter(slot -> slot != ownSlot && revoked.test(group.node(slot)))
                .boxed()
                .collect(Collectors.toSet());
    }

    @Override
    Optional<FpMessage> question(int slot) {
        return states.get(slot) == FpMessage.LeftoverState.NEVER_PREPARED
                ? Optional.empty()
                : Optional.of(
                        new FpMessage.AskLeftover(group.target(slot), session.owner(), session.session(), version));
    }

    @Override
    Optional<FpMessage> take(int slot, FpMessage.Answer answer) {
        if (answer instanceof FpMessage.Leftover leftover && leftover.version().equals(version.version())) {
            states.put(slot, leftover.state());
            long never = count(FpMessage.LeftoverState.NEVER_PREPARED);
            if (never >= group.policy().timestampQuorum() || (ownerRevoked && allRefuse())) {
                end(Outcome.NEVER);
            }
        }
        return Optional.empty();
    }

    /** All that may still be correct. */
    private boolean allRefuse() {
        long refused = states.entrySet().stream()
                .filter(each ->
                        each.getValue() == FpMessage.LeftoverState.OWNER_REVOKED && !gone.contains(each.getKey()))
                .count();
        return gone.size() <= group.f() && refused == group.n() - 1 - gone.size();
    }

    private long count(FpMessage.LeftoverState state) {
        return states.values().stream().filter(state::equals).count();
    }

    @Override
    void waited(long millis) {
        boolean allAnswered = states.size() == group.n() - 1 && count(FpMessage.LeftoverState.SESSION_NOT_CLOSED) == 0;
        if (allAnswered || millis >= times.timeoutMillis()) {
            end(Outcome.OPEN);
        }
    }
}
