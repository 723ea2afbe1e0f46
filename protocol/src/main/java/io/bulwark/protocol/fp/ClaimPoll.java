package io.bulwark.protocol.fp;

import io.bulwark.protocol.kernel.Timeouts;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Poll of a holder for its peers' latest, until m + f slots, including its own, claim a version or a later one in this
 * epoch. Peers that are behind are asked for REPAIR.
 */
final class ClaimPoll extends PeerPoll<ClaimPoll.Outcome> {
    /** Outcome of the poll. */
    enum Outcome {
        CLAIMED,
        TIMED_OUT
    }

    private final Timestamp version;
    private final @Nullable Timestamp[] claims;

    /** @param version this node's latest, or one before it */
    ClaimPoll(FpGroup group, int ownSlot, Timestamp version, Timeouts times) {
        super(group, ownSlot, times);
        this.version = version;
        this.claims = new Timestamp[group.n()];
    }

    @Override
    Optional<FpMessage> question(int slot) {
        Timestamp claim = claims[slot];
        if (claim == null) {
            return Optional.of(new FpMessage.FindTimestamp(group.target(slot), false));
        }
        return version.isAfter(claim) ? repair(slot) : Optional.empty();
    }

    private Optional<FpMessage> repair(int slot) {
        return Optional.of(new FpMessage.Repair(group.target(slot), version));
    }

    @Override
    Optional<FpMessage> take(int slot, FpMessage.Answer answer) {
        return switch (answer) {
            case FpMessage.FoundTimestamp found -> take(slot, found.latest());
            case FpMessage.RepairAnswer repaired -> take(slot, repaired.latest());
            default -> Optional.empty();
        };
    }

    private Optional<FpMessage> take(int slot, Timestamp latest) {
        if (!group.fits(latest)) {
            return Optional.empty();
        }
        boolean first = claims[slot] == null;
        claims[slot] = latest;
        int claiming = 1;
        for (Timestamp claim : claims) {
            claiming += claim != null && !version.isAfter(claim) ? 1 : 0;
        }
        if (claiming >= group.policy().writeQuorum()) {
            end(Outcome.CLAIMED);
        }
        return first && version.isAfter(latest) ? repair(slot) : Optional.empty();
    }

    @Override
    void onTimeout(long millis) {
        if (millis >= times.timeoutMillis()) {
            end(Outcome.TIMED_OUT);
        }
    }
}
