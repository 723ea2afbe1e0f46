package io.bulwark.protocol.fp;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Timeouts;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Poll of the peers about a version that a closed session left staged. Suppose that 2f + 1 of them durably refuse the
 * session and have not prepared the version. Then f + 1 correct ones never will, and m + f prepares can never be
 * collected. Suppose that all of them durably refuse the session and have not committed the version. Then no correct
 * node has committed it for that session, and none ever will.
 */
final class OrphanPoll extends PeerPoll<OrphanPoll.Outcome> {
    /** Outcome of the poll. */
    enum Outcome {
        /** It can never be committed. */
        NEVER,
        /** The outcome is unknown: a peer is silent, or has not heard of the closing, or has the version: READ has to find it. */
        OPEN
    }

    private final int ownSlot;
    private final FpAccess.SessionKey session;
    private final Timestamp version;
    /** Slots of nodes that are revoked: each is one of the f, and says nothing any more. */
    private final Set<Integer> gone;

    private final Map<Integer, FpMessage.LeftoverState> states = new HashMap<>();

    /**
     * One version of one session.
     *
     * @param session this node itself refuses it for good
     * @param revoked who is revoked
     */
    OrphanPoll(
            FpGroup group,
            int ownSlot,
            FpAccess.SessionKey session,
            Timestamp version,
            Predicate<PrincipalId> revoked,
            Timeouts times) {
        super(group, ownSlot, times);
        this.ownSlot = ownSlot;
        this.session = session;
        this.version = version;
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
            if (never >= group.policy().timestampQuorum() || hasOnlyRefusals()) {
                end(Outcome.NEVER);
            }
        }
        return Optional.empty();
    }

    /** All that may still be correct. */
    private boolean hasOnlyRefusals() {
        return gone.size() <= group.f() && missing().isEmpty();
    }

    /** Returns the nodes that may have committed the version and have not said that they refuse the session. */
    List<PrincipalId> missing() {
        List<PrincipalId> missing = new ArrayList<>();
        for (int slot = 0; slot < group.n(); slot++) {
            FpMessage.LeftoverState state = states.get(slot);
            boolean refuses =
                    state == FpMessage.LeftoverState.REFUSED || state == FpMessage.LeftoverState.NEVER_PREPARED;
            if (slot != ownSlot && !refuses && !gone.contains(slot)) {
                missing.add(group.node(slot));
            }
        }
        return missing;
    }

    private long count(FpMessage.LeftoverState state) {
        return states.values().stream().filter(state::equals).count();
    }

    @Override
    void onTimeout(long millis) {
        boolean allAnswered = states.size() == group.n() - 1 && count(FpMessage.LeftoverState.SESSION_NOT_CLOSED) == 0;
        if (allAnswered || millis >= times.timeoutMillis()) {
            end(Outcome.OPEN);
        }
    }
}
